package readings

import (
	"fmt"
	"slices"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// Kinds are the six readings, in the order in which they are shown together.
var Kinds = []topos.ReadingKind{
	topos.SpecReading, topos.GradientReading, topos.ScheduleReading,
	topos.ModuleReading, topos.ValuesReading, topos.PictureReading,
}

// Request says what to read. Names are resolved when it is read.
type Request struct {
	Kind topos.ReadingKind // one of Kinds

	// Target is the name to differentiate, of rank 0. "" is the name of rank 0
	// that was bound last.
	Target string
	// Wrt are the names to differentiate with respect to. Empty is every
	// parameter of the tape.
	Wrt []string
	// Roots are what a plan, a module or a run computes. Empty is the target
	// and its gradients.
	Roots []string
	// Observe are further names that the run may read.
	Observe []string
	// Exact asks for the recorded order of arithmetic.
	Exact bool
	// Primitive asks for a module of StableHLO's own operations alone.
	Primitive bool
}

// ParseKind reads the name of a reading.
func ParseKind(name string) (topos.ReadingKind, error) {
	if k := topos.ReadingKind(name); slices.Contains(Kinds, k) {
		return k, nil
	}
	var names []string
	for _, k := range Kinds {
		names = append(names, string(k))
	}
	return "", fmt.Errorf("there is no reading %q: %s", name, strings.Join(names, ", "))
}
