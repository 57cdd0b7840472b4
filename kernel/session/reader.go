package session

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/topos-notebook/topos/kernel/magic"
	"github.com/topos-notebook/topos/kernel/readings"
	"github.com/topos-notebook/topos/topos"
)

// reader is how an attempt is read, and its parameters set back.
type reader interface {
	// read takes the readings that a magic asks for. The note is a line to show
	// before them, "" for none.
	// Where the context ends, a long one is given up.
	read(ctx context.Context, m magic.Magic) (all []*topos.Reading, note string, err error)
	// reset gives parameters their recorded initials again, every one where no
	// names are given.
	reset(names []string) (note string, err error)
}

func (t *try[T]) sight() readings.Scene[T] {
	return readings.Scene[T]{Tape: t.tape, Names: t.names, Table: t.table(), Superseded: t.superseded()}
}

// superseded says of a node whether its segment is superseded, or will be by what
// this cell records.
func (t *try[T]) superseded() func(topos.Symbol) bool {
	former := t.latest(t.cell.ID)
	segments := slices.DeleteFunc(slices.Clone(t.segments), func(g *segment) bool { return g.superseded == 0 && g != former })
	if len(segments) == 0 {
		return nil
	}
	return func(at topos.Symbol) bool {
		return slices.ContainsFunc(segments, func(g *segment) bool { return g.from <= at.Index() && at.Index() < g.to })
	}
}

func (t *try[T]) read(ctx context.Context, m magic.Magic) (all []*topos.Reading, note string, err error) {
	t.tape.Place(t.segment.number, m.Line)
	err = watched(ctx, &t.tape.Recording, func() (err error) {
		switch {
		case m.Name == "gradient": // records on the tape itself
			all, note, err = t.gradient(m.Request)
		case (m.Name == "values" || m.Name == "read") && t.heavy():
			var s readings.Scene[T]
			if s, err = t.aside(ctx, m.Line); err == nil {
				all, err = within(ctx, func() ([]*topos.Reading, error) { return take(s, m) })
			}
		default:
			all, err = take(t.sight(), m)
		}
		return err
	})
	if err != nil {
		return nil, "", err
	}
	for _, r := range all {
		t.divide(r)
	}
	return all, note, nil
}

// divide sets off what this cell has recorded in a listing of the tape.
func (t *try[T]) divide(r *topos.Reading) {
	if from := t.segment.from; r.Kind == topos.SpecReading && from > 0 && from < r.Nodes {
		r.Marks = []topos.Mark{{Before: from, Text: fmt.Sprintf("segment %d", t.segment.number)}}
	}
}

// take takes the readings that a magic asks for and that append nothing.
func take[T any](s readings.Scene[T], m magic.Magic) (all []*topos.Reading, err error) {
	var r *topos.Reading
	switch m.Name {
	case "names":
		r = s.ListNames()
	case "why":
		r, err = s.Why(m.Node)
	case "read":
		return s.All(m.Request)
	default:
		r, err = s.Read(m.Request)
	}
	return []*topos.Reading{r}, err
}

// gradient records a derivative, unless it is there.
func (t *try[T]) gradient(q readings.Request) (all []*topos.Reading, note string, err error) {
	a, r, reused, err := t.sight().Differentiate(q)
	switch {
	case reused:
		note = t.reuse(t.label(a.Target()), a)
	case err == nil:
		t.derived(a)
	}
	return []*topos.Reading{r}, note, err
}

// derived takes note of a derivative that was appended where it was taken with respect
// to what its target does not read: no node of it tells.
func (t *try[T]) derived(a topos.Adjoints) {
	for i, gradient := range a.Gradients() {
		alone := t.tape.Node(gradient).Opcode().Kind == topos.OpLeaf
		t.found = t.found || alone && a.Wrt()[i].Index() < t.segment.from
	}
}

// reuse says that a derivative is on the tape already, and takes note of where.
func (t *try[T]) reuse(name string, a topos.Adjoints) string {
	if name == "" {
		name = fmt.Sprintf("#%d", a.Target().Index())
	}
	from, to := a.Appended()
	t.reused = append(t.reused, from)
	return fmt.Sprintf("the derivative of %s is recorded already, as nodes %d to %d; nothing is appended", name, from, to-1)
}

func sortedKeys[K cmp.Ordered, V any](m map[K]V) []K { return slices.Sorted(maps.Keys(m)) }
