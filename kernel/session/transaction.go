package session

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"

	"github.com/topos-notebook/topos/cells/ledger"
	"github.com/topos-notebook/topos/kernel/elements"
	"github.com/topos-notebook/topos/kernel/magic"
	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/render"
	"github.com/topos-notebook/topos/topos"
)

// transaction is one cell from its beginning to its end.
type transaction struct {
	engine   *Engine
	cell     server.Cell
	script   magic.Cell
	notebook notebook // what attempt is on: the engine's, or a new one
	attempt  attempt
	left     []attempt // given up for a new notebook, oldest first
	next     *place    // where the journal goes on, nil for where it is
	out      server.Output
	lease    *lease // while the cell's program may run
	ran      bool   // the cell has a program

	mu     sync.Mutex // readings come from the program's goroutine too
	static bool
	shown  map[string]int // anchors of cards, for those that repeat
}

var _ server.Transaction = (*transaction)(nil)

// Before implements [server.Transaction].
func (t *transaction) Before(ctx context.Context, out server.Output) error {
	t.out = out
	if err := t.steps(ctx, t.script.Steps); err != nil {
		return err
	}
	return t.magics(ctx, t.script.Before)
}

// account says what a tape cell recorded that shows nothing else of it. It is
// called when the cell is committed: its nodes have their numbers then.
func (t *transaction) account(out server.Output) {
	asks := slices.ContainsFunc(t.script.Steps, func(s magic.Step) bool { return s.Magic != nil })
	if !t.script.Tape || asks {
		return
	}
	if line := t.attempt.recorded(); line != "" {
		if bundle, err := t.text(line); err == nil { // a card of one line cannot fail
			out.Display(bundle, nil)
		}
	}
}

// text is the card of a text that is no reading of the tape.
func (t *transaction) text(s string) (map[string]any, error) {
	return render.Bundle(&topos.Reading{Kind: topos.TextReading, Text: s}, render.Options{Static: t.static})
}

// Forward implements [server.Transaction]. From here on the cell's program may
// take part in the session.
func (t *transaction) Forward() string {
	if t.script.Go == "" {
		return ""
	}
	t.engine.prepare(t.attempt.large()) // before another goroutine may keep
	t.lease = &lease{folder: t.engine.folder, files: t.engine.files, cell: t.cell.Count, show: t.show, kept: t.kept, attempt: t.attempt}
	t.engine.host.grant(t.lease)
	t.ran = true
	return t.script.Go
}

// After implements [server.Transaction].
func (t *transaction) After(ctx context.Context, out server.Output) error {
	if err := t.absorb(); err != nil {
		return err
	}
	return t.magics(ctx, t.script.After)
}

// Commit implements [server.Transaction].
func (t *transaction) Commit(out server.Output) error {
	if err := t.absorb(); err != nil {
		return err
	}
	if t.next != nil {
		// What was left keeps what the cell trained of it.
		t.leave()
		t.save()
	}
	notes := t.attempt.commit()
	t.account(out)
	for _, note := range notes {
		out.Stream("stdout", note+"\n")
	}
	t.engine.static = t.static
	t.engine.adopt(t.notebook)
	moved := t.engine.keeper.move(t.next)
	t.save()
	if moved != nil {
		out.Stream("stderr", moved.Error()+"\n")
	}
	t.engine.sweep(t.ran)
	return nil
}

// Rollback implements [server.Transaction].
func (t *transaction) Rollback() {
	if path := t.revoke(); path != "" {
		t.attempt.salvage(t.engine.files, path)
		os.Remove(path)
	}
	t.attempt.rollback()
	t.leave()
	t.next.release()
	t.save() // parameters may have been kept
	t.engine.sweep(t.ran)
}

// leave puts back as they were the notebooks that the cell did not go on with.
func (t *transaction) leave() {
	for _, a := range slices.Backward(t.left) {
		a.rollback()
	}
}

// save writes to the journal what is committed. Where that fails it is said, once
// a cell, and no reason for the cell to fail.
func (t *transaction) save() {
	if err := t.engine.keeper.write(t.engine.notebook); err != nil && t.out != nil {
		t.out.Stream("stderr", err.Error()+"\n")
	}
}

// kept brings to the journal what the cell's program has kept: it outlives the
// cell, and so it is to outlive the kernel.
func (t *transaction) kept() { t.engine.keeper.keep(t.attempt) }

// revoke ends the lease and gives the ledger recorded under it, "" for none.
func (t *transaction) revoke() string {
	if t.lease == nil {
		return ""
	}
	l := t.lease
	t.lease = nil
	return t.engine.host.revoke(l)
}

// absorb takes over what the cell's program recorded, once it has ended.
func (t *transaction) absorb() error {
	path := t.revoke()
	if path == "" {
		return nil
	}
	defer os.Remove(path)
	r, err := ledger.Load(path)
	if err == nil {
		err = t.attempt.absorb(t.engine.files, r)
	}
	if err != nil {
		return &server.CellError{Name: "SessionError", Value: "what the cell recorded cannot be read: " + err.Error()}
	}
	return t.bounded()
}

// bounded refuses a tape that has grown too long.
func (t *transaction) bounded() error {
	_, _, nodes := t.attempt.header()
	if err := t.engine.bound(nodes); err != nil {
		return &server.CellError{Name: "TapeError", Value: fmt.Sprintf("cell %d: %v", t.cell.Count, err)}
	}
	return nil
}

// show displays a reading.
func (t *transaction) show(r *topos.Reading) error {
	return t.showWithin(context.Background(), r)
}

// showWithin displays a reading unless the context ends first.
func (t *transaction) showWithin(ctx context.Context, r *topos.Reading) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	anchor, err := within(ctx, func() (string, error) { return render.Anchor(r), nil })
	if err != nil {
		return err
	}
	t.shown[anchor]++
	o := render.Options{Static: t.static, Repeat: t.shown[anchor]}
	bundle, err := within(ctx, func() (map[string]any, error) { return render.Bundle(r, o) })
	if err != nil {
		return err
	}
	t.out.Display(bundle, nil)
	return nil
}

// renew makes the cell go on with an empty notebook of an element, "" for the
// same as now. What was before is kept as a closed session, unless it is no more than
// what the cell itself recorded when it was run before: that is replaced, as
// anywhere, so that a cell which begins a tape may be run as often as one likes.
func (t *transaction) renew(element string) error {
	if element == "" {
		element = t.notebook.element()
	}
	empty, ok := empties.Of(element)
	if !ok {
		return errors.New("a session's element is " + elements.Listed() + ", not " + element)
	}
	if t.next != nil || t.attempt.worked() {
		if t.next == nil {
			t.out.Stream("stdout", "a new session of "+element+"; "+t.engine.keeper.fate()+"\n")
		}
		t.turn(empty(), &place{})
		return nil
	}
	t.left = append(t.left, t.attempt)
	t.notebook = empty()
	t.attempt = t.notebook.begin(t.cell)
	return nil
}
