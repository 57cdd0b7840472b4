package topos

import (
	"errors"
	"fmt"
	"slices"
)

// Numerics says whether float math may be reordered.
type Numerics uint8

const (
	// Fast lets a backend serve a formula with sums in another order.
	Fast Numerics = iota
	// Exact is the interpreter's bits, in every build.
	Exact
)

// String is "fast" or "exact".
func (n Numerics) String() string {
	if n == Exact {
		return "exact"
	}
	return "fast"
}

// Entry is a function exported from a network: the values a run may read, and
// how. One network may export several. Methods answer a changed copy.
type Entry[T any] struct {
	s        *spec[T]
	roots    []Named
	observes []Named
	numerics Numerics
	retain   bool
}

// Observe declares interiors that a run may read as well.
func (e Entry[T]) Observe(names ...Named) Entry[T] {
	e.observes = append(slices.Clip(e.observes), names...)
	return e
}

// Numerics chooses between Fast, the default, and Exact.
func (e Entry[T]) Numerics(n Numerics) Entry[T] { e.numerics = n; return e }

// Retain keeps what a backward sweep over the run will read.
func (e Entry[T]) Retain() Entry[T] { e.retain = true; return e }

// schedule resolves the declaration: the nodes to evaluate, and when each is
// read for the last time.
func (e Entry[T]) schedule() (*schedule, error) {
	if len(e.roots) == 0 {
		return nil, errors.New("an entry declares at least one root")
	}
	var readable []int
	roots := 0
	for k, n := range slices.Concat(e.roots, e.observes) {
		i := -1
		if r := Refused(func() { i = e.s.g.resolve("entry", n.Symbol()) }); r != nil {
			return nil, r
		}
		if slices.Contains(readable, i) {
			continue
		}
		readable = append(readable, i)
		if k < len(e.roots) {
			roots++
		}
	}
	return newSchedule(e.s.g, readable, roots, e.retain), nil
}

// Interpret evaluates the ancestors of what the entry declares by the plain
// interpreter, which keeps every one of them readable. Errors are those of the
// declaration, the table and the feeds.
func (e Entry[T]) Interpret(p *Parameters[T], feeds ...Feed[T]) (*Run[T], error) {
	sc, err := e.schedule()
	if err != nil {
		return nil, err
	}
	sc.whole = true
	sc.readable = sc.order
	return execute(e.s, sc, p, feeds)
}

// Lower derives the plan: what to run, keep and free. It fails for a stale or
// foreign symbol or an empty declaration.
func (e Entry[T]) Lower() (*Plan[T], error) {
	sc, err := e.schedule()
	if err != nil {
		return nil, err
	}
	frozen := e.s.frozen()
	return &Plan[T]{s: frozen, sc: sc, numerics: e.numerics}, nil
}

// Feed is the payload of an input for one run.
type Feed[T any] struct {
	Input   Named
	Payload *Tensor[T]
}

// With feeds an input.
func With[T any](input Named, payload *Tensor[T]) Feed[T] { return Feed[T]{input, payload} }

// sources lays out the payloads of a run's sources and checks them.
func (s *spec[T]) sources(p *Parameters[T], feeds []Feed[T]) (fed map[int]*Tensor[T], err error) {
	if p == nil {
		return nil, errors.New("a run needs a parameter table")
	}
	if p.g.family != s.g.family {
		return nil, fmt.Errorf("the run was given the parameters of another tape: %w", ErrForeign)
	}
	if len(p.tensors) < len(s.initials) {
		return nil, fmt.Errorf("the run needs %d parameters, not %d: carry the table across the reopen", len(s.initials), len(p.tensors))
	}
	for i, t := range s.initials {
		if !p.tensors[i].shape.Equal(t.shape) {
			return nil, fmt.Errorf("parameter slot %d holds %v, not %v: %w", i, t.shape, p.tensors[i].shape, ErrShape)
		}
	}
	fed = map[int]*Tensor[T]{}
	for _, f := range feeds {
		var at int
		if r := Refused(func() { at = s.g.resolve("feed", f.Input.Symbol()) }); r != nil {
			return nil, r
		}
		if kind := s.g.records[at].kind; kind != OpInput {
			return nil, fmt.Errorf("feed was given node %d, which is %v, not an input", at, kind)
		}
		if want := s.g.shape(at); !want.Equal(f.Payload.shape) {
			return nil, fmt.Errorf("input %d takes %v, not %v: %w", at, want, f.Payload.shape, ErrShape)
		}
		fed[at] = f.Payload
	}
	return fed, nil
}
