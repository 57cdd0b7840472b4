package session

import (
	"slices"
	"strings"

	"github.com/topos-notebook/topos/topos/language"
)

// segment is what one run of a cell recorded. Segments are numbered from 1 in
// the order of the tape, so that the number of a replaced one is used again.
type segment struct {
	number     int
	cell       string // the client's id of the cell, "" where it gives none
	count      int    // execution count
	text       string // of the cell, as it was run
	from, to   int    // nodes: from, up to but not including to
	bound      []language.Binding
	before     *language.Names // in force before it
	superseded int             // the later segment of the same cell, 0 for none
	found      bool            // perhaps its cell read what no node of it tells: a derivative that was there, or what one is with respect to
}

// empty says whether nothing would be missing without the segment.
func (s *segment) empty() bool { return s.from == s.to && len(s.bound) == 0 }

// derives says whether the cell may have asked for a derivative, by its words.
func (s *segment) derives() bool {
	return strings.Contains(s.text, "%gradient") || strings.Contains(s.text, "%train")
}

// renames says whether the segment gave a node of another one a name: who read it by
// that name reads nothing of this segment.
func (s *segment) renames() bool {
	return slices.ContainsFunc(s.bound, func(b language.Binding) bool { return b.Symbol.Index() < s.from })
}
