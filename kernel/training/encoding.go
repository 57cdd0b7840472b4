package training

import (
	"encoding/binary"
	"io"

	"github.com/topos-notebook/topos/topos"
)

// Encoding is a memory as bytes, which are made as they are written: they may be many
// times the memory that is free.
type Encoding struct {
	pieces []piece
	bytes  int
}

// piece is bytes, and a payload's bits behind them where there is one.
type piece struct {
	head []byte
	bits *topos.Payload
}

func (x *Encoding) add(head []byte, bits *topos.Payload, size int) {
	x.pieces = append(x.pieces, piece{head, bits})
	x.bytes += len(head) + size
}

// Bytes is how many they are.
func (x *Encoding) Bytes() int { return x.bytes }

// WriteTo writes them.
func (x *Encoding) WriteTo(w io.Writer) (written int64, err error) {
	for _, p := range x.pieces {
		n, err := w.Write(p.head)
		written += int64(n)
		if err == nil && p.bits != nil {
			var more int64
			more, err = p.bits.WriteTo(w)
			written += more
		}
		if err != nil {
			return written, err
		}
	}
	return written, nil
}

// Encode is the memory as bytes, of the parameters that a tape holds: the steps,
// and for each slot with moments its number and the bits of both.
func (m *Memory[T]) Encode(slots []topos.Symbol) *Encoding {
	x := &Encoding{}
	x.add(binary.AppendUvarint(nil, uint64(m.Steps)), nil, 0)
	for slot, at := range slots {
		moments, ok := m.Moments[at]
		if !ok {
			continue
		}
		head := binary.AppendUvarint(nil, uint64(slot))
		for _, t := range []*topos.Tensor[T]{moments.First, moments.Second} {
			size := encodedSize(t)
			x.add(binary.AppendUvarint(head, uint64(size)), topos.PayloadOf(t), size)
			head = nil
		}
	}
	return x
}

// encodedSize is how many bytes a tensor's bits take.
func encodedSize[T any](t *topos.Tensor[T]) int {
	if width := t.Element().Width(); width > 0 {
		return t.Shape().Volume() * width
	}
	return len(t.Encode()) // a program's own numbers may differ in it
}
