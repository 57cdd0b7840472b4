package topos_test

import (
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

func TestArithmetic(t *testing.T) { arithmeticPromises.check(t) }

var (
	add = Opcode{Kind: OpAdd}
	sub = Opcode{Kind: OpSub}
	mul = Opcode{Kind: OpMul}
	div = Opcode{Kind: OpDiv}
	neg = Opcode{Kind: OpNeg}
)

var arithmeticPromises = family{
	shapes: []shapeRow{
		{op: add, of: []Shape{{2, 3}, {2, 3}}, made: Shape{2, 3}},
		{op: sub, of: []Shape{{}, {}}, made: Shape{}},
		{op: mul, of: []Shape{{4}, {4}}, made: Shape{4}},
		{op: div, of: []Shape{{1, 1, 1}, {1, 1, 1}}, made: Shape{1, 1, 1}},
		{op: neg, of: []Shape{{2, 3}}, made: Shape{2, 3}},
		{op: add, of: []Shape{{2, 3}, {3, 2}}, says: "add needs equal shapes, not [2, 3] and [3, 2]"},
		{op: sub, of: []Shape{{}, {2}}, says: "sub needs equal shapes, not [] and [2]"},
		{op: mul, of: []Shape{{1}, {}}, says: "mul needs equal shapes, not [1] and []"},
		{op: div, of: []Shape{{2, 1}, {2}}, says: "div needs equal shapes, not [2, 1] and [2]"},
	},
	computes: []computeRow{
		{op: add, of: []numbers{of(Shape{6}, 1, zero, 1, inf, inf, nan), of(Shape{6}, 2, zero, -1, -inf, 1, 1)}, want: of(Shape{6}, 3, zero, 0, nan, inf, nan)},
		{op: add, of: []numbers{of(Shape{2}, 1, 1), of(Shape{2}, 0x1p-24, 0x3p-24)}, want: of(Shape{2}, 1, 1+0x1p-22), only: 32},
		{op: sub, of: []numbers{of(Shape{3}, 3, zero, 0), of(Shape{3}, 5, 0, 0)}, want: of(Shape{3}, -2, zero, 0)},
		{op: mul, of: []numbers{of(Shape{4}, 3, zero, 0, inf), of(Shape{4}, -2, 1, -1, 0)}, want: of(Shape{4}, -6, zero, zero, nan)},
		{op: mul, of: []numbers{of(Shape{}, 1+0x1p-23), of(Shape{}, 1+0x1p-23)}, want: of(Shape{}, 1+0x1p-22), only: 32},
		{op: div, of: []numbers{of(Shape{5}, 6, 1, 1, 0, -3), of(Shape{5}, 4, 0, zero, 0, inf)}, want: of(Shape{5}, 1.5, inf, -inf, nan, zero)},
		// A product with the reciprocal of 49 is 1 - 2^-53.
		{op: div, of: []numbers{of(Shape{}, 49), of(Shape{}, 49)}, want: of(Shape{}, 1)},
		{op: div, of: []numbers{of(Shape{}, 1), of(Shape{}, 3)}, want: of(Shape{}, 0x1.555556p-2), only: 32},
		{op: div, of: []numbers{of(Shape{}, 1), of(Shape{}, 3)}, want: of(Shape{}, 0x1.5555555555555p-2), only: 64},
		{op: neg, of: []numbers{of(Shape{4}, 0, zero, 2, nan)}, want: of(Shape{4}, zero, 0, -2, nan)},
	},
	rules: []ruleRow{
		{op: add, of: []Shape{{2}, {2}}, records: "Leaf; Add 0, g; Leaf; Add 2, g"},
		{op: sub, of: []Shape{{2}, {2}}, records: "Neg g; Leaf; Add 1, g; Leaf; Add 3, 0"},
		{op: mul, of: []Shape{{2}, {2}}, records: "Mul g, b; Mul g, a; Leaf; Add 2, 0; Leaf; Add 4, 1", retains: "a b"},
		{op: div, of: []Shape{{2}, {2}}, records: "Div g, b; Mul g, out; Div 1, b; Neg 2; Leaf; Add 4, 0; Leaf; Add 6, 3", retains: "b out"},
		{op: neg, of: []Shape{{2}}, records: "Neg g; Leaf; Add 1, 0"},
	},
	gradients: []gradientRow{
		{op: add, of: []numbers{of(Shape{2, 2}, 1, -2, 0.5, 3), of(Shape{2, 2}, 4, 0.25, -1, 2)}},
		{op: sub, of: []numbers{of(Shape{2, 2}, 1, -2, 0.5, 3), of(Shape{2, 2}, 4, 0.25, -1, 2)}},
		{op: mul, of: []numbers{of(Shape{2, 2}, 1, -2, 0.5, 3), of(Shape{2, 2}, 4, 0.25, -1, 2)}},
		{op: div, of: []numbers{of(Shape{2, 2}, 1, -2, 0.5, 3), of(Shape{2, 2}, 4, 0.5, -1, 2)}},
		{op: neg, of: []numbers{of(Shape{3}, 1, -2, 0)}},
	},
}
