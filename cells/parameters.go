package cells

import (
	"fmt"
	"os"

	"github.com/topos-notebook/topos/cells/wire"
	"github.com/topos-notebook/topos/topos"
)

// Parameters is the session's live table over the tape as it stands: what was
// kept last, and recorded initials where nothing was.
func (s *Session[T]) Parameters() *topos.Parameters[T] {
	initial := s.InitialParameters()
	slots, i := initial.Names(), -1
	return initial.Map(func(t *topos.Tensor[T]) *topos.Tensor[T] {
		i++
		if live, ok := s.r.live[slots[i]].(*topos.Tensor[T]); ok {
			return live
		}
		return t
	})
}

// Keep makes a table the session's live parameters. It takes effect at once and
// outlives a failure of the cell, but for parameters that this cell recorded,
// which share the cell's fate.
//
// Keep fails for the table of another tape, for one with more slots than the
// session has, and where the kernel does not take it.
func (s *Session[T]) Keep(p *topos.Parameters[T]) error {
	before := s.Parameters()
	after, err := s.Carry(p)
	if err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	if p.Len() > before.Len() {
		return fmt.Errorf("keep was given %d parameters, the session has %d: %w", p.Len(), before.Len(), topos.ErrShape)
	}
	var changed wire.Table
	var tensors []any
	for i := range p.Len() {
		if t := after.Slot(i); t != before.Slot(i) {
			changed.Slots = append(changed.Slots, i)
			changed.Payloads = append(changed.Payloads, wire.EncodePayload(t))
			tensors = append(tensors, t)
		}
	}
	return s.r.keep(&changed, tensors)
}

// payload is what a node holds under the live parameters.
func (s *Session[T]) payload(at topos.Symbol) (topos.PayloadReading, error) {
	run, err := s.View().Entry(at).Interpret(s.Parameters())
	if err != nil {
		return topos.PayloadReading{}, err
	}
	return run.Of(at).Reading().Payloads[0], nil
}

// keep makes tensors the live ones, once the kernel has them.
func (b *record) keep(changed *wire.Table, tensors []any) error {
	if len(tensors) == 0 {
		return nil
	}
	if b.ledger != nil {
		if err := process.talk.keep(changed); err != nil {
			return err
		}
	}
	slots := b.tape.Parameters()
	for i, slot := range changed.Slots {
		b.live[slots[slot]] = tensors[i]
	}
	return nil
}

// keep hands a table to the kernel through a file of the session's folder.
func (c *conversation) keep(t *wire.Table) error {
	c.Lock()
	c.files++
	name := fmt.Sprintf("keep-%d-%d", c.lease, c.files)
	c.Unlock()
	if err := os.WriteFile(c.path(name), t.Encode(), 0o600); err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	_, err := c.ask(&wire.Keep{Lease: c.lease, File: name})
	return err
}
