package topos_test

import (
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

func TestMatMul(t *testing.T) { matmulPromises.check(t) }

var matmul = Opcode{Kind: OpMatMul}

var matmulPromises = family{
	shapes: []shapeRow{
		{op: matmul, of: []Shape{{2, 3}, {3, 4}}, made: Shape{2, 4}},
		{op: matmul, of: []Shape{{5, 6, 2, 3}, {5, 6, 3, 1}}, made: Shape{5, 6, 2, 1}},
		{op: matmul, of: []Shape{{3, 2}, {4, 5}}, says: "matmul cannot multiply [3, 2] by [4, 5]"},
		{op: matmul, of: []Shape{{3}, {3, 2}}, says: "matmul cannot multiply [3] by [3, 2]"},
		{op: matmul, of: []Shape{{}, {}}, says: "matmul cannot multiply [] by []"},
		{op: matmul, of: []Shape{{2, 3, 4}, {4, 2}}, says: "matmul cannot multiply [2, 3, 4] by [4, 2]"},
		{op: matmul, of: []Shape{{2, 3, 4}, {1, 4, 2}}, says: "matmul cannot multiply [2, 3, 4] by [1, 4, 2]"},
	},
	computes: []computeRow{
		{op: matmul, of: []numbers{of(Shape{2, 2}, 1, 2, 3, 4), of(Shape{2, 2}, 5, 6, 7, 8)}, want: of(Shape{2, 2}, 19, 22, 43, 50)},
		{op: matmul, of: []numbers{of(Shape{2, 1, 2}, 1, 2, 3, 4), of(Shape{2, 2, 1}, 5, 6, 7, 8)}, want: of(Shape{2, 1, 1}, 17, 53)},
		// It starts from the first product, not from +0.
		{op: matmul, of: []numbers{of(Shape{1, 1}, zero), of(Shape{1, 1}, 1)}, want: of(Shape{1, 1}, zero)},
		// Ascending: the two small products vanish one by one in this order.
		{op: matmul, of: []numbers{of(Shape{1, 3}, 1, 0x1p-24, 0x1p-24), of(Shape{3, 1}, 1, 1, 1)}, want: of(Shape{1, 1}, 1), only: 32},
		{op: matmul, of: []numbers{of(Shape{1, 3}, 0x1p-24, 0x1p-24, 1), of(Shape{3, 1}, 1, 1, 1)}, want: of(Shape{1, 1}, 1+0x1p-23), only: 32},
		// Products are rounded before they are added: fused, this is 2^-24.
		{op: matmul, of: []numbers{of(Shape{1, 2}, -(1 + 0x1p-11), 1+0x1p-12), of(Shape{2, 1}, 1, 1+0x1p-12)}, want: of(Shape{1, 1}, 0), only: 32},
		// A zero does not excuse an infinity.
		{op: matmul, of: []numbers{of(Shape{1, 2}, 0, 1), of(Shape{2, 2}, inf, 1, 2, 3)}, want: of(Shape{1, 2}, nan, 3)},
	},
	rules: []ruleRow{
		{op: matmul, of: []Shape{{2, 3}, {3, 4}}, retains: "a b",
			records: "Permute b order=[1, 0]; MatMul g, 0; Permute a order=[1, 0]; MatMul 2, g; Leaf; Add 4, 1; Leaf; Add 6, 3"},
		{op: matmul, of: []Shape{{5, 2, 3}, {5, 3, 4}}, retains: "a b",
			records: "Permute b order=[0, 2, 1]; MatMul g, 0; Permute a order=[0, 2, 1]; MatMul 2, g; Leaf; Add 4, 1; Leaf; Add 6, 3"},
	},
	gradients: []gradientRow{
		{op: matmul, of: []numbers{of(Shape{2, 3}, 1, -2, 0.5, 3, 0, 1), of(Shape{3, 2}, 4, 0.25, -1, 2, 1, -3)}},
		{op: matmul, of: []numbers{of(Shape{2, 1, 2}, 1, -2, 0.5, 3), of(Shape{2, 2, 1}, 4, 0.25, -1, 2)}},
	},
}
