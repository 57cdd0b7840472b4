package topos_test

import (
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

func TestMaximum(t *testing.T) { maximumPromises.check(t) }

var (
	maximum = Opcode{Kind: OpMaximum}
	step    = Opcode{Kind: OpStep}
)

var maximumPromises = family{
	shapes: []shapeRow{
		{op: maximum, of: []Shape{{2, 3}, {2, 3}}, made: Shape{2, 3}},
		{op: step, of: []Shape{{}, {}}, made: Shape{}},
		{op: maximum, of: []Shape{{2, 3}, {3, 2}}, says: "maximum needs equal shapes, not [2, 3] and [3, 2]"},
		{op: step, of: []Shape{{}, {2}}, says: "step needs equal shapes, not [] and [2]"},
	},
	computes: []computeRow{
		{op: maximum, of: []numbers{of(Shape{7}, 1, 3, nan, 1, zero, 0, zero), of(Shape{7}, 2, -3, 1, nan, 0, zero, zero)}, want: of(Shape{7}, 2, 3, nan, nan, 0, 0, zero)},
		{op: step, of: []numbers{of(Shape{7}, 1, 3, nan, 1, zero, 0, inf), of(Shape{7}, 2, -3, 1, nan, 0, zero, inf)}, want: of(Shape{7}, 0, 1, 0, 0, 1, 1, 1)},
	},
	rules: []ruleRow{
		{op: maximum, of: []Shape{{2}, {2}}, records: "Step a, b; Mul g, 0; Leaf; Sub 2, 0; Mul g, 3; Leaf; Add 5, 1; Leaf; Add 7, 4", retains: "a b"},
		{op: step, of: []Shape{{2}, {2}}, records: "Leaf; Leaf"},
	},
	gradients: []gradientRow{{op: maximum, of: []numbers{of(Shape{2, 2}, 1, -2, 0.5, 3), of(Shape{2, 2}, 4, 0.25, -1, 2)}}},
}

// A tie gives its whole gradient to the left operand, also between zeros of
// different signs.
func TestTiesGoLeft(t *testing.T) {
	tape := New(F64)
	a, b := tape.Parameter(Shape{3}, 1, zero, 0), tape.Parameter(Shape{3}, 1, 0, zero)
	loss := a.Maximum(b).Sum()
	field := Must(Must(tape.View().Forward(tape.InitialParameters())).Backward(loss))
	same(t, "left", field.Of(a).String(), "[1, 1, 1]")
	same(t, "right", field.Of(b).String(), "[0, 0, 0]")
}
