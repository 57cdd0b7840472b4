package session

import (
	"fmt"
	"slices"

	"github.com/topos-notebook/topos/kernel/training"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
)

// rebuild records a state's segments once more, on an empty tape. The old state is
// not touched.
type rebuild[T any] struct {
	*state[T]           // the new one
	old       *state[T] // that it is made of
	moved     []int     // where its nodes are on the new tape, -1 for nowhere
}

func (s *state[T]) rebuild() *rebuild[T] {
	anew := newState(s.tape.Element())
	anew.runs = s.runs
	return &rebuild[T]{anew, s, slices.Repeat([]int{-1}, s.tape.Len())}
}

// open begins a segment for what an old one records.
func (r *rebuild[T]) open(g *segment) *segment {
	n := &segment{number: len(r.segments) + 1, cell: g.cell, count: g.count, text: g.text, from: r.tape.Len(), before: r.names.Clone(), found: g.found}
	r.segments = append(r.segments, n)
	return n
}

// copy records the nodes and the names of a segment as they are.
func (r *rebuild[T]) copy(g, n *segment) error {
	if err := topos.Replay(&r.tape.Recording, &r.old.tape.Recording, g.from, g.to, r.moved, n.number); err != nil {
		return err
	}
	for _, b := range g.bound {
		at := r.moved[b.Symbol.Index()]
		if at < 0 {
			return fmt.Errorf("%s is a name of node %d, which is not there", b.Name, b.Symbol.Index())
		}
		r.bind(n, b.Name, at)
	}
	n.to = r.tape.Len()
	return nil
}

func (r *rebuild[T]) bind(n *segment, name string, at int) {
	b := language.Binding{Name: name, Symbol: r.tape.Value(at).Symbol()}
	r.names.Bind(b.Name, b.Symbol)
	n.bound = append(n.bound, b)
}

// finish takes over what is live of the parameters that are there again; that of
// superseded segments is not.
func (r *rebuild[T]) finish() {
	to := map[topos.Symbol]topos.Symbol{}
	for slot, at := range r.old.tape.Parameters() {
		moved := r.moved[at.Index()]
		if moved < 0 || r.old.segmentOf(at.Index()).superseded > 0 {
			continue
		}
		v := r.tape.Value(moved)
		if !v.Shape().Equal(r.old.tape.Node(at).Shape()) {
			continue
		}
		to[at] = v.Symbol()
		if kept := r.old.liveAt(slot); kept != nil {
			r.setLive(r.slotOf(v.Symbol()), kept)
		}
	}
	for key, m := range r.old.memories {
		moments := map[topos.Symbol]training.Moments[T]{}
		for at, x := range m.Moments {
			if moved, ok := to[at]; ok {
				moments[moved] = x
			}
		}
		if len(moments) > 0 {
			r.remembering(key, &training.Memory[T]{Steps: m.Steps, Moments: moments})
		}
	}
}

// standing are the segments that are not superseded and hold something, in the
// order in which their cells were first run.
func (s *state[T]) standing() []*segment {
	first := map[string]int{}
	for i, g := range s.segments {
		if _, ok := first[g.cell]; !ok && g.cell != "" {
			first[g.cell] = i
		}
	}
	var all []*segment
	for _, g := range s.segments {
		if g.superseded == 0 && !g.empty() {
			all = append(all, g)
		}
	}
	at := func(g *segment) int {
		if g.cell == "" {
			return g.number - 1
		}
		return first[g.cell]
	}
	slices.SortStableFunc(all, func(a, b *segment) int { return at(a) - at(b) })
	return all
}

// settle drops what is superseded from the tape, once every cell that read it was
// run again: when the rest stands in the order in which the cells were first run,
// or in that of a later run of them all, and reads nothing of what goes. The tape is
// then that of a run from the top, if that is the order of the notebook. It answers
// how many segments went.
func (s *state[T]) settle() int {
	gone := 0
	for _, g := range s.segments {
		if g.superseded > 0 {
			gone++
		}
	}
	first := s.standing()
	standing := slices.Clone(first)
	slices.SortFunc(standing, func(a, b *segment) int { return a.number - b.number })
	inOrder := slices.Equal(standing, first)
	anew := !inOrder && (s.swept(standing) || s.identified(standing) && s.ascending(standing, func(v runsOf) int { return v.first }))
	if gone == 0 || !inOrder && !anew && !s.passed(standing) {
		return 0
	}
	r := s.rebuild()
	for _, g := range standing {
		if r.copy(g, r.open(g)) != nil {
			return 0 // something that goes is read still
		}
	}
	unseen := slices.ContainsFunc(s.segments, func(g *segment) bool { return g.superseded == 0 && g.found || g.superseded > 0 && g.renames() })
	if unseen && !s.records(standing, r.state) {
		return 0 // a cell has found a derivative in what goes, or another's node by its name
	}
	r.finish()
	if anew {
		r.arrange(r.segments)
	}
	*s = *r.state
	return gone
}

// records says whether segments, recorded in this order, give what was made of
// them. A cell that found a derivative recorded, and appended none, reads nothing
// that a copy would miss.
func (s *state[T]) records(standing []*segment, made *state[T]) bool {
	r := &rerecording[T]{s.rebuild(), make([]bool, s.tape.Len())}
	for _, g := range standing {
		if r.segment(g) != nil {
			return false
		}
	}
	return r.describe() == made.describe()
}

// swept says whether all cells were run again, one behind the other: what stands
// begins with a rerun, and nothing behind that is superseded.
func (s *state[T]) swept(standing []*segment) bool {
	if len(standing) == 0 {
		return false
	}
	begin, rerun := standing[0].number, false
	for _, g := range s.segments {
		rerun = rerun || g.superseded == begin
		if g.superseded > 0 && g.number > begin {
			return false
		}
	}
	return rerun
}
