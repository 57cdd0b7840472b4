package session

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/topos-notebook/topos/cells/payloads"
	"github.com/topos-notebook/topos/kernel/journal"
	"github.com/topos-notebook/topos/topos"
)

// keeper brings what is committed to the disk. It compares the committed notebook
// with what it wrote last, so that it need not know what cells can do.
type keeper struct {
	store   *journal.Store // nil where sessions are kept in memory alone
	key     string         // of the kernel
	files   *payloads.Folder
	log     *journal.Log // nil as long as nothing was worth writing
	written mark         // what the log holds
	moved   bool         // a cell closed a session, or opened one
}

// mark is what of a notebook was written: enough to tell what changed since.
type mark struct {
	tape     any
	nodes    int
	names    []string // in force, the newest first
	segments []segmentMark
	live     []any          // payloads by slot, nil where the recorded initial holds
	memories map[string]any // of optimizers, by key
	runs     map[string]runsOf
}

// segmentMark is a segment that was written, and what of it may change.
type segmentMark struct {
	*segment
	to, superseded int
}

// payload is what was live in a slot.
func (m *mark) payload(slot int) any {
	if slot < len(m.live) {
		return m.live[slot]
	}
	return nil
}

// Journal has the engine keep its sessions in a store. The key is the kernel's: a
// kernel that is started again under the same key finds its sessions by it. It is
// to be called before the first cell.
func (e *Engine) Journal(store *journal.Store, key string) {
	e.keeper.store, e.keeper.key = store, key
}

// write brings the journal up to date with a notebook. Where that fails the next
// write brings what this one did not.
func (k *keeper) write(n notebook) error {
	if k.store == nil || k.log == nil && n.pristine() {
		return nil
	}
	x, now := n.change(&k.written)
	if x == nil {
		return k.settle(n)
	}
	k.fill(n, x)
	var err error
	if k.log == nil {
		k.log, err = k.store.Create(k.key, x)
	} else {
		err = k.log.Append(x)
	}
	if errors.Is(err, journal.ErrLost) {
		return k.anew(n, err)
	}
	if err != nil {
		return fmt.Errorf("the cell is not saved: %w; the session goes on in memory", err)
	}
	k.written = *now
	return k.settle(n)
}

// anew keeps the whole notebook once more, as another session, where what was written
// of it is lost.
func (k *keeper) anew(n notebook, lost error) error {
	k.log.Abandon()
	k.log, k.written = nil, mark{}
	if err := k.write(n); err != nil {
		return fmt.Errorf("%w: %w", lost, err)
	}
	return fmt.Errorf("%w: it is kept anew, as session %d", lost, k.number())
}

// settle replaces a log that has outgrown its notebook, and tells what went wrong
// since the last cell.
func (k *keeper) settle(n notebook) error {
	if k.log != nil && k.log.Outgrown() {
		whole, _ := n.change(&mark{})
		k.fill(n, whole)
		k.log.Snapshot(whole) // where it fails the log stays as it is, and is right
	}
	return k.trouble()
}

// keep brings payloads to the journal that a cell has kept and that outlive it,
// while it runs: what it has recorded so far is not looked at. Where that fails, or
// there is nothing yet to keep it with, the end of the cell brings them.
func (k *keeper) keep(a attempt) {
	if k.log == nil {
		return
	}
	x, now := a.keptSince(&k.written)
	if x == nil {
		return
	}
	k.fill(a, x)
	if k.log.Append(x) != nil {
		return
	}
	k.written = *now
	// The program waits: what can be left to the end of the cell is.
	if k.log.Overgrown() {
		k.log.Compact() // where it fails the log stays as it is, and is right
	}
}

// fill lets the journal have large payloads without a copy of them.
func (k *keeper) fill(n interface{ livePayload(slot int) *topos.Payload }, x *journal.Change) {
	for i := range x.Segments {
		aside := x.Segments[i].Aside
		for j := range aside {
			if c, ok := aside[j].Content.(content); ok {
				aside[j].Content = content{c.Payload, k.files}
			}
		}
	}
	for i := range x.Payloads {
		if p := n.livePayload(x.Payloads[i].Slot); p != nil && !p.Uniform() {
			x.Payloads[i].Content = content{p, k.files}
		}
	}
}

// trouble is what went wrong since the last cell.
func (k *keeper) trouble() error {
	if k.log == nil {
		return nil
	}
	if err := k.log.Failure(); err != nil {
		return fmt.Errorf("what was saved may not outlive a power loss: %w", err)
	}
	return nil
}

// place is where a cell that opens or closes a session has the journal go on.
type place struct {
	log     *journal.Log // nil for a session that is yet to be made
	written mark
}

// release gives a place up that was not moved to.
func (p *place) release() {
	if p != nil && p.log != nil {
		p.log.Close()
	}
}

// move closes the session that was written so far and goes on at a place.
func (k *keeper) move(p *place) error {
	if p == nil {
		return nil
	}
	err := k.close()
	k.moved = true
	k.log, k.written = p.log, p.written
	if k.log != nil && err == nil {
		err = k.log.Take()
	}
	return err
}

// close closes the session that was written, and lets the oldest go.
func (k *keeper) close() error {
	if k.log == nil {
		return nil
	}
	err := k.log.Close()
	k.log = nil
	k.store.Prune()
	return err
}

// candidates are what %session open can be asked for. It may be called while a
// cell runs.
func (k *keeper) candidates() []string {
	if k.store == nil {
		return nil
	}
	all := []string{"previous"}
	for _, n := range k.store.Closed() {
		all = append(all, strconv.Itoa(n))
	}
	return all
}

// fate says what becomes of the session that is written where a cell begins another.
// It says no number: two runs of a notebook say the same.
func (k *keeper) fate() string {
	if k.log == nil {
		return "what was before is gone: sessions are not kept here"
	}
	return "what was before is kept: %session open previous"
}

// number is the number of the session that is written, 0 for none.
func (k *keeper) number() int {
	if k.log == nil {
		return 0
	}
	return k.log.Number()
}
