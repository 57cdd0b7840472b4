package session

import (
	"fmt"
	"strings"
)

// mostRecorded is how many names the line about a cell lists with their shapes.
const mostRecorded = 12

// recorded is the line about what a committed cell has recorded, "" where that is
// nothing: which nodes, what they are called, of which shape, and whether a run
// from the top would record the same.
func (t *try[T]) recorded() string {
	if t.segment.empty() {
		return ""
	}
	g := t.segments[len(t.segments)-1]
	place := "fresh"
	if first := firstOf(supersessions(t.segments), g.number); first > 0 {
		place = fmt.Sprintf("rerun of %d", first)
	}
	at := map[string]string{}
	var names []string
	for _, b := range g.bound {
		if at[b.Name] == "" {
			names = append(names, b.Name)
		}
		at[b.Name] = b.Name + " " + t.tape.Node(b.Symbol).Shape().String()
	}
	var called []string
	for _, name := range names[:min(len(names), mostRecorded)] {
		called = append(called, at[name])
	}
	if n := len(names) - mostRecorded; n > 0 {
		called = append(called, fmt.Sprintf("%d more", n))
	}
	nodes := "no new node"
	switch g.to - g.from {
	case 0:
	case 1:
		nodes = "node " + nodesOf(g)
	default:
		nodes = "nodes " + nodesOf(g)
	}
	line := fmt.Sprintf("segment %d, %s: %s", g.number, place, nodes)
	if len(called) > 0 {
		line += ": " + strings.Join(called, ", ")
	}
	return line + "\n"
}
