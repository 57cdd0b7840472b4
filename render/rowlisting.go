package render

import (
	"fmt"
	"strings"
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
	spans := make([]inline, 0, v.runCount(from, to, keep))
	mark := v.firstMark(from)
	shown, dropped := 0, 0
	flush := func() {
		if dropped > 0 {
			spans = append(spans, inline{Text: v.omission(dropped) + "\n"})
			dropped = 0
		}
	}
	for at := from; at < to; at++ {
		for ; mark < len(v.Marks) && v.Marks[mark].Before <= v.Rows[at].Index; mark++ {
			if shown++; shown <= maxMarks {
				flush()
				spans = append(spans, inline{Text: "----- " + v.Marks[mark].Text + "\n"})
			}
		}
		if !keep[at] {
			dropped++
			continue
		}
		flush()
		spans = v.appendRowLine(spans, at)
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

// runCount is how many runs the lines of the kept rows are made of.
func (v *view) runCount(from, to int, keep []bool) int {
	n := 0
	for at := from; at < to; at++ {
		if keep[at] {
			n += 4 + max(0, 2*len(v.Rows[at].Operands)-1)
		}
	}
	return n
}

// appendRowLine appends the line of the row at a place, with its number as anchor
// and its operands as links.
func (v *view) appendRowLine(runs []inline, at int) []inline {
	row, number := &v.Rows[at], v.number(at)
	runs = append(runs,
		inline{Text: blanks(4 - len(number))},
		inline{Text: number, ID: v.id(at)},
		inline{Text: "  " + row.Opcode + blanks(opcodeWidth-len(row.Opcode)) + " "})
	runs = v.appendOperands(runs, row)
	b := make([]byte, 0, 128)
	detail := len(appendJoined(b, row.Operands))
	if row.Attributes != "" {
		if detail > 0 {
			b = append(b, "  "...)
		}
		b = append(b, row.Attributes...)
	}
	b = append(append(b, blanks(detailWidth-detail-len(b))...), ' ')
	b = appendShape(b, row.Shape)
	if row.Liveness != "" {
		width := max(4, len(number)) + 2 + max(opcodeWidth, len(row.Opcode)) + 1 + detail + len(b)
		b = append(append(b, blanks(lineWidth-width)...), ' ')
		b = append(b, row.Liveness...)
	}
	return append(runs, inline{Text: string(append(b, '\n'))})
}

// blanks are as many spaces, none for a negative number.
func blanks(n int) string {
	const some = "                                                                "
	if n <= len(some) {
		return some[:max(0, n)]
	}
	return strings.Repeat(" ", n)
}
