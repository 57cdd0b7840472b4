package render

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Ink of drawings. An image cannot see the page's theme, so marks use tones that
// reach about 4:1 on white and on dark alike, and every label stands on a white
// plate of its own.
const (
	greyInk    = "#767676"
	lightInk   = "#8A8A8A" // marks of the appended part: lighter, still above 3:1
	blueInk    = "#3182BD"
	tealInk    = "#1B8A8F"
	redInk     = "#D1495B"
	plateInk   = "#FFFFFF"
	skippedInk = "#E4E4E4" // the plate of a node that a plan skips
	labelInk   = "#222222"
	softInk    = "#555555" // labels of the appended part
)

// Sizes of labels, in the drawing's units. A monospace digit is 0.6 em wide.
const (
	labelSize = 11.0
	glyphEm   = 0.602
)

// drawing writes SVG text. It uses no ids and no style sheet: both would leak
// between the pictures of one page.
type drawing struct {
	body          strings.Builder
	width, height float64
}

// text returns the whole file with its title.
func (d *drawing) text(title string) string {
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %s %s" width="%s" height="%s" font-family="monospace" font-size="%s">`,
		coordinate(d.width), coordinate(d.height), coordinate(d.width), coordinate(d.height), coordinate(labelSize))
	fmt.Fprintf(&b, "<title>%s</title>", escapeXML(title))
	b.WriteString(d.body.String())
	b.WriteString("</svg>")
	return b.String()
}

// coordinate prints a length to a tenth of a unit, the same on every machine.
func coordinate(x float64) string {
	rounded := math.Round(float64(x*10)) / 10
	if rounded == 0 {
		return "0"
	}
	return strconv.FormatFloat(rounded, 'f', -1, 64)
}

// point is a pair of coordinates in an attribute: "12.5 7".
func point(x, y float64) string { return coordinate(x) + " " + coordinate(y) }

// path draws a stroke without filling.
func (d *drawing) path(data, ink string, width float64, dash string) {
	fmt.Fprintf(&d.body, `<path d="%s" fill="none" stroke="%s" stroke-width="%s"`, data, ink, coordinate(width))
	if dash != "" {
		fmt.Fprintf(&d.body, ` stroke-dasharray="%s"`, dash)
	}
	d.body.WriteString("/>")
}

// shape draws a filled outline.
func (d *drawing) shape(data, fill, ink string, width float64, dash string) {
	fmt.Fprintf(&d.body, `<path d="%s" fill="%s" stroke="%s" stroke-width="%s"`, data, fill, ink, coordinate(width))
	if dash != "" {
		fmt.Fprintf(&d.body, ` stroke-dasharray="%s"`, dash)
	}
	d.body.WriteString("/>")
}

// line writes text centred at x (anchor "middle"), from x ("start") or up to x
// ("end"), its baseline at y.
func (d *drawing) line(x, y float64, anchor, ink, text string) {
	fmt.Fprintf(&d.body, `<text x="%s" y="%s" text-anchor="%s" fill="%s">%s</text>`,
		coordinate(x), coordinate(y), anchor, ink, escapeXML(text))
}

// label writes text on a white plate.
func (d *drawing) label(x, y float64, anchor, text string) {
	width := textWidth(text) + 4
	left := x - 2
	switch anchor {
	case "middle":
		left = x - width/2
	case "end":
		left = x - width + 2
	}
	fmt.Fprintf(&d.body, `<rect x="%s" y="%s" width="%s" height="%s" rx="2" fill="%s"/>`,
		coordinate(left), coordinate(y-labelSize), coordinate(width), coordinate(labelSize+3), plateInk)
	d.line(x, y, anchor, labelInk, text)
}

// textWidth estimates how wide a text is; wide scripts take two digits' room.
func textWidth(text string) float64 {
	n := 0
	for _, r := range text {
		n++
		if r >= 0x1100 {
			n++
		}
	}
	return float64(float64(n) * float64(glyphEm*labelSize))
}

// escapeXML escapes text for XML, which unlike HTML forbids control characters.
func escapeXML(text string) string {
	if strings.IndexFunc(text, func(r rune) bool { return r < ' ' || r > '~' || strings.ContainsRune(`"&'<>`, r) }) < 0 {
		return text
	}
	return html.EscapeString(strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' || r == 0xFFFE || r == 0xFFFF || r == utf8.RuneError {
			return '?'
		}
		return r
	}, legible(text)))
}
