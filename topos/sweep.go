package topos

// sweep is the structure of one reverse scan.
type sweep struct {
	g      *graph
	target int
	active []bool                  // the target's ancestors
	mark   func(of int, part Part) // told whose rule speaks, where it records
}

func newSweep(g *graph, target int) *sweep {
	return &sweep{g: g, target: target, active: g.ancestors(target), mark: func(int, Part) {}}
}

// reverse is the scan: newest to oldest over the target's ancestors. An operand
// that receives a cotangent for the first time starts from zeros and adds, so a
// value used twice collects both contributions. It is written once, over
// whatever the rules are expressed in. has says which nodes hold a cotangent.
func reverse[R Recordable[R]](s *sweep, values []R, seed R) (sums []R, has []bool) {
	sums, has = make([]R, s.target+1), make([]bool, s.target+1)
	sums[s.target], has[s.target] = seed, true
	var x, part [2]R
	for i := s.target; i >= 0; i-- {
		s.g.pause(i)
		operands, arity := s.g.records[i].operands()
		if !s.active[i] || !has[i] || arity == 0 {
			continue
		}
		op := s.g.opcode(i)
		for j, o := range operands[:arity] {
			x[j] = values[o]
		}
		var shared R
		for j := range arity {
			if op.Kind.flows(j) {
				s.mark(i, PartOperand+Part(j))
				part[j] = rule(op, j, sums[i], values[i], x[:arity], &shared)
			}
		}
		for j, o := range operands[:arity] {
			if !op.Kind.flows(j) {
				continue
			}
			if !has[o] {
				s.mark(o, PartStart)
				sums[o], has[o] = values[o].Filled(0), true
			}
			s.mark(o, PartSum)
			sums[o] = sums[o].Add(part[j])
		}
	}
	return sums, has
}
