package cells

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"github.com/topos-notebook/topos/cells/ledger"
	"github.com/topos-notebook/topos/cells/wire"
	"github.com/topos-notebook/topos/topos"
)

// Session is the tape that the cells of a notebook share, as one cell sees it,
// with its names and parameters. It is not safe for concurrent use.
type Session[T any] struct {
	// Tape is the cell's view of the session's tape. Sealing it ends this
	// view; the next cell finds the session open again.
	topos.Tape[T]

	names  []binding
	live   map[topos.Symbol]*topos.Tensor[T] // payloads kept of parameters
	again  map[string]*topos.Tensor[T]       // payloads for parameters that are recorded again
	ledger *ledger.Writer                    // nil without a kernel

	segment int // the cell's own, 0 without a kernel
	base    int // nodes on the tape before the cell
}

// process is what the sessions of this process share. A program has one
// conversation with the kernel, however often it opens the session.
var process struct {
	sync.Mutex
	talk     *conversation
	sessions []member
}

// member is a session of any element.
type member interface {
	owns(topos.Symbol) bool
	label(topos.Symbol) string
	derived(topos.Symbol) string
	called() map[int]string
	read(topos.Symbol) *topos.Reading
	mentions(x any) bool
}

// Open gives the session of the notebook that this cell belongs to. Opened
// again in the same cell, it is the same session. Without a kernel it is a new
// private session.
//
// Open panics where the session is of another element, and where the kernel
// cannot be reached.
func Open[T any](e topos.Element[T]) *Session[T] {
	process.Lock()
	defer process.Unlock()
	s, err := open(e)
	if err != nil {
		panic(err)
	}
	return s
}

func open[T any](e topos.Element[T]) (*Session[T], error) {
	talk, err := dial()
	if err != nil {
		return nil, err
	}
	s := &Session[T]{Tape: *topos.New(e), live: map[topos.Symbol]*topos.Tensor[T]{}}
	if talk != nil {
		for _, m := range process.sessions {
			if s, ok := m.(*Session[T]); ok && s.Element().Name() == e.Name() {
				return s, nil
			}
		}
		if err := s.enter(talk); err != nil {
			return nil, err
		}
	}
	s.RecordTo(s.newRecorder())
	process.sessions = append(process.sessions, s)
	return s, nil
}

// enter takes the session's state from the kernel.
func (s *Session[T]) enter(talk *conversation) error {
	welcome, err := talk.greet(s.Element().Name())
	if err != nil {
		return err
	}
	file, err := os.ReadFile(talk.path(welcome.Snapshot))
	if err != nil {
		return fmt.Errorf("the session cannot be read: %w", err)
	}
	snapshot, err := wire.DecodeSnapshot(file)
	if err == nil {
		err = s.load(snapshot)
	}
	if err != nil {
		return fmt.Errorf("the session cannot be read: %w", err)
	}
	if s.ledger, err = ledger.Open(talk.path(welcome.Ledger)); err != nil {
		return fmt.Errorf("the session cannot be recorded to: %w", err)
	}
	s.segment, s.base = snapshot.Segment, s.Len()
	s.Place(s.segment, 0)
	return nil
}

// load puts a snapshot on the empty tape.
func (s *Session[T]) load(x *wire.Snapshot) error {
	if err := s.Tape.Decode(x.Structure); err != nil {
		return err
	}
	for _, n := range x.Names {
		if n.Node >= s.Len() {
			return fmt.Errorf("%w: the name %s of node %d", wire.ErrMalformed, n.Name, n.Node)
		}
		s.bind(n.Name, s.Value(n.Node).Symbol())
	}
	slots := s.Tape.Parameters()
	for i, slot := range x.Table.Slots {
		payload, err := wire.DecodePayload(s.Element(), x.Table.Payloads[i])
		if err != nil {
			return err
		}
		if slot >= len(slots) {
			return fmt.Errorf("%w: a payload for slot %d of %d", wire.ErrMalformed, slot, len(slots))
		}
		s.live[slots[slot]] = payload
	}
	s.again = map[string]*topos.Tensor[T]{}
	for _, k := range x.Kept {
		payload, err := wire.DecodePayload(s.Element(), k.Payload)
		if err != nil {
			return err
		}
		s.again[k.Name] = payload
	}
	return nil
}

// String says what the session holds: its nodes and its names.
func (s *Session[T]) String() string {
	return fmt.Sprintf("session: %s, %s, %s; names: %s", counted(s.Len(), "node"),
		counted(len(s.Tape.Parameters()), "parameter"), counted(len(s.Inputs()), "input"), orNone(s.Names()))
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
