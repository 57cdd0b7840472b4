package topos

import (
	"fmt"
	"math"
)

// What a tensor is made of besides a list of elements: bits, and indices.

// Encode is the elements' bits, each little-endian, row-major: what a file of
// tensors holds. Each number of an element made by [Own] is preceded by its length. [Element.Decode] reads them.
func (t *Tensor[T]) Encode() []byte { return t.t.k.encode(nil, t.t.all()) }

// Decode makes a tensor of a shape from what [Tensor.Encode] wrote. It fails for
// a shape that no tensor has, and for another number of bytes than it takes.
func (e Element[T]) Decode(shape Shape, bits []byte) (*Tensor[T], error) {
	t, err := e.k.decoded(shape, bits)
	return typed[T](t), err
}

// Rounded makes a tensor of a shape from as many numbers as it holds, each rounded
// to the element once. It panics with a [*Refusal] where the count does not fit.
func (e Element[T]) Rounded(shape Shape, numbers []float64) *Tensor[T] {
	return typed[T](e.k.rounded(shape, numbers))
}

// Float64 is the number as a float64, exactly, for curves and reports; NaN for
// an element made by [Own] whose number is none.
func (e Element[T]) Float64(x T) float64 { return e.k.asFloat([]T{x}, 0) }

// Finite says whether the tensor holds neither NaN nor an infinity. Numbers of
// an element made by [Own] that are no float64 count as finite.
func (t *Tensor[T]) Finite() bool { return t.t.finite() }

// Width is the number of bytes that hold one element's bits; 0 for an element
// made by [Own], whose numbers may differ in that.
func (e Element[T]) Width() int { return e.k.width }

// Selection is the one-hot matrix [indices, vocabulary] whose row i has its one
// at the i-th index: what [Trace.Gather] and [Trace.Scatter] select by. It panics
// with a [*Refusal] for no indices, and for an index outside the vocabulary.
func (e Element[T]) Selection(vocabulary int, indices ...int) *Tensor[T] {
	return typed[T](e.k.selection(vocabulary, indices))
}

func (k *kernel) asFloat(a any, i int) float64 {
	if k.float == nil {
		return math.NaN()
	}
	return k.float(a, i)
}

func (t *dense) finite() bool {
	if t.k.float == nil {
		return true
	}
	for i := range t.n {
		if x := t.k.float(t.data, i); x-x != 0 {
			return false
		}
	}
	return true
}

func (k *kernel) decoded(shape Shape, bits []byte) (*dense, error) {
	if fault := shape.fault(); fault != "" {
		return nil, failed(ErrShape, "decode", "no tensor has the shape %v: %s", shape, fault)
	}
	n := shape.Volume()
	if k.width > 0 && len(bits) != n*k.width {
		return nil, failed(ErrShape, "decode", "%s of %v is %d bytes, not %d", k.name, shape, n*k.width, len(bits))
	}
	data, rest, err := k.decode(bits, n)
	if err == nil && len(rest) > 0 {
		err = fmt.Errorf("%d bytes are left over", len(rest))
	}
	if err != nil {
		return nil, failed(ErrShape, "decode", "%s of %v cannot be decoded: %v", k.name, shape, err)
	}
	return &dense{k, clone(shape), data, n}, nil
}

func (k *kernel) rounded(shape Shape, numbers []float64) *dense {
	t := k.tensor("tensor", shape, k.make(len(numbers)), len(numbers))
	if k.round != nil {
		k.round(t.data, numbers)
		return t
	}
	for i, x := range numbers {
		k.move(t.data, i, k.fill(x), 0, 1)
	}
	return t
}

func (k *kernel) selection(vocabulary int, indices []int) *dense {
	shape := Shape{len(indices), vocabulary}
	if fault := shape.fault(); fault != "" {
		refuse("selection", []Shape{shape}, "", "selection cannot make %v of %d indices and a vocabulary of %d: %s", shape, len(indices), vocabulary, fault)
	}
	for i, at := range indices {
		if at < 0 || at >= vocabulary {
			refuse("selection", []Shape{shape}, "", "selection of %v finds no index %d, the one of row %d, in a vocabulary of %d", shape, at, i, vocabulary)
		}
	}
	n := shape.Volume()
	t := &dense{k, shape, k.make(n), n}
	one := k.fill(1)
	for i, at := range indices {
		k.move(t.data, i*vocabulary+at, one, 0, 1)
	}
	return t
}
