package topos_test

import (
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

func TestSums(t *testing.T) { sumPromises.check(t) }

var sum = Opcode{Kind: OpSum}

func sumAlong(axis int) Opcode { return Opcode{Kind: OpSumAlong, Axis: axis} }

var sumPromises = family{
	shapes: []shapeRow{
		{op: sum, of: []Shape{{2, 3}}, made: Shape{}},
		{op: sum, of: []Shape{{}}, made: Shape{}},
		{op: sumAlong(0), of: []Shape{{2, 3}}, made: Shape{3}},
		{op: sumAlong(1), of: []Shape{{2, 3}}, made: Shape{2}},
		{op: sumAlong(2), of: []Shape{{2, 3}}, says: "sum_along finds no axis 2 in [2, 3]"},
		{op: sumAlong(-1), of: []Shape{{2, 3}}, says: "sum_along finds no axis -1 in [2, 3]"},
		{op: sumAlong(0), of: []Shape{{}}, says: "sum_along finds no axis 0 in []"},
	},
	computes: []computeRow{
		{op: sum, of: []numbers{of(Shape{2, 2}, 1, 2, 3, 4)}, want: of(Shape{}, 10)},
		{op: sum, of: []numbers{of(Shape{2}, zero, zero)}, want: of(Shape{}, zero)},
		{op: sum, of: []numbers{of(Shape{3}, 1, 0x1p-24, 0x1p-24)}, want: of(Shape{}, 1), only: 32},
		{op: sum, of: []numbers{of(Shape{3}, 0x1p-24, 0x1p-24, 1)}, want: of(Shape{}, 1+0x1p-23), only: 32},
		{op: sumAlong(0), of: []numbers{of(Shape{2, 3}, 1, 2, 3, 4, 5, 6)}, want: of(Shape{3}, 5, 7, 9)},
		{op: sumAlong(1), of: []numbers{of(Shape{2, 3}, 1, 2, 3, 4, 5, 6)}, want: of(Shape{2}, 6, 15)},
		{op: sumAlong(0), of: []numbers{of(Shape{1, 1}, zero)}, want: of(Shape{1}, zero)},
		{op: sumAlong(1), of: []numbers{of(Shape{2, 3}, 1, 0x1p-53, 0x1p-53, 0x1p-53, 0x1p-53, 1)}, want: of(Shape{2}, 1, 1+0x1p-52), only: 64},
	},
	rules: []ruleRow{
		{op: sum, of: []Shape{{2, 3}}, records: "Broadcast g shape=[2, 3]; Leaf; Add 1, 0"},
		{op: sumAlong(1), of: []Shape{{2, 3}}, records: "BroadcastAlong g axis=1 extent=3; Leaf; Add 1, 0"},
	},
	gradients: []gradientRow{
		{op: sum, of: []numbers{of(Shape{2, 2}, 1, -2, 0.5, 3)}},
		{op: sumAlong(0), of: []numbers{of(Shape{2, 3}, 1, -2, 0.5, 3, 0, 1)}},
		{op: sumAlong(1), of: []numbers{of(Shape{2, 3}, 1, -2, 0.5, 3, 0, 1)}},
	},
}
