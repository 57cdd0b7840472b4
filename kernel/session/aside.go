package session

import (
	"context"
	"errors"

	"github.com/topos-notebook/topos/kernel/readings"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
)

// What makes a run worth a copy of the tape, on which it can be left alone: below
// both, no single node takes more than a fraction of a second.
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
// on must not be touched by anybody else from then on; it should be watched, so
// that f ends soon as well.
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
	var none R
	select {
	case a := <-done:
		if isStop(a.panic) {
			return none, ctx.Err()
		}
		if a.panic != nil {
			panic(a.panic)
		}
		return a.result, a.err
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// watched runs f on a tape; where the context ends, what is long in it ends too.
// Afterwards the tape is as it was.
func watched(ctx context.Context, tape *topos.Recording, f func() error) (err error) {
	topos.Watch(tape, func() bool { return ctx.Err() != nil })
	defer topos.Watch(tape, nil)
	defer func() {
		if p := recover(); isStop(p) {
			err = ctx.Err()
		} else if p != nil {
			panic(p)
		}
	}()
	if err := f(); !errors.Is(err, topos.ErrStopped) {
		return err
	}
	return ctx.Err()
}

// isStop says whether a panic is that of work that was told to stop.
func isStop(p any) bool {
	r, ok := p.(*topos.Refusal)
	return ok && errors.Is(r, topos.ErrStopped)
}

// heavy says whether a run may take long within a node.
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
// abandoned while it runs, and ends soon afterwards. A derivative that is recorded
// for the reading alone is of a line of the cell, as it would be on the tape.
func (t *try[T]) aside(ctx context.Context, line int) (readings.Scene[T], error) {
	s := readings.Scene[T]{Tape: topos.New(t.tape.Element()), Names: &language.Names{}, Superseded: t.superseded()}
	topos.Watch(&s.Tape.Recording, func() bool { return ctx.Err() != nil })
	if err := topos.Replay(&s.Tape.Recording, &t.tape.Recording, 0, t.tape.Len(), make([]int, t.tape.Len()), 0); err != nil {
		return s, err
	}
	s.Tape.Place(t.segment.number, line)
	for name, at := range t.names.All() {
		s.Names.Bind(name, s.Tape.Value(at.Index()))
	}
	s.Table = tableOf(s.Tape, t.live)
	return s, nil
}
