package topos

import "fmt"

// Value is the operand of recording: a small, copyable proxy of a node that
// borrows its tape. Every method appends nodes and panics with a [*Refusal]
// when the shapes do not fit, the tape was sealed, or the values belong to
// different tapes. Take its [Symbol] to speak of the node after the seal.
//
// Value[T] is a [Trace] whatever T is: a node has no element of its own, its
// tape has. Values of tapes of different elements are told apart when they meet.
type Value[T any] = Trace

// Trace is the payload that records instead of computing. See [Value].
type Trace struct {
	tape   *tape
	symbol Symbol
}

// Symbol is the detached name of the node.
func (v Trace) Symbol() Symbol { return v.symbol }

// Shape is the node's shape. It must not be changed.
func (v Trace) Shape() Shape {
	g := v.tape.open("shape")
	return g.shape(g.resolve("shape", v.symbol))
}

// String prints one line: #3 Mul [1, 2] f32.
func (v Trace) String() string {
	if v.tape == nil {
		return "no value"
	}
	n := v.tape.s.named("value", v.symbol)
	return fmt.Sprintf("#%d %v %v %s", v.symbol.index, n.opcode, n.shape, v.tape.s.k.name)
}

// Add is the elementwise sum of equal shapes.
func (v Trace) Add(o Trace) Trace { return v.tape.apply2(OpAdd, v, o) }

// Sub is the elementwise difference of equal shapes.
func (v Trace) Sub(o Trace) Trace { return v.tape.apply2(OpSub, v, o) }

// Mul is the elementwise product of equal shapes.
func (v Trace) Mul(o Trace) Trace { return v.tape.apply2(OpMul, v, o) }

// Div is the elementwise quotient of equal shapes.
func (v Trace) Div(o Trace) Trace { return v.tape.apply2(OpDiv, v, o) }

// Neg changes the sign.
func (v Trace) Neg() Trace { return v.tape.apply(Opcode{Kind: OpNeg}, v) }

// Exp is e to the power v.
func (v Trace) Exp() Trace { return v.tape.apply(Opcode{Kind: OpExp}, v) }

// Ln is the natural logarithm.
func (v Trace) Ln() Trace { return v.tape.apply(Opcode{Kind: OpLn}, v) }

// Sqrt is the square root.
func (v Trace) Sqrt() Trace { return v.tape.apply(Opcode{Kind: OpSqrt}, v) }

// Tanh is the hyperbolic tangent. Its rule is g*(1 - out*out).
func (v Trace) Tanh() Trace { return v.tape.apply(Opcode{Kind: OpTanh}, v) }

// Sin is the sine of radians.
func (v Trace) Sin() Trace { return v.tape.apply(Opcode{Kind: OpSin}, v) }

// Cos is the cosine of radians.
func (v Trace) Cos() Trace { return v.tape.apply(Opcode{Kind: OpCos}, v) }

// Log1p is ln(1 + v).
func (v Trace) Log1p() Trace { return v.tape.apply(Opcode{Kind: OpLog1p}, v) }

// Expm1 is exp(v) - 1.
func (v Trace) Expm1() Trace { return v.tape.apply(Opcode{Kind: OpExpm1}, v) }

// Erf is the error function.
func (v Trace) Erf() Trace { return v.tape.apply(Opcode{Kind: OpErf}, v) }

// ErfDerivative is 2/sqrt(pi) * exp(-v*v).
func (v Trace) ErfDerivative() Trace { return v.tape.apply(Opcode{Kind: OpErfDerivative}, v) }

// Powf is v to the power o, elementwise.
func (v Trace) Powf(o Trace) Trace { return v.tape.apply2(OpPowf, v, o) }

// Maximum is the larger of two, elementwise, as IEEE 754-2019 defines it: NaN
// from either side, +0 above -0. A tie sends its gradient to v.
func (v Trace) Maximum(o Trace) Trace { return v.tape.apply2(OpMaximum, v, o) }

// StepAt is 1 where v >= o, else 0. Nothing flows back through it.
func (v Trace) StepAt(o Trace) Trace { return v.tape.apply2(OpStep, v, o) }

// MatMul multiplies the last two axes, [.., m, k] by [.., k, n]; leading axes
// are batches and must agree.
func (v Trace) MatMul(o Trace) Trace { return v.tape.apply2(OpMatMul, v, o) }

// Sum adds every element into a scalar.
func (v Trace) Sum() Trace { return v.tape.apply(Opcode{Kind: OpSum}, v) }

// SumAlong adds along an axis, which it removes.
func (v Trace) SumAlong(axis int) Trace {
	return v.tape.apply(Opcode{Kind: OpSumAlong, Axis: axis}, v)
}

// Broadcast spreads a value of one element over a shape.
func (v Trace) Broadcast(shape Shape) Trace {
	return v.tape.apply(Opcode{Kind: OpBroadcast, Dims: clone(shape)}, v)
}

// BroadcastAlong repeats the value along a new axis of an extent.
func (v Trace) BroadcastAlong(axis, extent int) Trace {
	return v.tape.apply(Opcode{Kind: OpBroadcastAlong, Axis: axis, Extent: extent}, v)
}

// Reshape gives the same elements, row-major, another shape of equal volume.
func (v Trace) Reshape(shape Shape) Trace {
	return v.tape.apply(Opcode{Kind: OpReshape, Dims: clone(shape)}, v)
}

// Permute reorders the axes: axis i of the answer is axis order[i] of v.
func (v Trace) Permute(order ...int) Trace {
	return v.tape.apply(Opcode{Kind: OpPermute, Dims: clone(order)}, v)
}

// Narrow keeps length positions of an axis from start.
func (v Trace) Narrow(axis, start, length int) Trace {
	return v.tape.apply(Opcode{Kind: OpNarrow, Axis: axis, Start: start, Length: length}, v)
}

// Pad places an axis at start of a longer one of zeros.
func (v Trace) Pad(axis, start, fullExtent int) Trace {
	return v.tape.apply(Opcode{Kind: OpPad, Axis: axis, Start: start, Extent: fullExtent}, v)
}

// Unfold replaces an axis by windows along it: two axes, (count, size).
func (v Trace) Unfold(axis, size, step, dilation int) Trace {
	return v.tape.apply(Opcode{Kind: OpUnfold, Axis: axis, Size: size, Step: step, Dilation: dilation}, v)
}

// Fold adds windows back into an axis of an extent: the adjoint of Unfold.
func (v Trace) Fold(axis, size, step, dilation, extent int) Trace {
	return v.tape.apply(Opcode{Kind: OpFold, Axis: axis, Size: size, Step: step, Dilation: dilation, Extent: extent}, v)
}

// Gather takes rows of a table v by a one-hot selection [rows, vocabulary].
func (v Trace) Gather(selection Trace) Trace { return v.tape.apply2(OpGather, v, selection) }

// Scatter adds rows v where a one-hot selection [rows, vocabulary] points.
func (v Trace) Scatter(selection Trace) Trace { return v.tape.apply2(OpScatter, v, selection) }

// LogSoftmax is v - max - ln(sum(exp(v - max))) along an axis.
func (v Trace) LogSoftmax(axis int) Trace {
	return v.tape.apply(Opcode{Kind: OpLogSoftmax, Axis: axis}, v)
}

// LogSumExp is max + ln(sum(exp(v - max))) along an axis, which it removes.
func (v Trace) LogSumExp(axis int) Trace {
	return v.tape.apply(Opcode{Kind: OpLogSumExp, Axis: axis}, v)
}

// Filled records a constant leaf of the shape of v.
func (v Trace) Filled(x float64) Trace {
	g := v.tape.open("leaf")
	k := v.tape.s.k
	return v.tape.source(OpLeaf, k.constant(g.shape(g.resolve("leaf", v.symbol)), x))
}

func clone(s []int) Shape { return append(Shape{}, s...) }
