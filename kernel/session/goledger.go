package session

import (
	"fmt"
	"io"
	"slices"

	"github.com/topos-notebook/topos/cells/ledger"
	"github.com/topos-notebook/topos/cells/payloads"
	"github.com/topos-notebook/topos/cells/wire"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
)

// goCell is what an attempt does for a Go cell's process. Large payloads lie in
// the session's files.
type goCell interface {
	large() []*topos.Payload
	snapshot(*payloads.Folder) *wire.Snapshot
	keep(*payloads.Folder, *wire.Table) error
	absorb(*payloads.Folder, *ledger.Reader) error
	salvage(files *payloads.Folder, path string)
}

// large lists the payloads that a cell's process will ask for the files of.
func (t *try[T]) large() []*topos.Payload {
	var all gathered
	for p := range t.tape.Payloads {
		all.Put(p)
	}
	for slot := range t.live {
		if p := t.livePayload(slot); p != nil {
			all.Put(p)
		}
	}
	for _, name := range sortedKeys(t.formerly) {
		for _, f := range t.formerly[name] {
			if f.payload != nil {
				all.Put(topos.PayloadOf(f.payload))
			}
		}
	}
	return all
}

// snapshot is the session as the cell's process finds it.
func (t *try[T]) snapshot(files *payloads.Folder) *wire.Snapshot {
	x := &wire.Snapshot{Element: t.element(), Segment: t.segment.number, Structure: t.tape.EncodeWith(files, 0, t.tape.Len())}
	encode := func(p *topos.Tensor[T]) []byte { return t.tape.EncodePayload(files, topos.PayloadOf(p)) }
	for name, symbol := range t.names.All() {
		x.Names = append(x.Names, wire.Name{Name: name, Node: symbol.Index()})
	}
	for slot, payload := range t.live {
		if payload != nil {
			x.Table.Slots = append(x.Table.Slots, slot)
			x.Table.Payloads = append(x.Table.Payloads, encode(payload))
		}
	}
	for _, name := range sortedKeys(t.formerly) {
		for _, f := range t.formerly[name] {
			kept := wire.Named{Name: name}
			if f.payload != nil {
				kept.Payload = encode(f.payload)
			}
			x.Kept = append(x.Kept, kept)
		}
	}
	return x
}

// keep makes payloads the live ones: at once for parameters that were there
// before the cell, with the cell's commit for its own. All or none are taken.
func (t *try[T]) keep(files *payloads.Folder, table *wire.Table) error {
	initial := t.tape.InitialParameters()
	kept := make([]*topos.Tensor[T], len(table.Slots))
	for i, slot := range table.Slots {
		p, err := t.tape.DecodePayload(files, table.Payloads[i])
		if err != nil {
			return err
		}
		payload := topos.TensorOf(t.tape.Element(), p)
		if slot < t.slots && !payload.Shape().Equal(initial.Slot(slot).Shape()) {
			return fmt.Errorf("parameter slot %d holds %v, not %v", slot, initial.Slot(slot).Shape(), payload.Shape())
		}
		kept[i] = payload
	}
	for i, slot := range table.Slots {
		former := t.put(slot, kept[i])
		// Its file is not waited for: a cell may keep a table many times.
		if former != nil && !slices.Contains(kept, former) {
			files.Drop(topos.PayloadOf(former))
		}
	}
	return nil
}

// put makes a payload that the cell kept the one of a slot, and gives the former.
func (t *try[T]) put(slot int, payload *topos.Tensor[T]) (former *topos.Tensor[T]) {
	if slot >= t.slots {
		former = t.pending[slot]
		t.pending[slot] = payload
		return former
	}
	former = t.liveAt(slot)
	t.lasting(slot, payload)
	return former
}

// absorb records what a Go cell's process did, as if it had been done here.
func (t *try[T]) absorb(files *payloads.Folder, r *ledger.Reader) error {
	element, number, base := t.header()
	if h := r.Header(); h.Element != element || h.Segment != number || h.Base != base {
		return fmt.Errorf("the cell recorded segment %d in %s from node %d on; the session is at segment %d in %s, node %d",
			h.Segment, h.Element, h.Base, number, element, base)
	}
	w := absorbed[T]{try: t, files: files}
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

// salvage looks into the ledger of a cell that is dropped, for the names of
// parameters that it recorded again and kept: their payloads outlive it, in the
// segment that it was to replace.
func (t *try[T]) salvage(files *payloads.Folder, path string) {
	if len(t.pending) == 0 || len(t.formerly) == 0 {
		return
	}
	kept := sortedKeys(t.pending)
	r, err := ledger.Load(path)
	if err == nil {
		err = t.absorb(files, r)
	}
	if err != nil {
		return // a process that was killed may not have come to the names
	}
	all := t.tape.Parameters()
	for _, slot := range kept {
		t.stepped[all[slot]] = true
	}
}

// absorbed gathers nodes, so that they are decoded many at a time.
type absorbed[T any] struct {
	*try[T]
	files *payloads.Folder
	nodes []byte // encoded, not yet on the tape
}

// flush puts the gathered nodes on the tape.
func (w *absorbed[T]) flush() error {
	err := w.tape.DecodeWith(w.files, w.nodes)
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
