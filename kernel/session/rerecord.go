package session

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/topos-notebook/topos/kernel/magic"
	notebookfile "github.com/topos-notebook/topos/kernel/notebook"
	"github.com/topos-notebook/topos/kernel/readings"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
)

// rerecord carries out %rerecord: the cell goes on with a notebook that holds the
// same segments, recorded in order.
func (t *transaction) rerecord(ctx context.Context, m magic.Magic) error {
	order := t.attempt.order()
	if m.File != "" {
		var err error
		if order, err = cellsOf(m.File); err != nil {
			return err
		}
	}
	n, notes, err := t.attempt.rerecorded(ctx, order)
	if err != nil {
		return err
	}
	t.left = append(t.left, t.attempt)
	t.notebook = n
	t.attempt = n.begin(t.cell)
	for _, note := range notes {
		t.out.Stream("stdout", note+"\n")
	}
	return nil
}

// cellsOf reads the ids of a notebook's code cells, in order.
func cellsOf(path string) ([]string, error) {
	n, err := notebookfile.Read(path)
	if err != nil {
		return nil, err
	}
	ids := []string{}
	for _, c := range n.Cells {
		if c.ID != "" {
			ids = append(ids, c.ID)
		}
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%s has no code cells with ids, which notebooks have since format 4.5: without them its order says nothing", path)
	}
	return ids, nil
}

// order is the order that the notebook was last seen to have, as ids of cells; nil
// where the segments stand in it, or not all tell whose they are.
func (t *try[T]) order() []string {
	all := t.standing()
	if t.known(all) {
		return nil
	}
	slices.SortFunc(all, func(a, b *segment) int { return t.runs[a.cell].rank - t.runs[b.cell].rank })
	var ids []string
	for _, g := range all {
		ids = append(ids, g.cell)
	}
	return ids
}

// rerecorded is the notebook with its segments recorded in the order of some
// cells, or as they stand where none are given: by the first segment of each cell. No code is run
// and nothing is trained: tape cells are recorded by their lines, Go cells from
// the nodes they recorded, with names resolved anew. Where a name does not
// resolve, there is no such notebook.
func (t *try[T]) rerecorded(ctx context.Context, order []string) (n notebook, notes []string, err error) {
	if t.tape.Len() > t.segment.from || len(t.segment.bound) > 0 {
		return nil, nil, errors.New("the cell has recorded already: cells are recorded anew before what their own cell records")
	}
	if err := watched(ctx, &t.tape.Recording, func() error { n, notes, err = t.inOrder(ctx, order); return err }); err != nil {
		return nil, nil, err
	}
	return n, notes, nil
}

func (t *try[T]) inOrder(ctx context.Context, order []string) (n notebook, notes []string, err error) {
	all, left := t.ordered(order)
	if order != nil && len(all) == 0 {
		return nil, nil, errors.New("none of its cells has recorded here")
	}
	r := &rerecording[T]{t.state.rebuild(), make([]bool, t.tape.Len())}
	err = watched(ctx, &r.tape.Recording, func() error {
		for _, g := range all {
			if err := r.segment(g); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	r.finish()
	if order != nil {
		r.arrange(r.segments)
	}
	for _, g := range left {
		notes = append(notes, fmt.Sprintf("cell %d is not in the notebook: its segment is left out", g.count))
	}
	was := t.state
	return r.state, append([]string{fmt.Sprintf("re-recorded: %s (it was %s)",
		holding(len(r.segments), r.tape.Len(), r.element()), holding(len(was.segments), was.tape.Len(), was.element()))}, notes...), nil
}

// ordered gives the segments that are to be recorded again, and those that are
// left out. What the cell that runs recorded earlier is replaced by it in any
// case.
func (t *try[T]) ordered(order []string) (all, left []*segment) {
	standing := slices.DeleteFunc(t.standing(), func(g *segment) bool { return g.cell != "" && g.cell == t.cell.ID })
	if order == nil {
		return standing, nil
	}
	for _, id := range order {
		if i := slices.IndexFunc(standing, func(g *segment) bool { return g.cell == id }); i >= 0 && !slices.Contains(all, standing[i]) {
			all = append(all, standing[i])
		}
	}
	for _, g := range standing {
		if !slices.Contains(all, g) {
			left = append(left, g)
		}
	}
	return all, left
}

// rerecording is a rebuild that resolves names anew.
type rerecording[T any] struct {
	*rebuild[T]
	same []bool // by old node: it computes what it did
}

// segment records one segment again.
func (r *rerecording[T]) segment(g *segment) error {
	n := r.open(g)
	cell, err := magic.Split(g.text)
	if err == nil && cell.Tape {
		err = r.lines(g, n, cell.Steps)
	} else {
		err = r.program(g, n)
	}
	n.to = r.tape.Len()
	var fault *language.Error
	if errors.As(err, &fault) && fault.Line > 0 {
		return fmt.Errorf("cell %d line %d cannot be recorded again: %s", g.count, fault.Line, fault.Message)
	}
	if err != nil {
		return fmt.Errorf("cell %d cannot be recorded again: %w", g.count, err)
	}
	r.supersede(g)
	return nil
}

// lines records the lines of a tape cell, and the derivatives of its magics.
func (r *rerecording[T]) lines(g, n *segment, steps []magic.Step) error {
	// What came before a new tape, or before a session was opened, is not of this
	// segment.
	if i := lastIndex(steps, func(s magic.Step) bool { return s.Magic != nil && s.Magic.Turns() }); i >= 0 {
		steps = steps[i+1:]
	}
	recorder := language.NewRecorder(r.tape, r.names, n.number)
	for _, s := range steps {
		switch {
		case s.Magic == nil:
			b, err := recorder.Record(s.Line)
			if err != nil {
				return err
			}
			n.bound = append(n.bound, b)
		case s.Magic.Derives():
			if err := r.derive(n, *s.Magic); err != nil {
				return s.Magic.Fault(err)
			}
		}
	}
	r.match(g, n)
	return nil
}

func lastIndex[E any](s []E, f func(E) bool) int {
	for i := len(s) - 1; i >= 0; i-- {
		if f(s[i]) {
			return i
		}
	}
	return -1
}

// derive records the derivative that a magic asks for.
func (r *rerecording[T]) derive(n *segment, m magic.Magic) error {
	r.tape.Place(n.number, m.Line)
	_, _, err := readings.Scene[T]{Tape: r.tape, Names: r.names}.Adjoints(m.Request)
	return err
}

// match notes where the nodes of a tape cell are now: all of them where as many
// were recorded, and else those with a name.
func (r *rerecording[T]) match(g, n *segment) {
	if r.tape.Len()-n.from == g.to-g.from {
		for i := range g.to - g.from {
			r.pair(g.from+i, n.from+i)
		}
		return
	}
	for _, b := range g.bound {
		if at, ok := r.names.Lookup(b.Name); ok && r.old.kind(b.Symbol.Index()) == r.kind(at.Index()) {
			r.moved[b.Symbol.Index()] = at.Index()
		}
	}
}

// pair notes that a node is at a place of the new tape, where the same operation
// is. It is as it was where it reads the same as well, all the way down.
func (r *rerecording[T]) pair(i, at int) {
	a, b := r.old.tape.Node(r.old.tape.Value(i)), r.tape.Node(r.tape.Value(at))
	if a.Opcode().Kind != b.Opcode().Kind {
		return
	}
	r.moved[i] = at
	r.same[i] = a.Opcode().Attributes() == b.Opcode().Attributes() && a.Shape().Equal(b.Shape())
	for j, o := range a.Operands() {
		r.same[i] = r.same[i] && r.same[o.Index()] && r.moved[o.Index()] == b.Operands()[j].Index()
	}
}

func (s *state[T]) kind(i int) topos.Kind { return s.tape.Node(s.tape.Value(i)).Opcode().Kind }

// supersede has who read an earlier segment of the same cell find the nodes of
// this one, where the cell recorded as many.
func (r *rerecording[T]) supersede(g *segment) {
	for _, d := range r.old.segments {
		if d == g || d.cell != g.cell || d.cell == "" || d.to-d.from != g.to-g.from {
			continue
		}
		for i := range g.to - g.from {
			if at := r.moved[g.from+i]; at >= 0 {
				r.pair(d.from+i, at)
			}
		}
	}
}

// program records the nodes of a Go cell again. What it read of other cells under
// a name is what the name is bound to now. A derivative of what other cells
// recorded is one only as long as that is as it was.
func (r *rerecording[T]) program(g, n *segment) error {
	was := slices.Clone(r.moved[:g.from]) // what this cell reads is not where others find it
	defer func() { copy(r.moved, was) }()
	before := map[int]string{} // names by node, of several the newest
	for name, at := range g.before.All() {
		before[at.Index()] = name
	}
	nodes := r.old.tape.Nodes()[g.from:g.to]
	for _, node := range nodes {
		for _, o := range node.Operands() {
			if err := r.read(o.Index(), g, before, node.Origin().Part == topos.PartNone); err != nil {
				return err
			}
		}
	}
	for _, b := range g.bound {
		if err := r.read(b.Symbol.Index(), g, before, true); err != nil {
			return err
		}
	}
	stays := func(i int) bool { return r.same[i] && r.moved[i] == was[i] }
	for _, node := range nodes {
		of := node.Origin().Of
		derived := node.Origin().Part != topos.PartNone && of < g.from
		sound := !derived || stays(of)
		for _, o := range node.Operands() {
			sound = sound && (!derived || o.Index() >= g.from || stays(o.Index()))
		}
		if !sound {
			return fmt.Errorf("it differentiates node %d %v of cell %d, which is not recorded as it was: run the cell again", of, r.old.kind(of), r.old.segmentOf(of).count)
		}
	}
	if err := r.copy(g, n); err != nil {
		return err
	}
	for _, node := range nodes {
		i := node.Symbol().Index()
		r.same[i] = true
		for _, o := range node.Operands() {
			r.same[i] = r.same[i] && (o.Index() >= g.from && r.same[o.Index()] || o.Index() < g.from && stays(o.Index()))
		}
	}
	return nil
}

// read finds a node of another segment that a Go cell read.
func (r *rerecording[T]) read(i int, g *segment, before map[int]string, byName bool) error {
	if i >= g.from && i < g.to {
		return nil
	}
	name, named := before[i]
	if named && (byName || r.moved[i] < 0) {
		at, ok := r.names.Lookup(name)
		if !ok {
			return fmt.Errorf("it reads %s, which no cell before it binds", name)
		}
		r.moved[i] = at.Index()
	}
	if r.moved[i] < 0 {
		return fmt.Errorf("it reads node %d %v of cell %d, which has no name and is not recorded as it was: run the cell again", i, r.old.kind(i), r.old.segmentOf(i).count)
	}
	return nil
}

// segmentOf is the segment that holds a node.
func (s *state[T]) segmentOf(i int) *segment {
	at, _ := slices.BinarySearchFunc(s.segments, i, func(g *segment, i int) int {
		if g.to <= i {
			return -1
		}
		return 1
	})
	return s.segments[at]
}
