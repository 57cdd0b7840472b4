package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// pictureCard shows the graph: layered up to maxLayered nodes, in recorded order
// up to maxDrawn, and as a list beyond.
func (v *view) pictureCard() *card {
	g := v.graph()
	c := &card{}
	caption := "graph: " + counted(v.rowCount(), "node")
	switch n := max(len(g.nodes), v.rowCount()); {
	case v.limits == scant, n == 0:
	case n <= maxLayered:
		l := newLayers(g)
		caption += ", " + counted(len(l.columns), "layer") + " drawn"
		c.Pieces = append(c.Pieces, piece{Picture: v.drawGraph(g, l)})
	case n <= maxDrawn:
		caption += fmt.Sprintf(", drawn in recorded order (layers are drawn up to %d nodes)", maxLayered)
		c.Pieces = append(c.Pieces, piece{Picture: v.drawStrip(g)})
	default:
		caption += fmt.Sprintf("; not drawn above %s nodes", grouped(maxDrawn))
	}
	c.Caption = v.withOmission([]inline{{Text: caption}})
	if len(c.Pieces) > 0 {
		c.Pieces = append(c.Pieces, piece{Note: []inline{{Text: legend(g)}}})
	}
	if v.rowCount() > maxOpenRows {
		c.Pieces = append(c.Pieces, v.rowPieces("nodes in recorded order")...)
		return c
	}
	c.Pieces = append(c.Pieces, v.rowFold()...)
	c.Pieces = append(c.Pieces, v.skippedPieces()...)
	return c
}

// sentence says what a picture shows: who feeds whom, for the first few nodes.
func (v *view) sentence() string {
	var parts []string
	for _, row := range v.Rows {
		if len(row.Operands) == 0 {
			continue
		}
		if len(parts) == 6 {
			parts = append(parts, "...")
			break
		}
		var feeders []string
		for _, operand := range distinct(row.Operands) {
			feeders = append(feeders, v.nodeName(operand))
		}
		verb := " feed "
		if len(feeders) == 1 {
			verb = " feeds "
		}
		parts = append(parts, strings.Join(feeders, " and ")+verb+v.nodeName(row.Index))
	}
	text := "Graph of " + counted(len(v.Rows), "node")
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, "; ")
	}
	return text + "; full list in the table below."
}

func (v *view) nodeName(node int) string {
	name := strconv.Itoa(node)
	if row, ok := v.row(node); ok {
		name += " " + shorten(row.Opcode, 24)
	}
	return name
}

// legend explains the outlines and strokes that occur.
func legend(g *graph) string {
	roles, states := map[role]bool{}, map[state]bool{}
	light, faulty := false, false
	for _, n := range g.nodes {
		if n.outside {
			continue
		}
		roles[n.role], states[n.state] = true, true
		light, faulty = light || n.light, faulty || n.faulty
	}
	var words []string
	add := func(present bool, text string) {
		if present {
			words = append(words, text)
		}
	}
	add(roles[opRole], "box: operation")
	add(roles[parameterRole], "rounded: parameter")
	add(roles[inputRole], "slanted: input")
	add(roles[leafRole], "circle: constant")
	add(states[keptState], "thick: kept")
	add(states[fusedState], "dashed: fused")
	add(states[skippedState], "dotted: skipped")
	add(light, "lighter: appended")
	add(faulty, "double frame and NaN: non-finite")
	return strings.Join(words, "; ")
}

// nodeSize is the room of a node in a layered drawing.
func nodeSize(n graphNode) (wide, high float64) {
	if n.role == leafRole || n.outside {
		return max(24, textWidth(strconv.Itoa(n.index))+8), 24
	}
	for _, line := range n.labels() {
		wide = max(wide, textWidth(line))
	}
	wide += 14
	if n.role == inputRole {
		wide += 14
	}
	return wide, float64(14*float64(len(n.labels()))) + 8
}

// titleOf is what a node's tool tip says.
func titleOf(n graphNode) string {
	if n.outside {
		return "node " + strconv.Itoa(n.index)
	}
	text := describe(topos.Row{Index: n.index, Opcode: shorten(n.row.Opcode, 40), Shape: n.row.Shape, Name: shorten(n.row.Name, 60)})
	if n.row.Origin != "" {
		text += ": " + shorten(n.row.Origin, 120)
	}
	return text
}
