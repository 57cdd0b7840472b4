package wire

import (
	"fmt"

	"github.com/topos-notebook/topos/topos"
)

// Version is the version of the conversation, and of the snapshot. Both sides
// must speak the same.
const Version = 4

// Message is what a frame carries. A cell sends Hello, Show and Keep and waits
// for the answer to each: Welcome, Done or Refused.
type Message interface {
	kind() byte
	encode(*encoder)
	decode(*decoder)
}

// Hello opens the conversation.
type Hello struct {
	Version int
	Element string // element to record with; "" to show only
}

// Welcome answers a Hello. Names of files are relative to the socket's folder.
type Welcome struct {
	Lease    uint64 // to be sent with every request
	Snapshot string // the session as the cell finds it; "" for a cell that only shows
	Ledger   string // where it records
}

// Show asks for readings to be displayed, in order, before it is answered.
type Show struct {
	Lease    uint64
	Readings []*topos.Reading
}

// Keep asks for a table of parameters to become the session's. The file holds a
// [Table].
type Keep struct {
	Lease uint64
	File  string
}

// Done answers a request that was carried out.
type Done struct{}

// Refused answers one that was not, or ends the conversation.
type Refused struct{ Reason string }

func (*Hello) kind() byte   { return 1 }
func (*Welcome) kind() byte { return 2 }
func (*Show) kind() byte    { return 3 }
func (*Keep) kind() byte    { return 4 }
func (*Done) kind() byte    { return 5 }
func (*Refused) kind() byte { return 6 }

// The version comes first and stays there, so that any two versions can tell
// each other theirs.
func (m *Hello) encode(e *encoder) { e.int(m.Version); e.string(m.Element) }

func (m *Hello) decode(d *decoder) {
	m.Version = d.int()
	if m.Version != Version {
		d.b = nil // what follows is of a form unknown here
		return
	}
	m.Element = d.string()
}

func (m *Welcome) encode(e *encoder) {
	e.uint(m.Lease)
	e.string(m.Snapshot)
	e.string(m.Ledger)
}

func (m *Welcome) decode(d *decoder) {
	m.Lease, m.Snapshot, m.Ledger = d.uint(), d.string(), d.string()
}

func (m *Show) encode(e *encoder) {
	e.uint(m.Lease)
	list(e, m.Readings, func(r **topos.Reading) { e.reading(*r) })
}

func (m *Show) decode(d *decoder) {
	m.Lease = d.uint()
	m.Readings = readList(d, func(r **topos.Reading) { *r = d.reading() })
}

func (m *Keep) encode(e *encoder) { e.uint(m.Lease); e.string(m.File) }
func (m *Keep) decode(d *decoder) { m.Lease, m.File = d.uint(), d.string() }

func (*Done) encode(*encoder) {}
func (*Done) decode(*decoder) {}

func (m *Refused) encode(e *encoder) { e.string(m.Reason) }
func (m *Refused) decode(d *decoder) { m.Reason = d.string() }

// parse reads the body of a frame.
func parse(body []byte) (Message, error) {
	if len(body) == 0 {
		return nil, fmt.Errorf("%w: an empty frame", ErrMalformed)
	}
	var m Message
	switch body[0] {
	case 1:
		m = &Hello{}
	case 2:
		m = &Welcome{}
	case 3:
		m = &Show{}
	case 4:
		m = &Keep{}
	case 5:
		m = &Done{}
	case 6:
		m = &Refused{}
	default:
		return nil, fmt.Errorf("%w: messages of kind %d are unknown", ErrMalformed, body[0])
	}
	d := &decoder{b: body[1:]}
	m.decode(d)
	return m, d.end()
}
