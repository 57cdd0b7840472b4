package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// Sizes beyond which a card shows less. They count work and bytes, never time,
// so that what is shown does not depend on the machine.
const (
	// MaxBundle is the largest bundle, in bytes.
	MaxBundle = 1_000_000

	maxOpenRows    = 200           // rows shown as an open table
	maxRows        = 2_000         // rows shown at all, folded by the hundred
	maxDigestRows  = topos.MaxRows // rows of which the ends are shown
	endRows        = 100           // rows shown at either end above maxRows
	fewRows        = topos.FewRows // rows shown above maxDigestRows
	foldedRows     = 100           // rows in one fold
	earlierRows    = 40            // rows above the last divider that stay open
	maxLayered     = 150           // nodes of a layered picture
	maxDrawn       = 2_000         // nodes of any picture
	maxReaders     = 6             // readers named in a row
	maxMarks       = 200           // dividers shown
	maxDocument    = 100_000
	maxHighlighted = 32_000 // bytes of a module that are highlighted
	maxPayloads    = 200    // payloads listed
	maxGrids       = 12     // payloads whose cells are shown
)

// limits are the two sets of sizes: ample first, and scant for a reading whose
// card turns out too large, whatever the reason.
type limits int

const (
	ample limits = iota
	scant
)

// Sizes of the scant form: so few lines of so few bytes that the bundle fits.
const (
	scantLines = 200
	scantLine  = 400
	scantEntry = 400 // bytes of a caption or another single string
)

// kept says which of n rows a card shows: all, the ends with the rows that
// matter, or the first few.
func (v *view) kept() []bool {
	rows := v.Rows
	keep := make([]bool, len(rows))
	ends := endRows
	switch {
	case v.rowCount() <= maxRows:
		ends = len(rows)
	case v.rowCount() > maxDigestRows:
		ends = 0
		for i := range min(fewRows, len(rows)) {
			keep[i] = true
		}
	}
	for i := range rows {
		if i < ends || i >= len(rows)-ends {
			keep[i] = true
		}
	}
	if ends == 0 {
		return keep
	}
	for _, p := range v.Payloads {
		if at, ok := v.at(p.Node); ok && p.NonFinite > 0 {
			keep[at] = true
		}
	}
	if v.Plan != nil {
		if at, ok := v.at(v.Plan.PeakNode); ok {
			keep[at] = true
		}
	}
	return keep
}

// omission is the line that stands for n rows left out.
func (v *view) omission(n int) string {
	line := fmt.Sprintf("... %s rows", grouped(n))
	if n == 1 {
		line = "... 1 row"
	}
	if v.Whole != "" {
		return line + "; " + v.Whole
	}
	return line + " left out"
}

// text is the reading's text, whole wherever a limit allows.
func (v *view) text() string {
	text := v.Text
	if v.rowCount() > maxRows {
		text = v.cutRows(text)
	}
	if v.limits == scant {
		text = v.cutLines(text)
	}
	return legible(text)
}

// cutRows drops the lines of rows that are not kept. A line that is no row's, a
// divider or a closing line, stays.
func (v *view) cutRows(text string) string {
	keep := v.kept()
	var b strings.Builder
	next, dropped, others := 0, 0, 0
	flush := func() {
		if dropped > 0 {
			b.WriteString(v.omission(dropped) + "\n")
			dropped = 0
		}
	}
	for line := range strings.Lines(text) {
		if next < len(v.Rows) && startsWith(line, v.Rows[next]) {
			next++
			if !keep[next-1] {
				dropped++
				continue
			}
		} else if next == len(v.Rows) && dropped < v.uncarried() && isRow(line) {
			dropped++
			continue
		} else if others++; others > maxMarks && next < len(v.Rows) {
			continue
		}
		flush()
		b.WriteString(line)
	}
	flush()
	return b.String()
}

// startsWith says whether a line of text is the line of a row.
func startsWith(line string, row topos.Row) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(line, " "), strconv.Itoa(row.Index))
	return ok && strings.HasPrefix(rest, " ")
}

// isRow says whether a line of text is the line of some row: a number and two
// spaces.
func isRow(line string) bool {
	rest := strings.TrimLeft(line, " ")
	return strings.HasPrefix(strings.TrimLeft(rest, "0123456789"), "  ") && rest[0] != ' '
}

// rowCount is the number of rows of the whole reading, of which a large one
// carries only the first.
func (v *view) rowCount() int {
	n, whole := len(v.Rows), 0
	switch v.Kind {
	case topos.ScheduleReading:
		if v.Plan != nil {
			whole = v.Plan.Evaluated
		}
	case topos.SpecReading, topos.GradientReading, topos.PictureReading:
		whole = v.Nodes
	}
	if whole > topos.MaxRows {
		return max(n, whole)
	}
	return n
}

// uncarried is the number of rows that the reading does not carry.
func (v *view) uncarried() int { return v.rowCount() - len(v.Rows) }

// cutLines keeps the first and last lines of a text, and the start of each.
func (v *view) cutLines(text string) string {
	lines := strings.Split(text, "\n")
	var b strings.Builder
	for i, line := range lines {
		if len(lines) > scantLines && i == scantLines/2 {
			fmt.Fprintf(&b, "... %s lines left out\n", grouped(len(lines)-scantLines))
		}
		if len(lines) > scantLines && i >= scantLines/2 && i < len(lines)-scantLines/2 {
			continue
		}
		b.WriteString(shorten(line, scantLine))
		if i < len(lines)-1 {
			b.WriteByte('\n')
		}
	}
	return b.String()
}
