package topos_test

import (
	"errors"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// slots is a tape of two parameters and an input, and the table of initials.
func slots() (tape *Tape[float32], w, b, x Value[float32], table *Parameters[float32]) {
	tape = New(F32)
	w, b = tape.Parameter(Shape{2}, 1, 2), tape.Parameter(nil, 3)
	x = tape.Input(Shape{2}, 4)
	return tape, w, b, x, tape.InitialParameters()
}

func TestTables(t *testing.T) {
	_, w, b, _, p := slots()
	type tensor = *Tensor[float32]
	doubled := p.Scale(2)
	for name, c := range map[string]struct {
		got  *Parameters[float32]
		want string
	}{
		"map":   {p.Map(tensor.Neg), "[-1, -2] -3"},
		"scale": {doubled, "[2, 4] 6"},
		"step":  {p.Step(doubled, tensor.Sub), "[-1, -2] -3"},
		"zip":   {doubled.Zip(p, tensor.Mul), "[2, 8] 18"},
		"step each": {p.StepEach(doubled, func(name Symbol, weight, gradient tensor) tensor {
			if name == b.Symbol() {
				return gradient
			}
			return weight
		}), "[1, 2] 6"},
		"with":          {p.With(b, F32.Tensor(nil, 9)), "[1, 2] 9"},
		"with payloads": {p.WithPayloads(With(b, F32.Tensor(nil, 9)), With(w, F32.Tensor(Shape{2}, 5))), "[5, 5] 9"},
		"with none":     {p.WithPayloads(), "[1, 2] 3"},
	} {
		if got := c.got.Of(w).String() + " " + c.got.Of(b).String(); got != c.want {
			t.Errorf("%s gives %s, want %s", name, got, c.want)
		}
	}
	if p.Of(w).String() != "[1, 2]" {
		t.Errorf("the table has changed to %v", p.Of(w))
	}
}

func TestTablesThatDoNotPair(t *testing.T) {
	type tensor = *Tensor[float32]
	tape, w, b, x, p := slots()
	_, foreign, _, _, other := slots()
	tape.Parameter(Shape{3}, 1)
	longer := tape.InitialParameters()
	same := func(l, r tensor) tensor { return l }
	scalar, vector := F32.Tensor(nil, 1), F32.Tensor(Shape{2}, 1)
	for name, c := range map[string]struct {
		misuse func()
		err    error
		want   string
	}{
		"step of another tape":   {func() { p.Step(other, same) }, ErrForeign, "step was given a table of another tape"},
		"zip of another tape":    {func() { p.Zip(other, same) }, ErrForeign, "zip was given a table of another tape"},
		"a short direction":      {func() { longer.Step(p, same) }, ErrShape, "step needs two tables of the same slots, not 3 and 2: slot 2 [3] is not in the second"},
		"a long direction":       {func() { p.Zip(longer, same) }, ErrShape, "zip needs two tables of the same slots, not 2 and 3: slot 2 [3] is not in the first"},
		"step to another shape":  {func() { p.Step(p, func(l, r tensor) tensor { return scalar }) }, ErrShape, "step changed the shape of slot 0 from [2] to []"},
		"map to another shape":   {func() { p.Map(func(tensor) tensor { return vector }) }, ErrShape, "map changed the shape of slot 1 from [] to [2]"},
		"map to nothing":         {func() { p.Map(func(tensor) tensor { return nil }) }, ErrShape, "map answered no tensor for slot 0 of [2]"},
		"with of another shape":  {func() { p.With(w, scalar) }, ErrShape, "with cannot replace slot 0 of [2] by []"},
		"with of an input":       {func() { p.WithPayloads(With(b, scalar), With(x, vector)) }, ErrUndeclared, "with holds no node 2: it is Input, not a parameter"},
		"with of another tape":   {func() { p.WithPayloads(With(foreign, vector)) }, ErrForeign, "with was given a symbol of another tape"},
		"of another tape":        {func() { p.Of(foreign) }, ErrForeign, "parameters was given a symbol of another tape"},
		"of a younger parameter": {func() { p.Of(longer.Names()[2]) }, ErrStale, "parameters was given node 3"},
	} {
		t.Run(name, func(t *testing.T) {
			r := Refused(c.misuse)
			if r == nil || !errors.Is(r, c.err) || !strings.HasPrefix(r.Error(), c.want) || strings.Contains(r.Error(), "\n") {
				t.Errorf("refused by %v, want %q", r, c.want)
			}
		})
	}
}

// Slots of cut tapes: the same position, another parameter.
func TestSlotsThatWereRecordedAgain(t *testing.T) {
	tape := New(F32)
	w := tape.Parameter(nil, 1)
	tape.Parameter(Shape{2}, 2)
	old := tape.InitialParameters().Scale(10)
	tail := tape.Cut(1)
	tape.Parameter(Shape{2}, 3)
	again := Must(tape.Carry(old))
	if got := again.Slot(0).String() + " " + again.Slot(1).String(); got != "10 [3, 3]" {
		t.Errorf("carried %s", got)
	}
	tape.Cut(1)
	if _, err := tape.Carry(old); !errors.Is(err, ErrShape) || err.Error() != "carry was given 2 slots for 1: slot 1 [2] has no place" {
		t.Errorf("carried down: %v", err)
	}
	tape.Restore(tail)
	back := Must(tape.Carry(old))
	if !back.Equal(old) || back.Of(w).Scalar() != 10 {
		t.Errorf("after restoring the tail: %v", back.Slot(1))
	}
	tape.Cut(1)
	tape.Parameter(Shape{3}, 4)
	type tensor = *Tensor[float32]
	r := Refused(func() { tape.InitialParameters().Step(old, func(l, r tensor) tensor { return l }) })
	if r == nil || r.Error() != "step needs equal shapes in slot 1, not [3] and [2]" {
		t.Errorf("a step over slots of other shapes is refused by %v", r)
	}
	if _, err := New(F32).Carry(old); !errors.Is(err, ErrForeign) {
		t.Errorf("carried to another tape: %v", err)
	}
}

func TestFields(t *testing.T) {
	type tensor = *Tensor[float32]
	tape, w, b, x, p := slots()
	loss := w.Mul(x).Sum().Add(b.Mul(b))
	unread := tape.Leaf(nil, 5)
	net := tape.Seal()
	run := Must(net.Forward(p))
	var g *Gradients[float32] = Must(run.Backward(loss))
	if got := g.Of(w).String() + " " + g.Of(b).String() + " " + g.Of(unread).String(); got != "[4, 4] 6 0" {
		t.Errorf("the gradients are %s", got)
	}
	half := g.Scale(0.5)
	sum := g.Zip(half, tensor.Add)
	if got := half.Of(w).String() + " " + sum.Of(b).String() + " " + sum.Of(unread).String(); got != "[2, 2] 9 0" {
		t.Errorf("scaled and added: %s", got)
	}
	table := g.Parameters(p)
	if table.Len() != 2 || table.Of(b).Scalar() != 6 {
		t.Errorf("projected on %v", table.Of(b))
	}
}

// A field of an earlier target holds fewer nodes; the others count as zeros.
func TestFieldsOfOtherTargets(t *testing.T) {
	type tensor = *Tensor[float32]
	tape, w, b, x, p := slots()
	first := w.Mul(x).Sum()
	second := first.Mul(b)
	_, _, _, _, other := slots()
	net := tape.Seal()
	run := Must(net.Forward(p))
	early, late := Must(run.Backward(first)), Must(run.Backward(second))
	for name, f := range map[string]*Field[float32]{"early first": early.Zip(late, tensor.Add), "late first": late.Zip(early, tensor.Add)} {
		// d first / d w is x, d second / d w is b*x; d second / d b is first.
		if got := f.Of(w).String() + " " + f.Of(b).String() + " " + f.Of(second).String(); got != "[16, 16] 12 1" {
			t.Errorf("%s: %s", name, got)
		}
	}
	foreign := func() *Field[float32] {
		tape := New(F32)
		y := tape.Parameter(nil, 1).Neg()
		net := tape.Seal()
		return Must(Must(net.Forward(net.Parameters())).Backward(y))
	}()
	for name, c := range map[string]struct {
		misuse func()
		err    error
		want   string
	}{
		"zip of another tape":  {func() { early.Zip(foreign, tensor.Add) }, ErrForeign, "zip was given a field of another tape"},
		"zip to another shape": {func() { early.Zip(late, func(l, _ tensor) tensor { return F32.Tensor(Shape{7}, 1) }) }, ErrShape, "zip changed the shape of node "},
		"projected elsewhere":  {func() { early.Parameters(other) }, ErrForeign, "field was given a symbol of another tape"},
	} {
		if r := Refused(c.misuse); r == nil || !errors.Is(r, c.err) || !strings.HasPrefix(r.Error(), c.want) {
			t.Errorf("%s is refused by %v", name, r)
		}
	}
}

func TestSelections(t *testing.T) {
	if got := F64.Selection(3, 2, 0, 2).String(); got != "[[0, 0, 1], [1, 0, 0], [0, 0, 1]]" {
		t.Errorf("the selection is %s", got)
	}
	for name, misuse := range map[string]func(){
		"selection cannot make [0, 3] of 0 indices":          func() { F32.Selection(3) },
		"selection cannot make [1, 0] of 1 indices":          func() { F32.Selection(0, 0) },
		"selection of [2, 3] finds no index 3":               func() { F32.Selection(3, 0, 3) },
		"selection of [1, 3] finds no index -1":              func() { F32.Selection(3, -1) },
		"selection cannot make [3, 1073741824] of 3 indices": func() { F32.Selection(1<<30, 0, 1, 2) },
	} {
		if r := Refused(misuse); r == nil || !strings.HasPrefix(r.Error(), name) {
			t.Errorf("refused by %v, want %s", r, name)
		}
	}
}

func TestTensorsOfBits(t *testing.T) {
	x := F32.Tensor(Shape{2, 2}, 1, -2, 0.5, 3)
	if y := Must(F32.Decode(x.Shape(), x.Encode())); !y.Equal(x) || len(x.Encode()) != 4*F32.Width() {
		t.Errorf("%v comes back as %v", x, y)
	}
	if got := F32.Tensor(Shape{2}, 1).Encode(); len(got) != 8 {
		t.Errorf("a filled tensor has %d bytes", len(got))
	}
	for _, c := range []struct {
		shape Shape
		bytes int
	}{{Shape{2}, 4}, {Shape{2}, 9}, {Shape{0}, 0}, {Shape{-1}, 0}, {nil, 0}} {
		if y, err := F32.Decode(c.shape, make([]byte, c.bytes)); !errors.Is(err, ErrShape) || y != nil {
			t.Errorf("%d bytes of %v give %v, %v", c.bytes, c.shape, y, err)
		}
	}
	if got := F32.Rounded(Shape{2}, []float64{0.1, 1e40}).String(); got != "[0.1, inf]" {
		t.Errorf("rounded to %s", got)
	}
	if Refused(func() { F32.Rounded(Shape{2}, []float64{1, 2, 3}) }) == nil {
		t.Error("three numbers are no tensor of two")
	}
}
