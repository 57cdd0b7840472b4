package wire

import "fmt"

// Snapshot is the session as a cell finds it. Large payloads lie aside of it, in
// the files of package payloads.
type Snapshot struct {
	Element   string
	Segment   int     // the cell's own segment
	Structure []byte  // every node, as [topos.Recording.EncodeWith] writes them
	Names     []Name  // in force, in the order they were bound
	Table     Table   // live payloads of parameters that differ from the recorded
	Kept      []Named // payloads for parameters that this cell records again, in order; empty where the initial held
}

// Name is a name and the node it is bound to.
type Name struct {
	Name string
	Node int
}

// Named is a payload of a parameter that is known by name.
type Named struct {
	Name    string
	Payload []byte // as [topos.Recording.EncodePayload] writes it
}

// Table is payloads of parameter slots.
type Table struct {
	Slots    []int    // ascending
	Payloads [][]byte // of each slot, as [topos.Recording.EncodePayload] writes it
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
