package render

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strconv"

	"github.com/topos-notebook/topos/topos"
)

// view is a reading under way to a card, with what several pieces ask of it.
type view struct {
	*topos.Reading
	Options
	*nodes
	limits limits
	digest string       // of the text
	faulty map[int]bool // nodes known to hold a value that is not finite
	into   map[int]int  // fused nodes to the root of their pattern
}

func newView(r *topos.Reading, o Options, l limits) *view {
	v := &view{Reading: r, Options: o, limits: l, digest: digest(r.Text)}
	anchor := anchorOf(v.digest)
	if o.Repeat > 1 {
		anchor += "-" + strconv.Itoa(o.Repeat)
	}
	v.nodes = newNodes(r.Rows, anchor)
	v.faulty = make(map[int]bool)
	v.into = fusedInto(r)
	for _, p := range r.Payloads {
		if p.Node >= 0 && p.NonFinite > 0 {
			v.faulty[p.Node] = true
		}
	}
	return v
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

// row returns the row of a node, if the reading holds it.
func (v *view) row(node int) (topos.Row, bool) {
	at, ok := v.at(node)
	if !ok {
		return topos.Row{}, false
	}
	return v.Rows[at], true
}

// link is text that leads to a node's row, or plain text where there is none.
func (v *view) link(text string, node int) inline {
	at, ok := v.at(node)
	if !ok || v.hidden(at) {
		return inline{Text: text}
	}
	return inline{Text: text, Href: v.id(at), Title: v.phrase(at)}
}

// reader is the number of a node that reads the node it is shown at, and operand of
// one that is read there. Both lead to that node's row.
func (v *view) reader(node int) inline {
	at, ok := v.at(node)
	if !ok || v.hidden(at) {
		return inline{Text: strconv.Itoa(node)}
	}
	return inline{Text: v.number(at), Href: v.id(at), Title: v.phrase(at)}
}

func (v *view) operand(node int) inline {
	link := v.reader(node)
	if link.Href != "" {
		at, _ := v.at(node)
		link.Title = v.readsPhrase(at)
	}
	return link
}

// hidden says whether a limit left the row at a place out of the card.
func (v *view) hidden(at int) bool {
	if v.limits == scant {
		return true
	}
	switch n := v.rowCount(); {
	case n <= maxRows:
		return false
	case n <= maxDigestRows:
		return at >= endRows && at < n-endRows
	default:
		return at >= fewRows
	}
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
