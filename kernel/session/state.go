package session

import (
	"github.com/topos-notebook/topos/cells/payloads"
	"github.com/topos-notebook/topos/kernel/elements"
	"github.com/topos-notebook/topos/kernel/journal"
	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/kernel/training"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/f16"
	"github.com/topos-notebook/topos/topos/language"
)

// state is a session of one element: what is committed.
type state[T any] struct {
	tape     *topos.Tape[T]
	names    *language.Names
	live     []*topos.Tensor[T] // by slot; nil where the recorded initial holds
	segments []*segment
	memories map[string]*training.Memory[T] // of optimizers, by key; never changed in place
	runs     map[string]runsOf              // by cell; never changed in place
}

// notebook is a state of any element.
type notebook interface {
	element() string
	begin(server.Cell) attempt
	view(before *view) *view
	// What the journal is told, see image.go.
	describe() string
	pristine() bool
	mark() *mark
	change(since *mark) (*journal.Change, *mark)
	// What lies in files, see package payloads.
	livePayload(slot int) *topos.Payload
	holds() func(*topos.Payload) bool
}

func newState[T any](e topos.Element[T]) *state[T] {
	return &state[T]{tape: topos.New(e), names: &language.Names{}}
}

// empties make an empty session of each element.
var empties = elements.Per[func() notebook]{
	F32:  func() notebook { return newState(topos.F32) },
	F64:  func() notebook { return newState(topos.F64) },
	BF16: func() notebook { return newState(topos.BF16) },
	F16:  func() notebook { return newState(f16.F16) },
}

func (s *state[T]) element() string { return s.tape.Element().Name() }

// table is the live parameters over the tape as it stands.
func (s *state[T]) table() *topos.Parameters[T] { return tableOf(s.tape, s.live) }

// tableOf is the initial parameters of a tape, and payloads that replace them by
// slot, where they are not nil.
func tableOf[T any](tape *topos.Tape[T], live []*topos.Tensor[T]) *topos.Parameters[T] {
	i := -1
	return tape.InitialParameters().Map(func(t *topos.Tensor[T]) *topos.Tensor[T] {
		if i++; i < len(live) && live[i] != nil {
			return live[i]
		}
		return t
	})
}

// setLive puts a payload in a slot.
func (s *state[T]) setLive(slot int, t *topos.Tensor[T]) {
	for len(s.live) <= slot {
		s.live = append(s.live, nil)
	}
	s.live[slot] = t
}

// liveAt is what was put in a slot, nil for none.
func (s *state[T]) liveAt(slot int) *topos.Tensor[T] {
	if slot >= len(s.live) {
		return nil
	}
	return s.live[slot]
}

// livePayload is the payload of that.
func (s *state[T]) livePayload(slot int) *topos.Payload {
	t := s.liveAt(slot)
	if t == nil {
		return nil
	}
	return topos.PayloadOf(t)
}

// holds answers which large payloads the session has.
func (s *state[T]) holds() func(*topos.Payload) bool {
	all := map[*topos.Payload]bool{}
	for p := range s.tape.Payloads {
		if p.Bytes() >= payloads.Least {
			all[p] = true
		}
	}
	for slot := range s.live {
		all[s.livePayload(slot)] = true
	}
	return func(p *topos.Payload) bool { return all[p] }
}

// slotOf is the slot of a parameter, -1 for any other node.
func (s *state[T]) slotOf(at topos.Symbol) int { return s.tape.Slot(at) }

// label is the name of a node, "" where it has none; the newest of several.
func (s *state[T]) label(at topos.Symbol) string {
	label := ""
	for name, symbol := range s.names.All() {
		if symbol == at {
			label = name
		}
	}
	return label
}
