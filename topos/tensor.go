package topos

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
	"slices"
)

// Tensor is the only payload: elements of one kind in row-major order. Rank 0
// is a scalar. It is immutable; a tensor of one repeated element holds it once.
type Tensor[T any] struct {
	k     *kernels[T]
	shape Shape
	data  []T // one element where the tensor is uniform
}

// Tensor makes a tensor of a shape from as many elements as it holds, or from
// one that fills it. It panics with a [*Refusal] where the count fits neither,
// and copies what it is given.
func (e Element[T]) Tensor(shape Shape, data ...T) *Tensor[T] {
	if fault := shape.fault(); fault != "" {
		refuse("tensor", []Shape{shape}, "", "tensor cannot have the shape %v: %s", shape, fault)
	}
	if n := shape.Volume(); len(data) != n && len(data) != 1 {
		refuse("tensor", []Shape{shape}, "", "tensor of %v holds %d elements, not %d", shape, n, len(data))
	}
	return &Tensor[T]{e.k, slices.Clone(shape), slices.Clone(data)}
}

// FromFloat64 rounds a number to the element once.
func (e Element[T]) FromFloat64(x float64) T { return e.k.from(x) }

// Parse reads a decimal number, rounding once. A number out of range is an error.
func (e Element[T]) Parse(s string) (T, error) { return e.k.parse(s) }

// Shape is the extent along every axis. It must not be changed.
func (t *Tensor[T]) Shape() Shape { return t.shape }

// Element describes the tensor's numbers.
func (t *Tensor[T]) Element() Element[T] { return Element[T]{t.k} }

// Data copies the elements, row-major.
func (t *Tensor[T]) Data() []T { return slices.Clone(t.dense()) }

// Scalar is the one element of a tensor of volume 1. It panics with a
// [*Refusal] for any other.
func (t *Tensor[T]) Scalar() T {
	if t.shape.Volume() != 1 {
		refuse("scalar", []Shape{t.shape}, "", "scalar needs one element, not %v", t.shape)
	}
	return t.data[0]
}

// uniform says whether one element stands for all.
func (t *Tensor[T]) uniform() bool { return len(t.data) == 1 }

// dense is every element; it must not be changed.
func (t *Tensor[T]) dense() []T {
	n := t.shape.Volume()
	if len(t.data) == n {
		return t.data
	}
	d := make([]T, n)
	for i := range d {
		d[i] = t.data[0]
	}
	return d
}

// at is element i, row-major.
func (t *Tensor[T]) at(i int) T {
	if t.uniform() {
		return t.data[0]
	}
	return t.data[i]
}

// Equal says whether two tensors have the same shape and the same bits; two
// NaNs are equal whatever their payload, since platforms differ there.
func (t *Tensor[T]) Equal(o *Tensor[T]) bool {
	if !t.shape.Equal(o.shape) {
		return false
	}
	for i := range t.shape.Volume() {
		a, b := t.at(i), o.at(i)
		if t.k.bits(a) != t.k.bits(b) && !(math.IsNaN(t.k.float(a)) && math.IsNaN(t.k.float(b))) {
			return false
		}
	}
	return true
}

// String prints nested brackets, and the bare number for rank 0.
func (t *Tensor[T]) String() string { return string(t.append(nil, t.shape, 0)) }

func (t *Tensor[T]) append(b []byte, rest Shape, at int) []byte {
	if len(rest) == 0 {
		return t.k.print(b, t.at(at))
	}
	b = append(b, '[')
	block := rest[1:].Volume()
	for i := range rest[0] {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = t.append(b, rest[1:], at+i*block)
	}
	return append(b, ']')
}

// Digest is the SHA-256 of the elements' bits, little-endian and row-major, in
// hex. NaNs count as the element's one quiet NaN.
func (t *Tensor[T]) Digest() string {
	h := sha256.New()
	quiet := t.k.bits(t.k.from(math.NaN())) &^ (1 << (t.k.width*8 - 1))
	var b []byte
	for i := range t.shape.Volume() {
		x := t.at(i)
		bits := t.k.bits(x)
		if f := t.k.float(x); f != f {
			bits = quiet
		}
		b = appendBits(b, bits, t.k.width)
		if len(b) >= 4096 {
			h.Write(b)
			b = b[:0]
		}
	}
	h.Write(b)
	return hex.EncodeToString(h.Sum(nil))
}

func appendBits(b []byte, bits uint64, width int) []byte {
	for range width {
		b = append(b, byte(bits))
		bits >>= 8
	}
	return b
}

// Reading is the tensor as a reading.
func (t *Tensor[T]) Reading() *Reading {
	return &Reading{Kind: TensorReading, Element: t.k.name, Text: t.String() + "\n", Payloads: []PayloadReading{t.payload("", -1)}}
}

const maxPayloadText = 2000 // elements printed in full

// payload is the tensor as part of a reading.
func (t *Tensor[T]) payload(label string, node int) PayloadReading {
	n := t.shape.Volume()
	p := PayloadReading{Label: label, Node: node, Shape: t.shape, Digest: t.Digest(), Count: n}
	if n <= maxPayloadText {
		p.Text = t.String()
	} else {
		p.Text = fmt.Sprintf("%v, %d elements", t.shape, n)
	}
	low, high, finite, squares := t.data[0], t.data[0], 0, 0.0
	for i := range n {
		x := t.at(i)
		if t.k.isNonFinite(x) {
			p.NonFinite++
			continue
		}
		if finite == 0 || t.k.compare(x, low) < 0 {
			low = x
		}
		if finite == 0 || t.k.compare(x, high) > 0 {
			high = x
		}
		finite++
		f := t.k.float(x)
		squares += float64(f * f)
	}
	if finite > 0 {
		p.Min, p.Max = string(t.k.print(nil, low)), string(t.k.print(nil, high))
		p.Norm = string(appendNumber(nil, math.Sqrt(squares), 32))
	}
	t.sample(&p, n)
	return p
}

func (t *Tensor[T]) sample(p *PayloadReading, n int) {
	if n <= MaxCells {
		for i := range n {
			p.Cells = append(p.Cells, string(t.k.print(nil, t.at(i))))
		}
		return
	}
	for s := range min(n, MaxSamples) {
		if f := t.k.float(t.at(s * n / min(n, MaxSamples))); !math.IsNaN(f) && !math.IsInf(f, 0) {
			p.Samples = append(p.Samples, f)
		}
	}
}
