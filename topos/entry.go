package topos

import (
	"errors"
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
type entry struct {
	s        *spec
	roots    []Named
	observes []Named
	numerics Numerics
	retain   bool
}

// Observe declares interiors that a run may read as well.
func (e entry) Observe(names ...Named) entry {
	e.observes = append(slices.Clip(e.observes), names...)
	return e
}

// Numerics chooses between Fast, the default, and Exact.
func (e entry) Numerics(n Numerics) entry { e.numerics = n; return e }

// Retain keeps what a backward sweep over the run will read.
func (e entry) Retain() entry { e.retain = true; return e }

// schedule resolves the declaration: the nodes to evaluate, and when each is
// read for the last time.
func (e entry) schedule() (*schedule, error) {
	var readable []int
	seen := map[int]bool{}
	roots := 0
	for k, n := range slices.Concat(e.roots, e.observes) {
		i := -1
		if r := Refused(func() { i = e.s.g.resolve("entry", n.Symbol()) }); r != nil {
			return nil, r
		}
		if seen[i] {
			continue
		}
		seen[i] = true
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
func (e entry) Interpret(p *table, feeds ...feed) (*run, error) {
	sc, err := e.schedule()
	if err != nil {
		return nil, err
	}
	sc.whole, sc.readable, sc.declared = true, sc.order, nil
	return execute(e.s, sc, p, feeds)
}

// Lower derives the plan: what to run, keep and free. It fails for a stale or
// foreign symbol or an empty declaration.
func (e entry) Lower() (*plan, error) {
	sc, err := e.schedule()
	if err != nil {
		return nil, err
	}
	frozen := e.s.frozen()
	candidates := newDiscovery(frozen, sc).candidates()
	return frozen.planned(sc, e.numerics, candidates, portable(candidates, e.retain)), nil
}

// Feed is the payload of an input for one run.
type feed struct {
	input   Named
	payload *dense
}

// sources lays out the payloads of a run's sources and checks them.
func (s *spec) sources(p *table, feeds []feed) (fed map[int]*dense, err error) {
	if p == nil {
		return nil, errors.New("a run needs a parameter table")
	}
	if p.g.family != s.g.family {
		return nil, failed(ErrForeign, "run", "the run was given the parameters of another tape")
	}
	if len(p.tensors) < len(s.initials) {
		return nil, failed(ErrShape, "run", "the run needs %d parameters, not %d: carry the table across the reopen", len(s.initials), len(p.tensors))
	}
	for i, t := range s.initials {
		if !p.tensors[i].shape.Equal(t.shape) {
			return nil, failed(ErrShape, "run", "parameter slot %d holds %v, not %v", i, t.shape, p.tensors[i].shape)
		}
	}
	fed = map[int]*dense{}
	for _, f := range feeds {
		var at int
		if r := Refused(func() { at = s.g.resolve("feed", f.input.Symbol()) }); r != nil {
			return nil, r
		}
		if kind := s.g.records[at].kind; kind != OpInput {
			return nil, failed(ErrUndeclared, "feed", "feed was given node %d, which is %v, not an input", at, kind)
		}
		if want := s.g.shape(at); !want.Equal(f.payload.shape) {
			return nil, failed(ErrShape, "feed", "feed of input %d takes %v, not %v", at, want, f.payload.shape)
		}
		fed[at] = f.payload
	}
	return fed, nil
}
