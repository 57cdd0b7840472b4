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

// untyped gives the twin of a tensor, nil of nil.
func untyped[T any](t *Tensor[T]) *dense { return (*dense)(unsafe.Pointer(t)) }

// Shape is the extent along every axis. It must not be changed.
func (t *Tensor[T]) Shape() Shape { return t.t.shape }

// Element describes the tensor's numbers.
func (t *Tensor[T]) Element() Element[T] { return Element[T]{t.t.k} }

// Data copies the elements, row-major.
func (t *Tensor[T]) Data() []T { return slices.Clone(t.t.all().([]T)) }

// Scalar is the element of a tensor of rank 0. It panics with a [*Refusal] for
// any other, also for [1].
func (t *Tensor[T]) Scalar() T {
	if len(t.t.shape) != 0 {
		refuse("scalar", []Shape{t.t.shape}, "", "scalar needs a tensor of rank 0, not %v", t.t.shape)
	}
	return t.t.data.([]T)[0]
}

// Equal says whether two tensors have the same shape and the same bits; two
// NaNs are equal whatever their payload, since platforms differ there.
func (t *Tensor[T]) Equal(o *Tensor[T]) bool { return t.t.Equal(&o.t) }

// String prints nested brackets, and the bare number for rank 0.
func (t *Tensor[T]) String() string { return t.t.String() }

// Digest is the SHA-256 of the elements' bits, little-endian and row-major, in
// hex. NaNs count as the element's one quiet NaN. Of an element made by [Own] it
// is taken of [Tensor.Encode].
func (t *Tensor[T]) Digest() string { return t.t.Digest() }

// Reading is the tensor as a reading.
func (t *Tensor[T]) Reading() *Reading { return t.t.reading() }
