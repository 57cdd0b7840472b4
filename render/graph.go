package render

import (
	"strconv"

	"github.com/topos-notebook/topos/topos"
)

// graph is the rows of a reading as nodes and edges to be drawn.
type graph struct {
	nodes []graphNode
	edges []graphEdge
}

// graphNode is one row, or a node outside the reading that a row reads.
type graphNode struct {
	index   int
	row     topos.Row
	role    role
	state   state
	outside bool // read by a row, but no row of the reading
	light   bool // a node of the appended part
	faulty  bool // holds a value that is not finite
}

// graphEdge leads from an operand to its reader, by places among the nodes.
type graphEdge struct {
	from, to int
	times    int // how often the reader reads the operand
	light    bool
}

// role is what a node is, told by its outline.
type role int

const (
	opRole role = iota
	parameterRole
	inputRole
	leafRole
)

func roleOf(opcode string) role {
	switch opcode {
	case "Parameter":
		return parameterRole
	case "Input":
		return inputRole
	case "Leaf":
		return leafRole
	}
	return opRole
}

// state is what a plan makes of a node's value, told by the outline's stroke.
type state int

const (
	plainState state = iota
	keptState
	freedState
	fusedState
	skippedState
)

// states are the stroke of each node where the reading knows a plan.
func (v *view) states() map[int]state {
	s := make(map[int]state)
	for _, row := range v.Rows {
		switch {
		case row.Liveness == "":
		case row.Liveness == "kept", row.Liveness == "retained":
			s[row.Index] = keptState
		case row.Liveness == "fused":
			s[row.Index] = fusedState
		default:
			s[row.Index] = freedState
		}
	}
	if v.Plan != nil {
		for _, node := range v.Plan.Readable {
			s[node] = keptState
		}
		for _, node := range v.Plan.Skipped {
			s[node] = skippedState
		}
	}
	return s
}

// graph makes the nodes and edges of the reading's rows. Operands come before
// their readers.
func (v *view) graph() *graph {
	g := &graph{}
	states, from := v.states(), v.appendedFrom()
	place := make(map[int]int, len(v.Rows))
	for _, row := range v.Rows {
		for _, operand := range row.Operands {
			if _, known := place[operand]; !known {
				place[operand] = len(g.nodes)
				g.nodes = append(g.nodes, graphNode{index: operand, outside: true})
			}
		}
		at := len(g.nodes)
		place[row.Index] = at
		g.nodes = append(g.nodes, graphNode{
			index: row.Index, row: row, role: roleOf(row.Opcode), state: states[row.Index],
			light: row.Derived || row.Index >= from, faulty: v.faulty[row.Index],
		})
		g.connect(row, place, at)
	}
	return g
}

// connect adds the edges into a row; reading the same operand twice is one edge.
func (g *graph) connect(row topos.Row, place map[int]int, at int) {
	times := make(map[int]int, len(row.Operands))
	for _, operand := range row.Operands {
		times[operand]++
	}
	for _, operand := range distinct(row.Operands) {
		if from := place[operand]; from < at {
			g.edges = append(g.edges, graphEdge{from: from, to: at, times: times[operand], light: g.nodes[at].light})
		}
	}
}

// labels are the lines written in a node.
func (n graphNode) labels() []string {
	number := strconv.Itoa(n.index)
	if n.outside || n.role == leafRole {
		return []string{number}
	}
	lines := []string{number + " " + shorten(n.row.Opcode, 20), shorten(shape(n.row.Shape), 24)}
	if n.row.Name != "" {
		lines = append(lines, shorten(n.row.Name, 18))
	}
	if n.faulty {
		lines[0] += " NaN"
	}
	return lines
}
