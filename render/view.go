package render

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// view is a reading under way to a card, with what several pieces ask of it.
type view struct {
	*topos.Reading
	Options
	limits  limits
	anchor  string
	place   map[int]int   // node index to its place among the rows
	readers map[int][]int // node index to the rows that read it, ascending
	faulty  map[int]bool  // nodes known to hold a value that is not finite
	into    map[int]int   // fused nodes to the root of their pattern
}

func newView(r *topos.Reading, o Options, l limits) *view {
	v := &view{Reading: r, Options: o, limits: l, anchor: Anchor(r)}
	if o.Repeat > 1 {
		v.anchor += "-" + strconv.Itoa(o.Repeat)
	}
	v.place = make(map[int]int, len(r.Rows))
	v.readers = make(map[int][]int, len(r.Rows))
	v.faulty = make(map[int]bool)
	v.into = fusedInto(r)
	for i, row := range r.Rows {
		v.place[row.Index] = i
		for _, operand := range distinct(row.Operands) {
			v.readers[operand] = append(v.readers[operand], row.Index)
		}
	}
	for _, p := range r.Payloads {
		if p.Node >= 0 && p.NonFinite > 0 {
			v.faulty[p.Node] = true
		}
	}
	return v
}

// distinct is a list without its repeats, in order.
func distinct(list []int) []int {
	seen := make(map[int]bool, len(list))
	var out []int
	for _, x := range list {
		if !seen[x] {
			seen[x] = true
			out = append(out, x)
		}
	}
	return out
}

// appendedFrom is the index of the first node below the last divider; rows from
// there on are drawn lighter. Without a divider it lies beyond every node.
func (v *view) appendedFrom() int {
	if n := len(v.Marks); n > 0 {
		return v.Marks[n-1].Before
	}
	return int(^uint(0) >> 1)
}

// appended counts the rows below the last divider.
func (v *view) appended() int {
	n := 0
	for _, row := range v.Rows {
		if row.Index >= v.appendedFrom() {
			n++
		}
	}
	if v.Kind != topos.ScheduleReading {
		n += max(0, v.rowCount()-max(v.appendedFrom(), len(v.Rows)))
	}
	return n
}

// id is the anchor of a node's row.
func (v *view) id(node int) string { return v.anchor + "-n" + strconv.Itoa(node) }

// row returns the row of a node, if the reading holds it.
func (v *view) row(node int) (topos.Row, bool) {
	at, ok := v.place[node]
	if !ok {
		return topos.Row{}, false
	}
	return v.Rows[at], true
}

// link is text that leads to a node's row, or plain text where there is none.
func (v *view) link(text string, node int) inline {
	row, ok := v.row(node)
	if !ok || v.hidden(node) {
		return inline{Text: text}
	}
	return inline{Text: text, Href: v.id(node), Title: describe(row)}
}

// hidden says whether a limit left the row of a node out of the card.
func (v *view) hidden(node int) bool {
	if v.limits == scant {
		return true
	}
	at := v.place[node]
	switch n := v.rowCount(); {
	case n <= maxRows:
		return false
	case n <= maxDigestRows:
		return at >= endRows && at < n-endRows
	default:
		return at >= fewRows
	}
}

// describe names a row in one phrase: "2 MatMul [1, 2]".
func describe(row topos.Row) string {
	phrase := strconv.Itoa(row.Index) + " " + row.Opcode + " " + shape(row.Shape)
	if row.Name != "" {
		phrase += " " + row.Name
	}
	return phrase
}

// shape prints the extents of a shape: "[1, 2]"; a scalar's is "[]".
func shape(extents []int) string { return "[" + joined(extents) + "]" }

func joined(list []int) string {
	words := make([]string, len(list))
	for i, x := range list {
		words[i] = strconv.Itoa(x)
	}
	return strings.Join(words, ", ")
}

// fills says whether a payload's cells are as many as its shape holds. A shape
// with an extent below one holds none.
func fills(p topos.PayloadReading) bool {
	left := len(p.Cells)
	for _, x := range p.Shape {
		if x < 1 || left%x != 0 {
			return false
		}
		left /= x
	}
	return left == 1
}

// isPicture says whether the value itself is a picture.
func (v *view) isPicture() bool {
	return v.Kind == topos.PictureReading || v.Kind == topos.PlotReading
}

func digest(text string) string {
	sum := sha256.Sum256([]byte(text))
	return hex.EncodeToString(sum[:])
}

// card composes the pieces of the reading's kind.
func (v *view) card() (*card, error) {
	compose, ok := map[topos.ReadingKind]func() *card{
		topos.SpecReading:       v.specCard,
		topos.GradientReading:   v.gradientCard,
		topos.ScheduleReading:   v.planCard,
		topos.ModuleReading:     v.moduleCard,
		topos.ValuesReading:     v.valuesCard,
		topos.PictureReading:    v.pictureCard,
		topos.NodeReading:       v.nodeCard,
		topos.AdjointsReading:   v.adjointsCard,
		topos.EntryReading:      v.entryCard,
		topos.FieldReading:      v.fieldCard,
		topos.ParametersReading: v.parametersCard,
		topos.TensorReading:     v.tensorCard,
		topos.PlotReading:       v.plotCard,
		topos.TextReading:       v.textCard,
	}[v.Kind]
	if !ok {
		return nil, fmt.Errorf("unknown kind of reading %q", v.Kind)
	}
	c := compose()
	if v.limits == scant {
		c = v.scantCard(c)
	}
	return c, nil
}

// scantCard keeps a card's caption and shows the shortened text below it.
func (v *view) scantCard(c *card) *card {
	caption := shorten(c.plainCaption(), scantEntry)
	return &card{
		Caption: []inline{{Text: caption + " (shortened: the whole card is larger than 1 MB)"}},
		Pieces:  []piece{{Listing: &listing{Spans: []inline{{Text: v.text()}}}}},
	}
}
