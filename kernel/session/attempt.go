package session

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/topos-notebook/topos/kernel/journal"
	"github.com/topos-notebook/topos/kernel/magic"
	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/kernel/training"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
)

// attempt is a cell's open transaction on a notebook of any element.
type attempt interface {
	header() (element string, segment, base int)
	worked() bool
	assign(line language.Line) error
	commit() (notes []string)
	rollback()
	soFar() *journal.Change
	keptSince(*mark) (*journal.Change, *mark)
	livePayload(slot int) *topos.Payload
	status() string
	describe() string
	recorded() string
	order() []string
	rerecorded(ctx context.Context, order []string) (n notebook, notes []string, err error)
	checkpoint(magic.Checkpoint) (note string, err error)
	train(context.Context, magic.Magic) (l lesson, notes []string, err error)
	goCell
	reader
}

// try is an attempt on a state. The state itself is changed as the cell goes;
// what is needed to put it back is here.
type try[T any] struct {
	*state[T]
	cell     server.Cell
	segment  *segment
	recorder *language.Recorder[T]

	// Of the tail segment that this cell replaces, nil where it does not.
	replaced *segment
	tail     *topos.Tail
	tailLive []*topos.Tensor[T]

	oldNames    *language.Names
	oldMemories map[string]*training.Memory[T]
	slots       int // committed ones: those below keep what is put there

	formerly map[string][]former[T]        // what names were of, for parameters recorded again
	heirs    map[topos.Symbol]topos.Symbol // parameters recorded again, and which they were
	resumed  []string                      // names that took trained payloads, in order
	undone   map[int]*topos.Tensor[T]      // payloads by slot that go again where the cell fails: as they were before
	stepped  map[topos.Symbol]bool         // parameters that this cell trained
	pending  map[int]*topos.Tensor[T]      // kept by this cell of its own parameters, by slot
	reused   []int                         // a node of each derivative that this cell found recorded
	found    bool                          // it appended one that reads what no node of it tells
}

// former is a parameter that the cell's former segment recorded under a name.
type former[T any] struct {
	at      topos.Symbol
	payload *topos.Tensor[T] // nil where the recorded initial held
}

// begin opens an attempt. Where the cell owns the tail, the tail is cut off.
func (s *state[T]) begin(cell server.Cell) attempt {
	t := &try[T]{
		state: s, cell: cell, oldNames: s.names, oldMemories: s.memories,
		formerly: map[string][]former[T]{}, heirs: map[topos.Symbol]topos.Symbol{}, stepped: map[topos.Symbol]bool{},
		undone: map[int]*topos.Tensor[T]{}, pending: map[int]*topos.Tensor[T]{},
	}
	if last := s.latest(cell.ID); last != nil {
		t.remember(last)
		if last == s.segments[len(s.segments)-1] {
			t.cut(last)
		}
	}
	s.names = s.names.Clone()
	t.slots = len(s.tape.Parameters())
	t.segment = &segment{
		number: len(s.segments) + 1, cell: cell.ID, count: cell.Count, text: cell.Code,
		from: s.tape.Len(), before: s.names.Clone(),
	}
	t.recorder = language.NewRecorder(s.tape, s.names, t.segment.number)
	return t
}

// latest is the last segment of a cell, nil where it has none.
func (s *state[T]) latest(cell string) *segment {
	for i := len(s.segments) - 1; i >= 0 && cell != ""; i-- {
		if s.segments[i].cell == cell {
			return s.segments[i]
		}
	}
	return nil
}

// remember takes note of the parameters of the cell's former segment. A name may
// have been that of several, one after another.
func (t *try[T]) remember(last *segment) {
	for _, b := range last.bound {
		slot := t.slotOf(b.Symbol)
		if i := b.Symbol.Index(); i < last.from || i >= last.to || slot < 0 {
			continue
		}
		f := former[T]{b.Symbol, t.liveAt(slot)}
		if !slices.Contains(t.formerly[b.Name], f) {
			t.formerly[b.Name] = append(t.formerly[b.Name], f)
		}
	}
}

// cut takes the tail segment off.
func (t *try[T]) cut(last *segment) {
	t.replaced = last
	t.segments = t.segments[:len(t.segments)-1]
	t.tail = t.tape.Cut(last.from)
	t.state.names = last.before
	if slots := len(t.tape.Parameters()); len(t.live) > slots {
		t.tailLive = append(t.tailLive, t.live[slots:]...)
		t.live = t.live[:slots:slots]
	}
}

func (t *try[T]) header() (element string, segment, base int) {
	return t.element(), t.segment.number, t.tape.Len()
}

// worked says whether the session held more, before the cell, than what the cell's
// former run recorded and nobody trained.
func (t *try[T]) worked() bool {
	kept := func(p *topos.Tensor[T]) bool { return p != nil }
	return len(t.segments) > 0 || slices.ContainsFunc(t.tailLive, kept)
}

// assign records a line of the tape language.
func (t *try[T]) assign(line language.Line) error {
	b, err := t.recorder.Record(line)
	if err != nil {
		return err
	}
	t.bound(b)
	return nil
}

// bound takes note of a binding that is in force already. The first parameter of a
// name takes what the first one had, and so on; one that does not fit waits.
func (t *try[T]) bound(b language.Binding) {
	t.segment.bound = append(t.segment.bound, b)
	slot := t.slotOf(b.Symbol)
	if slot < t.slots || len(t.formerly[b.Name]) == 0 {
		return
	}
	if _, ok := t.heirs[b.Symbol]; ok {
		return // under another name
	}
	f := t.formerly[b.Name][0]
	if f.payload != nil && !t.tape.Node(b.Symbol).Shape().Equal(f.payload.Shape()) {
		return
	}
	t.formerly[b.Name] = t.formerly[b.Name][1:]
	t.heirs[b.Symbol] = f.at
	if f.payload == nil {
		return
	}
	t.setLive(slot, f.payload)
	t.resumeMemories(f.at, b.Symbol)
	t.resumed = append(t.resumed, b.Name)
}

// commit makes what was recorded part of the session. The notes are lines for
// the reader of the notebook.
func (t *try[T]) commit() (notes []string) {
	t.segment.to = t.tape.Len()
	for slot, payload := range t.pending {
		t.setLive(slot, payload)
	}
	t.settleMemories()
	former := t.latest(t.cell.ID)
	if t.segment.empty() && !t.withdraws(former) {
		return nil
	}
	t.segment.found = t.found || slices.ContainsFunc(t.reused, func(node int) bool { return node < t.segment.from })
	t.segments = append(t.segments, t.segment)
	t.ran(t.cell.ID, former != nil)
	if former != nil {
		former.superseded = t.segment.number
		notes = append(notes, fmt.Sprintf("segment %d superseded by %d", former.number, t.segment.number))
	}
	for _, name := range t.resumed {
		notes = append(notes, fmt.Sprintf("%s keeps its trained payload; %%tape reset %s starts it anew", name, name))
	}
	if former == nil && t.replaced == nil {
		return notes // nothing that was in the way can have gone
	}
	if gone := t.settle(); gone > 0 {
		order := "from the top"
		if !t.known(t.segments) {
			order = "of the cells in this order"
		}
		notes = append(notes, fmt.Sprintf("%s superseded and read by nothing: left out, so that the tape is that of a run %s", plural(gone, "segment is", "segments are"), order))
	}
	return notes
}

// withdraws says whether a cell that has recorded nothing leaves, as a run from the
// top would, nothing of what it recorded formerly. It does where its text is
// another, or where that is outdated and another cell has recorded the derivative
// that is not. A Go cell may have looked whether its work is there, so that nothing
// follows from its recording nothing.
func (t *try[T]) withdraws(former *segment) bool {
	switch {
	case former == nil:
		return false
	case former.superseded > 0: // by the tail, which this cell has replaced
		return true
	case former.empty():
		return false
	}
	cell, err := magic.Split(t.cell.Code)
	if err != nil || !cell.Tape && strings.TrimSpace(cell.Go) != "" {
		return false
	}
	if slices.ContainsFunc(t.reused, func(node int) bool { return former.from <= node && node < former.to }) {
		return false
	}
	if t.cell.Code != former.text {
		return true
	}
	return len(t.reused) > 0 && t.readers(t.segments, supersessions(t.segments))[former.number] > 0
}

// rollback puts the session back as it was, but for parameters that were kept or
// trained, of nodes that were there before the cell or under the same names in
// the segment that it was to replace.
func (t *try[T]) rollback() {
	carry := t.carryBack()
	t.takeBack()
	t.live = t.live[:min(len(t.live), t.slots)]
	if t.replaced == nil {
		t.tape.Cut(t.segment.from)
	} else {
		t.tape.Restore(t.tail)
		for i, payload := range t.tailLive {
			t.setLive(t.slots+i, payload)
		}
		t.segments = append(t.segments, t.replaced)
	}
	carry()
	t.settleMemories()
	t.state.names = t.oldNames
}
