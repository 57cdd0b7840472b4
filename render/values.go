package render

import (
	"fmt"
	"math"
	"strconv"

	"github.com/topos-notebook/topos/topos"
)

// valuesCard shows the payloads of a run.
func (v *view) valuesCard() *card {
	text := "run: "
	if v.Plan != nil && v.Plan.Exact {
		text += "exact; "
	}
	text += counted(len(v.Payloads), "value")
	if v.Element != "" {
		text += " of " + v.Element
	}
	c := &card{Caption: append([]inline{{Text: text + "; "}}, v.finite()...)}
	if len(v.Payloads) > 0 {
		c.Pieces = append([]piece{{Table: v.payloadTable("values of the run")}}, v.payloadDetails()...)
	}
	c.Pieces = append(c.Pieces, v.rowFold()...)
	return c.withText(v)
}

// rowFold shows the rows of a reading that is not about its rows.
func (v *view) rowFold() []piece {
	if len(v.Rows) == 0 {
		return nil
	}
	return []piece{{Details: &details{
		Summary: counted(len(v.Rows), "node"),
		Pieces:  v.rowPieces("nodes in recorded order"),
	}}}
}

// withText adds the reading's text behind a fold, for the lines that no table of
// the card repeats.
func (c *card) withText(v *view) *card {
	if v.Text != "" {
		c.Pieces = append(c.Pieces, piece{Details: &details{
			Summary: "as text",
			Pieces:  []piece{{Listing: &listing{Spans: []inline{{Text: v.text()}}}}},
		}})
	}
	return c
}

// nodeCard shows one node: its row, its payload, what it reads and what reads
// it.
func (v *view) nodeCard() *card {
	row, ok := v.subject()
	if !ok {
		return v.textCard()
	}
	text := "#" + describe(row)
	if v.Element != "" {
		text += " " + v.Element
	}
	payload, found := v.payloadOf(row.Index)
	if found {
		text += fmt.Sprintf("; min %s max %s; %s non-finite", payload.Min, payload.Max, grouped(payload.NonFinite))
	}
	c := &card{Caption: []inline{{Text: text}}}
	if len(row.Operands) > 0 {
		c.Pieces = append(c.Pieces, piece{Note: v.appendOperands([]inline{{Text: "reads "}}, &row)})
	}
	if len(v.readers(row.Index)) > 0 {
		c.Pieces = append(c.Pieces, piece{Note: v.appendReaders([]inline{{Text: "read by "}}, row.Index)})
	}
	if row.Origin != "" {
		c.Pieces = append(c.Pieces, piece{Note: []inline{{Text: "from " + row.Origin}}})
	}
	c.Pieces = append(c.Pieces, v.rowPieces("the node and its neighbours")...)
	if len(v.Payloads) > 0 {
		c.Pieces = append(c.Pieces, piece{Table: v.payloadTable("payload")})
		c.Pieces = append(c.Pieces, v.payloadDetails()...)
	}
	return c
}

// subject is the row that a node's reading is about.
func (v *view) subject() (topos.Row, bool) {
	if len(v.Subject) > 1 && v.Subject[0] == '#' {
		if node, err := strconv.Atoi(v.Subject[1:]); err == nil {
			if row, ok := v.row(node); ok {
				return row, true
			}
		}
	}
	for _, row := range v.Rows {
		if row.Name != "" && row.Name == v.Subject {
			return row, true
		}
	}
	for _, p := range v.Payloads {
		if row, ok := v.row(p.Node); ok {
			return row, true
		}
	}
	if len(v.Rows) == 0 {
		return topos.Row{}, false
	}
	return v.Rows[0], true
}

func (v *view) payloadOf(node int) (topos.PayloadReading, bool) {
	for _, p := range v.Payloads {
		if p.Node == node {
			return p, true
		}
	}
	return topos.PayloadReading{}, false
}

// fieldCard shows a payload for each parameter or node, with the norms as bars.
func (v *view) fieldCard() *card {
	subject := v.Subject
	if subject == "" {
		subject = "field"
	}
	caption := []inline{{Text: fmt.Sprintf("%s: %s, ", subject, counted(len(v.Payloads), "payload"))}}
	if best, norm := v.largestNorm(); best >= 0 {
		p := v.Payloads[best]
		largest := inline{Text: payloadName(p)}
		if p.Node >= 0 {
			largest = v.link("#"+strconv.Itoa(p.Node), p.Node)
		}
		caption = append(caption, inline{Text: "largest norm " + norm + " at "}, largest, inline{Text: "; "})
	}
	c := &card{Caption: append(caption, v.finite()...)}
	if bars := v.normBars(); bars != nil {
		c.Pieces = append(c.Pieces, piece{Picture: bars})
	}
	if len(v.Payloads) > 0 {
		c.Pieces = append(c.Pieces, piece{Table: v.payloadTable("payload for each")})
		c.Pieces = append(c.Pieces, v.payloadDetails()...)
	}
	c.Pieces = append(c.Pieces, v.rowFold()...)
	return c.withText(v)
}

// largestNorm is the place and the printed form of the largest norm, or -1.
func (v *view) largestNorm() (int, string) {
	best, largest := -1, math.Inf(-1)
	for i, p := range v.Payloads {
		if x, err := strconv.ParseFloat(p.Norm, 64); err == nil && x > largest {
			best, largest = i, x
		}
	}
	if best < 0 {
		return best, ""
	}
	return best, v.Payloads[best].Norm
}

// parametersCard shows the table of parameters.
func (v *view) parametersCard() *card {
	numbers := 0
	for _, p := range v.Payloads {
		numbers += p.Count
	}
	caption := []inline{{Text: fmt.Sprintf("parameters: %s, %s; ", counted(len(v.Payloads), "tensor"), counted(numbers, "number"))}}
	c := &card{Caption: append(caption, v.finite()...)}
	if len(v.Payloads) > 0 {
		c.Pieces = append([]piece{{Table: v.payloadTable("parameters by slot")}}, v.payloadDetails()...)
	}
	return c.withText(v)
}

// tensorCard shows one payload.
func (v *view) tensorCard() *card {
	if len(v.Payloads) == 0 {
		return v.textCard()
	}
	p := v.Payloads[0]
	text := payloadName(p) + ": " + shape(p.Shape)
	if v.Element != "" {
		text += " " + v.Element
	}
	c := &card{Caption: []inline{{Text: text + fmt.Sprintf("; min %s max %s; %s non-finite", p.Min, p.Max, grouped(p.NonFinite))}}}
	c.Pieces = append(payloadBody(p), piece{Table: v.payloadTable("payload")})
	return c.withText(v)
}
