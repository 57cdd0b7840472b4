package topos

import "slices"

// discovery looks for patterns among the nodes of a schedule. A plan's readable
// values are barriers: a match may not hide them.
type discovery struct {
	s     *spec
	g     *graph
	sc    *schedule
	reads []int32 // by node: how often scheduled nodes read it
}

func newDiscovery(s *spec, sc *schedule) *discovery {
	d := &discovery{s: s, g: s.g, sc: sc, reads: make([]int32, len(sc.last))}
	for _, i := range sc.order {
		xs, n := s.g.records[i].operands()
		for _, x := range xs[:n] {
			d.reads[x]++
		}
	}
	return d
}

// candidates are the matches of every kind: one kind after another, each by
// ascending root.
func (d *discovery) candidates() []Pattern {
	var windows, pools, norms, given []Pattern
	for k, i := range d.sc.order {
		d.g.pause(k)
		switch d.g.records[i].kind {
		case OpMatMul:
			windows = d.offer(windows, i, d.windowProduct)
		case OpReshape:
			pools = d.offer(pools, i, d.reduceWindow)
		case OpAdd:
			norms = d.offer(norms, i, d.batchNormTraining)
			given = d.offer(given, i, d.batchNormInference)
		}
	}
	return slices.Concat(windows, pools, norms, given)
}

// matched is what a matcher found: nodes by index, in any order and with
// repeats.
type matched struct {
	members, operands, results []int
}

func (d *discovery) offer(pool []Pattern, root int, match func(root int) (Pattern, matched, bool)) []Pattern {
	p, m, ok := match(root)
	if !ok {
		return pool
	}
	members := append(m.members, root)
	slices.Sort(members)
	members = slices.Compact(members)
	if !d.closed(members, root, m.results) {
		return pool
	}
	p.Root = d.g.symbol(root)
	p.Nodes, p.Operands, p.Results = d.symbols(members), d.symbols(m.operands), d.symbols(m.results)
	return append(pool, p)
}

func (d *discovery) symbols(at []int) []Symbol {
	var r []Symbol
	for _, i := range at {
		r = append(r, d.g.symbol(i))
	}
	return r
}

// closed says whether nothing outside a match would miss its interiors: none is
// readable, and all that read them are members. A result may be read from
// outside, but only after the root, where the formula has answered. Members are
// sorted.
func (d *discovery) closed(members []int, root int, results []int) bool {
	inside := make([]int32, len(members))
	for _, m := range members {
		if m > root || !d.scheduled(m) {
			return false
		}
		xs, n := d.g.records[m].operands()
		for _, x := range xs[:n] {
			if at, ok := slices.BinarySearch(members, x); ok {
				inside[at]++
			}
		}
	}
	for at, m := range members {
		if m == root {
			continue
		}
		hidden := !d.sc.declared[m] && inside[at] == d.reads[m]
		if !hidden && !(slices.Contains(results, m) && d.unreadBefore(m, members, root)) {
			return false
		}
	}
	return true
}

func (d *discovery) scheduled(i int) bool {
	return i < len(d.reads) && (d.reads[i] > 0 || d.sc.declared[i])
}

// unreadBefore says whether no node outside the members reads one of them before
// their root.
func (d *discovery) unreadBefore(m int, members []int, root int) bool {
	first, _ := slices.BinarySearch(d.sc.order, m)
	for _, i := range d.sc.order[first:] {
		if i > root {
			break
		}
		xs, n := d.g.records[i].operands()
		if slices.Contains(xs[:n], m) {
			if _, ok := slices.BinarySearch(members, i); !ok {
				return false
			}
		}
	}
	return true
}

// hidden says whether a node is read once and may not be read by a run: all but
// the last node of a chain inside a match are.
func (d *discovery) hidden(i int) bool { return d.reads[i] == 1 && !d.sc.declared[i] }

// operation gives the operands of a node of one kind.
func (d *discovery) operation(i int, kind Kind) (a, b int, ok bool) {
	r := &d.g.records[i]
	return int(r.left), int(r.right), r.kind == kind
}
