package topos

import "unsafe"

// Value is the operand of recording: a small, copyable proxy of a node that
// borrows its tape. Every method appends nodes and panics with a [*Refusal]
// when the shapes do not fit, the tape was sealed, or the values belong to
// different tapes. Take its [Symbol] to speak of the node after the seal.
type Value[T any] struct{ v trace }

// Tape is the tape the value records on.
func (v Value[T]) Tape() *Tape[T] { return (*Tape[T])(unsafe.Pointer(v.v.tape)) }

// untypeds strips the element of values.
func untypeds[T any](values []Value[T]) []trace {
	r := make([]trace, len(values))
	for i, v := range values {
		r[i] = v.v
	}
	return r
}

// Reading is the node's row, its payload under the recorded initials, and its
// readers.
func (v Value[T]) Reading() *Reading { return v.v.reading() }

// Symbol is the detached name of the node.
func (v Value[T]) Symbol() Symbol { return v.v.Symbol() }

// Shape is the node's shape. It must not be changed.
func (v Value[T]) Shape() Shape { return v.v.Shape() }

// String prints one line: #3 Mul [1, 2] f32.
func (v Value[T]) String() string { return v.v.String() }

// Add is the elementwise sum of equal shapes.
func (v Value[T]) Add(o Value[T]) Value[T] { return Value[T]{v.v.Add(o.v)} }

// Sub is the elementwise difference of equal shapes.
func (v Value[T]) Sub(o Value[T]) Value[T] { return Value[T]{v.v.Sub(o.v)} }

// Mul is the elementwise product of equal shapes.
func (v Value[T]) Mul(o Value[T]) Value[T] { return Value[T]{v.v.Mul(o.v)} }

// Div is the elementwise quotient of equal shapes.
func (v Value[T]) Div(o Value[T]) Value[T] { return Value[T]{v.v.Div(o.v)} }

// Neg changes the sign.
func (v Value[T]) Neg() Value[T] { return Value[T]{v.v.Neg()} }

// Exp is e to the power v.
func (v Value[T]) Exp() Value[T] { return Value[T]{v.v.Exp()} }

// Ln is the natural logarithm.
func (v Value[T]) Ln() Value[T] { return Value[T]{v.v.Ln()} }

// Sqrt is the square root.
func (v Value[T]) Sqrt() Value[T] { return Value[T]{v.v.Sqrt()} }

// Tanh is the hyperbolic tangent. Its rule is g*(1 - out*out).
func (v Value[T]) Tanh() Value[T] { return Value[T]{v.v.Tanh()} }

// Sin is the sine of radians.
func (v Value[T]) Sin() Value[T] { return Value[T]{v.v.Sin()} }

// Cos is the cosine of radians.
func (v Value[T]) Cos() Value[T] { return Value[T]{v.v.Cos()} }

// Log1p is ln(1 + v).
func (v Value[T]) Log1p() Value[T] { return Value[T]{v.v.Log1p()} }

// Expm1 is exp(v) - 1.
func (v Value[T]) Expm1() Value[T] { return Value[T]{v.v.Expm1()} }

// Erf is the error function.
func (v Value[T]) Erf() Value[T] { return Value[T]{v.v.Erf()} }

// ErfDerivative is 2/sqrt(pi) * exp(-v*v).
func (v Value[T]) ErfDerivative() Value[T] { return Value[T]{v.v.ErfDerivative()} }

// Powf is v to the power o, elementwise.
func (v Value[T]) Powf(o Value[T]) Value[T] { return Value[T]{v.v.Powf(o.v)} }

// Maximum is the larger of two, elementwise, as IEEE 754-2019 defines it: NaN
// from either side, +0 above -0. A tie sends its gradient to v.
func (v Value[T]) Maximum(o Value[T]) Value[T] { return Value[T]{v.v.Maximum(o.v)} }

// StepAt is 1 where v >= o, else 0. Nothing flows back through it.
func (v Value[T]) StepAt(o Value[T]) Value[T] { return Value[T]{v.v.StepAt(o.v)} }

// MatMul multiplies the last two axes, [.., m, k] by [.., k, n]; leading axes
// are batches and must agree.
func (v Value[T]) MatMul(o Value[T]) Value[T] { return Value[T]{v.v.MatMul(o.v)} }

// Sum adds every element into a scalar.
func (v Value[T]) Sum() Value[T] { return Value[T]{v.v.Sum()} }

// SumAlong adds along an axis, which it removes.
func (v Value[T]) SumAlong(axis int) Value[T] { return Value[T]{v.v.SumAlong(axis)} }

// Broadcast spreads a value of one element over a shape.
func (v Value[T]) Broadcast(shape Shape) Value[T] { return Value[T]{v.v.Broadcast(shape)} }

// BroadcastAlong repeats the value along a new axis of an extent.
func (v Value[T]) BroadcastAlong(axis int, extent int) Value[T] {
	return Value[T]{v.v.BroadcastAlong(axis, extent)}
}

// Reshape gives the same elements, row-major, another shape of equal volume.
func (v Value[T]) Reshape(shape Shape) Value[T] { return Value[T]{v.v.Reshape(shape)} }

// Permute reorders the axes: axis i of the answer is axis order[i] of v.
func (v Value[T]) Permute(order ...int) Value[T] { return Value[T]{v.v.Permute(order...)} }

// Narrow keeps length positions of an axis from start.
func (v Value[T]) Narrow(axis int, start int, length int) Value[T] {
	return Value[T]{v.v.Narrow(axis, start, length)}
}

// Pad places an axis at start of a longer one of zeros.
func (v Value[T]) Pad(axis int, start int, fullExtent int) Value[T] {
	return Value[T]{v.v.Pad(axis, start, fullExtent)}
}

// Unfold replaces an axis by windows along it: two axes, (count, size).
func (v Value[T]) Unfold(axis int, size int, step int, dilation int) Value[T] {
	return Value[T]{v.v.Unfold(axis, size, step, dilation)}
}

// Fold adds windows back into an axis of an extent: the adjoint of Unfold.
func (v Value[T]) Fold(axis int, size int, step int, dilation int, extent int) Value[T] {
	return Value[T]{v.v.Fold(axis, size, step, dilation, extent)}
}

// Gather takes rows of a table v by a one-hot selection [rows, vocabulary].
func (v Value[T]) Gather(selection Value[T]) Value[T] { return Value[T]{v.v.Gather(selection.v)} }

// Scatter adds rows v where a one-hot selection [rows, vocabulary] points.
func (v Value[T]) Scatter(selection Value[T]) Value[T] { return Value[T]{v.v.Scatter(selection.v)} }

// LogSoftmax is v - max - ln(sum(exp(v - max))) along an axis.
func (v Value[T]) LogSoftmax(axis int) Value[T] { return Value[T]{v.v.LogSoftmax(axis)} }

// LogSumExp is max + ln(sum(exp(v - max))) along an axis, which it removes.
func (v Value[T]) LogSumExp(axis int) Value[T] { return Value[T]{v.v.LogSumExp(axis)} }

// Filled records a constant leaf of the shape of v.
func (v Value[T]) Filled(x float64) Value[T] { return Value[T]{v.v.Filled(x)} }

// Compositions: a dump shows how each is spelled in the vocabulary.

// Abs is maximum(v, -v).
func (v Value[T]) Abs() Value[T] { return Value[T]{v.v.Abs()} }

// Relu is maximum(v, 0). Its gradient at 0 is 1.
func (v Value[T]) Relu() Value[T] { return Value[T]{v.v.Relu()} }

// Softplus is ln(1 + exp(v)), spelled relu(v) + log1p(exp(-|v|)).
func (v Value[T]) Softplus() Value[T] { return Value[T]{v.v.Softplus()} }

// Gelu is v * (1 + erf(v / sqrt 2)) / 2 (Hendrycks and Gimpel 2016).
func (v Value[T]) Gelu() Value[T] { return Value[T]{v.v.Gelu()} }

// Softmax is exp(log_softmax(v)) along an axis.
func (v Value[T]) Softmax(axis int) Value[T] { return Value[T]{v.v.Softmax(axis)} }

// MeanAlong is the mean along an axis, which it removes.
func (v Value[T]) MeanAlong(axis int) Value[T] { return Value[T]{v.v.MeanAlong(axis)} }

// Transpose swaps the two axes of a matrix; lower ranks are permuted as they are.
func (v Value[T]) Transpose() Value[T] { return Value[T]{v.v.Transpose()} }

// Squeeze removes an axis of extent 1.
func (v Value[T]) Squeeze(axis int) Value[T] { return Value[T]{v.v.Squeeze(axis)} }

// Unsqueeze inserts an axis of extent 1.
func (v Value[T]) Unsqueeze(axis int) Value[T] { return Value[T]{v.v.Unsqueeze(axis)} }

// BroadcastTo spreads v over a shape whose trailing axes it fits: each axis of
// v has the extent asked for, or 1.
func (v Value[T]) BroadcastTo(shape Shape) Value[T] { return Value[T]{v.v.BroadcastTo(shape)} }

// BroadcastLike spreads a value of one element over the shape of o.
func (v Value[T]) BroadcastLike(o Value[T]) Value[T] { return Value[T]{v.v.BroadcastLike(o.v)} }

// BroadcastAlongLike repeats the value along a new axis so that it has the
// shape of o.
func (v Value[T]) BroadcastAlongLike(axis int, o Value[T]) Value[T] {
	return Value[T]{v.v.BroadcastAlongLike(axis, o.v)}
}

// Concat joins values along an axis.
func (v Value[T]) Concat(axis int, others ...Value[T]) Value[T] {
	return Value[T]{v.v.Concat(axis, untypeds(others)...)}
}

// Stack joins values of one shape along a new axis.
func (v Value[T]) Stack(axis int, others ...Value[T]) Value[T] {
	return Value[T]{v.v.Stack(axis, untypeds(others)...)}
}
