package topos_test

import (
	"errors"
	"slices"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

func TestReplayCopiesOriginsToo(t *testing.T) {
	from := New(F32)
	from.Place(3, 1)
	w := from.Parameter(Shape{2, 2}, 1, 2, 3, 4)
	x := from.Input(Shape{1, 2}, 5, 6)
	from.Place(3, 2)
	h := x.MatMul(w).Tanh()
	loss := h.Mul(h).Sum()
	from.Differentiate(loss, w)

	to := New(F32)
	to.Leaf(nil, 9)
	moved := slices.Repeat([]int{-1}, from.Len())
	if err := Replay(&to.Recording, &from.Recording, 0, from.Len(), moved, 7); err != nil {
		t.Fatal(err)
	}
	for i, at := range moved {
		if at != i+1 {
			t.Fatalf("node %d moved to %d", i, at)
		}
		if a, b := from.Node(from.Value(i)), to.Node(to.Value(at)); a.Origin().Line != b.Origin().Line || b.Origin().Segment != 7 || a.Origin().Part != b.Origin().Part {
			t.Errorf("node %d comes from %+v, its copy from %+v", i, a.Origin(), b.Origin())
		}
	}
	if _, ok := to.Recorded(to.Value(moved[loss.Symbol().Index()]), to.Value(moved[0])); !ok {
		t.Error("the derivative is not found in the copy")
	}
	// The copies mean the same.
	same(t, "values", Must(to.View().Entry(to.Value(to.Len()-1)).Interpret(to.InitialParameters())).Of(to.Value(to.Len()-1)).String(),
		Must(from.View().Entry(from.Value(from.Len()-1)).Interpret(from.InitialParameters())).Of(from.Value(from.Len()-1)).String())
	whole := New(F32)
	if err := Replay(&whole.Recording, &from.Recording, 0, from.Len(), make([]int, from.Len()), 0); err != nil || string(whole.Encode(0)) != string(from.Encode(0)) {
		t.Errorf("a whole copy differs: %v", err)
	}
	// What starts the cotangent of a node that is not there does not come along.
	unused := New(F32)
	u, v := unused.Parameter(nil, 1), unused.Parameter(nil, 2)
	a := unused.Differentiate(v.Mul(v), u, v)
	moved = slices.Repeat([]int{-1}, unused.Len())
	short := New(F32)
	if err := Replay(&short.Recording, &unused.Recording, 1, unused.Len(), moved, 1); err != nil || short.Len() != unused.Len()-2 || moved[a.Of(u).Index()] != -1 || moved[a.Of(v).Index()] < 0 {
		t.Errorf("%v: %v", err, moved)
	}
	// A derivative of what is not there is a list of nodes like others.
	apart := New(F32)
	moved = slices.Repeat([]int{-1}, from.Len())
	moved[0] = apart.Parameter(Shape{2, 2}, 1).Symbol().Index()
	if err := Replay(&apart.Recording, &from.Recording, 1, 2, moved, 1); err != nil || moved[1] != 1 {
		t.Errorf("%v, moved to %d", err, moved[1])
	}
}

func TestRefusedReplayAppendsNothing(t *testing.T) {
	from := New(F32)
	a := from.Leaf(Shape{2}, 1, 2)
	from.Leaf(nil, 3)
	a.Add(a)
	to := New(F32)
	three := to.Leaf(Shape{3}, 1, 2, 3)
	for name, c := range map[string]struct {
		moved    []int
		from, to int
		want     error
	}{
		"nowhere":   {[]int{-1, -1, -1}, 1, 3, ErrUndeclared},
		"no shape":  {[]int{0, -1, -1}, 2, 4, ErrStale},
		"no room":   {[]int{0}, 0, 3, ErrStale},
		"backwards": {[]int{0, 0, 0}, 2, 1, ErrStale},
	} {
		was := slices.Clone(c.moved)
		if err := Replay(&to.Recording, &from.Recording, c.from, c.to, c.moved, 1); !errors.Is(err, c.want) || to.Len() != 1 || !slices.Equal(c.moved, was) {
			t.Errorf("%s: %v, %d nodes, moved %v", name, err, to.Len(), c.moved)
		}
	}
	// A shape that changed: a is of three here, and is added to one of two.
	b := from.Leaf(Shape{2}, 1)
	a.Add(b)
	moved := []int{three.Symbol().Index(), -1, -1, -1, -1}
	if err := Replay(&to.Recording, &from.Recording, 2, 5, moved, 1); !errors.Is(err, ErrShape) || to.Len() != 1 || moved[2] != -1 {
		t.Errorf("%v, %d nodes", err, to.Len())
	}
	if err := Replay(&New(F64).Recording, &from.Recording, 0, 1, []int{-1}, 1); !errors.Is(err, ErrElement) {
		t.Errorf("%v", err)
	}
}
