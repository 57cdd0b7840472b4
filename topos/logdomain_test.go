package topos_test

import (
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

func TestLogDomain(t *testing.T) { logPromises.check(t) }

func logSoftmax(axis int) Opcode { return Opcode{Kind: OpLogSoftmax, Axis: axis} }

func logSumExp(axis int) Opcode { return Opcode{Kind: OpLogSumExp, Axis: axis} }

const (
	ln2Narrow = 0x1.62e43p-1
	ln2Wide   = 0x1.62e42fefa39efp-1
)

var logPromises = family{
	shapes: []shapeRow{
		{op: logSoftmax(1), of: []Shape{{2, 3}}, made: Shape{2, 3}},
		{op: logSumExp(0), of: []Shape{{2, 3}}, made: Shape{3}},
		{op: logSumExp(0), of: []Shape{{2}}, made: Shape{}},
		{op: logSoftmax(1), of: []Shape{{2}}, says: "log_softmax finds no axis 1 in [2]"},
		{op: logSoftmax(-1), of: []Shape{{2}}, says: "log_softmax finds no axis -1 in [2]"},
		{op: logSumExp(0), of: []Shape{{}}, says: "logsumexp finds no axis 0 in []"},
	},
	computes: []computeRow{
		{op: logSoftmax(1), of: []numbers{of(Shape{2, 2}, 1, 1, 1e20, 1e20)}, want: of(Shape{2, 2}, -ln2Narrow, -ln2Narrow, -ln2Narrow, -ln2Narrow), only: 32},
		{op: logSoftmax(1), of: []numbers{of(Shape{2, 2}, 1, 1, 1e20, 1e20)}, want: of(Shape{2, 2}, -ln2Wide, -ln2Wide, -ln2Wide, -ln2Wide), only: 64},
		{op: logSoftmax(0), of: []numbers{of(Shape{1, 2}, 7, -7)}, want: of(Shape{1, 2}, 0, 0)},
		// An -inf beside a finite entry is an exact mask.
		{op: logSoftmax(0), of: []numbers{of(Shape{2}, 3, -inf)}, want: of(Shape{2}, 0, -inf)},
		{op: logSoftmax(1), of: []numbers{of(Shape{3, 2}, -inf, -inf, nan, 1, inf, 1)}, want: of(Shape{3, 2}, nan, nan, nan, nan, nan, nan)},
		{op: logSumExp(0), of: []numbers{of(Shape{2, 1}, 0, 0)}, want: of(Shape{1}, ln2Narrow), only: 32},
		{op: logSumExp(0), of: []numbers{of(Shape{2, 1}, 0, 0)}, want: of(Shape{1}, ln2Wide), only: 64},
		{op: logSumExp(1), of: []numbers{of(Shape{5, 2}, 3, -inf, 1e20, 1e20, -inf, -inf, nan, 1, inf, 1)}, want: of(Shape{5}, 3, 1e20, nan, nan, nan), only: 64},
	},
	rules: []ruleRow{
		{op: logSoftmax(1), of: []Shape{{2, 3}}, retains: "out",
			records: "SumAlong g axis=1; BroadcastAlong 0 axis=1 extent=3; Exp out; Mul 2, 1; Sub g, 3; Leaf; Add 5, 4"},
		{op: logSumExp(1), of: []Shape{{2, 3}}, retains: "x out",
			records: "BroadcastAlong out axis=1 extent=3; Sub x, 0; Exp 1; BroadcastAlong g axis=1 extent=3; Mul 3, 2; Leaf; Add 5, 4"},
	},
	gradients: []gradientRow{
		{op: logSoftmax(0), of: []numbers{of(Shape{2, 3}, 1, -2, 0.5, 3, 0, 1)}},
		{op: logSoftmax(1), of: []numbers{of(Shape{2, 3}, 1, -2, 0.5, 3, 0, 1)}},
		{op: logSumExp(0), of: []numbers{of(Shape{2, 3}, 1, -2, 0.5, 3, 0, 1)}},
		{op: logSumExp(1), of: []numbers{of(Shape{2, 3}, 1, -2, 0.5, 3, 0, 1)}},
	},
}

// The gradient of a masked entry is exactly 0.
func TestMasksHaveNoGradient(t *testing.T) {
	for name, f := range map[string]func(Trace) Trace{
		"log_softmax": func(x Trace) Trace { return x.LogSoftmax(0).Narrow(0, 0, 1).Sum() },
		"logsumexp":   func(x Trace) Trace { return x.LogSumExp(0) },
	} {
		tape := New(F32)
		x := tape.Parameter(Shape{3}, 1, float32(-inf), 1)
		loss := f(x)
		field := Must(Must(tape.View().Forward(tape.InitialParameters())).Backward(loss))
		if got := field.Of(x).Data()[1]; got != 0 {
			t.Errorf("%s: the gradient of the mask is %v", name, got)
		}
	}
}
