package readings

import (
	"errors"
	"fmt"

	"github.com/topos-notebook/topos/cells/bounds"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
)

// Scene is what readings are taken of. The tape must not have a recorder: it
// would be told of nodes that are cut again.
type Scene[T any] struct {
	Tape  *topos.Tape[T]
	Names *language.Names
	// Table holds the parameters of a run; nil is the recorded initials. It may
	// be older than the newest parameters of the tape.
	Table *topos.Parameters[T]
	// Superseded says of a parameter that another was recorded in its place: a
	// derivative with respect to no names leaves it out, unless its target reads it.
	// nil is none.
	Superseded func(parameter topos.Symbol) bool
}

// errNoTarget: nothing can be differentiated.
var errNoTarget = errors.New("no name has rank 0, so there is nothing to differentiate: sum one first")

// largestRun is how many elements a run may hold at once. It keeps a slip of
// the finger in a shape from taking the machine's memory.
const largestRun = bounds.Run

// resolve gives the node of a name.
func (s Scene[T]) resolve(name string) (v topos.Value[T], err error) {
	symbol, ok := s.Names.Lookup(name)
	if !ok {
		if near := s.Names.Near(name); near != "" {
			return v, fmt.Errorf("unknown name %s: did you mean %s?", short(name), near)
		}
		return v, fmt.Errorf("unknown name %s", short(name))
	}
	if r := topos.Refused(func() { v = s.Tape.Resolve(symbol) }); r != nil {
		return v, r
	}
	return v, nil
}

func short(name string) string {
	if r := []rune(name); len(r) > 40 {
		return string(r[:40]) + "..."
	}
	return name
}

func (s Scene[T]) resolveAll(names []string) ([]topos.Named, error) {
	var all []topos.Named
	for _, name := range names {
		v, err := s.resolve(name)
		if err != nil {
			return nil, err
		}
		all = append(all, v.Symbol())
	}
	return all, nil
}

// labels are the names of nodes, by index: of several names the newest.
type labels map[int]string

func (s Scene[T]) labels() labels {
	l := make(labels, s.Names.Len())
	for name, at := range s.Names.All() {
		if topos.Refused(func() { s.Tape.Resolve(at) }) == nil {
			l[at.Index()] = name
		}
	}
	return l
}

// of is the name of a node, or "".
func (l labels) of(s topos.Symbol) string { return l[s.Index()] }

// called is the name of a node, or its number.
func (l labels) called(s topos.Symbol) string {
	if name := l.of(s); name != "" {
		return name
	}
	return fmt.Sprintf("#%d", s.Index())
}

func (l labels) at(index int) string { return l[index] }

// target finds what to differentiate, and its name.
func (s Scene[T]) target(q Request) (topos.Symbol, string, error) {
	if q.Target != "" {
		v, err := s.resolve(q.Target)
		if err != nil {
			return topos.Symbol{}, "", err
		}
		if shape := v.Shape(); shape.Rank() != 0 {
			return topos.Symbol{}, "", fmt.Errorf("%s is %v, not rank 0: sum it first", q.Target, shape)
		}
		return v.Symbol(), q.Target, nil
	}
	last, found := topos.Symbol{}, ""
	for name := range s.Names.All() {
		if v, err := s.resolve(name); err == nil && v.Shape().Rank() == 0 {
			last, found = v.Symbol(), name
		}
	}
	if found == "" {
		return last, "", errNoTarget
	}
	return last, found, nil
}

// TargetName is the name that a request differentiates, or "".
func (s Scene[T]) TargetName(q Request) string {
	_, name, _ := s.target(q)
	return name
}

// table is the parameters of a run, for the tape as it stands.
func (s Scene[T]) table() (*topos.Parameters[T], error) {
	if s.Table == nil {
		return s.Tape.InitialParameters(), nil
	}
	return s.Tape.Carry(s.Table)
}
