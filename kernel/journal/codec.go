package journal

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"
)

// The forms of a payload in a record.
const (
	noPayload byte = iota
	bitsPayload
	filePayload
)

// encode is the body of a record. The summary comes first, so that a list of
// sessions need not read the rest.
func (x *stored) encode() []byte {
	var size int
	for i := range x.segments {
		size += len(x.segments[i].Nodes) + len(x.segments[i].Text) + 64
		for j := range x.segments[i].aside {
			size += len(x.segments[i].aside[j].bits) + 32
		}
	}
	for i := range x.payloads {
		size += len(x.payloads[i].bits) + 32
	}
	for i := range x.tables {
		size += len(x.tables[i].bits) + len(x.tables[i].name) + 32
	}
	b := make([]byte, 0, size+256)
	b = text(b, x.summary.Element)
	b = number(b, x.summary.Segments)
	b = number(b, x.summary.Nodes)
	b = number(b, len(x.summary.Names))
	for _, name := range x.summary.Names {
		b = text(b, name)
	}
	fresh := 0
	if x.fresh {
		fresh = 1
	}
	b = number(b, fresh)
	b = number(b, x.kept)
	b = number(b, len(x.superseded))
	for _, s := range x.superseded {
		b = number(number(b, s.Index), s.By)
	}
	b = number(b, len(x.segments))
	for i := range x.segments {
		b = x.segments[i].encode(b)
	}
	b = number(b, x.slots)
	b = number(b, len(x.payloads))
	for i := range x.payloads {
		b = x.payloads[i].encode(b)
	}
	b = number(b, len(x.tables))
	for i := range x.tables {
		b = text(b, x.tables[i].name)
		b = x.tables[i].encode(b)
	}
	return b
}

func (s *Segment) encode(b []byte) []byte {
	b = number(b, s.Number)
	b = text(b, s.Cell)
	b = number(b, s.Count)
	b = text(b, s.Text)
	b = number(number(b, s.From), s.To)
	b = number(b, s.Superseded)
	b = number(b, len(s.Bound))
	for _, bound := range s.Bound {
		b = number(text(b, bound.Name), bound.Node)
	}
	b = number(b, len(s.Nodes))
	b = append(b, s.Nodes...)
	b = number(b, len(s.aside))
	for i := range s.aside {
		b = s.aside[i].encode(b)
	}
	return b
}

func (p *slotPayload) encode(b []byte) []byte {
	b = number(b, p.slot)
	switch {
	case p.none():
		return append(b, noPayload)
	case p.file.number == 0:
		b = append(b, bitsPayload)
		b = number(b, len(p.bits))
		return append(b, p.bits...)
	}
	b = append(b, filePayload)
	b = number(b, p.file.number)
	b = number(b, int(p.file.length))
	return binary.LittleEndian.AppendUint32(b, p.file.sum)
}

func number(b []byte, x int) []byte { return binary.AppendUvarint(b, uint64(x)) }

func text(b []byte, s string) []byte { return append(number(b, len(s)), s...) }

// body takes a record's body apart, and remembers the first fault.
type body struct {
	b   []byte
	err error
}

func (d *body) fail(what string) {
	if d.err == nil {
		d.err = refused(ErrDamaged, "a record does not make sense: %s", what)
	}
	d.b = nil
}

func (d *body) number() int {
	x, n := binary.Uvarint(d.b)
	if n <= 0 || x > math.MaxInt64 {
		d.fail("a number ends early or is out of range")
		return 0
	}
	d.b = d.b[n:]
	return int(x)
}

// count is the length of a list, whose elements take at least so many bytes.
func (d *body) count(least int) int {
	n := d.number()
	if n > len(d.b)/least {
		d.fail("a list ends early")
		return 0
	}
	return n
}

// bytes is a part of the body, not a copy; never nil.
func (d *body) bytes() []byte {
	n := d.number()
	if n > len(d.b) {
		d.fail("a text ends early")
		return []byte{}
	}
	x := d.b[:n:n]
	d.b = d.b[n:]
	return x
}

func (d *body) text() string {
	b := d.bytes()
	if !utf8.Valid(b) {
		d.fail("a text is not UTF-8")
	}
	return string(b)
}

func (d *body) byte() byte {
	if len(d.b) == 0 {
		d.fail("it ends early")
		return 0
	}
	x := d.b[0]
	d.b = d.b[1:]
	return x
}

func (d *body) summary() Summary {
	s := Summary{Element: d.text(), Segments: d.number(), Nodes: d.number()}
	for range d.count(1) {
		s.Names = append(s.Names, d.text())
	}
	return s
}

// decode reads the body of a change; what it answers points into b.
func decode(b []byte) (*stored, error) {
	d := &body{b: b}
	x := &stored{summary: d.summary()}
	x.fresh = d.number() == 1
	x.kept = d.number()
	for range d.count(2) {
		x.superseded = append(x.superseded, Supersession{d.number(), d.number()})
	}
	for range d.count(10) {
		x.segments = append(x.segments, d.segment())
	}
	x.slots = d.number()
	last := -1
	for range d.count(2) {
		p := d.payload()
		if p.slot <= last || p.slot >= x.slots {
			d.fail(fmt.Sprintf("a payload of slot %d after %d, of %d", p.slot, last, x.slots))
		}
		x.payloads, last = append(x.payloads, p), p.slot
	}
	for range d.count(2) {
		x.tables = append(x.tables, namedPayload{d.text(), d.payload()})
	}
	if len(d.b) > 0 {
		d.fail("bytes are left over")
	}
	return x, d.err
}

func (d *body) segment() Segment {
	s := Segment{Number: d.number(), Cell: d.text(), Count: d.number(), Text: d.text(), From: d.number(), To: d.number(), Superseded: d.number()}
	for range d.count(2) {
		s.Bound = append(s.Bound, Binding{d.text(), d.number()})
	}
	s.Nodes = d.bytes()
	for range d.count(2) {
		p := d.payload()
		if p.none() || p.slot != len(s.aside) {
			d.fail("a segment's payload is out of place")
		}
		s.aside = append(s.aside, p)
	}
	return s
}

func (d *body) payload() slotPayload {
	p := slotPayload{slot: d.number()}
	switch d.byte() {
	case noPayload:
	case bitsPayload:
		p.bits = d.bytes()
	case filePayload:
		p.file = file{number: d.number(), length: int64(d.number())}
		if len(d.b) < 4 || p.file.number == 0 {
			d.fail("a payload's file has no name")
			return p
		}
		p.file.sum = binary.LittleEndian.Uint32(d.b)
		d.b = d.b[4:]
	default:
		d.fail("a payload of an unknown form")
	}
	return p
}
