package topos

// portable is the election that describe shows. It depends on the entry alone, so
// that the same program prints the same text wherever it runs: windows in
// forward plans, and nothing where a backward sweep will read the interiors.
func portable(candidates []Pattern, retain bool) []Pattern {
	if retain {
		return nil
	}
	var offered []Pattern
	for _, p := range candidates {
		if p.Kind == WindowProduct || p.Kind == ReduceWindow {
			offered = append(offered, p)
		}
	}
	return Elect(offered...)
}

// fuse puts an election into the schedule, before its accounting: interiors are
// never live, and what a group reads is released after the group's root. They stay
// scheduled, since the interpreter evaluates them.
func (sc *schedule) fuse(g *graph, elected []Pattern) {
	if len(elected) == 0 {
		return
	}
	sc.fused = make([]bool, len(sc.last))
	sc.groups = len(elected)
	for _, p := range elected {
		interiors := p.Interiors()
		sc.replaced += len(interiors)
		for _, n := range interiors {
			sc.fused[n.Index()] = true
		}
		for _, n := range p.Nodes {
			xs, arity := g.records[n.Index()].operands()
			for _, x := range xs[:arity] {
				if after := sc.last[x]; after >= 0 && !p.has(x) {
					sc.last[x] = max(after, p.Root.Index())
				}
			}
		}
	}
}

func (sc *schedule) isFused(i int) bool { return sc.fused != nil && sc.fused[i] }

// planned derives a plan under an election.
func (s *spec) planned(sc *schedule, numerics Numerics, candidates, elected []Pattern) *plan {
	sc.fuse(s.g, elected)
	sc.account(s.g)
	return &plan{s: s, sc: sc, numerics: numerics, candidates: candidates, elected: elected}
}

// patterns are the elected ones and the other candidates as plain data.
func (p *plan) patterns() []PatternReading {
	var r []PatternReading
	add := func(x Pattern, fused bool) {
		reading := PatternReading{Kind: string(x.Kind), Root: x.Root.Index(), Attributes: x.Attributes(), Fused: fused}
		for _, n := range x.Nodes {
			reading.Nodes = append(reading.Nodes, n.Index())
		}
		r = append(r, reading)
	}
	type key struct {
		kind PatternKind
		root Symbol
	}
	elected := map[key]bool{}
	for _, x := range p.elected {
		elected[key{x.Kind, x.Root}] = true
		add(x, true)
	}
	for _, x := range p.candidates {
		if !elected[key{x.Kind, x.Root}] {
			add(x, false)
		}
	}
	return r[:carried(len(r))]
}
