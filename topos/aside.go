package topos

import (
	"fmt"
	"io"
	"math"
	"unsafe"
)

// Payload is a tensor whose element is not spelled, for who stores tensors and
// does not compute with them. It is immutable, and the same payload is the same
// tensor.
type Payload struct{ t dense }

// PayloadOf gives a tensor as a payload.
func PayloadOf[T any](t *Tensor[T]) *Payload { return (*Payload)(unsafe.Pointer(t)) }

// TensorOf gives a payload as the tensor that it is. It panics with a [*Refusal]
// where the payload is of another element.
func TensorOf[T any](e Element[T], p *Payload) *Tensor[T] {
	p.of(e.k)
	return (*Tensor[T])(unsafe.Pointer(p))
}

func (p *Payload) of(k *kernel) {
	if !p.t.k.is(k) {
		refuseName(ErrElement, "payload", "a payload of %s is no tensor of %s", p.t.k.name, k.name)
	}
}

// Shape is the extent along every axis. It must not be changed.
func (p *Payload) Shape() Shape { return p.t.shape }

// Bytes is how many bytes the payload's elements take in memory, where one that
// fills the tensor counts once; 0 for an element made by [Own].
func (p *Payload) Bytes() int { return p.t.n * p.t.k.width }

// Uniform says whether one element stands for all.
func (p *Payload) Uniform() bool { return p.t.uniform() }

// WriteTo writes every element's bits as [Tensor.Encode] gives them. Where memory
// holds them so, they are not copied.
func (p *Payload) WriteTo(w io.Writer) (int64, error) {
	k, volume := p.t.k, p.t.shape.Volume()
	if k.raw == nil || p.t.n != volume {
		n, err := w.Write(k.encode(nil, p.t.all()))
		return int64(n), err
	}
	n, err := w.Write(k.raw(p.t.data))
	return int64(n), err
}

// Aside keeps payloads outside of an encoding, which only names them there.
type Aside interface {
	// Put keeps a payload and answers its name; false where the payload is to be
	// part of the encoding.
	Put(p *Payload) (name uint64, ok bool)
	// Get gives a payload that was kept. Who does not hold it has lay make it of
	// memory with the bits that [Payload.WriteTo] wrote: memory that is never
	// changed, and stays as long as the Go pointer into it.
	Get(name uint64, lay func(memory []byte) (*Payload, error)) (*Payload, error)
}

// EncodeWith is [Recording.EncodeRange] with payloads aside.
func (t *Recording) EncodeWith(a Aside, from, to int) []byte {
	var b []byte
	for i := from; i < to; i++ {
		b = t.t.s.encode(b, i, a)
	}
	return b
}

// DecodeWith is [Recording.Decode] of an encoding with payloads aside.
func (t *Recording) DecodeWith(a Aside, b []byte) error { return t.t.decode(b, a) }

// EncodePayload is the encoding of a payload by itself, as it is in that of a
// node. It panics with a [*Refusal] for a payload of another element.
func (t *Recording) EncodePayload(a Aside, p *Payload) []byte {
	p.of(t.t.s.k)
	return t.t.s.k.appendPayload(nil, &p.t, a)
}

// DecodePayload reads what EncodePayload wrote of a payload of the same element.
// Its errors wrap [ErrEncoding].
func (t *Recording) DecodePayload(a Aside, b []byte) (*Payload, error) {
	d := &decoder{b: b}
	p, err := t.t.s.k.payload(d, a)
	if err == nil && (d.bad || len(d.b) > 0) {
		err = errShort
	}
	if err != nil {
		return nil, fmt.Errorf("a payload cannot be read: %w: %w", ErrEncoding, err)
	}
	return (*Payload)(unsafe.Pointer(p)), nil
}

// Payloads lists the payloads that the tape's sources were recorded with.
func (t *Recording) Payloads(yield func(*Payload) bool) {
	s := t.t.s
	for _, all := range [...][]*dense{s.initials, s.leaves, s.defaults} {
		for _, p := range all {
			if !yield((*Payload)(unsafe.Pointer(p))) {
				return
			}
		}
	}
}

// appendPayload writes a payload's shape, the count of its elements and their
// bits; or, where it lies aside, the count 0 and its name.
func (k *kernel) appendPayload(b []byte, p *dense, a Aside) []byte {
	b = appendShape(b, p.shape)
	if a != nil {
		if name, ok := a.Put((*Payload)(unsafe.Pointer(p))); ok {
			return appendUvarint(append(b, 0), name)
		}
	}
	return k.encode(appendUvarint(b, uint64(p.n)), p.data)
}

// payload reads a payload. Where its bytes are short the decoder says so.
func (k *kernel) payload(d *decoder, a Aside) (*dense, error) {
	shape := d.shape()
	count := d.uvarint(MaxVolume)
	if d.bad || shape.fault() != "" || count > 1 && count != shape.Volume() {
		d.bad = true
		return nil, nil
	}
	if count == 0 {
		return k.aside(d.number(math.MaxUint64), shape, d, a)
	}
	data, rest, err := k.decode(d.b, count)
	if err != nil {
		return nil, err
	}
	d.b = rest
	return &dense{k, shape, data, count}, nil
}

// aside gives the payload of a name.
func (k *kernel) aside(name uint64, shape Shape, d *decoder, a Aside) (*dense, error) {
	if d.bad {
		return nil, nil
	}
	if a == nil {
		return nil, fmt.Errorf("its payload lies elsewhere, as number %d", name)
	}
	p, err := a.Get(name, func(memory []byte) (*Payload, error) {
		t, err := k.laid(shape, memory)
		return (*Payload)(unsafe.Pointer(t)), err
	})
	if err != nil {
		return nil, err
	}
	if !p.t.k.is(k) || !p.t.shape.Equal(shape) {
		return nil, fmt.Errorf("payload %d is %s of %v, not %s of %v", name, p.t.k.name, p.t.shape, k.name, shape)
	}
	return &p.t, nil
}

// laid makes a tensor of memory, without a copy where it can.
func (k *kernel) laid(shape Shape, memory []byte) (*dense, error) {
	if n := shape.Volume(); k.lay != nil && len(memory) == n*k.width {
		if data := k.lay(memory); data != nil {
			return &dense{k, shape, data, n}, nil
		}
	}
	return k.decoded(shape, memory)
}
