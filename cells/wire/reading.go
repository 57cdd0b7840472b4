package wire

import "github.com/topos-notebook/topos/topos"

func (e *encoder) reading(r *topos.Reading) {
	e.string(string(r.Kind))
	e.string(r.Element)
	e.string(r.Subject)
	e.string(r.Text)
	list(e, r.Rows, e.row)
	list(e, r.Marks, func(m *topos.Mark) { e.int(m.Before); e.string(m.Text) })
	list(e, r.Tail, func(s *string) { e.string(*s) })
	e.int(r.Nodes)
	e.int(r.Counts.Parameters)
	e.int(r.Counts.Inputs)
	e.bool(r.Sealed)
	if e.bool(r.Plan != nil); r.Plan != nil {
		e.plan(r.Plan)
	}
	list(e, r.Adjoints, func(a *topos.AdjointReading) {
		e.int(a.Target)
		e.int(a.Wrt)
		e.int(a.Gradient)
		e.string(a.Name)
		e.ints(a.Shape)
	})
	list(e, r.Payloads, e.payload)
	if e.bool(r.Plot != nil); r.Plot != nil {
		e.plot(r.Plot)
	}
}

func (e *encoder) row(r *topos.Row) {
	e.int(r.Index)
	e.string(r.Opcode)
	e.ints(r.Operands)
	e.string(r.Attributes)
	e.ints(r.Shape)
	e.string(r.Liveness)
	e.string(r.Name)
	e.string(r.Origin)
	e.bool(r.Derived)
}

func (e *encoder) plan(p *topos.PlanReading) {
	e.int(p.Evaluated)
	e.int(p.Of)
	e.ints(p.Readable)
	e.ints(p.Skipped)
	e.ints(p.Schedule)
	e.ints(p.Live)
	e.int(p.Peak)
	e.int(p.PeakNode)
	e.int(p.RetainAll)
	e.bool(p.Backward)
	e.bool(p.Exact)
	list(e, p.Patterns, func(x *topos.PatternReading) {
		e.string(x.Kind)
		e.int(x.Root)
		e.ints(x.Nodes)
		e.string(x.Attributes)
		e.bool(x.Fused)
	})
}

func (e *encoder) payload(p *topos.PayloadReading) {
	e.string(p.Label)
	e.int(p.Node)
	e.ints(p.Shape)
	e.string(p.Text)
	e.string(p.Digest)
	e.int(p.Count)
	e.int(p.NonFinite)
	e.string(p.Min)
	e.string(p.Max)
	e.string(p.Norm)
	list(e, p.Cells, func(s *string) { e.string(*s) })
	list(e, p.Samples, func(x *float64) { e.float(*x) })
}

func (e *encoder) plot(p *topos.Plot) {
	e.string(p.Title)
	e.string(p.XLabel)
	e.string(p.YLabel)
	e.bool(p.Step)
	e.bool(p.Log)
	list(e, p.Values, func(x *float64) { e.float(*x) })
	if e.bool(p.Rule != nil); p.Rule != nil {
		e.float(*p.Rule)
	}
}

func (d *decoder) reading() *topos.Reading {
	r := &topos.Reading{Kind: topos.ReadingKind(d.string()), Element: d.string(), Subject: d.string(), Text: d.string()}
	r.Rows = readList(d, d.row)
	r.Marks = readList(d, func(m *topos.Mark) { m.Before, m.Text = d.int(), d.string() })
	r.Tail = readList(d, func(s *string) { *s = d.string() })
	r.Nodes, r.Counts.Parameters, r.Counts.Inputs = d.int(), d.int(), d.int()
	r.Sealed = d.bool()
	if d.bool() {
		r.Plan = d.plan()
	}
	r.Adjoints = readList(d, func(a *topos.AdjointReading) {
		a.Target, a.Wrt, a.Gradient = d.int(), d.int(), d.int()
		a.Name, a.Shape = d.string(), d.shape()
	})
	r.Payloads = readList(d, d.payload)
	if d.bool() {
		r.Plot = d.plot()
	}
	return r
}

// shape is a list of extents. That of a scalar is empty, but there: as JSON it is
// a list too.
func (d *decoder) shape() []int { return append([]int{}, d.ints()...) }

func (d *decoder) row(r *topos.Row) {
	r.Index, r.Opcode, r.Operands = d.int(), d.string(), d.ints()
	r.Attributes, r.Shape, r.Liveness = d.string(), d.shape(), d.string()
	r.Name, r.Origin = d.string(), d.string()
	r.Derived = d.bool()
}

func (d *decoder) plan() *topos.PlanReading {
	p := &topos.PlanReading{
		Evaluated: d.int(), Of: d.int(), Readable: d.ints(), Skipped: d.ints(), Schedule: d.ints(), Live: d.ints(),
		Peak: d.int(), PeakNode: d.int(), RetainAll: d.int(), Backward: d.bool(), Exact: d.bool(),
	}
	p.Patterns = readList(d, func(x *topos.PatternReading) {
		x.Kind, x.Root, x.Nodes, x.Attributes, x.Fused = d.string(), d.int(), d.ints(), d.string(), d.bool()
	})
	return p
}

func (d *decoder) payload(p *topos.PayloadReading) {
	p.Label, p.Node, p.Shape, p.Text, p.Digest = d.string(), d.int(), d.shape(), d.string(), d.string()
	p.Count, p.NonFinite, p.Min, p.Max, p.Norm = d.int(), d.int(), d.string(), d.string(), d.string()
	p.Cells = readList(d, func(s *string) { *s = d.string() })
	p.Samples = readList(d, func(x *float64) { *x = d.float() })
}

func (d *decoder) plot() *topos.Plot {
	p := &topos.Plot{Title: d.string(), XLabel: d.string(), YLabel: d.string(), Step: d.bool(), Log: d.bool()}
	p.Values = readList(d, func(x *float64) { *x = d.float() })
	if d.bool() {
		rule := d.float()
		p.Rule = &rule
	}
	return p
}
