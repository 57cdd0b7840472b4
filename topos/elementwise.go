package topos

// What the elementwise families share: equal shapes in, the same shape out, and
// element i of the answer depends on elements i of the operands alone. Nothing
// broadcasts by itself.

// equalShapes is the shape rule of two elementwise operands.
func equalShapes(op Opcode, x []Shape) Shape {
	if !x[0].Equal(x[1]) {
		name := op.Kind.Spelling()
		refuse(name, []Shape{x[0], x[1]}, "", "%s needs equal shapes, not %v and %v", name, x[0], x[1])
	}
	return x[0]
}

func (t *dense) unary(kind Kind) *dense {
	t.k.need(kind.Spelling(), kind, t.shape)
	// A uniform operand gives a uniform answer from one element.
	r := &dense{t.k, t.shape, t.k.make(t.n), t.n}
	t.k.unary[kind](r.data, t.data)
	return r
}

func (t *dense) binary(kind Kind, o *dense) *dense {
	infer(Opcode{Kind: kind}, t.shape, o.shape)
	t.k.need(kind.Spelling(), kind, t.shape, o.shape)
	if t.uniform() && o.uniform() {
		r := &dense{t.k, t.shape, t.k.make(1), 1}
		t.k.binary[kind](r.data, t.data, o.data)
		return r
	}
	r := t.made(t.shape)
	t.k.binary[kind](r.data, t.all(), o.all())
	return r
}

// over asserts the operands of an elementwise body once.
func over[T native](f func(dst, a, b []T)) func(dst, a, b any) {
	return func(dst, a, b any) { f(dst.([]T), a.([]T), b.([]T)) }
}
