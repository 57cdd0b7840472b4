package topos

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Recorder is told of each node as it is recorded. entry is the node's
// encoding, valid during the call only.
type Recorder interface{ Recorded(entry []byte) }

// ErrEncoding: encoded nodes are torn, foreign or do not fit the tape.
var ErrEncoding = errors.New("encoding")

// Encode is the encoding of the nodes from an index on: per node its kind, its
// origin, operands and attributes, and for a source its shape and its elements'
// bits. Integers are varints, bits little-endian; entries follow each other
// without padding.
func (t *Recording) Encode(from int) []byte { return t.EncodeRange(from, t.Len()) }

// EncodeRange is the encoding of the nodes from an index up to, but not
// including, another.
func (t *Recording) EncodeRange(from, to int) []byte { return t.EncodeWith(nil, from, to) }

// opening is set in the part of the first node that a derivative recorded.
const opening = 0x80

func (s *spec) encode(b []byte, i int, a Aside) []byte {
	r := &s.g.records[i]
	part := byte(r.part)
	if r.opens {
		part |= opening
	}
	b = append(b, byte(r.kind), part)
	b = binary.AppendUvarint(b, uint64(r.segment))
	b = binary.AppendUvarint(b, uint64(r.line))
	b = binary.AppendUvarint(b, uint64(r.of+1))
	xs, n := r.operands()
	for _, x := range xs[:n] {
		b = binary.AppendUvarint(b, uint64(x))
	}
	if r.attributes >= 0 {
		op := s.g.opcode(i)
		for _, x := range [...]int{op.Axis, op.Start, op.Length, op.Extent, op.Size, op.Step, op.Dilation} {
			b = binary.AppendUvarint(b, uint64(x))
		}
		b = appendShape(b, op.Dims)
	}
	if n == 0 {
		b = s.k.appendPayload(b, s.payload(i), a)
	}
	return b
}

func appendUvarint(b []byte, x uint64) []byte { return binary.AppendUvarint(b, x) }

func appendShape(b []byte, s Shape) []byte {
	b = binary.AppendUvarint(b, uint64(len(s)))
	for _, x := range s {
		b = binary.AppendUvarint(b, uint64(x))
	}
	return b
}

// decoder reads varints and remembers that it ran out.
type decoder struct {
	b   []byte
	bad bool
}

func (d *decoder) uvarint(limit uint64) int { return int(d.number(limit)) }

func (d *decoder) number(limit uint64) uint64 {
	x, n := binary.Uvarint(d.b)
	if n <= 0 || x > limit {
		d.bad, d.b = true, nil
		return 0
	}
	d.b = d.b[n:]
	return x
}

func (d *decoder) byte() byte {
	if len(d.b) == 0 {
		d.bad = true
		return 0
	}
	x := d.b[0]
	d.b = d.b[1:]
	return x
}

func (d *decoder) shape() Shape {
	n := d.uvarint(MaxRank)
	s := make(Shape, 0, n)
	for range n {
		s = append(s, d.uvarint(MaxVolume))
	}
	return s
}

// Decode appends encoded nodes as if they were recorded here: shapes are
// inferred and checked anew. Where an entry is torn or does not fit, the error
// says which node, and nothing is appended.
func (t *Recording) Decode(b []byte) error { return t.t.decode(b, nil) }

func (t *tape) decode(b []byte, a Aside) error {
	g := t.open("decode")
	start := len(g.records)
	d := &decoder{b: b}
	defer func() { g.place = place{of: -1} }()
	for len(d.b) > 0 {
		at := len(g.records)
		var err error
		if r := Refused(func() { err = t.decodeNode(d, a) }); r != nil {
			err = r
		}
		if err != nil || d.bad {
			t.cut(start)
			if err == nil {
				err = errShort
			}
			return fmt.Errorf("node %d cannot be read: %w: %w", at, ErrEncoding, err)
		}
	}
	return nil
}

func (t *tape) decodeNode(d *decoder, a Aside) error {
	g := t.s.g
	op := Opcode{Kind: Kind(d.byte())}
	if op.Kind >= kinds {
		return fmt.Errorf("unknown operation %d", op.Kind)
	}
	part := d.byte()
	g.place = place{part: Part(part &^ opening), opens: part&opening != 0}
	g.place.segment, g.place.line = uint32(d.uvarint(1<<32-1)), uint32(d.uvarint(1<<32-1))
	g.place.of = int32(d.uvarint(uint64(len(g.records)))) - 1
	xs := [2]int{-1, -1}
	for j := range kindFacts[op.Kind].arity {
		xs[j] = d.uvarint(1<<31 - 1)
		if xs[j] >= len(g.records) {
			return fmt.Errorf("operand %d is not yet recorded", xs[j])
		}
	}
	if kindFacts[op.Kind].attributes != noAttributes {
		for _, x := range [...]*int{&op.Axis, &op.Start, &op.Length, &op.Extent, &op.Size, &op.Step, &op.Dilation} {
			*x = d.uvarint(MaxVolume)
		}
		op.Dims = d.shape()
	}
	if d.bad {
		return nil
	}
	if !op.Kind.IsSource() {
		t.able(op.Kind, xs[0], xs[1])
		at := g.apply(op, xs[0], xs[1])
		t.recorded(at)
		return nil
	}
	payload, err := t.s.k.payload(d, a)
	if err != nil || d.bad {
		return err
	}
	t.source(op.Kind, payload)
	return nil
}
