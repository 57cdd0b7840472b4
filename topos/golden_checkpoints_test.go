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
