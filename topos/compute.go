package topos

// The arithmetic of tensors: each method checks shapes by infer, as recording
// does, and fills a new tensor from the element's kernels. Documented on
// [Tensor].

func (t *dense) made(shape Shape) *dense {
	n := shape.Volume()
	return &dense{t.k, shape, t.k.make(n), n}
}

func (t *dense) unary(kind Kind) *dense {
	// A uniform operand gives a uniform answer from one element.
	r := &dense{t.k, t.shape, t.k.make(t.n), t.n}
	t.k.unary[kind](r.data, t.data)
	return r
}

func (t *dense) binary(kind Kind, o *dense) *dense {
	infer(Opcode{Kind: kind}, t.shape, o.shape)
	if t.uniform() && o.uniform() {
		r := &dense{t.k, t.shape, t.k.make(1), 1}
		t.k.binary[kind](r.data, t.data, o.data)
		return r
	}
	r := t.made(t.shape)
	t.k.binary[kind](r.data, t.all(), o.all())
	return r
}

func (t *dense) Add(o *dense) *dense { return t.binary(OpAdd, o) }

func (t *dense) Sub(o *dense) *dense { return t.binary(OpSub, o) }

func (t *dense) Mul(o *dense) *dense { return t.binary(OpMul, o) }

func (t *dense) Div(o *dense) *dense { return t.binary(OpDiv, o) }

func (t *dense) Powf(o *dense) *dense { return t.binary(OpPowf, o) }

func (t *dense) Maximum(o *dense) *dense { return t.binary(OpMaximum, o) }

func (t *dense) StepAt(o *dense) *dense { return t.binary(OpStep, o) }

func (t *dense) Neg() *dense { return t.unary(OpNeg) }

func (t *dense) Exp() *dense { return t.unary(OpExp) }

func (t *dense) Ln() *dense { return t.unary(OpLn) }

func (t *dense) Sqrt() *dense { return t.unary(OpSqrt) }

func (t *dense) Tanh() *dense { return t.unary(OpTanh) }

func (t *dense) Sin() *dense { return t.unary(OpSin) }

func (t *dense) Cos() *dense { return t.unary(OpCos) }

func (t *dense) Log1p() *dense { return t.unary(OpLog1p) }

func (t *dense) Expm1() *dense { return t.unary(OpExpm1) }

func (t *dense) Erf() *dense { return t.unary(OpErf) }

func (t *dense) ErfDerivative() *dense { return t.unary(OpErfDerivative) }

func (t *dense) MatMul(o *dense) *dense {
	r := t.made(infer(Opcode{Kind: OpMatMul}, t.shape, o.shape))
	n := len(t.shape)
	t.k.matmul(r.data, t.all(), o.all(), t.shape[:n-2].Volume(), t.shape[n-2], t.shape[n-1], o.shape[n-1])
	return r
}

func (t *dense) Sum() *dense {
	r := t.made(Shape{})
	t.k.sum(r.data, t.all())
	return r
}

func (t *dense) SumAlong(axis int) *dense {
	return t.lanes(Opcode{Kind: OpSumAlong, Axis: axis}, t.k.sumAlong)
}

func (t *dense) LogSoftmax(axis int) *dense {
	return t.lanes(Opcode{Kind: OpLogSoftmax, Axis: axis}, t.k.logSoftmax)
}

func (t *dense) LogSumExp(axis int) *dense {
	return t.lanes(Opcode{Kind: OpLogSumExp, Axis: axis}, t.k.logSumExp)
}

func (t *dense) lanes(op Opcode, f func(dst, a any, outer, extent, inner int)) *dense {
	r := t.made(infer(op, t.shape))
	outer, extent, inner := t.shape.around(op.Axis)
	f(r.data, t.all(), outer, extent, inner)
	return r
}

func (t *dense) Broadcast(shape Shape) *dense {
	return &dense{t.k, infer(Opcode{Kind: OpBroadcast, Dims: shape}, t.shape), t.data, 1}
}

func (t *dense) BroadcastAlong(axis, extent int) *dense {
	shape := infer(Opcode{Kind: OpBroadcastAlong, Axis: axis, Extent: extent}, t.shape)
	if t.uniform() {
		return &dense{t.k, shape, t.data, t.n}
	}
	r := t.made(shape)
	inner := t.shape[axis:].Volume()
	for o := range t.shape[:axis].Volume() {
		for e := range extent {
			t.k.move(r.data, (o*extent+e)*inner, t.data, o*inner, inner)
		}
	}
	return r
}

func (t *dense) Reshape(shape Shape) *dense {
	return &dense{t.k, infer(Opcode{Kind: OpReshape, Dims: shape}, t.shape), t.data, t.n}
}

func (t *dense) Permute(order ...int) *dense {
	shape := infer(Opcode{Kind: OpPermute, Dims: order}, t.shape)
	if t.uniform() {
		return &dense{t.k, shape, t.data, t.n}
	}
	strides := make([]int, len(t.shape))
	for i, stride := len(t.shape)-1, 1; i >= 0; i-- {
		strides[i] = stride
		stride *= t.shape[i]
	}
	moved := make([]int, len(order))
	for i, d := range order {
		moved[i] = strides[d]
	}
	r := t.made(shape)
	t.k.permute(r.data, t.data, shape, moved)
	return r
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

func (t *dense) Unfold(axis, size, step, dilation int) *dense {
	shape := infer(Opcode{Kind: OpUnfold, Axis: axis, Size: size, Step: step, Dilation: dilation}, t.shape)
	if t.uniform() {
		return &dense{t.k, shape, t.data, t.n}
	}
	r := t.made(shape)
	outer, extent, inner := t.shape.around(axis)
	count := shape[axis]
	for o := range outer {
		for w := range count {
			for p := range size {
				t.k.move(r.data, ((o*count+w)*size+p)*inner, t.data, (o*extent+w*step+p*dilation)*inner, inner)
			}
		}
	}
	return r
}

func (t *dense) Fold(axis, size, step, dilation, extent int) *dense {
	op := Opcode{Kind: OpFold, Axis: axis, Size: size, Step: step, Dilation: dilation, Extent: extent}
	r := t.made(infer(op, t.shape))
	t.k.fold(r.data, t.all(), t.shape[:axis].Volume(), t.shape[axis+2:].Volume(), t.shape[axis], extent, op)
	return r
}

func (t *dense) Gather(selection *dense) *dense {
	r := t.made(infer(Opcode{Kind: OpGather}, t.shape, selection.shape))
	t.k.gather(r.data, t.all(), selection.all(), selection.shape[0], selection.shape[1], t.shape[1:].Volume())
	return r
}

func (t *dense) Scatter(selection *dense) *dense {
	r := t.made(infer(Opcode{Kind: OpScatter}, t.shape, selection.shape))
	t.k.scatter(r.data, t.all(), selection.all(), selection.shape[0], selection.shape[1], t.shape[1:].Volume())
	return r
}

func (t *dense) Filled(x float64) *dense {
	return t.k.constant(t.shape, x)
}
