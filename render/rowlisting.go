package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// Columns of a row's line, as the text of a reading has them.
const (
	opcodeWidth = 14
	detailWidth = 18
	lineWidth   = 52
)

// rowListings shows many rows: aligned lines with links, folded by the hundred.
// A line costs a third of the bytes of a table row.
func (v *view) rowListings() []piece {
	keep := v.kept()
	if v.rowCount() > maxRows {
		return []piece{{Listing: &listing{Spans: v.rowLines(0, len(v.Rows), keep)}}}
	}
	var pieces []piece
	for from := 0; from < len(v.Rows); from += foldedRows {
		to := min(from+foldedRows, len(v.Rows))
		pieces = append(pieces, piece{Details: &details{
			Summary: fmt.Sprintf("nodes %d to %d%s", v.Rows[from].Index, v.Rows[to-1].Index, v.marksBetween(from, to)),
			Pieces:  []piece{{Listing: &listing{Spans: v.rowLines(from, to, keep)}}},
		}})
	}
	return pieces
}

// marksBetween names the first divider inside a fold, so that it can be found
// without opening it.
func (v *view) marksBetween(from, to int) string {
	if mark := v.firstMark(from); mark < len(v.Marks) && v.Marks[mark].Before <= v.Rows[to-1].Index {
		return "; " + v.Marks[mark].Text
	}
	return ""
}

// rowLines are the lines of the kept rows at places from to to.
func (v *view) rowLines(from, to int, keep []bool) []inline {
	var spans []inline
	mark := v.firstMark(from)
	shown, dropped := 0, 0
	flush := func() {
		if dropped > 0 {
			spans = append(spans, inline{Text: v.omission(dropped) + "\n"})
			dropped = 0
		}
	}
	for i, row := range v.Rows[from:to] {
		for ; mark < len(v.Marks) && v.Marks[mark].Before <= row.Index; mark++ {
			if shown++; shown <= maxMarks {
				flush()
				spans = append(spans, inline{Text: "----- " + v.Marks[mark].Text + "\n"})
			}
		}
		if !keep[from+i] {
			dropped++
			continue
		}
		flush()
		spans = append(spans, v.rowLine(row)...)
	}
	if to == len(v.Rows) && v.uncarried() > 0 {
		// Dividers stand between rows that are not carried as well.
		for at := to; at < v.rowCount(); mark++ {
			next := v.rowCount()
			if mark < len(v.Marks) {
				next = min(next, v.Marks[mark].Before)
			}
			dropped += max(0, next-at)
			if at = max(at, next); at == v.rowCount() {
				break
			}
			if shown++; shown <= maxMarks {
				flush()
				spans = append(spans, inline{Text: "----- " + v.Marks[mark].Text + "\n"})
			}
		}
	}
	flush()
	return spans
}

// rowLine is one row's line with its number as anchor and its operands as links.
func (v *view) rowLine(row topos.Row) []inline {
	number := strconv.Itoa(row.Index)
	spans := []inline{
		{Text: pad("", 4-len(number))},
		{Text: number, ID: v.id(row.Index)},
		{Text: "  " + pad(row.Opcode, opcodeWidth) + " "},
	}
	spans = append(spans, v.operands(row)...)
	detail := joined(row.Operands)
	rest := ""
	if row.Attributes != "" {
		if detail != "" {
			rest = "  "
		}
		rest += row.Attributes
	}
	rest += pad("", detailWidth-len(detail)-len(rest)) + " " + shape(row.Shape)
	if row.Liveness != "" {
		width := max(4, len(number)) + 2 + max(opcodeWidth, len(row.Opcode)) + 1 + len(detail) + len(rest)
		rest += pad("", lineWidth-width) + " " + row.Liveness
	}
	return append(spans, inline{Text: rest + "\n"})
}

// pad fills text with spaces on the right up to a width.
func pad(text string, width int) string {
	if n := width - len(text); n > 0 {
		return text + strings.Repeat(" ", n)
	}
	return text
}
