package topos_test

import (
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

func TestSources(t *testing.T) {
	tape := New(F32)
	tape.Leaf(nil, 1)
	tape.Parameter(Shape{2}, 1, 2)
	tape.Input(Shape{2, 2}, 3) // one element fills the shape
	same(t, "recorded", tape.Describe(), `   0  Leaf                              []
   1  Parameter                         [2]
   2  Input                             [2, 2]
tape: 3 nodes, 1 parameter, 1 input
`)
	run := Must(tape.View().Forward(tape.InitialParameters()))
	same(t, "input", run.Of(tape.Value(2)).String(), "[[3, 3], [3, 3]]")
	for says, record := range map[string]func(){
		"leaf cannot have the shape [2, 0]: an extent must be at least 1":           func() { tape.Leaf(Shape{2, 0}, 1) },
		"parameter cannot have the shape [-1]: an extent must be at least 1":        func() { tape.Parameter(Shape{-1}, 1) },
		"input cannot have the shape [65536, 65536]: more than 2147483648 elements": func() { tape.Input(Shape{1 << 16, 1 << 16}, 1) },
		"leaf of [2, 2] holds 4 elements, not 3":                                    func() { tape.Leaf(Shape{2, 2}, 1, 2, 3) },
		"parameter of [2] holds 2 elements, not 0":                                  func() { tape.Parameter(Shape{2}) },
	} {
		if r := Refused(record); r == nil || r.Error() != says {
			t.Errorf("refused with %v, want %q", r, says)
		}
	}
	if tape.Len() != 3 {
		t.Errorf("refusals left %d nodes", tape.Len())
	}
}

// A literal beside a value is a leaf of its shape, and only that.
func TestFilledIsALeaf(t *testing.T) {
	tape := New(F32)
	x := tape.Input(Shape{2, 2}, 1)
	x.Mul(x.Filled(0.1))
	if got := tape.Describe(); !strings.Contains(got, "   1  Leaf                              [2, 2]\n") {
		t.Errorf("recorded\n%s", got)
	}
	same(t, "its number", tape.Payload(tape.Value(1)).String(), "[[0.1, 0.1], [0.1, 0.1]]")
}

// What is asked for with a slice does not change when the slice does.
func TestSlicesAreCopied(t *testing.T) {
	tape := New(F32)
	x := tape.Parameter(Shape{2, 3}, 1, 2, 3, 4, 5, 6)
	shape, order, wide := Shape{3, 2}, []int{1, 0}, Shape{2}
	x.Reshape(shape)
	x.Permute(order...)
	tape.Leaf(nil, 1).Broadcast(wide)
	moved := F32.Tensor(Shape{2, 3}, 1, 2, 3, 4, 5, 6).Reshape(shape)
	spread := F32.Tensor(nil, 1).Broadcast(wide)
	before := tape.Describe()
	shape[0], order[0], order[1], wide[0] = 6, 0, 1, 9
	same(t, "tape", tape.Describe(), before)
	same(t, "reshaped", moved.String(), "[[1, 2], [3, 4], [5, 6]]")
	same(t, "spread", spread.String(), "[1, 1]")
}

// Attributes come back from the tape as they were asked for, also after a cut.
func TestAttributesAreKept(t *testing.T) {
	tape := New(F32)
	x := tape.Parameter(Shape{4, 6}, 1)
	x.Permute(1, 0)
	x.Unfold(1, 2, 3, 4).Fold(1, 2, 3, 4, 6)
	x.Pad(0, 1, 7).Narrow(0, 2, 3).Reshape(Shape{18})
	x.Sum().Broadcast(nil).Broadcast(Shape{2, 1}).BroadcastAlong(2, 5)
	x.LogSoftmax(1).LogSumExp(0).SumAlong(0)
	tail := tape.Cut(4)
	x.Narrow(0, 1, 1).Permute(1, 0)
	tape.Restore(tail)
	x.Permute(0, 1)
	same(t, "attributes", tape.Describe(), `   0  Parameter                         [4, 6]
   1  Permute        0  order=[1, 0]    [6, 4]
   2  Unfold         0  axis=1 size=2 step=3 dilation=4 [4, 1, 2]
   3  Fold           2  axis=1 size=2 step=3 dilation=4 extent=6 [4, 6]
   4  Pad            0  axis=0 start=1 full_extent=7 [7, 6]
   5  Narrow         4  axis=0 start=2 len=3 [3, 6]
   6  Reshape        5  shape=[18]      [18]
   7  Sum            0                  []
   8  Broadcast      7  shape=[]        []
   9  Broadcast      8  shape=[2, 1]    [2, 1]
  10  BroadcastAlong 9  axis=2 extent=5 [2, 1, 5]
  11  LogSoftmax     0  axis=1          [4, 6]
  12  LogSumExp      11  axis=0         [6]
  13  SumAlong       12  axis=0         []
  14  Permute        0  order=[0, 1]    [4, 6]
tape: 15 nodes, 1 parameter, 0 inputs
`)
}
