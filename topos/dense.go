package topos

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"math"
)

// dense is the untyped twin of a [Tensor]: elements of one kind in row-major
// order. A tensor of one repeated element holds it once.
type dense struct {
	k     *kernel
	shape Shape
	data  any // []T
	n     int // its length: the volume, or 1 where the tensor is uniform
}

// Shape is the extent along every axis.
func (t *dense) Shape() Shape { return t.shape }

// uniform says whether one element stands for all.
func (t *dense) uniform() bool { return t.n == 1 }

// all is every element; it must not be changed.
func (t *dense) all() any {
	if n := t.shape.Volume(); t.n != n {
		return t.k.repeat(t.data, n)
	}
	return t.data
}

// at is where element i, row-major, lies in data.
func (t *dense) at(i int) int {
	if t.n == 1 {
		return 0
	}
	return i
}

// made is a tensor to fill.
func (t *dense) made(shape Shape) *dense {
	n := shape.Volume()
	return &dense{t.k, shape, t.k.make(n), n}
}

// lanes fills a tensor by a body that runs along one axis.
func (t *dense) lanes(op Opcode, f func(dst, a any, outer, extent, inner int)) *dense {
	shape := infer(op, t.shape)
	t.k.need(op.Kind.Spelling(), op.Kind, t.shape)
	r := t.made(shape)
	outer, extent, inner := t.shape.around(op.Axis)
	f(r.data, t.all(), outer, extent, inner)
	return r
}

// Equal says whether two tensors have the same shape and the same bits; NaN is
// a class.
func (t *dense) Equal(o *dense) bool {
	if !t.k.is(o.k) || !t.shape.Equal(o.shape) {
		return false
	}
	for i := range t.shape.Volume() {
		if !t.k.same(t.data, t.at(i), o.data, o.at(i)) {
			return false
		}
	}
	return true
}

// String prints nested brackets, and the bare number for rank 0.
func (t *dense) String() string {
	return string(nested(nil, t.shape, 0, func(b []byte, i int) []byte { return t.k.print(b, t.data, t.at(i)) }))
}

// Digest is documented on [Tensor].
func (t *dense) Digest() string {
	h := sha256.New()
	var b []byte
	for i := range t.shape.Volume() {
		b = t.k.digest(b, t.data, t.at(i))
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

// reading is the tensor as a reading.
func (t *dense) reading() *Reading {
	return &Reading{Kind: TensorReading, Element: t.k.name, Text: t.String() + "\n", Payloads: []PayloadReading{t.payload("", -1)}}
}

const maxPayloadText = 2000 // elements printed in full

// payload is the tensor as part of a reading.
func (t *dense) payload(label string, node int) PayloadReading {
	n := t.shape.Volume()
	p := PayloadReading{Label: label, Node: node, Shape: t.shape, Digest: t.Digest(), Count: n}
	if n <= maxPayloadText {
		p.Text = t.String()
	} else {
		p.Text = fmt.Sprintf("%v, %d elements", t.shape, n)
	}
	t.summarize(&p, n)
	t.sample(&p, n)
	return p
}

// summarize finds the extremes and the norm of what is finite, as far as the
// element has an order and a size.
func (t *dense) summarize(p *PayloadReading, n int) {
	low, high, squares := -1, -1, 0.0
	for i := range n {
		at := t.at(i)
		if t.k.float != nil {
			x := t.k.float(t.data, at)
			if math.IsNaN(x) || math.IsInf(x, 0) {
				p.NonFinite++
				continue
			}
			squares += float64(x * x)
		}
		if t.k.compare == nil {
			continue
		}
		if low < 0 || t.k.compare(t.data, at, low) < 0 {
			low = at
		}
		if high < 0 || t.k.compare(t.data, at, high) > 0 {
			high = at
		}
	}
	if low >= 0 {
		p.Min, p.Max = string(t.k.print(nil, t.data, low)), string(t.k.print(nil, t.data, high))
	}
	if t.k.float != nil && p.NonFinite < n {
		p.Norm = string(appendNumber(nil, math.Sqrt(squares), 32))
	}
}

func (t *dense) sample(p *PayloadReading, n int) {
	if n <= MaxCells {
		for i := range n {
			p.Cells = append(p.Cells, string(t.k.print(nil, t.data, t.at(i))))
		}
		return
	}
	if t.k.float == nil {
		return
	}
	for s := range min(n, MaxSamples) {
		if f := t.k.float(t.data, t.at(s*n/min(n, MaxSamples))); !math.IsNaN(f) && !math.IsInf(f, 0) {
			p.Samples = append(p.Samples, f)
		}
	}
}
