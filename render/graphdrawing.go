package render

import (
	"math"
	"strconv"
	"strings"
)

// drawGraph draws a layered graph, from left to right.
func (v *view) drawGraph(g *graph, l *layers) *picture {
	p := place(g, l)
	d := &drawing{width: p.width, height: p.height}
	for i, e := range g.edges {
		drawEdge(d, p, e, l.chains[i])
	}
	for i, n := range g.nodes {
		drawNode(d, n, p.x[i], p.y[i], p.wide[i], p.high[i])
	}
	alt := v.sentence()
	return &picture{Alt: alt, Width: int(math.Ceil(d.width)), Height: int(math.Ceil(d.height)), SVG: d.text(alt)}
}

// drawEdge draws a curve through an edge's bends, with an arrow at its reader.
func drawEdge(d *drawing, p *placement, e graphEdge, chain []int) {
	ink := greyInk
	if e.light {
		ink = lightInk
	}
	var b strings.Builder
	x, y := p.x[e.from]+p.wide[e.from]/2, p.y[e.from]
	b.WriteString("M" + point(x, y))
	if right := p.columnLeft[p.column[e.from]] + p.columnWidth[p.column[e.from]]; right > x {
		x = right
		b.WriteString("H" + coordinate(x))
	}
	curve := func(toX, toY float64) {
		middle := (x + toX) / 2
		b.WriteString("C" + point(middle, y) + " " + point(middle, toY) + " " + point(toX, toY))
		x, y = toX, toY
	}
	for _, bend := range chain[1 : len(chain)-1] {
		c := p.items[bend].column
		curve(p.columnLeft[c], p.y[bend])
		x = p.columnLeft[c] + p.columnWidth[c]
		b.WriteString("H" + coordinate(x))
	}
	tip := p.x[e.to] - p.wide[e.to]/2
	curve(math.Min(p.columnLeft[p.column[e.to]], tip)-5, p.y[e.to])
	b.WriteString("H" + coordinate(tip-4))
	d.path(b.String(), ink, 1.2, "")
	d.shape("M"+point(tip, y)+"l-7 -3.5v7z", ink, ink, 0.5, "")
	if e.times > 1 {
		d.label(tip-9, y-4, "end", "×"+strconv.Itoa(e.times))
	}
}

// drawNode draws a node: its outline says what it is, its stroke what becomes of
// its value.
func drawNode(d *drawing, n graphNode, x, y, wide, high float64) {
	ink, text := roleInk(n.role), labelInk
	if n.light {
		text = softInk
		if n.role == opRole || n.role == leafRole {
			ink = lightInk
		}
	}
	d.body.WriteString("<g><title>" + escapeXML(titleOf(n)) + "</title>")
	stroke, dash := strokeOf(n.state)
	if n.outside {
		stroke, dash = 0.6, "1 3"
	}
	d.shape(outline(n, x, y, wide, high), plateInk, ink, stroke, dash)
	if n.faulty {
		d.shape(outline(n, x, y, wide-5, high-5), plateInk, redInk, 1, "")
	}
	lines := n.labels()
	top := y - float64(float64(len(lines)-1)*7) + 4
	for i, line := range lines {
		d.line(x, top+float64(float64(i)*14), "middle", text, line)
	}
	d.body.WriteString("</g>")
}

func roleInk(r role) string {
	switch r {
	case parameterRole:
		return blueInk
	case inputRole:
		return tealInk
	}
	return greyInk
}

// strokeOf is the width and dash pattern of a state's outline.
func strokeOf(s state) (width float64, dash string) {
	switch s {
	case keptState:
		return 3, ""
	case freedState:
		return 1, ""
	case fusedState:
		return 1.5, "6 3"
	case skippedState:
		return 1.5, "1.5 3"
	}
	return 1.5, ""
}

// outline is the path around a node.
func outline(n graphNode, x, y, wide, high float64) string {
	left, right, top, bottom := x-wide/2, x+wide/2, y-high/2, y+high/2
	switch {
	case n.outside || n.role == leafRole:
		rx, ry := coordinate(wide/2), coordinate(high/2)
		return "M" + point(left, y) + "a" + rx + " " + ry + " 0 1 1 " + coordinate(wide) + " 0a" + rx + " " + ry + " 0 1 1 " + coordinate(-wide) + " 0z"
	case n.role == inputRole:
		return "M" + point(left+10, top) + "H" + coordinate(right) + "L" + point(right-10, bottom) + "H" + coordinate(left) + "z"
	case n.role == parameterRole:
		return "M" + point(left+10, top) + "H" + coordinate(right-10) + "q10 0 10 10V" + coordinate(bottom-10) +
			"q0 10 -10 10H" + coordinate(left+10) + "q-10 0 -10 -10V" + coordinate(top+10) + "q0 -10 10 -10z"
	}
	return "M" + point(left, top) + "H" + coordinate(right) + "V" + coordinate(bottom) + "H" + coordinate(left) + "z"
}
