package render

import (
	"fmt"
	"strconv"

	"github.com/topos-notebook/topos/topos"
)

// adjointsCard shows the pairs of a derivative.
func (v *view) adjointsCard() *card {
	c := &card{}
	switch len(v.Adjoints) {
	case 0:
		c.Caption = []inline{{Text: "adjoints: none"}}
	case 1:
		c.Caption = v.pair(v.Adjoints[0])
	default:
		c.Caption = []inline{{Text: fmt.Sprintf("adjoints: %d gradients of #%d", len(v.Adjoints), v.Adjoints[0].Target)}}
	}
	if len(v.Adjoints) > 0 {
		c.Pieces = []piece{{Table: v.adjointTable()}}
	}
	c.Pieces = append(c.Pieces, v.rowFold()...)
	return c.withText(v)
}

// pair says which node is a gradient: "d #5 / d #0 = #28 [2, 2]".
func (v *view) pair(a topos.AdjointReading) []inline {
	return []inline{
		{Text: "d "}, v.link("#"+strconv.Itoa(a.Target), a.Target),
		{Text: " / d "}, v.link("#"+strconv.Itoa(a.Wrt), a.Wrt),
		{Text: " = "}, v.link("#"+strconv.Itoa(a.Gradient), a.Gradient),
		{Text: " " + shape(a.Shape)},
	}
}

func (v *view) adjointTable() *table {
	named := false
	for _, a := range v.Adjoints {
		named = named || a.Name != ""
	}
	t := &table{Caption: "gradients", Head: []string{"with respect to", "target", "gradient", "shape"}}
	if named {
		t.Head = append(t.Head, "name")
	}
	for i, a := range v.Adjoints {
		if i == maxPayloads {
			t.Rows = append(t.Rows, tableRow{Divider: v.omission(len(v.Adjoints) - i)})
			break
		}
		row := tableRow{
			Lead: v.link("#"+strconv.Itoa(a.Wrt), a.Wrt),
			Cells: []tableCell{
				{Spans: []inline{v.link("#"+strconv.Itoa(a.Target), a.Target)}},
				{Spans: []inline{v.link("#"+strconv.Itoa(a.Gradient), a.Gradient)}},
				textCell(shape(a.Shape)),
			},
		}
		if named {
			row.Cells = append(row.Cells, textCell(a.Name))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// entryCard shows what an entry declares readable: the plan's nodes, or the rows
// of the reading where there is no plan.
func (v *view) entryCard() *card {
	text := "entry"
	if v.Subject != "" {
		text += " " + v.Subject
	}
	var readable []int
	if v.Plan != nil {
		readable = v.Plan.Readable
	} else {
		for _, row := range v.Rows {
			readable = append(readable, row.Index)
		}
	}
	c := &card{Caption: []inline{{Text: text}}}
	for i, node := range readable {
		switch {
		case i == 0:
			c.Caption = append(c.Caption, inline{Text: fmt.Sprintf(": %s readable: ", grouped(len(readable)))})
		case i == maxReaders:
			c.Caption = append(c.Caption, inline{Text: fmt.Sprintf(" (+%s)", grouped(len(readable)-i))})
		default:
			c.Caption = append(c.Caption, inline{Text: ", "})
		}
		if i == maxReaders {
			break
		}
		c.Caption = append(c.Caption, v.link("#"+strconv.Itoa(node), node))
	}
	c.Pieces = append(c.Pieces, v.rowPieces("declared readable")...)
	return c.withListing(v)
}

// textCard shows text alone.
func (v *view) textCard() *card {
	c := &card{}
	if v.Subject != "" {
		c.Caption = []inline{{Text: v.Subject}}
	}
	return c.withListing(v)
}

// withListing adds the reading's text, open.
func (c *card) withListing(v *view) *card {
	c.Pieces = append(c.Pieces, piece{Listing: &listing{Spans: []inline{{Text: v.text()}}}})
	return c
}
