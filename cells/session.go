package cells

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"unsafe"

	"github.com/topos-notebook/topos/cells/ledger"
	"github.com/topos-notebook/topos/cells/payloads"
	"github.com/topos-notebook/topos/cells/wire"
	"github.com/topos-notebook/topos/topos"
)

// Session is the tape that the cells of a notebook share, as one cell sees it,
// with its names and parameters. It is not safe for concurrent use.
//
// Its generic part is small on purpose: generic code is compiled again in every
// cell, all else once.
type Session[T any] struct {
	// Tape is the cell's view of the session's tape. Sealing it ends this
	// view; the next cell finds the session open again.
	topos.Tape[T]
	Book
}

// untyped is a [Session] without its element, and is allocated in its place: an
// allocation in generic code would have every cell compile all methods again.
type untyped struct {
	topos.Recording
	Book
}

// record is what a [Session] is besides its tape and the payloads of its element.
type record struct {
	tape    *topos.Recording
	element string
	session any // the *Session it belongs to

	names  []binding
	live   map[topos.Symbol]*topos.Payload // kept of parameters
	again  map[string][]*topos.Payload     // for parameters that are recorded again, nil where the initial held
	ledger *ledger.Writer                  // nil without a kernel
	files  *payloads.Folder                // nil without a kernel

	resumed map[topos.Symbol]bool // parameters recorded again that had their turn

	segment int // the cell's own, 0 without a kernel
	base    int // nodes on the tape before the cell

	// The payload of a node under the live parameters, which needs the element.
	value func(topos.Symbol) (topos.PayloadReading, error)
}

// process is what the sessions of this process share. A program has one
// conversation with the kernel, however often it opens the session.
var process struct {
	sync.Mutex
	talk    *conversation
	records []*record
}

// Open gives the session of the notebook that this cell belongs to. Opened
// again in the same cell, it is the same session. Without a kernel it is a new
// private session.
//
// Open panics where the session is of another element, and where the kernel
// cannot be reached.
func Open[T any](e topos.Element[T]) *Session[T] {
	s := (*Session[T])(unsafe.Pointer(new(untyped)))
	s.Tape = *topos.New(e)
	s.r = &record{
		tape: &s.Tape.Recording, element: e.Name(), session: s, live: map[topos.Symbol]*topos.Payload{},
		value: s.payload,
	}
	opened, err := enrol(s.r)
	if err != nil {
		panic(err)
	}
	return opened.session.(*Session[T])
}

// enrol gives the record of the session that the process takes part in, which is
// another where it was open already.
func enrol(b *record) (*record, error) {
	process.Lock()
	defer process.Unlock()
	talk, err := dial()
	if err != nil {
		return nil, err
	}
	if talk != nil {
		for _, other := range process.records {
			if other.element == b.element {
				return other, nil
			}
		}
		if err := b.enter(talk); err != nil {
			return nil, err
		}
	}
	b.tape.RecordTo(b.recorder())
	process.records = append(process.records, b)
	return b, nil
}

// enter takes the session's state from the kernel.
func (b *record) enter(talk *conversation) error {
	welcome, err := talk.greet(b.element)
	if err != nil {
		return err
	}
	b.files = payloads.New(talk.folder, uint32(welcome.Lease))
	file, err := os.ReadFile(talk.path(welcome.Snapshot))
	if err != nil {
		return fmt.Errorf("the session cannot be read: %w", err)
	}
	snapshot, err := wire.DecodeSnapshot(file)
	if err == nil {
		err = b.load(snapshot)
	}
	if err != nil {
		return fmt.Errorf("the session cannot be read: %w", err)
	}
	if b.ledger, err = ledger.Open(talk.path(welcome.Ledger)); err != nil {
		return fmt.Errorf("the session cannot be recorded to: %w", err)
	}
	b.segment, b.base = snapshot.Segment, b.tape.Len()
	b.tape.Place(b.segment, 0)
	return nil
}

// load puts a snapshot on the empty tape.
func (b *record) load(x *wire.Snapshot) error {
	if err := b.tape.DecodeWith(b.files, x.Structure); err != nil {
		return err
	}
	for _, n := range x.Names {
		if n.Node >= b.tape.Len() {
			return fmt.Errorf("%w: the name %s of node %d", wire.ErrMalformed, n.Name, n.Node)
		}
		b.bind(n.Name, b.tape.Value(n.Node).Symbol())
	}
	slots := b.tape.Parameters()
	for i, slot := range x.Table.Slots {
		p, err := b.tape.DecodePayload(b.files, x.Table.Payloads[i])
		if err != nil {
			return err
		}
		if slot >= len(slots) {
			return fmt.Errorf("%w: a payload for slot %d of %d", wire.ErrMalformed, slot, len(slots))
		}
		b.live[slots[slot]] = p
	}
	b.again, b.resumed = map[string][]*topos.Payload{}, map[topos.Symbol]bool{}
	for _, k := range x.Kept {
		var p *topos.Payload
		if len(k.Payload) > 0 {
			var err error
			if p, err = b.tape.DecodePayload(b.files, k.Payload); err != nil {
				return err
			}
		}
		b.again[k.Name] = append(b.again[k.Name], p)
	}
	return nil
}

func counted(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return decimal(n) + " " + what + "s"
}

func orNone(names []string) string {
	if len(names) == 0 {
		return "none"
	}
	return strings.Join(names, ", ")
}

// refuse panics with a refusal in this package's words.
func refuse(op string, err error, format string, args ...any) {
	panic(&topos.Refusal{Op: op, Reason: fmt.Sprintf(format, args...), Err: err})
}
