package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// What of a payload a table shows.
const (
	shortText   = 48 // bytes of a payload's text that fit a table cell
	gridColumns = 12 // cells across, where the last axis is longer
	digestShown = 16 // hex digits of a digest; the document holds all 64
)

// payloadTable lists payloads: what each is called, its numbers in short, and
// the digest of its bits.
func (v *view) payloadTable(caption string) *table {
	named := false
	norm := false
	for _, p := range v.Payloads {
		named = named || p.Label != "" && p.Label != "#"+strconv.Itoa(p.Node)
		norm = norm || p.Norm != ""
	}
	t := &table{Caption: caption, Head: []string{"node"}}
	if named {
		t.Head = append(t.Head, "name")
	}
	t.Head = append(t.Head, "shape", "value", "min", "max")
	if norm {
		t.Head = append(t.Head, "norm")
	}
	t.Head = append(t.Head, "non-finite", "SHA-256 of the bits")
	for _, p := range v.Payloads[:min(len(v.Payloads), maxPayloads)] {
		t.Rows = append(t.Rows, v.payloadRow(p, named, norm))
	}
	if n := len(v.Payloads) - maxPayloads; n > 0 {
		t.Rows = append(t.Rows, tableRow{Divider: v.omission(n)})
	}
	return t
}

func (v *view) payloadRow(p topos.PayloadReading, named, norm bool) tableRow {
	row := tableRow{Lead: inline{Text: "-"}}
	if p.Node >= 0 {
		row.Lead = v.link("#"+strconv.Itoa(p.Node), p.Node)
	}
	if named {
		row.Cells = append(row.Cells, textCell(p.Label))
	}
	value := textCell(shorten(p.Text, shortText))
	row.Cells = append(row.Cells, textCell(shape(p.Shape)), value, numberCell(p.Min), numberCell(p.Max))
	if norm {
		row.Cells = append(row.Cells, numberCell(p.Norm))
	}
	faults := numberCell(grouped(p.NonFinite))
	if p.NonFinite > 0 {
		faults.Spans[0].Style = "font-weight:bold"
	}
	hash := textCell(p.Digest)
	if len(p.Digest) > digestShown {
		hash = tableCell{Spans: []inline{{Text: p.Digest[:digestShown] + "…", Title: p.Digest}}}
	}
	row.Cells = append(row.Cells, faults, hash)
	return row
}

// payloadDetails show the cells of each payload of more than one number, as a
// table where the reading holds them all and as a curve of samples otherwise.
func (v *view) payloadDetails() []piece {
	var pieces []piece
	for _, p := range v.Payloads {
		body := payloadBody(p)
		if body == nil {
			continue
		}
		if len(pieces) == maxGrids {
			break
		}
		pieces = append(pieces, piece{Details: &details{
			Summary: payloadName(p) + " " + shape(p.Shape),
			Open:    len(v.Payloads) <= 6,
			Pieces:  body,
		}})
	}
	return pieces
}

// payloadName is what a payload is called in a sentence.
func payloadName(p topos.PayloadReading) string {
	switch {
	case p.Label != "":
		return p.Label
	case p.Node >= 0:
		return "#" + strconv.Itoa(p.Node)
	}
	return "tensor"
}

// payloadBody is the table or curve of one payload; nil for a single number.
func payloadBody(p topos.PayloadReading) []piece {
	switch {
	case len(p.Cells) > 1 && fills(p):
		return []piece{{Table: gridTable(p)}}
	case len(p.Samples) > 1:
		drawn := newChart(&topos.Plot{
			Title: payloadName(p), XLabel: "element, row-major", YLabel: "value", Values: p.Samples,
		})
		drawn.span = p.Count
		image := drawn.picture()
		image.Alt = fmt.Sprintf("Curve of %s values of %s %s, evenly taken from %s in row-major order: from %s to %s, %s non-finite.",
			grouped(len(p.Samples)), payloadName(p), shape(p.Shape), grouped(p.Count), p.Min, p.Max, grouped(p.NonFinite))
		return []piece{{Picture: image}, {Note: []inline{{Text: fmt.Sprintf("%s of %s values drawn", grouped(len(p.Samples)), grouped(p.Count))}}}}
	}
	return nil
}

// gridTable lays out a payload's cells: the last axis across, the others down. A
// last axis too long for a line continues on the next.
func gridTable(p topos.PayloadReading) *table {
	across := 1
	if n := len(p.Shape); n > 0 {
		across = p.Shape[n-1]
	}
	width := min(across, gridColumns)
	t := &table{Caption: "cells in row-major order", Head: []string{"index"}}
	for i := range width {
		t.Head = append(t.Head, strconv.Itoa(i))
	}
	for start := 0; start < len(p.Cells); start += across {
		for from := 0; from < across; from += width {
			to := min(from+width, across)
			row := tableRow{Lead: inline{Text: gridIndex(p.Shape, start/across, from, across > width)}}
			for _, cell := range p.Cells[start+from : start+to] {
				row.Cells = append(row.Cells, gridCell(cell))
			}
			for len(row.Cells) < width {
				row.Cells = append(row.Cells, textCell(""))
			}
			t.Rows = append(t.Rows, row)
		}
	}
	return t
}

// gridCell is one number; one that is not finite stands out by weight and frame.
func gridCell(text string) tableCell {
	cell := numberCell(text)
	switch strings.TrimPrefix(text, "-") {
	case "NaN", "inf":
		cell.Spans[0].Style = "font-weight:bold;border:1px solid #D1495B"
	}
	return cell
}

// gridIndex is the index of a line's first cell: "[0, 1, :]", or "[0, 12:]"
// where the last axis continues.
func gridIndex(extents []int, line, from int, continued bool) string {
	if len(extents) == 0 {
		return "[]"
	}
	words := make([]string, len(extents))
	for axis := len(extents) - 2; axis >= 0; axis-- {
		words[axis] = strconv.Itoa(line % extents[axis])
		line /= extents[axis]
	}
	words[len(words)-1] = ":"
	if continued {
		words[len(words)-1] = strconv.Itoa(from) + ":"
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// faults counts the values of all payloads that are not finite.
func (v *view) faults() int {
	n := 0
	for _, p := range v.Payloads {
		n += p.NonFinite
	}
	return n
}

// finite says in words whether every value is finite, and where the first
// payload with another one is.
func (v *view) finite() []inline {
	n := v.faults()
	if n == 0 {
		return []inline{{Text: "all finite"}}
	}
	p := v.firstFault()
	spans := []inline{{Text: grouped(n) + " non-finite, first in "}}
	row, ok := v.row(p.Node)
	switch {
	case p.Node < 0:
		return append(spans, inline{Text: payloadName(p)})
	case !ok:
		return append(spans, v.link("#"+strconv.Itoa(p.Node), p.Node))
	}
	spans = append(spans, v.link("#"+strconv.Itoa(p.Node), p.Node), inline{Text: " " + row.Opcode})
	if len(row.Operands) > 0 {
		spans = append(spans, inline{Text: " of "})
	}
	return v.appendOperands(spans, &row)
}

// firstFault is the payload in which values that are not finite began: that of
// the earliest node, and of the latest where a sweep runs backward.
func (v *view) firstFault() topos.PayloadReading {
	first := topos.PayloadReading{Node: -1}
	for _, p := range v.Payloads {
		switch {
		case p.NonFinite == 0:
		case first.NonFinite == 0,
			v.Kind == topos.FieldReading && p.Node > first.Node,
			v.Kind != topos.FieldReading && p.Node >= 0 && (first.Node < 0 || p.Node < first.Node):
			first = p
		}
	}
	return first
}
