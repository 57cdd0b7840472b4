package session

import (
	"encoding/binary"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/topos-notebook/topos/kernel/journal"
)

// runsOf is what is remembered of the runs of a cell that recorded, beyond its
// segments: those leave the tape, and the order of a notebook shows in runs alone.
type runsOf struct {
	first, before, last int  // its first run, the one before the last (0 for none), and the last; runs are counted from 1
	again               bool // the last run superseded a segment
	rank                int  // in the order that the notebook was last seen to have
}

// ran notes that a cell has recorded.
func (s *state[T]) ran(cell string, again bool) {
	if cell == "" {
		return
	}
	turn, rank := 1, 1
	for _, v := range s.runs {
		turn, rank = max(turn, v.last+1), max(rank, v.rank+1)
	}
	v, ok := s.runs[cell]
	if !ok {
		v = runsOf{first: turn, rank: rank}
	}
	v.before, v.last, v.again = v.last, turn, again
	s.runs = maps.Clone(s.runs)
	if s.runs == nil {
		s.runs = map[string]runsOf{}
	}
	s.runs[cell] = v
}

// identified says whether a client tells whose all these segments are.
func (s *state[T]) identified(standing []*segment) bool {
	return !slices.ContainsFunc(standing, func(g *segment) bool { return s.runs[g.cell] == runsOf{} })
}

// ascending says whether segments stand in an order.
func (s *state[T]) ascending(standing []*segment, place func(runsOf) int) bool {
	return slices.IsSortedFunc(standing, func(a, b *segment) int { return place(s.runs[a.cell]) - place(s.runs[b.cell]) })
}

// known says whether segments stand in the order that the notebook was last seen to
// have, as far as clients tell whose they are.
func (s *state[T]) known(all []*segment) bool {
	return !s.identified(all) || s.ascending(all, func(v runsOf) int { return v.rank })
}

// passed says whether the last runs were one of each cell, in the order in which
// they stand: a run from the top, if that is the order of the notebook. A single
// cell that was run again does not tell.
func (s *state[T]) passed(standing []*segment) bool {
	again := 0
	for _, g := range standing {
		v := s.runs[g.cell]
		if v.before >= s.runs[standing[0].cell].last {
			return false
		}
		if v.again {
			again++
		}
	}
	return again > 1 && s.identified(standing)
}

// arrange takes the order of some segments for that of the notebook.
func (s *state[T]) arrange(standing []*segment) {
	arranged := map[string]runsOf{}
	for cell, v := range s.runs {
		v.rank += len(standing)
		arranged[cell] = v
	}
	for i, g := range standing {
		if v, ok := arranged[g.cell]; ok {
			v.rank = i + 1
			arranged[g.cell] = v
		}
	}
	s.runs = arranged
}

// runsPrefix begins the names of these in the journal.
const runsPrefix = "runs of "

// runTables are the runs that differ from those that were written.
func runTables(since, now map[string]runsOf) []journal.Table {
	var all []journal.Table
	for _, cell := range sortedKeys(since) {
		if _, ok := now[cell]; !ok {
			all = append(all, journal.Table{Name: runsPrefix + cell})
		}
	}
	for _, cell := range sortedKeys(now) {
		if now[cell] != since[cell] {
			all = append(all, journal.Table{Name: runsPrefix + cell, Bits: now[cell].encode()})
		}
	}
	return all
}

func (v runsOf) encode() []byte {
	again := 0
	if v.again {
		again = 1
	}
	var b []byte
	for _, x := range []int{v.first, v.before, v.last, again, v.rank} {
		b = binary.AppendUvarint(b, uint64(x))
	}
	return b
}

// restoreRuns reads the runs of a cell from an image.
func (s *state[T]) restoreRuns(name string, b []byte) error {
	var x [5]int
	for i := range x {
		u, n := binary.Uvarint(b)
		if n <= 0 || u > 1<<31 {
			return fmt.Errorf("what it holds of the %s cannot be read", name)
		}
		x[i], b = int(u), b[n:]
	}
	v := runsOf{first: x[0], before: x[1], last: x[2], again: x[3] == 1, rank: x[4]}
	if len(b) > 0 || v.first < 1 || v.last < v.first || v.before >= v.last {
		return fmt.Errorf("what it holds of the %s does not make sense", name)
	}
	if s.runs == nil {
		s.runs = map[string]runsOf{}
	}
	s.runs[strings.TrimPrefix(name, runsPrefix)] = v
	return nil
}
