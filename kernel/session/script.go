package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/topos-notebook/topos/kernel/image"
	"github.com/topos-notebook/topos/kernel/magic"
	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
)

// steps carries out the lines of a tape cell. Between two of them an interrupt
// ends it.
func (t *transaction) steps(ctx context.Context, steps []magic.Step) error {
	for _, step := range steps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if step.Magic != nil {
			if err := t.magics(ctx, []magic.Magic{*step.Magic}); err != nil {
				return err
			}
			continue
		}
		if err := t.attempt.assign(step.Line); err != nil {
			return t.engine.offered(tapeError(t.cell.Count, err))
		}
		if err := t.bounded(); err != nil {
			return err
		}
	}
	return nil
}

// magics carries out line magics.
func (t *transaction) magics(ctx context.Context, magics []magic.Magic) error {
	for _, m := range magics {
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := t.magic(ctx, m); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return tapeError(t.cell.Count, m.Fault(err))
		}
		if err := t.bounded(); err != nil {
			return err
		}
	}
	return nil
}

func (t *transaction) magic(ctx context.Context, m magic.Magic) error {
	switch m.Name {
	case "help":
		return t.showWithin(ctx, &topos.Reading{Kind: topos.TextReading, Text: magic.Help()})
	case "backends":
		return t.showWithin(ctx, &topos.Reading{Kind: topos.TextReading, Text: image.Report()})
	case "static":
		t.static = m.Static
		return nil
	case "tape":
		switch {
		case m.Tape.New:
			return t.renew(m.Tape.Element)
		case m.Tape.Status:
			return t.showWithin(ctx, &topos.Reading{Kind: topos.TextReading, Text: t.attempt.status()})
		}
		return t.say(t.attempt.reset(m.Tape.Names))
	case "train":
		return t.train(ctx, m)
	case "verify":
		return t.verify(ctx)
	case "rerecord":
		return t.rerecord(ctx, m)
	case "session":
		return t.sessions(ctx, m)
	case "checkpoint":
		return t.say(t.attempt.checkpoint(m.Checkpoint))
	}
	readings, note, err := t.attempt.read(ctx, m)
	if err != nil {
		return err
	}
	if note != "" {
		t.out.Stream("stdout", note+"\n")
	}
	for _, r := range readings {
		if err := t.showWithin(ctx, r); err != nil {
			return err
		}
	}
	return nil
}

// say prints a line, "" for none, and passes an error on.
func (t *transaction) say(note string, err error) error {
	if note != "" {
		t.out.Stream("stdout", note+"\n")
	}
	return err
}

// tapeError words a fault of a line as clients show it: its place and sentence,
// the line, and the caret below it.
func tapeError(count int, err error) error {
	var fault *language.Error
	if !errors.As(err, &fault) {
		return err
	}
	where := fmt.Sprintf("cell %d", count)
	if fault.Line > 0 {
		where += fmt.Sprintf(" line %d", fault.Line)
	}
	e := &server.CellError{Name: "TapeError", Value: where + ": " + fault.Message}
	e.Traceback = []string{e.Value}
	if caret := fault.Caret(); caret != "" {
		e.Traceback = append(e.Traceback, strings.Split(caret, "\n")...)
	}
	return e
}
