package topos

import (
	"fmt"
	"slices"
)

// Schedule is the structure of a plan: which nodes it evaluates, in order, who
// reads them, and which patterns they form. It holds no numbers. Names of nodes
// that its tape does not hold are refused.
type Schedule struct {
	p       *plan
	from    []int32 // by node: where its readers start
	readers []int32
}

// view indexes the readers of every node, by counting.
func (p *plan) view() Schedule {
	g := p.s.g
	s := Schedule{p: p, from: make([]int32, len(p.sc.last)+1)}
	each := func(visit func(reader, x int)) {
		for at, i := range p.sc.order {
			g.pause(at)
			xs, n := g.records[i].operands()
			for k, x := range xs[:n] {
				if k == 0 || x != xs[0] {
					visit(i, x)
				}
			}
		}
	}
	each(func(_, x int) { s.from[x+1]++ })
	for i := range p.sc.last {
		s.from[i+1] += s.from[i]
	}
	s.readers = make([]int32, s.from[len(p.sc.last)])
	next := slices.Clone(s.from)
	each(func(reader, x int) {
		s.readers[next[x]] = int32(reader)
		next[x]++
	})
	return s
}

// Nodes lists the nodes that the plan evaluates, in order.
func (s Schedule) Nodes() []Node {
	r := make([]Node, len(s.p.sc.order))
	for k, i := range s.p.sc.order {
		s.p.s.g.pause(k)
		r[k] = s.p.s.node(i)
	}
	return r
}

// Node is the printed entry of a node.
func (s Schedule) Node(n Named) Node { return s.p.s.named("schedule", n.Symbol()) }

// Results lists the readable values: roots, then observes.
func (s Schedule) Results() []Symbol { return s.p.Results() }

// Readers lists the scheduled nodes that read a node, in order.
func (s Schedule) Readers(n Named) []Symbol {
	at := s.p.s.g.resolve("readers", n.Symbol())
	if at+1 >= len(s.from) {
		return nil
	}
	return s.p.s.symbols(s.readers[s.from[at]:s.from[at+1]])
}

// Retained says whether a backward sweep will read the node's value: always
// false in a plan without [Entry.Retain].
func (s Schedule) Retained(n Named) bool {
	i := s.p.s.g.resolve("retained", n.Symbol())
	return i < len(s.p.sc.retained) && s.p.sc.retained[i]
}

// Candidates are the patterns that discovery found: [WindowProduct],
// [ReduceWindow], [BatchNormTraining], [BatchNormInference], in that order, each
// by ascending root.
func (s Schedule) Candidates() []Pattern { return slices.Clone(s.p.candidates) }

// Patterns are the ones elected: what Describe shows as fused.
func (s Schedule) Patterns() []Pattern { return slices.Clone(s.p.elected) }

// Discover runs a matcher of one's own over the scheduled nodes, in order, and
// keeps the matches that are closed: no interior is readable, and every reader
// of one is a member. A match needs a kind and its members in Nodes; the root is
// filled in. So are operands, where there are none: what the members read from
// outside, in the order of reading. It panics with a [*Refusal] where a match
// names a node of another tape.
func (s Schedule) Discover(match func(root Node) (Pattern, bool)) []Pattern {
	d := newDiscovery(s.p.s, s.p.sc)
	var pool []Pattern
	for _, i := range s.p.sc.order {
		pool = d.offer(pool, i, func(root int) (p Pattern, m matched, ok bool) {
			if p, ok = match(s.p.s.node(root)); !ok {
				return
			}
			m = matched{members: d.indices("discover", p.Nodes), operands: d.indices("discover", p.Operands), results: d.indices("discover", p.Results)}
			if len(m.operands) == 0 {
				m.operands = d.outside(append(slices.Clone(m.members), root))
			}
			return
		})
	}
	return pool
}

func (d *discovery) indices(op string, names []Symbol) []int {
	var r []int
	for _, n := range names {
		r = append(r, d.g.resolve(op, n))
	}
	return r
}

// outside lists what members read that is no member.
func (d *discovery) outside(members []int) []int {
	slices.Sort(members)
	var r []int
	for _, m := range members {
		xs, n := d.g.records[m].operands()
		for _, x := range xs[:n] {
			if _, inside := slices.BinarySearch(members, x); !inside && !slices.Contains(r, x) {
				r = append(r, x)
			}
		}
	}
	return r
}

// electing is the plan under another election. The interpreter still evaluates
// every member, so its bits do not change.
func (p *plan) electing(patterns []Pattern) (*plan, error) {
	sc := newSchedule(p.s.g, p.sc.readable, p.sc.roots, p.sc.retain)
	d := newDiscovery(p.s, sc)
	for _, x := range patterns {
		var members, results []int
		if r := Refused(func() { members, results = d.indices("electing", x.Nodes), d.indices("electing", x.Results) }); r != nil {
			return nil, r
		}
		if fault := d.unfit(x, members, results); fault != "" {
			return nil, fmt.Errorf("pattern %v cannot be elected: %s", x, fault)
		}
	}
	if len(Elect(patterns...)) < len(patterns) {
		return nil, fmt.Errorf("patterns cannot be elected together: two of them share a member")
	}
	return p.s.planned(sc, p.numerics, p.candidates, slices.Clone(patterns)), nil
}

// unfit says what keeps a pattern from being elected, or "".
func (d *discovery) unfit(p Pattern, members, results []int) string {
	if len(p.Nodes) == 0 || p.Nodes[len(p.Nodes)-1] != p.Root || !slices.IsSorted(members) {
		return "its nodes are not in recording order with the root last"
	}
	if !d.closed(members, p.Root.Index(), results) {
		return "an interior is readable, or read from outside"
	}
	for _, n := range p.Interiors() {
		if d.sc.retain && d.sc.retained[n.Index()] {
			return fmt.Sprintf("a backward sweep reads node %d", n.Index())
		}
	}
	return ""
}
