package topos_test

import (
	"fmt"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// compositionRow is what a composition records over sources named a, b, c, or
// the sentence it refuses with; its value in both widths, and whether it is
// smooth there.
type compositionRow struct {
	name    string
	of      []numbers
	do      func(x ...Trace) Trace
	records string
	says    string
	want    numbers
	kinked  bool
}

var compositionRows = []compositionRow{
	{name: "abs", of: []numbers{of(Shape{3}, -2, zero, 3)}, do: func(x ...Trace) Trace { return x[0].Abs() },
		records: "Neg a; Maximum a, 0", want: of(Shape{3}, 2, 0, 3), kinked: true},
	{name: "relu", of: []numbers{of(Shape{3}, -2, zero, 3)}, do: func(x ...Trace) Trace { return x[0].Relu() },
		records: "Leaf; Maximum a, 0", want: of(Shape{3}, 0, 0, 3), kinked: true},
	{name: "softplus", of: []numbers{of(Shape{2}, 1000, -1000)}, do: func(x ...Trace) Trace { return x[0].Softplus() },
		records: "Leaf; Maximum a, 0; Neg a; Maximum a, 2; Neg 3; Exp 4; Log1p 5; Add 1, 6", want: of(Shape{2}, 1000, 0)},
	{name: "gelu", of: []numbers{of(Shape{2}, 0, 100)}, do: func(x ...Trace) Trace { return x[0].Gelu() },
		records: "Leaf; Leaf; Sqrt 1; Div a, 2; Erf 3; Add 0, 4; Mul a, 5; Div 6, 1", want: of(Shape{2}, 0, 100)},
	{name: "softmax", of: []numbers{of(Shape{1, 2}, 0, -inf)}, do: func(x ...Trace) Trace { return x[0].Softmax(1) },
		records: "LogSoftmax a axis=1; Exp 0", want: of(Shape{1, 2}, 1, 0), kinked: true},
	{name: "softmax", of: []numbers{of(Shape{})}, do: func(x ...Trace) Trace { return x[0].Softmax(0) }, says: "softmax finds no axis 0 in []"},
	{name: "mean_along", of: []numbers{of(Shape{2, 2}, 1, 2, 3, 5)}, do: func(x ...Trace) Trace { return x[0].MeanAlong(1) },
		records: "SumAlong a axis=1; Leaf; Div 0, 1", want: of(Shape{2}, 1.5, 4)},
	{name: "mean_along", of: []numbers{of(Shape{2})}, do: func(x ...Trace) Trace { return x[0].MeanAlong(1) }, says: "mean_along finds no axis 1 in [2]"},
	{name: "transpose", of: []numbers{of(Shape{1, 2}, 1, 2)}, do: func(x ...Trace) Trace { return x[0].Transpose() },
		records: "Permute a order=[1, 0]", want: of(Shape{2, 1}, 1, 2)},
	{name: "transpose", of: []numbers{of(Shape{2}, 1, 2)}, do: func(x ...Trace) Trace { return x[0].Transpose() },
		records: "Permute a order=[0]", want: of(Shape{2}, 1, 2)},
	{name: "transpose", of: []numbers{of(Shape{2, 3, 4})}, do: func(x ...Trace) Trace { return x[0].Transpose() },
		says: "transpose swaps two axes, not those of [2, 3, 4]: permute them"},
	{name: "squeeze", of: []numbers{of(Shape{1, 2}, 1, 2)}, do: func(x ...Trace) Trace { return x[0].Squeeze(0) },
		records: "Reshape a shape=[2]", want: of(Shape{2}, 1, 2)},
	{name: "squeeze", of: []numbers{of(Shape{1, 2})}, do: func(x ...Trace) Trace { return x[0].Squeeze(1) }, says: "squeeze finds no axis 1 of extent 1 in [1, 2]"},
	{name: "unsqueeze", of: []numbers{of(Shape{2}, 1, 2)}, do: func(x ...Trace) Trace { return x[0].Unsqueeze(1) },
		records: "Reshape a shape=[2, 1]", want: of(Shape{2, 1}, 1, 2)},
	{name: "unsqueeze", of: []numbers{of(Shape{2})}, do: func(x ...Trace) Trace { return x[0].Unsqueeze(2) }, says: "unsqueeze cannot insert axis 2 into [2]"},
	{name: "broadcast_to its own shape", of: []numbers{of(Shape{2}, 1, 2)}, do: func(x ...Trace) Trace { return x[0].BroadcastTo(Shape{2}) },
		records: "", want: of(Shape{2}, 1, 2)},
	{name: "broadcast_to of one element", of: []numbers{of(Shape{1}, 7)}, do: func(x ...Trace) Trace { return x[0].BroadcastTo(Shape{2, 2}) },
		records: "Broadcast a shape=[2, 2]", want: of(Shape{2, 2}, 7, 7, 7, 7)},
	{name: "broadcast_to", of: []numbers{of(Shape{2, 1}, 1, 2)}, do: func(x ...Trace) Trace { return x[0].BroadcastTo(Shape{2, 2, 2}) },
		records: "Reshape a shape=[1, 2, 1]; Reshape 0 shape=[2, 1]; BroadcastAlong 1 axis=0 extent=2; Reshape 2 shape=[2, 2]; BroadcastAlong 3 axis=2 extent=2",
		want:    of(Shape{2, 2, 2}, 1, 1, 2, 2, 1, 1, 2, 2)},
	{name: "broadcast_to", of: []numbers{of(Shape{2})}, do: func(x ...Trace) Trace { return x[0].BroadcastTo(Shape{3}) }, says: "broadcast_to cannot spread [2] over [3]"},
	{name: "broadcast_like", of: []numbers{of(Shape{}, 7), of(Shape{2}, 0, 0)}, do: func(x ...Trace) Trace { return x[0].BroadcastLike(x[1]) },
		records: "Broadcast a shape=[2]", want: of(Shape{2}, 7, 7)},
	{name: "broadcast_along_like", of: []numbers{of(Shape{2}, 1, 2), of(Shape{2, 2}, 0, 0, 0, 0)}, do: func(x ...Trace) Trace { return x[0].BroadcastAlongLike(1, x[1]) },
		records: "BroadcastAlong a axis=1 extent=2", want: of(Shape{2, 2}, 1, 1, 2, 2)},
	{name: "broadcast_along_like", of: []numbers{of(Shape{2}), of(Shape{2, 3})}, do: func(x ...Trace) Trace { return x[0].BroadcastAlongLike(0, x[1]) },
		says: "broadcast_along_like cannot insert axis 0 into [2] to make [2, 3]"},
	{name: "concat of one", of: []numbers{of(Shape{2}, 1, 2)}, do: func(x ...Trace) Trace { return x[0].Concat(0) }, records: "", want: of(Shape{2}, 1, 2)},
	{name: "concat", of: []numbers{of(Shape{1}, 1), of(Shape{2}, 2, 3), of(Shape{1}, 4)}, do: func(x ...Trace) Trace { return x[0].Concat(0, x[1:]...) },
		records: "Pad a axis=0 start=0 full_extent=4; Pad b axis=0 start=1 full_extent=4; Add 0, 1; Pad c axis=0 start=3 full_extent=4; Add 2, 3",
		want:    of(Shape{4}, 1, 2, 3, 4)},
	{name: "concat", of: []numbers{of(Shape{2, 3}), of(Shape{2, 4})}, do: func(x ...Trace) Trace { return x[0].Concat(0, x[1]) },
		says: "concat cannot join [2, 3] and [2, 4] along axis 0"},
	{name: "stack", of: []numbers{of(Shape{2}, 1, 2), of(Shape{2}, 3, 4)}, do: func(x ...Trace) Trace { return x[0].Stack(1, x[1]) },
		records: "Reshape a shape=[2, 1]; Reshape b shape=[2, 1]; Pad 0 axis=1 start=0 full_extent=2; Pad 1 axis=1 start=1 full_extent=2; Add 2, 3",
		want:    of(Shape{2, 2}, 1, 3, 2, 4)},
	{name: "stack", of: []numbers{of(Shape{2}), of(Shape{3})}, do: func(x ...Trace) Trace { return x[0].Stack(0, x[1]) }, says: "stack needs equal shapes, not [2] and [3]"},
	{name: "stack", of: []numbers{of(Shape{2}), of(Shape{2})}, do: func(x ...Trace) Trace { return x[0].Stack(2, x[1]) }, says: "stack cannot insert axis 2 into [2]"},
}

func TestCompositions(t *testing.T) {
	for _, r := range compositionRows {
		t.Run(fmt.Sprint(r.name, " of ", r.of), func(t *testing.T) {
			if r.says != "" {
				r.refuses(t)
				return
			}
			compositionCheck(t, F32, r)
			compositionCheck(t, F64, r)
			if !r.kinked {
				gradientCheck(t, r.of, false, r.do)
			}
		})
	}
}

func (r compositionRow) refuses(t *testing.T) {
	tape := New(F32)
	var x []Trace
	for _, n := range r.of {
		x = append(x, tape.Input(n.shape, 1))
	}
	before := tape.Describe()
	refusal := Refused(func() { r.do(x...) })
	if refusal == nil || refusal.Error() != r.says {
		t.Errorf("refused with %v, want %q", refusal, r.says)
	}
	same(t, "tape after a refusal", tape.Describe(), before)
}

func compositionCheck[T float32 | float64](t *testing.T, e Element[T], r compositionRow) {
	t.Helper()
	tape := New(e)
	names := map[int]string{}
	var x []Trace
	for i, n := range r.of {
		x = append(x, tape.InputOf(tensorOf(e, n)))
		names[i] = string(rune('a' + i))
	}
	from := tape.Len()
	y := r.do(x...)
	same(t, "recorded", recordedBy(tape.Nodes()[from:], names), r.records)
	got := Must(tape.View().Forward(tape.InitialParameters())).Of(y)
	if !got.Equal(tensorOf(e, r.want)) {
		t.Errorf("%v: %v, want %v", e, got, r.want)
	}
}

// One operand read twice collects both shares, one Add each.
func TestTheSameOperandTwice(t *testing.T) {
	tape := New(F64)
	x, g := tape.Parameter(Shape{}, 3), tape.Parameter(Shape{}, 1)
	y := x.Mul(x)
	adjoints := tape.VJP(y, g, x)
	same(t, "recorded", recordedBy(tape.Nodes()[3:], map[int]string{0: "x", 1: "g", 2: "out"}), "Mul g, x; Mul g, x; Leaf; Add 2, 0; Add 3, 1")
	same(t, "gradient", Must(tape.View().Forward(tape.InitialParameters())).Of(adjoints.Of(x)).String(), "6")
}

// A composition that records several nodes records none of them where the last
// could not be.
func TestCompositionsRefuseWhole(t *testing.T) {
	tape, other := New(F32), New(F32)
	x, y := tape.Parameter(Shape{2}, 1), other.Parameter(Shape{2}, 1)
	before, beside := tape.Describe(), other.Describe()
	for says, record := range map[string]func(){
		"broadcast_to cannot spread [2] over [0, 3]":                                       func() { x.BroadcastTo(Shape{0, 3}) },
		"broadcast_to of [2] cannot make [0, 2]: an extent must be at least 1":             func() { x.BroadcastTo(Shape{0, 2}) },
		"broadcast_to of [2] cannot make [65536, 65536, 2]: more than 2147483648 elements": func() { x.BroadcastTo(Shape{1 << 16, 1 << 16, 2}) },
		"concat was given a symbol of another tape: node 0":                                func() { x.Concat(0, y) },
		"stack was given a symbol of another tape: node 0":                                 func() { x.Stack(0, y) },
		"broadcast_like was given a symbol of another tape: node 0":                        func() { x.BroadcastLike(y) },
		"broadcast_along_like was given a symbol of another tape: node 0":                  func() { x.BroadcastAlongLike(0, y) },
		"concat was given a value of no tape":                                              func() { Trace{}.Concat(0) },
		"stack was given a value of no tape":                                               func() { Trace{}.Stack(0) },
	} {
		if r := Refused(record); r == nil || r.Error() != says {
			t.Errorf("refused with %v, want %q", r, says)
		}
	}
	same(t, "tape", tape.Describe(), before)
	same(t, "the other tape", other.Describe(), beside)
}
