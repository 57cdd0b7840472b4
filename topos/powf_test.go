package topos_test

import (
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

func TestPowf(t *testing.T) { powfPromises.check(t) }

var powf = Opcode{Kind: OpPowf}

var powfPromises = family{
	shapes: []shapeRow{
		{op: powf, of: []Shape{{2, 3}, {2, 3}}, made: Shape{2, 3}},
		{op: powf, of: []Shape{{}, {}}, made: Shape{}},
		{op: powf, of: []Shape{{}, {2}}, says: "powf needs equal shapes, not [] and [2]"},
	},
	computes: []computeRow{
		{op: powf, of: []numbers{of(Shape{5}, 2, -2, 4, -8, 10), of(Shape{5}, -1, 3, 0.5, 0x1.555556p-2, 2)}, want: of(Shape{5}, 0.5, -8, 2, nan, 100)},
		// IEEE 754-2019, 9.2.1: a zero exponent and a base of one win over NaN.
		{op: powf, of: []numbers{of(Shape{4}, 0, nan, 1, -1), of(Shape{4}, 0, 0, nan, inf)}, want: of(Shape{4}, 1, 1, 1, 1)},
		{op: powf, of: []numbers{of(Shape{5}, 0, zero, zero, -inf, 0.5), of(Shape{5}, -2, -1, 3, 3, inf)}, want: of(Shape{5}, inf, -inf, zero, -inf, 0)},
		{op: powf, of: []numbers{of(Shape{}, 2), of(Shape{}, 0.5)}, want: of(Shape{}, 0x1.6a09e6p0), only: 32},
		{op: powf, of: []numbers{of(Shape{}, 2), of(Shape{}, 0.5)}, want: of(Shape{}, 0x1.6a09e667f3bcdp0), only: 64},
	},
	rules: []ruleRow{{op: powf, of: []Shape{{2}, {2}}, retains: "a b out",
		records: "Leaf; Sub b, 0; Mul g, b; Powf a, 1; Mul 2, 3; Mul g, out; Ln a; Mul 5, 6; Leaf; Add 8, 4; Leaf; Add 10, 7"}},
	gradients: []gradientRow{{op: powf, of: []numbers{of(Shape{2, 2}, 1, 2, 0.5, 3), of(Shape{2, 2}, 2, 0.25, -1, 1.5)}}},
}
