package render

import (
	"encoding/base64"
	"strconv"
	"strings"
	"unicode/utf8"
)

// page is the HTML of a card on its way. A card can hold ten thousand runs of
// text, which a template would look up one by one; the tests hold the page
// against html/template.
//
// Every attribute and style is one that JupyterLab's sanitizer keeps; text has no
// colour of its own, so that it stays legible on any theme.
type page struct{ b strings.Builder }

// markup is HTML of our own. Constants become markup by themselves and no other
// string does, so that what a reading holds can only be written by [page.text] and
// [page.field], which escape it.
type markup string

func (p *page) write(m markup) { p.add(string(m)) }

// add makes room by doubling: the text grows to hundreds of kilobytes.
func (p *page) add(s string) {
	if p.b.Cap()-p.b.Len() < len(s) {
		p.b.Grow(max(len(s), p.b.Cap()))
	}
	p.b.WriteString(s)
}

// escapes are what stands for the ASCII characters that cannot stand for
// themselves: those that HTML reads otherwise, and control characters.
type escapes [utf8.RuneSelf]string

// Of runs of text, and of single strings of a card, which bear the plus sign too as
// html/template writes it.
var runEscapes, fieldEscapes = newEscapes(false), newEscapes(true)

func newEscapes(plus bool) *escapes {
	e := &escapes{'"': "&#34;", '&': "&amp;", '\'': "&#39;", '<': "&lt;", '>': "&gt;"}
	if plus {
		e['+'] = "&#43;"
	}
	for c := range e {
		if !permitted(rune(c)) {
			e[c] = replacement
		}
	}
	return e
}

func (p *page) text(s string)  { p.escape(s, runEscapes) }
func (p *page) field(s string) { p.escape(s, fieldEscapes) }

func (p *page) escape(s string, e *escapes) {
	from := 0
	for i := 0; i < len(s); {
		instead, width := "", 1
		if c := s[i]; c < utf8.RuneSelf {
			instead = e[c]
		} else {
			var r rune
			if r, width = utf8.DecodeRuneInString(s[i:]); !permitted(r) || r == utf8.RuneError {
				instead = replacement
			}
		}
		if instead != "" {
			p.add(s[from:i])
			p.add(instead)
			from = i + width
		}
		i += width
	}
	p.add(s[from:])
}

func (p *page) number(n int) { p.add(strconv.Itoa(n)) }

// runs writes runs of text, which may be anchors and links.
func (p *page) runs(spans []inline) {
	for i := range spans {
		p.run(&spans[i])
	}
}

func (p *page) run(s *inline) {
	if s.ID == "" && s.Href == "" && s.Title == "" && s.Style == "" {
		p.text(s.Text)
		return
	}
	opening, closing := markup("<span"), markup("</span>")
	if s.Href != "" {
		opening, closing = "<a", "</a>"
	}
	p.write(opening)
	p.attribute(` id="`, s.ID)
	p.attribute(` href="#`, s.Href)
	p.attribute(` title="`, s.Title)
	p.attribute(` style="`, string(s.Style))
	p.write(">")
	p.text(s.Text)
	p.write(closing)
}

// attribute writes an attribute unless its value is empty.
func (p *page) attribute(start markup, value string) {
	if value != "" {
		p.write(start)
		p.text(value)
		p.write(`"`)
	}
}

// card writes a card.
func (p *page) card(c *card) {
	p.write("<div style=\"overflow-x:auto\">\n")
	if len(c.Caption) > 0 {
		p.write(`<div style="margin:0 0 6px;font-weight:bold">`)
		p.runs(c.Caption)
		p.write("</div>\n")
	}
	p.pieces(c.Pieces)
	p.write("</div>\n")
}

func (p *page) pieces(pieces []piece) {
	for _, one := range pieces {
		switch {
		case one.Table != nil:
			p.table(one.Table)
		case one.Picture != nil:
			p.picture(one.Picture)
		case one.Details != nil:
			p.details(one.Details)
		case one.Listing != nil:
			p.write(`<pre style="white-space:pre;overflow-x:auto;margin:6px 0;font-family:monospace">`)
			p.runs(one.Listing.Spans)
			p.write("</pre>\n")
		default:
			p.write(`<div style="margin:6px 0">`)
			p.runs(one.Note)
			p.write("</div>\n")
		}
	}
}

func (p *page) table(t *table) {
	p.write("<table style=\"border-collapse:collapse;font-family:monospace;margin:6px 0\">\n" +
		`<caption style="text-align:left;white-space:nowrap">`)
	p.field(t.Caption)
	p.write("</caption>\n<thead><tr>")
	for _, title := range t.Head {
		p.write(`<th scope="col" style="text-align:left;padding:2px 8px;border-bottom:1px solid rgba(127,127,127,0.4)">`)
		p.field(title)
		p.write("</th>")
	}
	p.write("</tr></thead>\n<tbody>\n")
	for i := range t.Rows {
		p.row(&t.Rows[i], len(t.Head))
	}
	p.write("</tbody>\n</table>\n")
}

// row writes a row of a table of so many columns.
func (p *page) row(row *tableRow, columns int) {
	if row.Divider != "" {
		p.write(`<tr><td colspan="`)
		p.number(columns)
		p.write(`" style="text-align:left;padding:4px 8px;border-top:2px solid #767676">`)
		p.field(row.Divider)
		p.write("</td></tr>\n")
		return
	}
	if row.Light {
		p.write(`<tr style="opacity:0.75">`)
	} else {
		p.write("<tr>")
	}
	p.write(`<th scope="row" style="text-align:right;padding:1px 8px;white-space:nowrap">`)
	p.run(&row.Lead)
	p.write("</th>")
	for i := range row.Cells {
		if row.Cells[i].Number {
			p.write(`<td style="text-align:right;padding:1px 8px;white-space:nowrap">`)
		} else {
			p.write(`<td style="text-align:left;padding:1px 8px;white-space:nowrap">`)
		}
		p.runs(row.Cells[i].Spans)
		p.write("</td>")
	}
	p.write("</tr>\n")
}

func (p *page) picture(image *picture) {
	p.write(`<img alt="`)
	p.field(image.Alt)
	p.write(`" width="`)
	p.number(image.Width)
	p.write(`" style="max-width:100%;height:auto" src="data:image/svg+xml;base64,`)
	p.add(base64.StdEncoding.EncodeToString([]byte(image.SVG)))
	p.write("\"/>\n")
}

func (p *page) details(d *details) {
	if d.Open {
		p.write(`<details open="open"><summary>`)
	} else {
		p.write("<details><summary>")
	}
	p.field(d.Summary)
	p.write("</summary>\n")
	p.pieces(d.Pieces)
	p.write("</details>\n")
}

// static writes a card of div and pre alone: a service that escapes what it does
// not know also escapes the tbody that its parser adds to every table.
func (p *page) static(c *card) {
	p.write("<div>\n")
	if len(c.Caption) > 0 {
		p.pre(c.Caption)
	}
	p.staticPieces(c.Pieces)
	p.write("</div>\n")
}

func (p *page) staticPieces(pieces []piece) {
	for _, one := range pieces {
		switch {
		case one.Table != nil:
			p.pre([]inline{{Text: one.Table.Text()}})
		case one.Picture != nil:
			p.pre([]inline{{Text: one.Picture.Alt}})
		case one.Details != nil:
			p.pre([]inline{{Text: one.Details.Summary}})
			p.staticPieces(one.Details.Pieces)
		case one.Listing != nil:
			p.pre(one.Listing.Spans)
		default:
			p.pre(one.Note)
		}
	}
}

func (p *page) pre(spans []inline) {
	p.write("<pre>")
	for i := range spans {
		p.field(spans[i].Text)
	}
	p.write("</pre>\n")
}
