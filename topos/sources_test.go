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
