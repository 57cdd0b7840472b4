package session

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/topos-notebook/topos/kernel/journal"
	"github.com/topos-notebook/topos/kernel/training"
	"github.com/topos-notebook/topos/topos"
)

// What optimizers remember is kept beside the live parameters, for each loss,
// names and optimizer, and shares their fate: it stays when a cell fails, and
// follows a parameter that is recorded again.

// memoryPrefix begins the names of such tables in the journal.
const memoryPrefix = "optimizer "

// memoryKey is the name of an optimizer's memory: "adam loss w,b".
func memoryKey(optimizer, loss string, wrt []string) string {
	return strings.TrimSuffix(optimizer+" "+loss+" "+strings.Join(wrt, ","), " ")
}

// remembering puts a memory in the place of an older one.
func (s *state[T]) remembering(key string, m *training.Memory[T]) {
	s.memories = maps.Clone(s.memories)
	if s.memories == nil {
		s.memories = map[string]*training.Memory[T]{}
	}
	s.memories[key] = m
}

// resumeMemories has a parameter that was recorded again go on from the moments
// of the one before it.
func (s *state[T]) resumeMemories(from, to topos.Symbol) {
	for _, key := range sortedKeys(s.memories) {
		if m := s.memories[key]; m.With(from, to) != m {
			s.remembering(key, m.With(from, to))
		}
	}
}

// forgetMemories forgets what optimizers remember of some parameters, and of those
// that were trained with them; of everything where none are given.
func (s *state[T]) forgetMemories(some []topos.Symbol) {
	kept := maps.Clone(s.memories)
	maps.DeleteFunc(kept, func(_ string, m *training.Memory[T]) bool { return some == nil || m.Knows(some) })
	s.memories = kept
}

// settleMemories drops what is remembered of parameters that are no longer on the
// tape. A memory of which nothing is left is what it was before the cell, as far as
// that is of the tape, or gone.
func (t *try[T]) settleMemories() {
	there := t.tape.Parameters()
	settled := map[string]*training.Memory[T]{}
	for key, m := range t.memories {
		for _, m := range []*training.Memory[T]{m, t.oldMemories[key]} {
			if m != nil && settled[key] == nil && m.Knows(there) {
				settled[key] = m.Of(there)
			}
		}
	}
	t.state.memories = settled
}

// tables are the memories as the journal holds them, those that differ from what
// was written.
func (s *state[T]) tables(since, now *mark) []journal.Table {
	var all []journal.Table
	for _, key := range sortedKeys(since.memories) {
		if now.memories[key] == nil {
			all = append(all, journal.Table{Name: memoryPrefix + key})
		}
	}
	for _, key := range sortedKeys(now.memories) {
		if now.memories[key] != since.memories[key] {
			all = append(all, journal.Table{Name: memoryPrefix + key, Content: remembered{s.memories[key].Encode(s.tape.Parameters())}})
		}
	}
	return all
}

// remembered is a memory as the journal stores it.
type remembered struct{ *training.Encoding }

// Link implements [journal.Content]: no file holds it yet.
func (remembered) Link(string) bool { return false }

// restoreTables reads the tables of an image.
func (s *state[T]) restoreTables(tables map[string][]byte) error {
	initial := s.tape.InitialParameters()
	for _, name := range sortedKeys(tables) {
		if strings.HasPrefix(name, runsPrefix) {
			if err := s.restoreRuns(name, tables[name]); err != nil {
				return err
			}
			continue
		}
		key, ok := strings.CutPrefix(name, memoryPrefix)
		if !ok {
			return fmt.Errorf("it holds a table %q, which this kernel does not know", name)
		}
		m, err := training.Decode(s.tape.Element(), initial, tables[name])
		if err != nil {
			return fmt.Errorf("what it holds of the optimizer %q cannot be read: %w", key, err)
		}
		s.remembering(key, m)
	}
	return nil
}

// carryBack finds what a cell that is dropped has trained of parameters that the
// segment it was to replace recorded under the same names: state outlives
// structure. The answer puts it in place, once that segment is back.
func (t *try[T]) carryBack() func() {
	type pair struct {
		from, to topos.Symbol
		payload  *topos.Tensor[T]
	}
	var pairs []pair
	for _, b := range t.segment.bound {
		slot := t.slotOf(b.Symbol)
		to, ok := t.heirs[b.Symbol]
		if ok && t.stepped[b.Symbol] && !slices.ContainsFunc(pairs, func(p pair) bool { return p.to == to }) {
			pairs = append(pairs, pair{b.Symbol, to, t.live[slot]})
		}
	}
	return func() {
		for _, p := range pairs {
			slot := t.slotOf(p.to)
			if slot >= 0 && t.tape.Node(p.to).Shape().Equal(p.payload.Shape()) {
				t.setLive(slot, p.payload)
				t.resumeMemories(p.from, p.to)
			}
		}
	}
}
