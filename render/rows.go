package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// specCard shows the rows of a tape or network.
func (v *view) specCard() *card {
	return &card{Caption: v.tapeCaption(), Pieces: append(v.rowPieces("nodes in recorded order"), v.originPieces()...)}
}

// gradientCard shows the rows with the appended derivative below a divider.
func (v *view) gradientCard() *card {
	caption := []inline{{Text: "gradient: " + counted(v.total(), "node")}}
	if n := v.appended(); n > 0 {
		caption = append(caption, inline{Text: fmt.Sprintf(", %s appended", grouped(n))})
	}
	if len(v.Adjoints) > 0 {
		caption = append(caption, inline{Text: "; "})
		caption = append(caption, v.pair(v.Adjoints[0])...)
		if more := len(v.Adjoints) - 1; more > 0 {
			caption = append(caption, inline{Text: fmt.Sprintf(" (+%s)", grouped(more))})
		}
	}
	pieces := v.rowPieces("nodes in recorded order")
	if len(v.Adjoints) > 1 {
		pieces = append(pieces, piece{Table: v.adjointTable()})
	}
	return &card{Caption: v.withOmission(caption), Pieces: append(pieces, v.originPieces()...)}
}

// total is the number of nodes of the whole tape, as far as it is known.
func (v *view) total() int { return max(v.Nodes, len(v.Rows)) }

// tapeCaption counts what a tape or network holds.
func (v *view) tapeCaption() []inline {
	subject := "tape"
	if v.Sealed {
		subject = "network"
	}
	text := fmt.Sprintf("%s: %s, %s, %s", subject, counted(v.total(), "node"),
		counted(v.Counts.Parameters, "parameter"), counted(v.Counts.Inputs, "input"))
	if v.Sealed {
		text += ", sealed"
	}
	if n := len(v.Marks); n > 0 && v.appended() > 0 {
		text += fmt.Sprintf("; +%s", grouped(v.appended()))
		if last := v.Marks[n-1].Text; strings.HasPrefix(last, "segment ") {
			text += " in " + last
		}
	}
	return v.withOmission([]inline{{Text: text}})
}

// withOmission adds to a caption how many rows a limit leaves out.
func (v *view) withOmission(caption []inline) []inline {
	dropped := v.uncarried()
	for _, keep := range v.kept() {
		if !keep {
			dropped++
		}
	}
	if dropped > 0 {
		caption = append(caption, inline{Text: " (" + v.omission(dropped) + ")"})
	}
	return caption
}

// rowPieces shows the rows: a table with a column for each thing they say, or
// folded listings where a table would grow too large.
func (v *view) rowPieces(caption string) []piece {
	if len(v.Rows) == 0 {
		return nil
	}
	if v.rowCount() > maxOpenRows {
		return v.rowListings()
	}
	from := v.appendedFrom()
	split := 0
	for split < len(v.Rows) && v.Rows[split].Index < from {
		split++
	}
	if split <= earlierRows || split == len(v.Rows) {
		return []piece{{Table: v.rowTable(caption, 0, len(v.Rows))}}
	}
	earlier := v.Rows[:split]
	return []piece{
		{Details: &details{
			Summary: fmt.Sprintf("%s recorded before: %d to %d", counted(split, "node"), earlier[0].Index, earlier[split-1].Index),
			Pieces:  []piece{{Table: v.rowTable(caption, 0, split)}},
		}},
		{Table: v.rowTable(caption, split, len(v.Rows))},
	}
}

// columns says which of the optional columns the rows of a reading fill.
type columns struct{ name, attributes, liveness, readers bool }

func (v *view) columns() columns {
	var c columns
	for _, row := range v.Rows {
		c.readers = c.readers || len(v.readers(row.Index)) > 0
		c.name = c.name || row.Name != ""
		c.attributes = c.attributes || row.Attributes != ""
		c.liveness = c.liveness || row.Liveness != ""
	}
	return c
}

func (c columns) head() []string {
	head := []string{"node"}
	if c.name {
		head = append(head, "name")
	}
	head = append(head, "operation", "reads")
	if c.attributes {
		head = append(head, "attributes")
	}
	head = append(head, "shape")
	if c.liveness {
		head = append(head, "value")
	}
	if c.readers {
		head = append(head, "read by")
	}
	return head
}

// rowTable is the table of the rows at places from to to, with dividers.
func (v *view) rowTable(caption string, from, to int) *table {
	c := v.columns()
	t := &table{Caption: caption, Head: c.head(), Rows: make([]tableRow, 0, to-from)}
	light := v.appendedFrom()
	mark := v.firstMark(from)
	for at := from; at < to; at++ {
		row := &v.Rows[at]
		for ; mark < len(v.Marks) && v.Marks[mark].Before <= row.Index; mark++ {
			t.Rows = append(t.Rows, tableRow{Divider: v.Marks[mark].Text})
		}
		t.Rows = append(t.Rows, tableRow{
			Lead:  inline{Text: v.number(at), ID: v.id(at), Title: row.Origin},
			Cells: v.rowCells(row, c),
			Light: row.Derived || row.Index >= light,
		})
	}
	if to == len(v.Rows) {
		for ; mark < len(v.Marks); mark++ {
			t.Rows = append(t.Rows, tableRow{Divider: v.Marks[mark].Text})
		}
	}
	return t
}

// firstMark is the first divider that does not belong above an earlier row.
func (v *view) firstMark(place int) int {
	if place == 0 {
		return 0
	}
	mark := 0
	for mark < len(v.Marks) && v.Marks[mark].Before <= v.Rows[place-1].Index {
		mark++
	}
	return mark
}

// rowCells are the cells beside a row's number.
func (v *view) rowCells(row *topos.Row, c columns) []tableCell {
	const most = 7 // columns
	cells := make([]tableCell, 0, most)
	// The runs of all cells lie in one slice: a table has thousands.
	runs := make([]inline, 0, most+2*min(len(row.Operands), maxReaders)+2*min(len(v.readers(row.Index)), maxReaders))
	from := 0
	end := func() {
		cells = append(cells, tableCell{Spans: runs[from:len(runs):len(runs)]})
		from = len(runs)
	}
	text := func(s string) {
		runs = append(runs, inline{Text: s})
		end()
	}
	if c.name {
		text(row.Name)
	}
	runs = append(runs, inline{Text: row.Opcode})
	if v.faulty[row.Index] {
		runs = append(runs, inline{Text: " NaN", Style: "font-weight:bold"})
	}
	end()
	runs = v.appendOperands(runs, row)
	end()
	if c.attributes {
		text(row.Attributes)
	}
	text(shape(row.Shape))
	if c.liveness {
		runs = append(runs, v.liveness(row)...)
		end()
	}
	if c.readers {
		runs = v.appendReaders(runs, row.Index)
		end()
	}
	return cells
}

// appendOperands appends links to the rows a row reads.
func (v *view) appendOperands(runs []inline, row *topos.Row) []inline {
	for i, operand := range row.Operands {
		if i > 0 {
			runs = append(runs, inline{Text: ", "})
		}
		runs = append(runs, v.operand(operand))
	}
	return runs
}

// liveness links the node named by "freed after 17", and the root of the pattern
// that a fused node lies in.
func (v *view) liveness(row *topos.Row) []inline {
	text := row.Liveness
	if root, ok := v.into[row.Index]; ok && text == "fused" {
		return []inline{{Text: "fused into "}, v.link(strconv.Itoa(root), root)}
	}
	before, number, ok := strings.Cut(text, " after ")
	node, err := strconv.Atoi(number)
	if !ok || err != nil {
		return []inline{{Text: text}}
	}
	return []inline{{Text: before + " after "}, v.link(number, node)}
}

// appendReaders appends links to the rows that read a node: the first few and the
// count of the rest.
func (v *view) appendReaders(runs []inline, node int) []inline {
	readers := v.readers(node)
	for i, reader := range readers {
		if i == maxReaders {
			return append(runs, inline{Text: fmt.Sprintf(" (+%s)", grouped(len(readers)-maxReaders))})
		}
		if i > 0 {
			runs = append(runs, inline{Text: ", "})
		}
		runs = append(runs, v.reader(reader))
	}
	return runs
}

// originPieces say, behind a fold, where each node was recorded or which rule
// recorded it: what the titles of the numbers say to a pointer.
func (v *view) originPieces() []piece {
	if v.rowCount() > maxOpenRows {
		return nil
	}
	var spans []inline
	for _, row := range v.Rows {
		if row.Origin != "" {
			spans = append(spans, v.link(fmt.Sprintf("%4d", row.Index), row.Index),
				inline{Text: fmt.Sprintf("  %-14s %s\n", row.Opcode, row.Origin)})
		}
	}
	if spans == nil {
		return nil
	}
	return []piece{{Details: &details{Summary: "where each node comes from", Pieces: []piece{{Listing: &listing{Spans: spans}}}}}}
}
