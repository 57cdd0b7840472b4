package topos

import (
	"slices"
	"unsafe"
)

// Tensor is the only payload: elements of one kind in row-major order. Rank 0
// is a scalar. It is immutable. Methods panic with a [*Refusal] when shapes do
// not fit.
type Tensor[T any] struct{ t dense }

// typed gives a tensor its element back: both have one layout.
func typed[T any](t *dense) *Tensor[T] { return (*Tensor[T])(unsafe.Pointer(t)) }

// Shape is the extent along every axis. It must not be changed.
func (t *Tensor[T]) Shape() Shape { return t.t.shape }

// Element describes the tensor's numbers.
func (t *Tensor[T]) Element() Element[T] { return Element[T]{t.t.k} }

// Data copies the elements, row-major.
func (t *Tensor[T]) Data() []T { return slices.Clone(t.t.all().([]T)) }

// Scalar is the one element of a tensor of volume 1. It panics with a
// [*Refusal] for any other.
func (t *Tensor[T]) Scalar() T {
	if t.t.shape.Volume() != 1 {
		refuse("scalar", []Shape{t.t.shape}, "", "scalar needs one element, not %v", t.t.shape)
	}
	return t.t.data.([]T)[0]
}

// Equal says whether two tensors have the same shape and the same bits; two
// NaNs are equal whatever their payload, since platforms differ there.
func (t *Tensor[T]) Equal(o *Tensor[T]) bool { return t.t.Equal(&o.t) }

// String prints nested brackets, and the bare number for rank 0.
func (t *Tensor[T]) String() string { return t.t.String() }

// Digest is the SHA-256 of the elements' bits, little-endian and row-major, in
// hex. NaNs count as the element's one quiet NaN.
func (t *Tensor[T]) Digest() string { return t.t.Digest() }

// Reading is the tensor as a reading.
func (t *Tensor[T]) Reading() *Reading { return t.t.reading() }

// Add is the elementwise sum of equal shapes.
func (t *Tensor[T]) Add(o *Tensor[T]) *Tensor[T] { return typed[T](t.t.binary(OpAdd, &o.t)) }

// Sub is the elementwise difference of equal shapes.
func (t *Tensor[T]) Sub(o *Tensor[T]) *Tensor[T] { return typed[T](t.t.binary(OpSub, &o.t)) }

// Mul is the elementwise product of equal shapes.
func (t *Tensor[T]) Mul(o *Tensor[T]) *Tensor[T] { return typed[T](t.t.binary(OpMul, &o.t)) }

// Div is the elementwise quotient of equal shapes.
func (t *Tensor[T]) Div(o *Tensor[T]) *Tensor[T] { return typed[T](t.t.binary(OpDiv, &o.t)) }

// Powf is t to the power o, elementwise.
func (t *Tensor[T]) Powf(o *Tensor[T]) *Tensor[T] { return typed[T](t.t.binary(OpPowf, &o.t)) }

// Maximum is IEEE 754-2019 maximum: NaN from either side, +0 above -0.
func (t *Tensor[T]) Maximum(o *Tensor[T]) *Tensor[T] { return typed[T](t.t.binary(OpMaximum, &o.t)) }

// StepAt is 1 where t >= o, else 0.
func (t *Tensor[T]) StepAt(o *Tensor[T]) *Tensor[T] { return typed[T](t.t.binary(OpStep, &o.t)) }

// Neg changes the sign.
func (t *Tensor[T]) Neg() *Tensor[T] { return typed[T](t.t.unary(OpNeg)) }

// Exp is e to the power t.
func (t *Tensor[T]) Exp() *Tensor[T] { return typed[T](t.t.unary(OpExp)) }

// Ln is the natural logarithm.
func (t *Tensor[T]) Ln() *Tensor[T] { return typed[T](t.t.unary(OpLn)) }

// Sqrt is the square root.
func (t *Tensor[T]) Sqrt() *Tensor[T] { return typed[T](t.t.unary(OpSqrt)) }

// Tanh is the hyperbolic tangent.
func (t *Tensor[T]) Tanh() *Tensor[T] { return typed[T](t.t.unary(OpTanh)) }

// Sin is the sine of radians.
func (t *Tensor[T]) Sin() *Tensor[T] { return typed[T](t.t.unary(OpSin)) }

// Cos is the cosine of radians.
func (t *Tensor[T]) Cos() *Tensor[T] { return typed[T](t.t.unary(OpCos)) }

// Log1p is ln(1 + t).
func (t *Tensor[T]) Log1p() *Tensor[T] { return typed[T](t.t.unary(OpLog1p)) }

// Expm1 is exp(t) - 1.
func (t *Tensor[T]) Expm1() *Tensor[T] { return typed[T](t.t.unary(OpExpm1)) }

// Erf is the error function.
func (t *Tensor[T]) Erf() *Tensor[T] { return typed[T](t.t.unary(OpErf)) }

// ErfDerivative is 2/sqrt(pi) * exp(-t*t).
func (t *Tensor[T]) ErfDerivative() *Tensor[T] { return typed[T](t.t.unary(OpErfDerivative)) }

// MatMul multiplies the last two axes; leading axes are batches.
func (t *Tensor[T]) MatMul(o *Tensor[T]) *Tensor[T] { return typed[T](t.t.MatMul(&o.t)) }

// Sum adds every element, row-major, into a scalar.
func (t *Tensor[T]) Sum() *Tensor[T] { return typed[T](t.t.Sum()) }

// SumAlong adds along an axis, ascending, and removes it.
func (t *Tensor[T]) SumAlong(axis int) *Tensor[T] { return typed[T](t.t.SumAlong(axis)) }

// LogSoftmax is x - max - ln(sum(exp(x - max))) along an axis.
func (t *Tensor[T]) LogSoftmax(axis int) *Tensor[T] { return typed[T](t.t.LogSoftmax(axis)) }

// LogSumExp is max + ln(sum(exp(x - max))) along an axis, which it removes.
func (t *Tensor[T]) LogSumExp(axis int) *Tensor[T] { return typed[T](t.t.LogSumExp(axis)) }

// Broadcast spreads one element over a shape.
func (t *Tensor[T]) Broadcast(shape Shape) *Tensor[T] { return typed[T](t.t.Broadcast(shape)) }

// BroadcastAlong repeats the tensor along a new axis.
func (t *Tensor[T]) BroadcastAlong(axis int, extent int) *Tensor[T] {
	return typed[T](t.t.BroadcastAlong(axis, extent))
}

// Reshape gives the same elements, row-major, another shape.
func (t *Tensor[T]) Reshape(shape Shape) *Tensor[T] { return typed[T](t.t.Reshape(shape)) }

// Permute reorders the axes: axis i of the answer is axis order[i] of t.
func (t *Tensor[T]) Permute(order ...int) *Tensor[T] { return typed[T](t.t.Permute(order...)) }

// Narrow keeps length positions of an axis from start.
func (t *Tensor[T]) Narrow(axis int, start int, length int) *Tensor[T] {
	return typed[T](t.t.Narrow(axis, start, length))
}

// Pad places an axis at start of a longer one of +0.
func (t *Tensor[T]) Pad(axis int, start int, fullExtent int) *Tensor[T] {
	return typed[T](t.t.Pad(axis, start, fullExtent))
}

// Unfold replaces an axis by windows along it: (count, size).
func (t *Tensor[T]) Unfold(axis int, size int, step int, dilation int) *Tensor[T] {
	return typed[T](t.t.Unfold(axis, size, step, dilation))
}

// Fold adds windows back where Unfold would take them from.
func (t *Tensor[T]) Fold(axis int, size int, step int, dilation int, extent int) *Tensor[T] {
	return typed[T](t.t.Fold(axis, size, step, dilation, extent))
}

// Gather takes the rows of t that a one-hot selection [rows, vocabulary] names.
func (t *Tensor[T]) Gather(selection *Tensor[T]) *Tensor[T] {
	return typed[T](t.t.Gather(&selection.t))
}

// Scatter adds the rows of t where a one-hot selection [rows, vocabulary] points.
func (t *Tensor[T]) Scatter(selection *Tensor[T]) *Tensor[T] {
	return typed[T](t.t.Scatter(&selection.t))
}

// Filled is one number over the shape of t.
func (t *Tensor[T]) Filled(x float64) *Tensor[T] { return typed[T](t.t.Filled(x)) }
