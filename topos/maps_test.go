package topos_test

import (
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

func TestMaps(t *testing.T) { mapPromises.check(t) }

// mapRow is a map at points where its value is known: exact in any element,
// and at one more where the two widths round apart.
type mapRow struct {
	kind     Kind
	at, want []float64
	point    float64
	narrow   float64 // the value at point, rounded to float32
	wide     float64 // the value at point, rounded to float64
	records  string
	retains  string
	smooth   []float64 // where differences are taken
}

var mapRows = []mapRow{
	{OpExp, []float64{0, zero, -inf, inf, 1000, -1000, nan}, []float64{1, 1, 0, inf, inf, 0, nan},
		1, 0x1.5bf0a8p1, 0x1.5bf0a8b145769p1, "Mul g, out; Leaf; Add 1, 0", "out", []float64{-1, 0, 0.5}},
	{OpLn, []float64{1, 0, zero, -1, inf, nan}, []float64{0, -inf, -inf, nan, inf, nan},
		2, 0x1.62e43p-1, 0x1.62e42fefa39efp-1, "Div g, x; Leaf; Add 1, 0", "x", []float64{0.5, 1, 3}},
	{OpSqrt, []float64{4, 0, zero, -1, inf, nan}, []float64{2, 0, zero, nan, inf, nan},
		2, 0x1.6a09e6p0, 0x1.6a09e667f3bcdp0, "Add out, out; Div g, 0; Leaf; Add 2, 1", "out", []float64{0.5, 1, 3}},
	{OpTanh, []float64{0, zero, inf, -inf, 100, nan}, []float64{0, zero, 1, -1, 1, nan},
		1, 0x1.85efacp-1, 0x1.85efab514f394p-1, "Leaf; Mul out, out; Sub 0, 1; Mul g, 2; Leaf; Add 4, 3", "out", []float64{-1, 0, 0.5}},
	{OpSin, []float64{0, zero, inf, nan}, []float64{0, zero, nan, nan},
		1, 0x1.aed548p-1, 0x1.aed548f090ceep-1, "Cos x; Mul g, 0; Leaf; Add 2, 1", "x", []float64{-1, 0, 2}},
	{OpCos, []float64{0, zero, -inf, nan}, []float64{1, 1, nan, nan},
		1, 0x1.14a28p-1, 0x1.14a280fb5068cp-1, "Sin x; Mul g, 0; Neg 1; Leaf; Add 3, 2", "x", []float64{-1, 0.25, 2}},
	{OpLog1p, []float64{0, zero, -1, -2, inf, nan}, []float64{0, zero, -inf, nan, inf, nan},
		1, 0x1.62e43p-1, 0x1.62e42fefa39efp-1, "Leaf; Add 0, x; Div g, 1; Leaf; Add 3, 2", "x", []float64{-0.5, 0, 2}},
	{OpExpm1, []float64{0, zero, -inf, inf, -1000, nan}, []float64{0, zero, -1, inf, -1, nan},
		1, 0x1.b7e152p0, 0x1.b7e151628aed3p0, "Leaf; Add out, 0; Mul g, 1; Leaf; Add 3, 2", "out", []float64{-1, 0, 0.5}},
	{OpErf, []float64{0, zero, inf, -inf, 10, nan}, []float64{0, zero, 1, -1, 1, nan},
		1, 0x1.af767ap-1, 0x1.af767a741088bp-1, "ErfDerivative x; Mul g, 0; Leaf; Add 2, 1", "x", []float64{-1, 0, 0.5}},
	{OpErfDerivative, []float64{inf, -inf, 100, nan}, []float64{0, 0, 0, nan},
		0, 0x1.20dd76p0, 0x1.20dd750429b6dp0, "Add x, x; Mul g, 0; Mul 1, out; Neg 2; Leaf; Add 4, 3", "x out", []float64{-1, 0.25, 0.5}},
}

var mapPromises = func() (f family) {
	for _, r := range mapRows {
		op := Opcode{Kind: r.kind}
		f.shapes = append(f.shapes,
			shapeRow{op: op, of: []Shape{{2, 3}}, made: Shape{2, 3}},
			shapeRow{op: op, of: []Shape{{}}, made: Shape{}})
		f.computes = append(f.computes,
			computeRow{op: op, of: []numbers{of(Shape{len(r.at)}, r.at...)}, want: of(Shape{len(r.want)}, r.want...)},
			computeRow{op: op, of: []numbers{of(Shape{}, r.point)}, want: of(Shape{}, r.narrow), only: 32},
			computeRow{op: op, of: []numbers{of(Shape{}, r.point)}, want: of(Shape{}, r.wide), only: 64})
		f.rules = append(f.rules, ruleRow{op: op, of: []Shape{{2}}, records: r.records, retains: r.retains})
		f.gradients = append(f.gradients, gradientRow{op: op, of: []numbers{of(Shape{len(r.smooth)}, r.smooth...)}})
	}
	return f
}()
