package topos

// Run holds the readable payloads of one forward execution.
type run struct {
	s        *spec
	values   []*dense // nil where the run may not be read
	readable []int
	declared []bool // by node; nil where all of values may be read
}

// execute evaluates a schedule. Sources take their payloads, every other node
// expresses its opcode over operands computed earlier.
func execute(s *spec, sc *schedule, p *table, feeds []feed) (*run, error) {
	fed, err := s.sources(p, feeds)
	if err != nil {
		return nil, err
	}
	values := make([]*dense, len(s.g.records))
	var operands [2]*dense
	done := 0
	for at, i := range sc.order {
		s.g.yield()
		r := &s.g.records[i]
		switch {
		case r.kind == OpParameter:
			values[i] = p.tensors[r.source]
		case fed[i] != nil:
			values[i] = fed[i]
		case r.kind.IsSource():
			values[i] = s.payload(i)
		default:
			xs, n := r.operands()
			for j, x := range xs[:n] {
				operands[j] = values[x]
			}
			if r.kind == OpMatMul && s.g.stopped != nil {
				values[i] = s.g.productInPieces(operands[0], operands[1])
				break
			}
			values[i] = Express(s.g.opcode(i), operands[:n]...)
		}
		if !sc.whole {
			for _, x := range sc.freed[done:sc.until[at]] {
				values[x] = sc.remains(s, x)
			}
			done = sc.until[at]
		}
	}
	if !sc.whole && !sc.retain {
		kept := make([]*dense, len(values))
		for _, i := range sc.readable {
			kept[i] = values[i]
		}
		values = kept
	}
	return &run{s, values, sc.readable, sc.declared}, nil
}

// remains is what is left of a released value. A backward sweep over a retaining
// run asks it for its shape alone; one NaN stands for the elements, so that a
// rule that read them after all could not answer a number.
func (sc *schedule) remains(s *spec, i int) *dense {
	if !sc.retain {
		return nil
	}
	return &dense{s.k, s.g.shape(i), s.k.void(), 1}
}

// Of is the payload of a value. It panics with a [*Refusal] for a value that
// the run's entry does not declare.
func (r *run) Of(n Named) *dense {
	i := r.s.g.resolve("run", n.Symbol())
	if i >= len(r.values) || r.values[i] == nil || !r.declares(i) {
		refuseName(ErrUndeclared, "run", "the run may not read %s: its entry does not declare it; observe it", r.s.g.naming(i))
	}
	return r.values[i]
}

func (r *run) declares(i int) bool { return r.declared == nil || r.declared[i] }

// Readable lists the values the run may be read for: roots, then observes.
func (r *run) Readable() []Symbol {
	names := make([]Symbol, len(r.readable))
	for k, i := range r.readable {
		names[k] = r.s.g.symbol(i)
	}
	return names
}

// RecordedGradients reads the gradients of a recorded derivative as a table of
// the parameter slots; zeros for a parameter the derivative was not taken with
// respect to. It panics with a [*Refusal] where the entry does not declare them.
func (r *run) RecordedGradients(a Adjoints) *table {
	gradients := make(map[Symbol]Symbol, len(a.wrt))
	for k, w := range a.wrt {
		gradients[w] = a.gradients[k]
	}
	table := r.s.parameters()
	for i, t := range table.tensors {
		if gradient, ok := gradients[r.s.g.symbol(int(r.s.g.parameters[i]))]; ok {
			table.tensors[i] = r.Of(gradient)
		} else {
			table.tensors[i] = t.Filled(0)
		}
	}
	return table
}

// Backward is the engine's reverse scan from a rank-0 target: the rules over
// tensors, nothing recorded. It needs a run that retained what the rules read:
// of [Network.Forward], [Entry.Interpret] or a plan with [Entry.Retain].
func (r *run) Backward(target Named) (f *field, err error) {
	i := -1
	if refusal := Refused(func() { i = r.s.g.resolve("backward", target.Symbol()) }); refusal != nil {
		return nil, refusal
	}
	if shape := r.s.g.shape(i); len(shape) != 0 {
		return nil, failed(ErrShape, "backward", "backward needs a target of rank 0, not %v: sum it first", shape)
	}
	if i >= len(r.values) || !r.declares(i) {
		return nil, failed(ErrUndeclared, "backward", "backward cannot start from %s: the run's entry does not declare it", r.s.g.naming(i))
	}
	s := newSweep(r.s.g, i)
	for j, active := range s.active {
		if active && r.values[j] == nil {
			return nil, failed(ErrUndeclared, "backward", "backward needs %s, which the run did not retain", r.s.g.naming(j))
		}
	}
	sums, _ := reverse(s, r.values, r.values[i].Filled(1))
	return &field{r.s, sums}, nil
}
