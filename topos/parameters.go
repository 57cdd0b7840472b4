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
	for i, t := range p.tensors {
		if i < len(r.tensors) && t.shape.Equal(r.tensors[i].shape) {
			r.tensors[i] = t
		}
	}
	return r, nil
}

// Names lists the parameters' symbols, by slot.
func (p *table) Names() []Symbol {
	r := make([]Symbol, len(p.tensors))
	for i := range r {
		r[i] = p.g.symbol(int(p.g.parameters[i]))
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
func (p *table) With(n Named, t *dense) *table {
	i := p.slot("with", n)
	if !t.shape.Equal(p.tensors[i].shape) {
		refuse("with", []Shape{p.tensors[i].shape, t.shape}, "", "with cannot replace a parameter of %v by %v", p.tensors[i].shape, t.shape)
	}
	r := &table{p.g, p.k, slices.Clone(p.tensors)}
	r.tensors[i] = t
	return r
}

// Map applies a function to every tensor. It panics with a [*Refusal] where the
// function changes a shape.
func (p *table) Map(f func(*dense) *dense) *table {
	return p.each("map", func(i int) *dense { return f(p.tensors[i]) })
}

// Step pairs this table with gradients of the same slots and answers the next
// table: a pure transform of data.
func (p *table) Step(gradients *table, f func(weight, gradient *dense) *dense) *table {
	if gradients.g.family != p.g.family || len(gradients.tensors) != len(p.tensors) {
		refuseName(ErrForeign, "step", "step needs gradients of the same %d slots, not %d", len(p.tensors), len(gradients.tensors))
	}
	return p.each("step", func(i int) *dense { return f(p.tensors[i], gradients.tensors[i]) })
}

func (p *table) each(op string, f func(int) *dense) *table {
	r := &table{p.g, p.k, make([]*dense, len(p.tensors))}
	for i, old := range p.tensors {
		t := f(i)
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
	if i < len(f.tensors) && f.tensors[i] != nil {
		return f.tensors[i]
	}
	return f.s.k.constant(f.s.g.shape(i), 0)
}

// Parameters projects the field onto the parameter slots of a table.
func (f *field) Parameters(p *table) *table {
	return p.each("field", func(i int) *dense { return f.Of(p.g.symbol(int(p.g.parameters[i]))) })
}
