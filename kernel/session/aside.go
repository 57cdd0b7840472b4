package session

import (
	"context"

	"github.com/topos-notebook/topos/kernel/readings"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
)

// What makes a reading worth an interrupt: on a tape below both, it takes a
// fraction of a second.
const (
	manyNodes    = 20_000
	manyElements = 1 << 18 // of all nodes together
)

// answer is how something that may be abandoned has ended.
type answer[R any] struct {
	result R
	err    error
	panic  any
}

// within runs f, and no longer waits for it once the context ends. What f works
// on must not be touched by anybody else from then on.
func within[R any](ctx context.Context, f func() (R, error)) (R, error) {
	done := make(chan answer[R], 1)
	go func() {
		var a answer[R]
		defer func() {
			a.panic = recover()
			done <- a
		}()
		a.result, a.err = f()
	}()
	select {
	case a := <-done:
		if a.panic != nil {
			panic(a.panic)
		}
		return a.result, a.err
	case <-ctx.Done():
		var none R
		return none, ctx.Err()
	}
}

// heavy says whether a reading may take long.
func (t *try[T]) heavy() bool {
	if t.tape.Len() > manyNodes {
		return true
	}
	elements := 0
	for _, n := range t.tape.Nodes() {
		elements += n.Shape().Volume()
	}
	return elements > manyElements
}

// aside is the scene on a copy of the tape, so that a reading of it can be
// abandoned while it runs. A derivative that is recorded for the reading alone is
// of a line of the cell, as it would be on the tape.
func (t *try[T]) aside(line int) (readings.Scene[T], error) {
	s := readings.Scene[T]{Tape: topos.New(t.tape.Element()), Names: &language.Names{}, Superseded: t.superseded()}
	if err := s.Tape.Decode(t.tape.Encode(0)); err != nil {
		return s, err
	}
	s.Tape.Place(t.segment.number, line)
	for name, at := range t.names.All() {
		s.Names.Bind(name, s.Tape.Value(at.Index()))
	}
	s.Table = tableOf(s.Tape, t.live)
	return s, nil
}
