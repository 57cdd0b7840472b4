package session

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// status is where the session stands against a run of its cells from the top: one
// line for each segment, and what follows from them.
//
// A segment is fresh where a run from the top would record it, too; a rerun stands
// at another place than its cell's first run did; one that is superseded is there
// still, since others may read it, and who does is outdated.
func (t *try[T]) status() string {
	all := slices.Clone(t.segments)
	if t.segment.to = t.tape.Len(); !t.segment.empty() {
		all = append(all, t.segment)
	}
	if len(all) == 0 {
		return "tape: nothing is recorded\n"
	}
	later := supersessions(all)
	if former := t.latest(t.cell.ID); former != nil && all[len(all)-1] == t.segment {
		later[former.number] = t.segment.number
	}
	reads := t.readers(all, later)
	rows := [][]string{{"segment", "cell", "nodes", "names", "status"}}
	count := map[string]int{}
	for _, g := range all {
		kind, text := "fresh", "fresh"
		if by := later[g.number]; by > 0 {
			kind, text = "superseded", fmt.Sprintf("superseded by %d", by)
		} else if rerunOf := firstOf(later, g.number); rerunOf > 0 {
			kind, text = "rerun", fmt.Sprintf("rerun of %d", rerunOf)
		}
		if kind != "superseded" && reads[g.number] > 0 {
			if kind == "rerun" {
				text += ", "
			} else {
				text = ""
			}
			kind = "outdated"
			text += fmt.Sprintf("outdated: reads %d, which is superseded", reads[g.number])
		}
		count[kind]++
		rows = append(rows, []string{strconv.Itoa(g.number), strconv.Itoa(g.count), nodesOf(g), namesOf(g), text})
	}
	verdict := "fresh: a run of the cells from the top records the same tape"
	if !t.known(all) {
		verdict = "fresh in the order of the latest runs: a run of the cells in this order records the same tape"
	}
	if count["fresh"] < len(all) {
		var parts []string
		for _, kind := range []string{"fresh", "rerun", "outdated", "superseded"} {
			if count[kind] > 0 {
				parts = append(parts, fmt.Sprintf("%d %s", count[kind], kind))
			}
		}
		verdict = "not what a run from the top records: " + strings.Join(parts, ", ") + "; %rerecord records the cells in order"
	}
	return aligned(rows) + verdict + "\n"
}

// supersessions are, by number, the segments that supersede others.
func supersessions(all []*segment) map[int]int {
	later := map[int]int{}
	for _, g := range all {
		if g.superseded > 0 {
			later[g.number] = g.superseded
		}
	}
	return later
}

// firstOf is the segment that one supersedes, 0 for none; of several the newest.
func firstOf(later map[int]int, number int) int {
	first := 0
	for old, by := range later {
		if by == number {
			first = max(first, old)
		}
	}
	return first
}

// readers gives for each segment that reads a superseded one, whose: the newest.
// What an outdated segment made is outdated where it is read.
func (t *try[T]) readers(all []*segment, later map[int]int) map[int]int {
	reads := map[int]int{}
	if len(later) == 0 {
		return reads
	}
	owner := make([]int, t.tape.Len()) // of each node, the superseded segment it comes from
	for _, g := range all {
		for i := g.from; i < g.to; i++ {
			if later[g.number] > 0 {
				owner[i] = g.number
				continue
			}
			for _, o := range t.tape.Node(t.tape.Value(i)).Operands() {
				owner[i] = max(owner[i], owner[o.Index()])
			}
			reads[g.number] = max(reads[g.number], owner[i])
		}
		for _, b := range g.bound {
			if later[g.number] == 0 {
				reads[g.number] = max(reads[g.number], owner[b.Symbol.Index()])
			}
		}
	}
	return reads
}

func nodesOf(g *segment) string {
	switch g.to - g.from {
	case 0:
		return "none"
	case 1:
		return strconv.Itoa(g.from)
	}
	return fmt.Sprintf("%d-%d", g.from, g.to-1)
}

// namesOf lists what a segment bound, as far as a line has room.
func namesOf(g *segment) string {
	const few = 4
	var names []string
	seen := map[string]bool{}
	for _, b := range g.bound {
		if !seen[b.Name] {
			seen[b.Name] = true
			names = append(names, b.Name)
		}
	}
	if n := len(names); n > few {
		names = append(names[:few], fmt.Sprintf("%d more", n-few))
	}
	return strings.Join(names, ", ")
}

// aligned is rows of words in columns, two blanks apart.
func aligned(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	for _, row := range rows {
		var line strings.Builder
		for i, cell := range row {
			fmt.Fprintf(&line, "%-*s  ", widths[i], cell)
		}
		b.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	return b.String()
}
