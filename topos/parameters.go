package topos

import "slices"

// Parameters is a table of one tensor per parameter slot: live weights, and
// anything aligned with them, such as gradients or moments. The caller owns it;
// every method answers a new table.
type table struct {
	g       *graph
	k       *kernel
	tensors []*dense
}

// Parameters is the table of the recorded initial payloads.
func (n *network) Parameters() *table {
	n.use("parameters")
	return n.s.parameters()
}

func (s *spec) parameters() *table {
	return &table{s.g.view(), s.k, slices.Clone(s.initials)}
}

// Carry keeps the payloads of an earlier table of the same tape and fills the
// slots recorded since from their initials.
func (n *network) Carry(p *table) (*table, error) {
	n.use("carry")
	return n.s.carry(p)
}

func (s *spec) carry(p *table) (*table, error) {
	r := s.parameters()
	if p.g.family != s.g.family {
		return nil, failed(ErrForeign, "carry", "carry was given the parameters of another tape")
	}
	if n := len(r.tensors); len(p.tensors) > n {
		return nil, failed(ErrShape, "carry", "carry was given %d slots for %d: slot %d %v has no place", len(p.tensors), n, n, p.tensors[n].shape)
	}
	for i, t := range p.tensors {
		// A slot that was cut and recorded again is another parameter.
		if p.name(i) == r.name(i) {
			r.tensors[i] = t
		}
	}
	return r, nil
}

func (p *table) name(slot int) Symbol { return p.g.symbol(int(p.g.parameters[slot])) }

// Names lists the parameters' symbols, by slot.
func (p *table) Names() []Symbol {
	r := make([]Symbol, len(p.tensors))
	for i := range r {
		r[i] = p.name(i)
	}
	return r
}

// Of is the tensor of a parameter. It panics with a [*Refusal] for a name that
// is no parameter of the table.
func (p *table) Of(n Named) *dense { return p.tensors[p.slot("parameters", n)] }

func (p *table) slot(op string, n Named) int {
	i := p.g.resolve(op, n.Symbol())
	r := p.g.records[i]
	if r.kind != OpParameter || int(r.source) >= len(p.tensors) {
		refuseName(ErrUndeclared, op, "%s holds no node %d: it is %v, not a parameter", op, i, r.kind)
	}
	return int(r.source)
}

// With is the table with one parameter replaced: a what-if costs one tensor.
// It panics with a [*Refusal] where the shapes differ.
func (p *table) With(n Named, t *dense) *table { return p.WithPayloads(feed{n, t}) }

// WithPayloads is the table with some parameters replaced.
func (p *table) WithPayloads(replaced ...feed) *table {
	r := &table{p.g, p.k, slices.Clone(p.tensors)}
	for _, f := range replaced {
		i := p.slot("with", f.input)
		if was, is := p.tensors[i].shape, f.payload.shape; !is.Equal(was) {
			refuse("with", []Shape{was, is}, "", "with cannot replace slot %d of %v by %v", i, was, is)
		}
		r.tensors[i] = f.payload
	}
	return r
}

// Map applies a function to every tensor. It panics with a [*Refusal] where the
// function changes a shape.
func (p *table) Map(f func(*dense) *dense) *table {
	return p.each("map", func(i int) *dense { return f(p.tensors[i]) })
}

// Scale multiplies every element by a scalar.
func (p *table) Scale(by *dense) *table {
	return p.each("scale", func(i int) *dense { return p.tensors[i].Mul(by.Broadcast(p.tensors[i].shape)) })
}

// Step pairs this table with a direction over the same slots, such as gradients,
// and answers the next table: a pure transform of data.
func (p *table) Step(direction *table, f func(weight, gradient *dense) *dense) *table {
	return p.paired("step", direction, func(_ Symbol, w, g *dense) *dense { return f(w, g) })
}

// StepEach is Step with a function that is told the parameter's name.
func (p *table) StepEach(direction *table, f func(name Symbol, weight, gradient *dense) *dense) *table {
	return p.paired("step_each", direction, f)
}

// Zip pairs two tables over the same slots.
func (p *table) Zip(o *table, f func(left, right *dense) *dense) *table {
	return p.paired("zip", o, func(_ Symbol, l, r *dense) *dense { return f(l, r) })
}

// paired checks every slot before the function sees the first.
func (p *table) paired(op string, o *table, f func(name Symbol, left, right *dense) *dense) *table {
	if o.g.family != p.g.family {
		refuseName(ErrForeign, op, "%s was given a table of another tape", op)
	}
	if n, m := len(p.tensors), len(o.tensors); n != m {
		at, missing := n, "first"
		if m < n {
			at, missing = m, "second"
		}
		shape := append(slices.Clone(p.tensors), o.tensors[min(n, m):]...)[at].shape
		refuse(op, []Shape{shape}, "", "%s needs two tables of the same slots, not %d and %d: slot %d %v is not in the %s", op, n, m, at, shape, missing)
	}
	for i, t := range p.tensors {
		if l, r := t.shape, o.tensors[i].shape; !l.Equal(r) {
			refuse(op, []Shape{l, r}, "", "%s needs equal shapes in slot %d, not %v and %v", op, i, l, r)
		}
	}
	return p.each(op, func(i int) *dense { return f(p.name(i), p.tensors[i], o.tensors[i]) })
}

func (p *table) each(op string, f func(int) *dense) *table {
	r := &table{p.g, p.k, make([]*dense, len(p.tensors))}
	for i, old := range p.tensors {
		t := f(i)
		if t == nil {
			refuse(op, []Shape{old.shape}, "", "%s answered no tensor for slot %d of %v", op, i, old.shape)
		}
		if !t.shape.Equal(old.shape) {
			refuse(op, []Shape{old.shape, t.shape}, "", "%s changed the shape of slot %d from %v to %v", op, i, old.shape, t.shape)
		}
		r.tensors[i] = t
	}
	return r
}

// Equal says whether two tables hold the same bits.
func (p *table) Equal(o *table) bool {
	return slices.EqualFunc(p.tensors, o.tensors, (*dense).Equal)
}

// Field is a payload per node of one tape: what a backward sweep produces.
type field struct {
	s       *spec
	tensors []*dense // nil where nothing flowed
}

// Of is the payload of a node; zeros where nothing flowed into it.
func (f *field) Of(n Named) *dense {
	i := f.s.g.resolve("field", n.Symbol())
	if t := f.at(i); t != nil {
		return t
	}
	return f.s.k.constant(f.s.g.shape(i), 0)
}

// Scale multiplies every payload by a scalar.
func (f *field) Scale(by *dense) *field {
	r := &field{f.s, make([]*dense, len(f.tensors))}
	for i, t := range f.tensors {
		if t != nil {
			r.tensors[i] = t.Mul(by.Broadcast(t.shape))
		}
	}
	return r
}

// Zip pairs two fields of one tape. Where nothing flowed into a node in one of
// them it counts as zeros; where nothing did in both, nothing is asked.
func (f *field) Zip(o *field, pair func(left, right *dense) *dense) *field {
	if o.s.g.family != f.s.g.family {
		refuseName(ErrForeign, "zip", "zip was given a field of another tape")
	}
	longer := f
	if len(o.tensors) > len(f.tensors) {
		longer = o
	}
	r := &field{longer.s, make([]*dense, len(longer.tensors))}
	for i := range r.tensors {
		left, right := f.at(i), o.at(i)
		if left == nil && right == nil {
			continue
		}
		shape := longer.s.g.shape(i)
		for _, side := range []**dense{&left, &right} {
			if *side == nil {
				*side = f.s.k.constant(shape, 0)
			}
			if own := (*side).shape; !own.Equal(shape) {
				refuse("zip", []Shape{shape, own}, "", "zip needs equal shapes at node %d, not %v and %v", i, shape, own)
			}
		}
		t := pair(left, right)
		if t == nil || !t.shape.Equal(shape) {
			refuse("zip", []Shape{shape}, "", "zip changed the shape of node %d from %v", i, shape)
		}
		r.tensors[i] = t
	}
	return r
}

// at is the payload of a node, or nil where nothing flowed into it.
func (f *field) at(i int) *dense {
	if i < len(f.tensors) {
		return f.tensors[i]
	}
	return nil
}

// Parameters projects the field onto the parameter slots of a table.
func (f *field) Parameters(p *table) *table {
	return p.each("field", func(i int) *dense { return f.Of(p.name(i)) })
}
