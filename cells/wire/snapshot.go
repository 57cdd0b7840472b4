package wire

import (
	"fmt"

	"github.com/topos-notebook/topos/topos"
)

// Snapshot is the session as a cell finds it.
type Snapshot struct {
	Element   string
	Segment   int     // the cell's own segment
	Structure []byte  // every node, as Tape.Encode writes them
	Names     []Name  // in force, in the order they were bound
	Table     Table   // live payloads of parameters that differ from the recorded
	Kept      []Named // payloads for parameters that this cell records again
}

// Name is a name and the node it is bound to.
type Name struct {
	Name string
	Node int
}

// Named is a payload of a parameter that is known by name.
type Named struct {
	Name    string
	Payload []byte // as [EncodePayload] writes it
}

// Table is payloads of parameter slots.
type Table struct {
	Slots    []int    // ascending
	Payloads [][]byte // of each slot, as [EncodePayload] writes it
}

const snapshotMagic = "topos.ss"

// Encode is the snapshot's file.
func (s *Snapshot) Encode() []byte {
	e := &encoder{b: make([]byte, 0, len(s.Structure)+256)}
	e.b = append(e.b, snapshotMagic...)
	e.uint(Version)
	e.string(s.Element)
	e.int(s.Segment)
	e.bytes(s.Structure)
	list(e, s.Names, func(n *Name) { e.string(n.Name); e.uint(uint64(n.Node)) })
	e.table(&s.Table)
	list(e, s.Kept, func(n *Named) { e.string(n.Name); e.bytes(n.Payload) })
	return e.b
}

// DecodeSnapshot reads the file of a snapshot; what it answers points into b.
func DecodeSnapshot(b []byte) (*Snapshot, error) {
	d, err := fileDecoder(b, snapshotMagic)
	if err != nil {
		return nil, err
	}
	s := &Snapshot{Element: d.string(), Segment: d.int(), Structure: d.bytes()}
	s.Names = readList(d, func(n *Name) { n.Name, n.Node = d.string(), d.index() })
	s.Table = d.table()
	s.Kept = readList(d, func(n *Named) { n.Name, n.Payload = d.string(), d.bytes() })
	return s, d.end()
}

const tableMagic = "topos.pt"

// Encode is the table's file.
func (t *Table) Encode() []byte {
	e := &encoder{b: []byte(tableMagic)}
	e.uint(Version)
	e.table(t)
	return e.b
}

// DecodeTable reads the file of a table; what it answers points into b.
func DecodeTable(b []byte) (*Table, error) {
	d, err := fileDecoder(b, tableMagic)
	if err != nil {
		return nil, err
	}
	t := d.table()
	return &t, d.end()
}

func fileDecoder(b []byte, magic string) (*decoder, error) {
	if len(b) < len(magic) || string(b[:len(magic)]) != magic {
		return nil, fmt.Errorf("%w: not a file of this kind", ErrMalformed)
	}
	d := &decoder{b: b[len(magic):]}
	if v := d.uint(); d.err == nil && v != Version {
		return nil, fmt.Errorf("%w: the file has version %d, this program reads %d", ErrMalformed, v, Version)
	}
	return d, d.err
}

func (e *encoder) table(t *Table) {
	e.uint(uint64(len(t.Slots)))
	for i, slot := range t.Slots {
		e.uint(uint64(slot))
		e.bytes(t.Payloads[i])
	}
}

func (d *decoder) table() Table {
	t := Table{}
	last := -1
	for range d.count() {
		slot := d.index()
		payload := d.bytes()
		if d.err == nil && slot <= last {
			d.fail("the slots of a table are out of order")
		}
		if d.err != nil {
			return Table{}
		}
		t.Slots, t.Payloads = append(t.Slots, slot), append(t.Payloads, payload)
		last = slot
	}
	return t
}

// EncodePayload is a tensor's shape and bits.
func EncodePayload[T any](t *topos.Tensor[T]) []byte {
	// A tape's encoding of a constant already holds both, for every element.
	scratch := topos.New(t.Element())
	scratch.LeafOf(t)
	return scratch.Encode(0)
}

// DecodePayload reads what EncodePayload wrote of a tensor of the same element.
func DecodePayload[T any](e topos.Element[T], b []byte) (*topos.Tensor[T], error) {
	scratch := topos.New(e)
	if err := scratch.Decode(b); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if scratch.Len() != 1 {
		return nil, fmt.Errorf("%w: a payload of %d nodes", ErrMalformed, scratch.Len())
	}
	t := scratch.Payload(scratch.Value(0))
	if t == nil {
		return nil, fmt.Errorf("%w: a payload that is computed", ErrMalformed)
	}
	return t, nil
}
