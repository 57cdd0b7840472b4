package topos

// Narrow keeps a range of an axis, Pad places an axis inside a longer one of +0.
// Each is the other's adjoint.
//
//	kind    attributes                 extent of axis   cotangent of x                 retains
//	Narrow  axis, start, len           len              Pad(g, axis, start, extent)    nothing
//	Pad     axis, start, full_extent   full_extent      Narrow(g, axis, start, extent) nothing
//
// where extent is that of x along the axis.

var (
	narrowFacts = facts{name: "Narrow", spelling: "narrow", arity: 1, family: narrowFamily, attributes: narrowing}
	padFacts    = facts{name: "Pad", spelling: "pad", arity: 1, family: narrowFamily, attributes: padding}
)

func narrowShape(op Opcode, a Shape) Shape {
	needAxis(op, a)
	extent := a[op.Axis]
	if op.Kind == OpNarrow {
		if op.Length < 1 || op.Start < 0 || op.Start > extent-op.Length {
			refuse("narrow", []Shape{a}, op.Attributes(), "narrow cannot keep %d from %d of axis %d of %v", op.Length, op.Start, op.Axis, a)
		}
		return a.with(op.Axis, op.Length)
	}
	if op.Start < 0 || op.Start > op.Extent-extent {
		refuse("pad", []Shape{a}, op.Attributes(), "pad cannot place axis %d of %v at %d of %d", op.Axis, a, op.Start, op.Extent)
	}
	r := a.with(op.Axis, op.Extent)
	needShape(op, a, r)
	return r
}

// Narrow keeps length positions of an axis from start.
func (v Trace) Narrow(axis, start, length int) Trace {
	return v.tape.apply(Opcode{Kind: OpNarrow, Axis: axis, Start: start, Length: length}, v)
}

// Pad places an axis at start of a longer one of zeros.
func (v Trace) Pad(axis, start, fullExtent int) Trace {
	return v.tape.apply(Opcode{Kind: OpPad, Axis: axis, Start: start, Extent: fullExtent}, v)
}

func (t *dense) Narrow(axis, start, length int) *dense {
	shape := infer(Opcode{Kind: OpNarrow, Axis: axis, Start: start, Length: length}, t.shape)
	if t.uniform() {
		return &dense{t.k, shape, t.data, t.n}
	}
	r := t.made(shape)
	outer, extent, inner := t.shape.around(axis)
	for o := range outer {
		t.k.move(r.data, o*length*inner, t.data, (o*extent+start)*inner, length*inner)
	}
	return r
}

func (t *dense) Pad(axis, start, fullExtent int) *dense {
	r := t.made(infer(Opcode{Kind: OpPad, Axis: axis, Start: start, Extent: fullExtent}, t.shape))
	outer, extent, inner := t.shape.around(axis)
	d := t.all()
	for o := range outer {
		t.k.move(r.data, (o*fullExtent+start)*inner, d, o*extent*inner, extent*inner)
	}
	return r
}

func narrowRule[R Recordable[R]](op Opcode, g, x R) R {
	if op.Kind == OpNarrow {
		return g.Pad(op.Axis, op.Start, x.Shape()[op.Axis])
	}
	return g.Narrow(op.Axis, op.Start, x.Shape()[op.Axis])
}

// Narrow keeps length positions of an axis from start.
func (t *Tensor[T]) Narrow(axis int, start int, length int) *Tensor[T] {
	return typed[T](t.t.Narrow(axis, start, length))
}

// Pad places an axis at start of a longer one of +0.
func (t *Tensor[T]) Pad(axis int, start int, fullExtent int) *Tensor[T] {
	return typed[T](t.t.Pad(axis, start, fullExtent))
}
