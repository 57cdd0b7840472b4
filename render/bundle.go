package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/topos-notebook/topos/topos"
)

// The MIME types a bundle may hold.
const (
	PlainType    = "text/plain"
	HTMLType     = "text/html"
	LaTeXType    = "text/latex"
	SVGType      = "image/svg+xml"
	DocumentType = "application/vnd.topos.v1+json"
)

// Options say how a reading is shown.
type Options struct {
	// Static asks for a card of div and pre elements alone, for publishing
	// services that escape almost every other element.
	Static bool

	// RawSVG adds a picture's or plot's SVG text under its own MIME type. One
	// raw SVG in a notebook makes its PDF export depend on Inkscape, so it is
	// off unless asked for.
	RawSVG bool

	// Repeat counts the outputs of the same cell, this one included, whose
	// readings have the same Anchor. 0 and 1 both mean the first.
	Repeat int

	// Whole is the command that prints what a size limit left out, such as
	// "%spec --all > file". It is named where rows are left out.
	Whole string
}

// Bundle returns the MIME bundle of a reading: text/plain and text/html,
// DocumentType, text/latex where there is a printable form for it, and
// image/svg+xml where Options.RawSVG asks for it. Strings stand for every type
// but DocumentType, which is a json.RawMessage. The bundle is at most MaxBundle
// bytes; what a limit leaves out is said in the text and in the card's caption.
//
// Bundle returns an error when the reading is nil or of a kind it does not know.
func Bundle(r *topos.Reading, o Options) (map[string]any, error) {
	if r == nil {
		return nil, errors.New("render: there is no reading to show")
	}
	v := newView(r, o, ample)
	if weight(r) > MaxBundle || len(r.Text) > MaxBundle && v.rowCount() <= maxRows { // of more rows the text is cut
		v.limits = scant
	}
	bundle, err := build(v)
	if err == nil && v.limits == ample && size(bundle) > MaxBundle {
		v.limits = scant
		bundle, err = build(v)
	}
	if err != nil {
		return nil, fmt.Errorf("render %s: %w", r.Kind, err)
	}
	return bundle, nil
}

// weight is the bytes of a reading's strings that a card repeats, so that a card
// which cannot fit is not made first.
func weight(r *topos.Reading) int {
	n := 0
	for _, row := range r.Rows[:min(len(r.Rows), maxRows)] {
		n += len(row.Opcode) + len(row.Attributes) + len(row.Name) + len(row.Origin)
	}
	for _, p := range r.Payloads[:min(len(r.Payloads), maxPayloads)] {
		n += len(p.Label) + len(p.Digest) + len(p.Min) + len(p.Max) + len(p.Norm)
	}
	return n
}

func build(v *view) (map[string]any, error) {
	c, err := v.card()
	if err != nil {
		return nil, err
	}
	doc, err := document(v)
	if err != nil {
		return nil, err
	}
	bundle := map[string]any{
		PlainType:    v.text(),
		HTMLType:     c.html(v.Static),
		DocumentType: json.RawMessage(doc),
	}
	if text, ok := v.latex(c.plainCaption()); ok {
		bundle[LaTeXType] = text
	}
	if picture := c.firstPicture(); v.RawSVG && v.isPicture() && picture != nil {
		bundle[SVGType] = picture.SVG
	}
	return bundle, nil
}

// Anchor returns the prefix of every anchor in a reading's card, before the
// number that tells repeats in one cell apart. Count equal anchors within a
// cell to set Options.Repeat.
func Anchor(r *topos.Reading) string {
	return anchorOf(digest(r.Text))
}

func anchorOf(digest string) string { return "t" + digest[:8] }

func size(bundle map[string]any) int {
	total := 0
	for _, value := range bundle {
		switch value := value.(type) {
		case string:
			total += len(value)
		case json.RawMessage:
			total += len(value)
		}
	}
	return total
}

// shorten cuts text after at most n bytes, never within a character.
func shorten(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	return text[:n] + "…"
}

// grouped prints a count with commas between thousands.
func grouped(n int) string {
	digits := fmt.Sprint(n)
	var b strings.Builder
	for i, d := range digits {
		if i > 0 && d != '-' && (len(digits)-i)%3 == 0 && digits[i-1] != '-' {
			b.WriteByte(',')
		}
		b.WriteRune(d)
	}
	return b.String()
}

// counted prints a count and its noun: "1 node", "2,001 nodes".
func counted(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return grouped(n) + " " + noun + "s"
}
