package session

import (
	"fmt"
	"io"

	"github.com/topos-notebook/topos/cells/ledger"
	"github.com/topos-notebook/topos/cells/wire"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
)

// goCell is what an attempt does for a Go cell's process.
type goCell interface {
	snapshot() *wire.Snapshot
	keep(*wire.Table) error
	absorb(*ledger.Reader) error
}

// snapshot is the session as the cell's process finds it.
func (t *try[T]) snapshot() *wire.Snapshot {
	x := &wire.Snapshot{Element: t.element(), Segment: t.segment.number, Structure: t.tape.Encode(0)}
	for name, symbol := range t.names.All() {
		x.Names = append(x.Names, wire.Name{Name: name, Node: symbol.Index()})
	}
	for slot, payload := range t.live {
		if payload != nil {
			x.Table.Slots = append(x.Table.Slots, slot)
			x.Table.Payloads = append(x.Table.Payloads, wire.EncodePayload(payload))
		}
	}
	for _, name := range sortedKeys(t.again) {
		x.Kept = append(x.Kept, wire.Named{Name: name, Payload: wire.EncodePayload(t.again[name])})
	}
	return x
}

// keep makes payloads the live ones: at once for parameters that were there
// before the cell, with the cell's commit for its own. All or none are taken.
func (t *try[T]) keep(table *wire.Table) error {
	initial := t.tape.InitialParameters()
	payloads := make([]*topos.Tensor[T], len(table.Slots))
	for i, slot := range table.Slots {
		payload, err := wire.DecodePayload(t.tape.Element(), table.Payloads[i])
		if err != nil {
			return err
		}
		if slot < t.slots && !payload.Shape().Equal(initial.Slot(slot).Shape()) {
			return fmt.Errorf("parameter slot %d holds %v, not %v", slot, initial.Slot(slot).Shape(), payload.Shape())
		}
		payloads[i] = payload
	}
	for i, slot := range table.Slots {
		if slot < t.slots {
			t.setLive(slot, payloads[i])
		} else {
			t.pending[slot] = payloads[i]
		}
	}
	return nil
}

// absorb records what a Go cell's process did, as if it had been done here.
func (t *try[T]) absorb(r *ledger.Reader) error {
	element, number, base := t.header()
	if h := r.Header(); h.Element != element || h.Segment != number || h.Base != base {
		return fmt.Errorf("the cell recorded segment %d in %s from node %d on; the session is at segment %d in %s, node %d",
			h.Segment, h.Element, h.Base, number, element, base)
	}
	w := absorbed[T]{try: t}
	for {
		e, err := r.Next()
		switch {
		case err == io.EOF:
			return w.finish()
		case err == nil && e.Kind == ledger.NodeEntry:
			w.nodes = append(w.nodes, e.Node...)
		case err == nil:
			err = w.name(e)
		}
		if err != nil {
			return err
		}
	}
}

// absorbed gathers nodes, so that they are decoded many at a time.
type absorbed[T any] struct {
	*try[T]
	nodes []byte // encoded, not yet on the tape
}

// flush puts the gathered nodes on the tape.
func (w *absorbed[T]) flush() error {
	err := w.tape.Decode(w.nodes)
	w.nodes = w.nodes[:0]
	return err
}

func (w *absorbed[T]) finish() error {
	if err := w.flush(); err != nil {
		return err
	}
	slots := w.tape.InitialParameters()
	for slot, payload := range w.pending {
		if slot >= slots.Len() || !slots.Slot(slot).Shape().Equal(payload.Shape()) {
			return fmt.Errorf("the cell kept a payload of %v for parameter slot %d, which it does not fit", payload.Shape(), slot)
		}
	}
	for slot, payload := range w.pending {
		w.setLive(slot, payload)
	}
	clear(w.pending)
	return nil
}

func (w *absorbed[T]) name(e ledger.Entry) error {
	if !language.IsName(e.Name) {
		return fmt.Errorf("the cell bound %q, which cannot be a name", e.Name)
	}
	if err := w.flush(); err != nil {
		return err
	}
	b := language.Binding{Name: e.Name, Symbol: w.tape.Value(e.Index).Symbol()}
	w.names.Bind(b.Name, b.Symbol)
	w.bound(b)
	return nil
}
