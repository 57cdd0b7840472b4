package topos_test

import (
	"math"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// The judge complains of the least difference where no map lies upstream, and
// of one unit more than is granted elsewhere.
func TestJudgeComplains(t *testing.T) {
	tape := New(F64)
	x := tape.Parameter(Shape{2}, 1, 2)
	twice := x.Add(x)                                                                                                      // node 1
	tanh := twice.Tanh()                                                                                                   // node 2
	root := twice.Sqrt()                                                                                                   // node 3: rounded correctly everywhere
	product := tanh.Mul(x)                                                                                                 // node 4
	power := tanh.Powf(x)                                                                                                  // node 5: a map behind a map
	total := x.LogSumExp(0)                                                                                                // node 6
	j := newJudge(t, double, tape.Nodes(), goldenTensor{Bits: "3ff0000000000000"}, goldenTensor{Bits: "4020000000000000"}) // 1 and 8
	if j.scale != 8 {
		t.Errorf("the scale is %v", j.scale)
	}
	one, units := math.Float64bits(1), func(n int) uint64 { return math.Float64bits(1) + uint64(n) }
	for _, c := range []struct {
		node     Value[float64]
		fine, no uint64
	}{
		{twice, one, units(1)},
		{root, one, units(1)},
		{tanh, units(4), units(5)},
		{product, units(128), units(129)}, // 16 eps at a scale of 8
		{power, units(128), units(129)},
		{total, units(128), units(129)},
	} {
		at := c.node.Symbol().Index()
		if why := j.off(at, c.fine, one); why != "" {
			t.Errorf("node %d: %s", at, why)
		}
		if j.off(at, c.no, one) == "" || j.off(at, math.Float64bits(math.NaN()), one) == "" {
			t.Errorf("node %d: no complaint", at)
		}
		if why := j.off(at, math.Float64bits(math.NaN()), 0xfff8000000000001); why != "" {
			t.Errorf("node %d: NaN is not a class: %s", at, why)
		}
	}
	negative := math.Float64bits(math.Copysign(0, -1))
	if j.off(twice.Symbol().Index(), negative, 0) == "" || j.off(tanh.Symbol().Index(), negative, 0) == "" {
		t.Error("the sign of a zero is not looked at")
	}
}

func TestUnitsApart(t *testing.T) {
	bits := math.Float64bits
	for _, c := range []struct {
		a, b uint64
		want float64
	}{
		{bits(1), bits(1), 0},
		{bits(1), bits(1) + 3, 3},
		{bits(0), bits(math.Copysign(0, -1)), 0},
		{bits(5e-324), bits(-5e-324), 2},
		{bits(math.MaxFloat64), bits(math.Inf(1)), 1},
		{bits(math.Inf(-1)), bits(math.Inf(1)), 2 * float64(bits(math.Inf(1)))},
		{bits(1), bits(math.NaN()), math.Inf(1)},
	} {
		if got := double.unitsApart(c.a, c.b); got != c.want {
			t.Errorf("%x and %x are %v apart, want %v", c.a, c.b, got, c.want)
		}
	}
}
