package topos_test

import (
	"errors"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/checkpoint"
	"github.com/topos-notebook/topos/topos/initial"
	"github.com/topos-notebook/topos/topos/nn"
)

// checkpointMisuses restore into the parameters of a perceptron [2, 3, 1]; what
// the row says is wrong with what is restored.
var checkpointMisuses = map[string]struct {
	sizes []int // of the perceptron that the checkpoint is of
	keep  int   // how many of its entries are left; 0 for all
	named bool
	err   error
}{
	"restore with 3 of 4 payloads":                 {[]int{2, 3, 1}, 3, false, checkpoint.ErrMissing},
	"restore of a wider module":                    {[]int{2, 4, 1}, 0, false, checkpoint.ErrShape},
	"named_restore without one entry":              {[]int{2, 3, 1}, 3, true, checkpoint.ErrMissing},
	"named_restore with a deeper module's entries": {[]int{2, 3, 1, 1}, 0, true, checkpoint.ErrUnexpected},
	"named_restore of another width":               {[]int{2, 4, 1}, 0, true, checkpoint.ErrShape},
}

func misuseCheckpoint(t *testing.T, c refusalCase) {
	m, ok := checkpointMisuses[c.Trigger]
	if !ok {
		t.Fatalf("the suite does not understand %q", c.Trigger)
	}
	perceptron := func(sizes ...int) (*Tape[float32], *nn.Mlp) {
		tape := New(F32)
		return tape, nn.NewMlp(nn.Drawn(tape, initial.Uniform(F32, 1, 1)), nn.Tanh, sizes...)
	}
	from, module := perceptron(m.sizes...)
	kept := Must(checkpoint.SnapshotPaths(from.InitialParameters(), module.Parameters()))
	if m.keep > 0 {
		kept = kept[:m.keep]
	}
	tape, own := perceptron(2, 3, 1)
	table := tape.InitialParameters().Scale(2)
	var err error
	if m.named {
		_, err = checkpoint.RestorePaths(kept, table, own.Parameters())
	} else {
		_, err = checkpoint.Restore(kept, table)
	}
	if (err != nil) != c.Refused || err != nil && (!errors.Is(err, m.err) || strings.Contains(err.Error(), "\n")) {
		t.Errorf("answers %v; refused is %v", err, c.Refused)
	}
	if !table.Equal(tape.InitialParameters().Scale(2)) {
		t.Error("the table has changed")
	}
}

// parameterMisuses are over the table and the gradients of one tape, and those
// of another.
var parameterMisuses = map[string]struct {
	err    error
	misuse func(own, other trainedTape)
}{
	"parameters.of(foreign)": {ErrForeign, func(own, other trainedTape) { own.table.Of(other.w) }},
	"step answering another shape": {ErrShape, func(own, _ trainedTape) {
		own.table.Step(own.table, func(_, _ *Tensor[float32]) *Tensor[float32] { return half32(Shape{7}) })
	}},
	"direction with fewer slots": {ErrShape, func(own, _ trainedTape) {
		own.tape.Parameter(nil, 1)
		own.tape.InitialParameters().Step(own.table, (*Tensor[float32]).Add)
	}},
	"zip of two networks' tables": {ErrForeign, func(own, other trainedTape) { own.table.Zip(other.table, (*Tensor[float32]).Add) }},
	"replacement for an input":    {ErrUndeclared, func(own, _ trainedTape) { own.table.WithPayloads(With(own.x, half32(nil))) }},
	"carried to another network": {ErrForeign, func(own, other trainedTape) {
		if _, err := other.tape.Carry(own.table); err != nil {
			panic(err)
		}
	}},
	"gradients.parameters(&foreign)": {ErrForeign, func(own, other trainedTape) { own.gradients.Parameters(other.table) }},
	"field.zip of another network":   {ErrForeign, func(own, other trainedTape) { own.gradients.Zip(other.gradients, (*Tensor[float32]).Add) }},
}

// trainedTape is a tape with a table and gradients over it.
type trainedTape struct {
	tape      *Tape[float32]
	w, x      Value[float32]
	table     *Parameters[float32]
	gradients *Gradients[float32]
}

func newTrainedTape() trainedTape {
	tape := New(F32)
	w, x := tape.Parameter(Shape{2}, 1, 2), tape.Input(nil, 3)
	loss := w.Mul(x.Broadcast(Shape{2})).Sum()
	view, table := tape.View(), tape.InitialParameters()
	return trainedTape{tape, w, x, table, Must(Must(view.Forward(table)).Backward(loss))}
}

func misuseParameters(t *testing.T, c refusalCase) {
	m, ok := parameterMisuses[c.Trigger]
	if !ok {
		t.Fatalf("the suite does not understand %q", c.Trigger)
	}
	own, other := newTrainedTape(), newTrainedTape()
	refusal := Refused(func() { m.misuse(own, other) })
	if (refusal != nil) != c.Refused || refusal != nil && (!errors.Is(refusal, m.err) || strings.Contains(refusal.Error(), "\n")) {
		t.Errorf("answers %v; refused is %v", refusal, c.Refused)
	}
	if fresh := newTrainedTape(); own.table.Of(own.w).String() != fresh.table.Of(fresh.w).String() {
		t.Error("the table has changed")
	}
}
