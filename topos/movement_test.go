package topos_test

import (
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

func TestMovement(t *testing.T) { movementPromises.check(t) }

func reshape(shape ...int) Opcode { return Opcode{Kind: OpReshape, Dims: shape} }

func permute(order ...int) Opcode { return Opcode{Kind: OpPermute, Dims: order} }

var movementPromises = family{
	shapes: []shapeRow{
		{op: reshape(3, 2), of: []Shape{{2, 3}}, made: Shape{3, 2}},
		{op: reshape(), of: []Shape{{1, 1}}, made: Shape{}},
		{op: reshape(1), of: []Shape{{}}, made: Shape{1}},
		{op: reshape(4), of: []Shape{{2, 3}}, says: "reshape cannot make [4] of [2, 3]: 4 elements are not 6"},
		{op: reshape(0), of: []Shape{{2}}, says: "reshape of [2] cannot make [0]: an extent must be at least 1"},
		{op: permute(2, 0, 1), of: []Shape{{2, 3, 4}}, made: Shape{4, 2, 3}},
		{op: permute(), of: []Shape{{}}, made: Shape{}},
		{op: permute(0), of: []Shape{{2, 3}}, says: "permute cannot order the axes of [2, 3] by [0]"},
		{op: permute(0, 2), of: []Shape{{2, 3}}, says: "permute cannot order the axes of [2, 3] by [0, 2]"},
		{op: permute(1, 1), of: []Shape{{2, 3}}, says: "permute cannot order the axes of [2, 3] by [1, 1]"},
		{op: permute(-1, 0), of: []Shape{{2, 3}}, says: "permute cannot order the axes of [2, 3] by [-1, 0]"},
	},
	computes: []computeRow{
		{op: reshape(3, 2), of: []numbers{of(Shape{2, 3}, 1, 2, 3, 4, 5, nan)}, want: of(Shape{3, 2}, 1, 2, 3, 4, 5, nan)},
		{op: permute(1, 0), of: []numbers{of(Shape{2, 3}, 1, 2, 3, 4, 5, zero)}, want: of(Shape{3, 2}, 1, 4, 2, 5, 3, zero)},
		// Axis 0 of the answer is axis 2: element [k, i, j] is x[i, j, k].
		{op: permute(2, 0, 1), of: []numbers{of(Shape{2, 1, 3}, 1, 2, 3, 4, 5, 6)}, want: of(Shape{3, 2, 1}, 1, 4, 2, 5, 3, 6)},
	},
	rules: []ruleRow{
		{op: reshape(6), of: []Shape{{2, 3}}, records: "Reshape g shape=[2, 3]; Leaf; Add 1, 0"},
		{op: permute(2, 0, 1), of: []Shape{{2, 3, 4}}, records: "Permute g order=[1, 2, 0]; Leaf; Add 1, 0"},
	},
	gradients: []gradientRow{
		{op: reshape(3, 2), of: []numbers{of(Shape{2, 3}, 1, -2, 0.5, 3, 0, 1)}},
		{op: permute(2, 0, 1), of: []numbers{of(Shape{2, 1, 3}, 1, -2, 0.5, 3, 0, 1)}},
	},
}
