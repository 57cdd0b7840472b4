package topos

import (
	"fmt"
	"strconv"
)

// appendLine prints a node: index, name, operands and attributes, shape.
func appendLine(b []byte, index int, op Opcode, operands []int, shape Shape) []byte {
	digits := strconv.Itoa(index)
	b = pad(b, 4-len(digits))
	b = append(b, digits...)
	b = append(b, "  "...)
	at := len(b)
	b = append(b, op.Kind.String()...)
	b = pad(b, 14-(len(b)-at))
	b = append(b, ' ')
	at = len(b)
	for i, x := range operands {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(x), 10)
	}
	if kindFacts[op.Kind].attributes != noAttributes {
		if len(operands) > 0 {
			b = append(b, "  "...)
		}
		b = op.appendAttributes(b)
	}
	b = pad(b, 18-(len(b)-at))
	b = append(b, ' ')
	return shape.append(b)
}

func pad(b []byte, n int) []byte {
	for ; n > 0; n-- {
		b = append(b, ' ')
	}
	return b
}

func (g *graph) appendLine(b []byte, i int) []byte {
	xs, n := g.records[i].operands()
	return appendLine(b, i, g.opcode(i), xs[:n], g.shape(i))
}

// describe prints every node and the closing count.
func (g *graph) describe(what string) string { return g.describeFrom(what, -1, "") }

// describeFrom has a line of text above the node at from.
func (g *graph) describeFrom(what string, from int, text string) string {
	b := make([]byte, 0, 64*(len(g.records)+1)+len(text))
	for i := range g.records {
		g.pause(i)
		if i == from {
			b = append(append(b, text...), '\n')
		}
		b = append(g.appendLine(b, i), '\n')
	}
	if from == len(g.records) {
		b = append(append(b, text...), '\n')
	}
	b = append(b, g.tail(what)...)
	return string(append(b, '\n'))
}

func (g *graph) tail(what string) string {
	return fmt.Sprintf("%s: %s, %s, %s", what, counted(len(g.records), "node"),
		counted(len(g.parameters), "parameter"), counted(len(g.inputs), "input"))
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

// Describe prints one line per node: index, operation, operands and
// attributes, shape; then the counts.
func (t *Recording) Describe() string { return t.t.s.g.describe("tape") }

// Describe prints the network as [Tape.Describe] prints a tape.
func (n *network) Describe() string { return n.use("describe").describe("network") }

// DescribeFrom prints the tape with a line of text above the node at from.
func (t *Recording) DescribeFrom(from int, text string) string {
	return t.t.s.g.describeFrom("tape", from, text)
}

// Describe prints the scheduled nodes with what becomes of each, then the
// plan's accounting.
func (p *plan) Describe() string {
	b := make([]byte, 0, 80*(len(p.sc.order)+2))
	for k, i := range p.sc.order {
		p.s.g.pause(k)
		at := len(b)
		b = p.s.g.appendLine(b, i)
		b = pad(b, 52-(len(b)-at))
		b = append(b, ' ')
		b = append(b, p.sc.liveness(i)...)
		b = append(b, '\n')
	}
	for _, line := range p.tail() {
		b = append(append(b, line...), '\n')
	}
	return string(b)
}

func (p *plan) tail() []string {
	posture, sc := "forward", p.sc
	volume := fmt.Sprintf("live volume: peak %d elements at node %d, retain-all %d", sc.peak, sc.peakNode, sc.retainAll)
	if sc.retain {
		posture = "retain"
		volume = fmt.Sprintf("live volume: retain-all %d, release floor %d at node %d", sc.retainAll, sc.peak, sc.peakNode)
	}
	tail := []string{fmt.Sprintf("plan: %s; %d of %d nodes evaluated, %d readable", posture, len(sc.order), len(p.s.g.records), len(sc.readable))}
	if sc.groups > 0 {
		tail = append(tail, fmt.Sprintf("fused %d groups, %d nodes replaced", sc.groups, sc.replaced))
	}
	return append(tail, volume)
}

// liveness is what a plan prints of a node.
func (sc *schedule) liveness(i int) string {
	switch {
	case sc.declared[i]:
		return "kept"
	case sc.isFused(i):
		return "fused"
	case sc.retain && sc.retained[i]:
		return "retained"
	case sc.retain:
		return "releasable after " + strconv.Itoa(sc.last[i])
	}
	return "freed after " + strconv.Itoa(sc.last[i])
}
