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

// drawEdge draws a smooth curve through an edge's bends, with an arrow at its
// reader.
func drawEdge(d *drawing, p *placement, e graphEdge, chain []int) {
	ink := greyInk
	if e.light {
		ink = lightInk
	}
	start := p.x[e.from] + p.wide[e.from]/2
	leave := math.Max(start, p.columnLeft[p.column[e.from]]+p.columnWidth[p.column[e.from]])
	tip := p.x[e.to] - p.wide[e.to]/2
	arrive := math.Min(p.columnLeft[p.column[e.to]], tip) - 5
	xs, ys := []float64{leave}, []float64{p.y[e.from]}
	for _, bend := range chain[1 : len(chain)-1] {
		xs, ys = append(xs, p.x[bend]), append(ys, p.y[bend])
	}
	xs, ys = append(xs, arrive), append(ys, p.y[e.to])
	xs, ys = level(p, chain, xs, ys)
	d.path("M"+point(start, ys[0])+"H"+coordinate(leave)+smooth(xs, ys)+"H"+coordinate(tip-4), ink, 1.2, "")
	d.shape("M"+point(tip, p.y[e.to])+"l-7 -3.5v7z", ink, ink, 0.5, "")
	if e.times > 1 {
		d.label(tip-9, p.y[e.to]-4, "end", "×"+strconv.Itoa(e.times))
	}
}

// steep is how far a curve may rise or fall within half a column without coming
// too near the nodes above and below.
const steep = bendSize/2 - 1

// level makes the curve run level across each column that it would cross too
// steeply: a point in the middle becomes one at either side. That changes the
// curve beside it, so columns are looked at until none changes.
func level(p *placement, chain []int, xs, ys []float64) (levelX, levelY []float64) {
	flat := make([]bool, len(xs))
	for {
		changed := false
		levelX, levelY = levelX[:0], levelY[:0]
		for i := range xs {
			if !flat[i] {
				levelX, levelY = append(levelX, xs[i]), append(levelY, ys[i])
				continue
			}
			half := p.columnWidth[p.items[chain[i]].column] / 2
			levelX, levelY = append(levelX, xs[i]-half, xs[i]+half), append(levelY, ys[i], ys[i])
		}
		slope := slopes(levelX, levelY)
		for i, at := 1, 1; i < len(xs)-1; i, at = i+1, at+1 {
			if flat[i] {
				at++
				continue
			}
			half := p.columnWidth[p.items[chain[i]].column] / 2
			before := levelY[at] - between(levelX, levelY, slope, at-1, levelX[at]-half)
			after := between(levelX, levelY, slope, at, levelX[at]+half) - levelY[at]
			if math.Max(math.Abs(before), math.Abs(after)) > steep {
				flat[i], changed = true, true
			}
		}
		if !changed {
			return levelX, levelY
		}
	}
}

// between is the height of the curve at x, after its point i.
func between(xs, ys, slope []float64, i int, x float64) float64 {
	width := xs[i+1] - xs[i]
	t := (x - xs[i]) / width
	u := 1 - t
	start := ys[i] + float64(slope[i]*width/3)
	end := ys[i+1] - float64(slope[i+1]*width/3)
	return float64(u*u*u*ys[i]) + float64(3*u*u*t*start) + float64(3*u*t*t*end) + float64(t*t*t*ys[i+1])
}

// slopes are those of a curve through points of ascending x that is level at both
// ends and wherever it turns, and never leaves the heights of the two points it
// runs between.
func slopes(xs, ys []float64) []float64 {
	slope := make([]float64, len(xs))
	for i := 1; i < len(xs)-1; i++ {
		before := (ys[i] - ys[i-1]) / (xs[i] - xs[i-1])
		after := (ys[i+1] - ys[i]) / (xs[i+1] - xs[i])
		if float64(before*after) > 0 {
			slope[i] = float64(2*float64(before*after)) / (before + after)
		}
	}
	return slope
}

// smooth continues a path through points of ascending x.
func smooth(xs, ys []float64) string {
	slope := slopes(xs, ys)
	var b strings.Builder
	for i := 1; i < len(xs); i++ {
		reach := (xs[i] - xs[i-1]) / 3
		b.WriteString("C" + point(xs[i-1]+reach, ys[i-1]+float64(slope[i-1]*reach)) + " " +
			point(xs[i]-reach, ys[i]-float64(slope[i]*reach)) + " " + point(xs[i], ys[i]))
	}
	return b.String()
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
	plate := plateInk
	if n.state == skippedState {
		plate = skippedInk
	}
	d.shape(outline(n, x, y, wide, high), plate, ink, stroke, dash)
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
