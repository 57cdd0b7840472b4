package topos_test

import (
	"errors"
	"slices"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// Whatever is long over a tape ends when it is told to, and leaves the tape as it
// was.
func TestWatchedWorkStops(t *testing.T) {
	tape := New(F32)
	w := tape.Parameter(Shape{2}, 1, 2)
	h := w
	for range 20_000 {
		h = h.Tanh()
	}
	loss := h.Sum()
	asked, most := 0, 0
	Watch(&tape.Recording, func() bool { asked++; return asked > most })
	plan := func() *Plan[float32] {
		most = asked + 1<<20
		return Must(tape.View().Entry(loss).Lower())
	}()
	nodes := tape.Len()
	for name, work := range map[string]func(){
		"differentiate": func() { tape.Differentiate(loss, w) },
		"describe":      func() { tape.Describe() },
		"reading":       func() { tape.Reading() },
		"lower":         func() { tape.View().Entry(loss).Lower() },
		"retain":        func() { tape.View().Entry(loss).Retain().Lower() },
		"plan":          func() { plan.Describe() },
		"plan reading":  func() { plan.Reading() },
		"module":        func() { plan.StableHLO() },
		"run":           func() { plan.Forward(tape.InitialParameters()) },
		"interpret":     func() { tape.View().Entry(loss).Interpret(tape.InitialParameters()) },
		"nodes":         func() { tape.Nodes() },
		"schedule":      func() { plan.Schedule().Nodes() },
	} {
		asked, most = 0, 1
		r := Refused(work)
		if !errors.Is(r, ErrStopped) {
			t.Errorf("%s: %v after %d questions", name, r, asked)
		}
		if tape.Len() != nodes {
			t.Errorf("%s left %d nodes of %d", name, tape.Len(), nodes)
		}
		asked, most = 0, 1<<20
		if work(); asked == 0 {
			t.Errorf("%s asked nothing", name)
		}
		tape.Cut(nodes)
	}
	asked, most = 0, 1
	moved := make([]int, nodes)
	to := New(F32)
	if err := Replay(&to.Recording, &tape.Recording, 0, nodes, moved, 1); err != nil || to.Len() != nodes {
		t.Errorf("replay to a tape that nobody watches: %v", err)
	}
	asked, most = 0, 1
	Watch(&to.Recording, func() bool { asked++; return asked > most })
	before := slices.Clone(moved)
	if r := Refused(func() { Replay(&to.Recording, &tape.Recording, 0, nodes, moved, 1) }); !errors.Is(r, ErrStopped) || to.Len() != nodes || !slices.Equal(moved, before) {
		t.Errorf("replay: %v, %d nodes", r, to.Len())
	}
	// A plan asks on after the watch has ended, as it was made under it.
	Watch(&tape.Recording, nil)
	tape.Describe()
	asked, most = 0, 1
	if r := Refused(func() { plan.Describe() }); !errors.Is(r, ErrStopped) {
		t.Errorf("%v", r)
	}
}

// A product in pieces has the bits of one piece, and asks between them.
func TestWatchedProductsKeepTheirBits(t *testing.T) {
	for _, shapes := range [][2]Shape{{{300, 700}, {700, 400}}, {{3, 200, 500}, {3, 500, 300}}, {{1, 40000}, {40000, 2000}}} {
		tape := New(F32)
		fill := func(shape Shape) Value[float32] {
			data := make([]float32, shape.Volume())
			for i := range data {
				data[i] = float32(i%1013)/7 - 70
			}
			return tape.Leaf(shape, data...)
		}
		product := fill(shapes[0]).MatMul(fill(shapes[1]))
		want := Must(tape.View().Entry(product).Interpret(tape.InitialParameters())).Of(product)
		asked := 0
		Watch(&tape.Recording, func() bool { asked++; return false })
		if got := Must(tape.View().Entry(product).Interpret(tape.InitialParameters())).Of(product); !got.Equal(want) {
			t.Errorf("%v @ %v differs in pieces", shapes[0], shapes[1])
		}
		if asked < 4 {
			t.Errorf("%v @ %v asked %d times", shapes[0], shapes[1], asked)
		}
	}
}
