package topos

// The arithmetic of tensors: each method checks shapes by infer, as recording
// does, and fills a new tensor from the element's kernels.

func (t *Tensor[T]) made(shape Shape) *Tensor[T] {
	return &Tensor[T]{t.k, shape, make([]T, shape.Volume())}
}

func (t *Tensor[T]) unary(kind Kind) *Tensor[T] {
	// A uniform operand gives a uniform answer from one element.
	r := &Tensor[T]{t.k, t.shape, make([]T, len(t.data))}
	t.k.unary[kind](r.data, t.data)
	return r
}

func (t *Tensor[T]) binary(kind Kind, o *Tensor[T]) *Tensor[T] {
	infer(Opcode{Kind: kind}, t.shape, o.shape)
	if t.uniform() && o.uniform() {
		r := &Tensor[T]{t.k, t.shape, make([]T, 1)}
		t.k.binary[kind](r.data, t.data, o.data)
		return r
	}
	r := t.made(t.shape)
	t.k.binary[kind](r.data, t.dense(), o.dense())
	return r
}

// Add is the elementwise sum of equal shapes.
func (t *Tensor[T]) Add(o *Tensor[T]) *Tensor[T] { return t.binary(OpAdd, o) }

// Sub is the elementwise difference of equal shapes.
func (t *Tensor[T]) Sub(o *Tensor[T]) *Tensor[T] { return t.binary(OpSub, o) }

// Mul is the elementwise product of equal shapes.
func (t *Tensor[T]) Mul(o *Tensor[T]) *Tensor[T] { return t.binary(OpMul, o) }

// Div is the elementwise quotient of equal shapes.
func (t *Tensor[T]) Div(o *Tensor[T]) *Tensor[T] { return t.binary(OpDiv, o) }

// Powf is t to the power o, elementwise.
func (t *Tensor[T]) Powf(o *Tensor[T]) *Tensor[T] { return t.binary(OpPowf, o) }

// Maximum is IEEE 754-2019 maximum: NaN from either side, +0 above -0.
func (t *Tensor[T]) Maximum(o *Tensor[T]) *Tensor[T] { return t.binary(OpMaximum, o) }

// StepAt is 1 where t >= o, else 0.
func (t *Tensor[T]) StepAt(o *Tensor[T]) *Tensor[T] { return t.binary(OpStep, o) }

// Neg changes the sign.
func (t *Tensor[T]) Neg() *Tensor[T] { return t.unary(OpNeg) }

// Exp is e to the power t.
func (t *Tensor[T]) Exp() *Tensor[T] { return t.unary(OpExp) }

// Ln is the natural logarithm.
func (t *Tensor[T]) Ln() *Tensor[T] { return t.unary(OpLn) }

// Sqrt is the square root.
func (t *Tensor[T]) Sqrt() *Tensor[T] { return t.unary(OpSqrt) }

// Tanh is the hyperbolic tangent.
func (t *Tensor[T]) Tanh() *Tensor[T] { return t.unary(OpTanh) }

// Sin is the sine of radians.
func (t *Tensor[T]) Sin() *Tensor[T] { return t.unary(OpSin) }

// Cos is the cosine of radians.
func (t *Tensor[T]) Cos() *Tensor[T] { return t.unary(OpCos) }

// Log1p is ln(1 + t).
func (t *Tensor[T]) Log1p() *Tensor[T] { return t.unary(OpLog1p) }

// Expm1 is exp(t) - 1.
func (t *Tensor[T]) Expm1() *Tensor[T] { return t.unary(OpExpm1) }

// Erf is the error function.
func (t *Tensor[T]) Erf() *Tensor[T] { return t.unary(OpErf) }

// ErfDerivative is 2/sqrt(pi) * exp(-t*t).
func (t *Tensor[T]) ErfDerivative() *Tensor[T] { return t.unary(OpErfDerivative) }

// MatMul multiplies the last two axes; leading axes are batches.
func (t *Tensor[T]) MatMul(o *Tensor[T]) *Tensor[T] {
	r := t.made(infer(Opcode{Kind: OpMatMul}, t.shape, o.shape))
	n := len(t.shape)
	t.k.matmul(r.data, t.dense(), o.dense(), t.shape[:n-2].Volume(), t.shape[n-2], t.shape[n-1], o.shape[n-1])
	return r
}

// Sum adds every element, row-major, into a scalar.
func (t *Tensor[T]) Sum() *Tensor[T] {
	return &Tensor[T]{t.k, Shape{}, []T{t.k.sum(t.dense())}}
}

// SumAlong adds along an axis, ascending, and removes it.
func (t *Tensor[T]) SumAlong(axis int) *Tensor[T] {
	return t.lanes(Opcode{Kind: OpSumAlong, Axis: axis}, t.k.sumAlong)
}

// LogSoftmax is x - max - ln(sum(exp(x - max))) along an axis.
func (t *Tensor[T]) LogSoftmax(axis int) *Tensor[T] {
	return t.lanes(Opcode{Kind: OpLogSoftmax, Axis: axis}, t.k.logSoftmax)
}

// LogSumExp is max + ln(sum(exp(x - max))) along an axis, which it removes.
func (t *Tensor[T]) LogSumExp(axis int) *Tensor[T] {
	return t.lanes(Opcode{Kind: OpLogSumExp, Axis: axis}, t.k.logSumExp)
}

func (t *Tensor[T]) lanes(op Opcode, f func(dst, a []T, outer, extent, inner int)) *Tensor[T] {
	r := t.made(infer(op, t.shape))
	outer, extent, inner := t.shape.around(op.Axis)
	f(r.data, t.dense(), outer, extent, inner)
	return r
}

// Broadcast spreads one element over a shape.
func (t *Tensor[T]) Broadcast(shape Shape) *Tensor[T] {
	return &Tensor[T]{t.k, infer(Opcode{Kind: OpBroadcast, Dims: shape}, t.shape), t.data[:1]}
}

// BroadcastAlong repeats the tensor along a new axis.
func (t *Tensor[T]) BroadcastAlong(axis, extent int) *Tensor[T] {
	shape := infer(Opcode{Kind: OpBroadcastAlong, Axis: axis, Extent: extent}, t.shape)
	if t.uniform() {
		return &Tensor[T]{t.k, shape, t.data}
	}
	r := t.made(shape)
	inner := t.shape[axis:].Volume()
	for o := range t.shape[:axis].Volume() {
		for e := range extent {
			copy(r.data[(o*extent+e)*inner:], t.data[o*inner:(o+1)*inner])
		}
	}
	return r
}

// Reshape gives the same elements, row-major, another shape.
func (t *Tensor[T]) Reshape(shape Shape) *Tensor[T] {
	return &Tensor[T]{t.k, infer(Opcode{Kind: OpReshape, Dims: shape}, t.shape), t.data}
}

// Permute reorders the axes: axis i of the answer is axis order[i] of t.
func (t *Tensor[T]) Permute(order ...int) *Tensor[T] {
	shape := infer(Opcode{Kind: OpPermute, Dims: order}, t.shape)
	if t.uniform() {
		return &Tensor[T]{t.k, shape, t.data}
	}
	strides := make([]int, len(t.shape))
	for i, stride := len(t.shape)-1, 1; i >= 0; i-- {
		strides[i] = stride
		stride *= t.shape[i]
	}
	r, at, from := t.made(shape), make([]int, len(shape)), 0
	for i := range r.data {
		r.data[i] = t.data[from]
		for d := len(shape) - 1; d >= 0; d-- {
			at[d]++
			from += strides[order[d]]
			if at[d] < shape[d] {
				break
			}
			from -= at[d] * strides[order[d]]
			at[d] = 0
		}
	}
	return r
}

// Narrow keeps length positions of an axis from start.
func (t *Tensor[T]) Narrow(axis, start, length int) *Tensor[T] {
	shape := infer(Opcode{Kind: OpNarrow, Axis: axis, Start: start, Length: length}, t.shape)
	if t.uniform() {
		return &Tensor[T]{t.k, shape, t.data}
	}
	r := t.made(shape)
	outer, extent, inner := t.shape.around(axis)
	for o := range outer {
		copy(r.data[o*length*inner:(o+1)*length*inner], t.data[(o*extent+start)*inner:])
	}
	return r
}

// Pad places an axis at start of a longer one of +0.
func (t *Tensor[T]) Pad(axis, start, fullExtent int) *Tensor[T] {
	r := t.made(infer(Opcode{Kind: OpPad, Axis: axis, Start: start, Extent: fullExtent}, t.shape))
	outer, extent, inner := t.shape.around(axis)
	d := t.dense()
	for o := range outer {
		copy(r.data[(o*fullExtent+start)*inner:], d[o*extent*inner:(o+1)*extent*inner])
	}
	return r
}

// Unfold replaces an axis by windows along it: (count, size).
func (t *Tensor[T]) Unfold(axis, size, step, dilation int) *Tensor[T] {
	shape := infer(Opcode{Kind: OpUnfold, Axis: axis, Size: size, Step: step, Dilation: dilation}, t.shape)
	if t.uniform() {
		return &Tensor[T]{t.k, shape, t.data}
	}
	r := t.made(shape)
	outer, extent, inner := t.shape.around(axis)
	count := shape[axis]
	for o := range outer {
		for w := range count {
			for p := range size {
				copy(r.data[((o*count+w)*size+p)*inner:][:inner], t.data[(o*extent+w*step+p*dilation)*inner:])
			}
		}
	}
	return r
}

// Fold adds windows back where Unfold would take them from.
func (t *Tensor[T]) Fold(axis, size, step, dilation, extent int) *Tensor[T] {
	op := Opcode{Kind: OpFold, Axis: axis, Size: size, Step: step, Dilation: dilation, Extent: extent}
	r := t.made(infer(op, t.shape))
	t.k.fold(r.data, t.dense(), t.shape[:axis].Volume(), t.shape[axis+2:].Volume(), t.shape[axis], extent, op)
	return r
}

// Gather takes the rows of t that a one-hot selection [rows, vocabulary] names.
func (t *Tensor[T]) Gather(selection *Tensor[T]) *Tensor[T] {
	r := t.made(infer(Opcode{Kind: OpGather}, t.shape, selection.shape))
	t.k.gather(r.data, t.dense(), selection.dense(), selection.shape[0], selection.shape[1], t.shape[1:].Volume())
	return r
}

// Scatter adds the rows of t where a one-hot selection [rows, vocabulary] points.
func (t *Tensor[T]) Scatter(selection *Tensor[T]) *Tensor[T] {
	r := t.made(infer(Opcode{Kind: OpScatter}, t.shape, selection.shape))
	t.k.scatter(r.data, t.dense(), selection.dense(), selection.shape[0], selection.shape[1], t.shape[1:].Volume())
	return r
}

// Filled is one number over the shape of t.
func (t *Tensor[T]) Filled(x float64) *Tensor[T] {
	return &Tensor[T]{t.k, t.shape, []T{t.k.from(x)}}
}
