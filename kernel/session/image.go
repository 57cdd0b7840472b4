package session

import (
	"errors"
	"fmt"
	"slices"

	"github.com/topos-notebook/topos/kernel/elements"
	"github.com/topos-notebook/topos/kernel/journal"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/f16"
	"github.com/topos-notebook/topos/topos/language"
)

// pristine says whether a notebook is as it was made.
func (s *state[T]) pristine() bool {
	return len(s.segments) == 0 && s.tape.Len() == 0 && s.element() == elements.Default
}

// mark implements [notebook].
func (s *state[T]) mark() *mark {
	m := &mark{tape: s.tape, nodes: s.tape.Len(), segments: make([]segmentMark, len(s.segments)), live: make([]any, len(s.live)), memories: map[string]any{}, runs: s.runs}
	for i, g := range s.segments {
		m.segments[i] = segmentMark{g, g.to, g.superseded}
	}
	for slot, t := range s.live {
		if t != nil {
			m.live[slot] = t
		}
	}
	for key, x := range s.memories {
		m.memories[key] = x
	}
	for name := range s.names.All() {
		m.names = append(m.names, name)
	}
	slices.Reverse(m.names)
	return m
}

// change is what happened to the notebook since a mark, nil for nothing, and the
// mark of the present.
func (s *state[T]) change(since *mark) (*journal.Change, *mark) {
	now := s.mark()
	x := &journal.Change{Element: s.element(), Fresh: since.tape != now.tape, Slots: len(s.live), Nodes: s.tape.Len()}
	if !x.Fresh {
		for x.Kept < len(since.segments) && x.Kept < len(s.segments) && since.segments[x.Kept].stays(now.segments[x.Kept]) {
			if by := now.segments[x.Kept].superseded; by != since.segments[x.Kept].superseded {
				x.Superseded = append(x.Superseded, journal.Supersession{Index: x.Kept, By: by})
			}
			x.Kept++
		}
	} else {
		since = &mark{}
	}
	for _, g := range s.segments[x.Kept:] {
		x.Segments = append(x.Segments, s.written(g))
	}
	for slot, t := range s.live {
		if now.live[slot] != since.payload(slot) {
			x.Payloads = append(x.Payloads, journal.Payload{Slot: slot, Bits: bits(t)})
		}
	}
	x.Tables = append(s.tables(since, now), runTables(since.runs, now.runs)...)
	gone := slices.ContainsFunc(since.live[min(len(since.live), len(s.live)):], func(t any) bool { return t != nil })
	if !x.Fresh && x.Kept == len(since.segments) && len(x.Superseded)+len(x.Segments)+len(x.Payloads)+len(x.Tables) == 0 && !gone {
		return nil, now
	}
	x.Names = now.names
	return x, now
}

// keptSince is what a cell has kept so far of parameters that were there before it,
// as a change of what was written; nil for nothing.
func (t *try[T]) keptSince(since *mark) (*journal.Change, *mark) {
	if since.tape != t.tape {
		return nil, nil // of a tape that the journal has not seen yet
	}
	now := *since
	now.live = slices.Clone(since.live)
	x := &journal.Change{Element: t.element(), Kept: len(since.segments), Nodes: since.nodes, Names: since.names}
	for slot, p := range t.live[:min(len(t.live), t.slots)] {
		if _, ok := t.undone[slot]; ok || p == nil || any(p) == since.payload(slot) {
			continue
		}
		for len(now.live) <= slot {
			now.live = append(now.live, nil)
		}
		now.live[slot] = p
		x.Payloads = append(x.Payloads, journal.Payload{Slot: slot, Bits: p.Encode})
	}
	if len(x.Payloads) == 0 {
		return nil, nil
	}
	x.Slots = len(now.live)
	return x, &now
}

// stays says whether a segment that was written is there still.
func (m segmentMark) stays(now segmentMark) bool { return m.segment == now.segment && m.to == now.to }

// bits gives the bits of a payload, when they are wanted; nil for no payload.
func bits[T any](t *topos.Tensor[T]) func() []byte {
	if t == nil {
		return nil
	}
	return t.Encode
}

// written is a segment as the journal holds it.
func (s *state[T]) written(g *segment) journal.Segment {
	var large gathered
	w := journal.Segment{Number: g.number, Cell: g.cell, Count: g.count, Text: g.text, From: g.from, To: g.to,
		Superseded: g.superseded, Nodes: s.tape.EncodeWith(&large, g.from, g.to)}
	for i, p := range large {
		w.Aside = append(w.Aside, journal.Payload{Slot: i, Content: content{Payload: p}})
	}
	for _, b := range g.bound {
		w.Bound = append(w.Bound, journal.Binding{Name: b.Name, Node: b.Symbol.Index()})
	}
	return w
}

// soFar is the whole notebook with what the cell has recorded up to now, as if
// it had ended here.
func (t *try[T]) soFar() *journal.Change {
	s := *t.state
	s.live = slices.Clone(t.live)
	s.segments = slices.Clone(t.segments)
	for _, slot := range sortedKeys(t.pending) {
		s.setLive(slot, t.pending[slot])
	}
	g := *t.segment
	if g.to = t.tape.Len(); !g.empty() {
		former := t.latest(t.cell.ID)
		s.ran(t.cell.ID, former != nil)
		if former != nil {
			superseded := *former
			superseded.superseded = g.number
			s.segments[slices.Index(s.segments, former)] = &superseded
		}
		s.segments = append(s.segments, &g)
	}
	x, _ := s.change(&mark{})
	return x
}

// restores make the notebook of an image, by its element.
var restores = elements.Per[func(*journal.Image) (notebook, error)]{
	F32:  func(x *journal.Image) (notebook, error) { return restore(topos.F32, x) },
	F64:  func(x *journal.Image) (notebook, error) { return restore(topos.F64, x) },
	BF16: func(x *journal.Image) (notebook, error) { return restore(topos.BF16, x) },
	F16:  func(x *journal.Image) (notebook, error) { return restore(f16.F16, x) },
}

// restored is the notebook of an image. The image is checked as if a stranger had
// made it.
func restored(x *journal.Image) (notebook, error) {
	if x.Element == "" {
		return nil, errors.New("it is torn, and nothing of what was committed is whole")
	}
	make, ok := restores.Of(x.Element)
	if !ok {
		return nil, fmt.Errorf("it is of the element %q, which this kernel does not have", x.Element)
	}
	return make(x)
}

func restore[T any](e topos.Element[T], x *journal.Image) (notebook, error) {
	s := newState(e)
	for i := range x.Segments {
		if err := s.restoreSegment(&x.Segments[i]); err != nil {
			return nil, fmt.Errorf("its segment %d cannot be read: %w", x.Segments[i].Number, err)
		}
	}
	initial := s.tape.InitialParameters()
	for _, slot := range sortedKeys(x.Payloads) {
		if slot < 0 || slot >= initial.Len() {
			return nil, fmt.Errorf("it holds a payload for parameter slot %d of %d", slot, initial.Len())
		}
		t, err := e.Decode(initial.Slot(slot).Shape(), x.Payloads[slot])
		if err != nil {
			return nil, fmt.Errorf("its payload of parameter slot %d cannot be read: %w", slot, err)
		}
		s.setLive(slot, t)
	}
	if err := s.restoreTables(x.Tables); err != nil {
		return nil, err
	}
	return s, nil
}

func (s *state[T]) restoreSegment(w *journal.Segment) error {
	g := &segment{number: w.Number, cell: w.Cell, count: w.Count, text: w.Text, from: s.tape.Len(), superseded: w.Superseded, before: s.names.Clone()}
	g.found = g.derives() // which is not written
	if w.Number != len(s.segments)+1 {
		return fmt.Errorf("it stands at place %d", len(s.segments)+1)
	}
	if err := s.tape.DecodeWith(written(w.Aside), w.Nodes); err != nil {
		return err
	}
	if g.to = s.tape.Len(); g.from != w.From || g.to != w.To {
		return fmt.Errorf("it has the nodes %d to %d, not %d to %d", g.from, g.to, w.From, w.To)
	}
	for _, b := range w.Bound {
		if !language.IsName(b.Name) {
			return fmt.Errorf("it binds %q, which cannot be a name", b.Name)
		}
		if b.Node < 0 || b.Node >= s.tape.Len() {
			return errors.New("it binds a name to a node that is not there")
		}
		bound := language.Binding{Name: b.Name, Symbol: s.tape.Value(b.Node).Symbol()}
		s.names.Bind(bound.Name, bound.Symbol)
		g.bound = append(g.bound, bound)
	}
	s.segments = append(s.segments, g)
	return nil
}
