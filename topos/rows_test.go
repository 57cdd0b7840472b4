package topos_test

import (
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

func TestRows(t *testing.T) { rowPromises.check(t) }

var (
	gather  = Opcode{Kind: OpGather}
	scatter = Opcode{Kind: OpScatter}
)

var rowPromises = family{
	shapes: []shapeRow{
		{op: gather, of: []Shape{{4, 2}, {3, 4}}, made: Shape{3, 2}},
		{op: gather, of: []Shape{{4}, {3, 4}}, made: Shape{3}},
		{op: gather, of: []Shape{{4, 2, 5}, {1, 4}}, made: Shape{1, 2, 5}},
		{op: gather, of: []Shape{{4, 2}, {3}}, says: "gather cannot select from a table [4, 2] by [3]"},
		{op: gather, of: []Shape{{4, 2}, {3, 5}}, says: "gather cannot select from a table [4, 2] by [3, 5]"},
		{op: gather, of: []Shape{{}, {3, 5}}, says: "gather cannot select from a table [] by [3, 5]"},
		{op: scatter, of: []Shape{{3, 2}, {3, 4}}, made: Shape{4, 2}},
		{op: scatter, of: []Shape{{3}, {3, 4}}, made: Shape{4}},
		{op: scatter, of: []Shape{{3, 2}, {3}}, says: "scatter cannot spread rows [3, 2] by [3]"},
		{op: scatter, of: []Shape{{3, 2}, {2, 5}}, says: "scatter cannot spread rows [3, 2] by [2, 5]"},
		{op: scatter, of: []Shape{{}, {1, 5}}, says: "scatter cannot spread rows [] by [1, 5]"},
	},
	computes: []computeRow{
		// Row 1 is not selected, so its NaN stays out; a -0 comes through.
		{op: gather, of: []numbers{of(Shape{3, 2}, 1, 2, nan, nan, zero, 6), of(Shape{2, 3}, 0, 0, 1, 1, 0, 0)}, want: of(Shape{2, 2}, zero, 6, 1, 2)},
		{op: gather, of: []numbers{of(Shape{2}, 3, 4), of(Shape{2, 2}, 0, 0, 0, 1)}, want: of(Shape{2}, 0, 4)},
		{op: scatter, of: []numbers{of(Shape{3, 1}, 1, 2, 4), of(Shape{3, 3}, 0, 0, 1, 1, 0, 0, 0, 0, 1)}, want: of(Shape{3, 1}, 2, 0, 5)},
		// It starts from +0, so a -0 is lost.
		{op: scatter, of: []numbers{of(Shape{1}, zero), of(Shape{1, 1}, 1)}, want: of(Shape{1}, 0)},
		// By ascending selection row.
		{op: scatter, of: []numbers{of(Shape{3}, 1, 0x1p-24, 0x1p-24), of(Shape{3, 1}, 1, 1, 1)}, want: of(Shape{1}, 1), only: 32},
		{op: scatter, of: []numbers{of(Shape{3}, 0x1p-24, 0x1p-24, 1), of(Shape{3, 1}, 1, 1, 1)}, want: of(Shape{1}, 1+0x1p-23), only: 32},
	},
	rules: []ruleRow{
		{op: gather, of: []Shape{{4, 2}, {3, 4}}, records: "Scatter g, b; Leaf; Add 1, 0; Leaf", retains: "b"},
		{op: scatter, of: []Shape{{3, 2}, {3, 4}}, records: "Gather g, b; Leaf; Add 1, 0; Leaf", retains: "b"},
	},
	gradients: []gradientRow{
		{op: gather, of: []numbers{of(Shape{2, 2}, 1, -2, 0.5, 3), of(Shape{3, 2}, 0, 1, 1, 0, 0, 1)}, first: true},
		{op: scatter, of: []numbers{of(Shape{3, 2}, 1, -2, 0.5, 3, 0, 1), of(Shape{3, 2}, 0, 1, 1, 0, 0, 1)}, first: true},
	},
}
