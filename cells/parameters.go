package cells

import (
	"errors"
	"fmt"
	"os"

	"github.com/topos-notebook/topos/cells/bounds"
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
		if live := s.r.live[slots[i]]; live != nil {
			return topos.TensorOf(s.Element(), live)
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
	if p == nil {
		return errors.New("keep was given no parameters")
	}
	before := s.Parameters()
	after, err := s.Carry(p)
	if err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	if p.Len() > before.Len() {
		return fmt.Errorf("keep was given %d parameters, the session has %d: %w", p.Len(), before.Len(), topos.ErrShape)
	}
	var slots []int
	var changed []*topos.Payload
	for i := range p.Len() {
		if t := after.Slot(i); t != before.Slot(i) {
			slots = append(slots, i)
			changed = append(changed, topos.PayloadOf(t))
		}
	}
	return s.r.keep(slots, changed)
}

// payload is what a node holds under the live parameters.
func (s *Session[T]) payload(at topos.Symbol) (topos.PayloadReading, error) {
	run, err := s.View().Entry(at).Interpret(s.Parameters())
	if err != nil {
		return topos.PayloadReading{}, err
	}
	return run.Of(at).Reading().Payloads[0], nil
}

// keep makes payloads the live ones of slots, once the kernel has them.
func (b *record) keep(slots []int, changed []*topos.Payload) error {
	if len(slots) == 0 {
		return nil
	}
	if b.ledger != nil {
		table := wire.Table{Slots: slots}
		for _, p := range changed {
			if err := bounds.OfPayload(int64(p.Bytes())); err != nil {
				return fmt.Errorf("keep: %w", err)
			}
			table.Payloads = append(table.Payloads, b.tape.EncodePayload(b.files, p))
		}
		if err := process.talk.keep(&table); err != nil {
			for _, p := range changed {
				b.files.Forget(p)
			}
			return err
		}
	}
	parameters := b.tape.Parameters()
	for i, slot := range slots {
		at := parameters[slot]
		if former := b.live[at]; former != nil && b.files != nil {
			b.files.Forget(former) // the kernel lets its file go
		}
		b.live[at] = changed[i]
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
