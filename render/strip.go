package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Measures of a strip: nodes in recorded order, a line of them after another.
const (
	stripNodes  = 50
	stripStep   = 16.0
	stripMark   = 4.0
	stripHeight = 34.0
	stripLeft   = 46.0
)

// drawStrip draws a graph too large for layers: every node a mark in recorded
// order, every edge an arc above or between the lines. It costs linear work, and
// the marks of one look share one path, so that it stays small.
func (v *view) drawStrip(g *graph) *picture {
	count := (len(g.nodes) + stripNodes - 1) / stripNodes
	d := &drawing{width: stripLeft + float64(stripNodes)*stripStep + margin, height: float64(float64(count)*stripHeight) + 2*margin}
	at := func(i int) (x, y float64) {
		return stripLeft + float64(float64(i%stripNodes)*stripStep) + stripStep/2, margin + float64(float64(i/stripNodes)*stripHeight) + 24
	}
	var arcs strings.Builder
	for _, e := range g.edges {
		x, y := at(e.from)
		toX, toY := at(e.to)
		if toY == y {
			rise := math.Min(18, 4+(toX-x)/8)
			arcs.WriteString("M" + point(x, y-stripMark) + "Q" + point((x+toX)/2, y-stripMark-float64(2*rise)+4) + " " + point(toX, toY-stripMark))
			continue
		}
		arcs.WriteString("M" + point(x, y+stripMark) + "L" + point(toX, toY-stripMark))
	}
	d.path(arcs.String(), greyInk, 0.5, "")
	marks := map[[3]int]*strings.Builder{}
	for i, n := range g.nodes {
		key := [3]int{int(n.role), int(n.state), b2i(n.light)}
		if marks[key] == nil {
			marks[key] = &strings.Builder{}
		}
		x, y := at(i)
		marks[key].WriteString(stripOutline(n.role, x, y))
	}
	drawMarks(d, marks)
	for line := range count {
		x, y := at(line * stripNodes)
		d.label(x-stripStep, y+4, "end", strconv.Itoa(g.nodes[line*stripNodes].index))
	}
	alt := v.sentence()
	return &picture{Alt: alt, Width: int(math.Ceil(d.width)), Height: int(math.Ceil(d.height)), SVG: d.text(alt)}
}

// drawMarks draws the marks of each look, in a fixed order.
func drawMarks(d *drawing, marks map[[3]int]*strings.Builder) {
	for r := opRole; r <= leafRole; r++ {
		for s := plainState; s <= skippedState; s++ {
			for light := range 2 {
				b := marks[[3]int{int(r), int(s), light}]
				if b == nil {
					continue
				}
				ink := roleInk(r)
				if light == 1 && ink == greyInk {
					ink = lightInk
				}
				width, dash := strokeOf(s)
				d.shape(b.String(), plateInk, ink, math.Min(2.4, width), dash)
			}
		}
	}
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// stripOutline is a small form of a node's outline.
func stripOutline(r role, x, y float64) string {
	start := "M" + point(x-stripMark, y)
	switch r {
	case leafRole:
		return start + "a4 4 0 1 1 8 0a4 4 0 1 1 -8 0z"
	case inputRole:
		return start + "l3 -4h8l-3 4l-3 4h-8z"
	case parameterRole:
		return start + "q0 -4 4 -4q4 0 4 4q0 4 -4 4q-4 0 -4 -4z"
	}
	return fmt.Sprintf("%sv-4h8v8h-8z", start)
}
