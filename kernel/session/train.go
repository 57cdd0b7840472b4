package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/topos-notebook/topos/kernel/magic"
	"github.com/topos-notebook/topos/kernel/readings"
	"github.com/topos-notebook/topos/kernel/training"
	"github.com/topos-notebook/topos/topos"
)

// lesson is a training that a cell runs, of any element.
type lesson interface {
	// run takes the steps. It may be left alone while it runs: it touches nothing
	// of the session.
	run(ctx context.Context) error
	// reached is what progress shows.
	reached() (step int, loss string)
	// keep makes what was reached the session's.
	keep() kept
	// appended is a line about what the training has recorded, which goes again
	// where the cell fails; "" where it has recorded nothing.
	appended() string
	// word puts an error of run in the words of the notebook.
	word(err error) error
}

// kept is the state after the last whole step, which became the session's.
type kept struct {
	step  int
	loss  string
	curve *topos.Reading // nil before the first step
	// gone is a line for a cell that fails: what of the state goes with it. ""
	// where nothing does.
	gone string
}

// taught is a lesson on an attempt.
type taught[T any] struct {
	*try[T]
	*training.Training[T]
	loss     string
	key      string // of what the optimizer remembers
	recorded string // see appended
}

// train prepares a training. The notes are lines to show before it.
func (t *try[T]) train(ctx context.Context, m magic.Magic) (l lesson, notes []string, err error) {
	err = watched(ctx, &t.tape.Recording, func() (err error) {
		l, notes, err = t.prepared(m)
		return err
	})
	return l, notes, err
}

func (t *try[T]) prepared(m magic.Magic) (l lesson, notes []string, err error) {
	t.tape.Place(t.segment.number, m.Line)
	s := t.sight()
	what, err := s.Trained(m.Request)
	if err != nil {
		return nil, nil, err
	}
	start := t.tape.Len()
	a, reused, err := s.Adjoints(m.Request)
	if err != nil {
		return nil, nil, err
	}
	w := &taught[T]{try: t, loss: what.Name, key: memoryKey(m.Train.Optimizer, what.Name, m.Request.Wrt)}
	memory := t.memories[w.key]
	if memory != nil && !memory.Knows(what.Parameters) {
		memory = nil // of parameters that are gone
	}
	w.Training, err = training.New(training.Setting[T]{
		Network: t.tape.View(), Adjoints: a, Trained: what.Parameters, Exact: m.Request.Exact,
		Optimizer: m.Train.Optimizer, Rate: m.Train.Rate, Steps: m.Train.Steps, Memory: memory,
	}, t.table())
	if err == nil {
		err = readings.Runnable(w.Plan())
	}
	if err != nil {
		t.tape.Cut(start)
		return nil, nil, err
	}
	if !reused {
		t.derived(a)
	}
	if from, to := a.Appended(); to > from && !reused {
		w.recorded = fmt.Sprintf("the derivative of %s is appended, as nodes %d to %d", what.Name, from, to-1)
	}
	return w, w.notes(what, a, reused), nil
}

// notes say what the training is based on.
func (w *taught[T]) notes(what *readings.Trained, a topos.Adjoints, reused bool) []string {
	var notes []string
	if reused {
		notes = append(notes, w.reuse(what.Name, a))
	}
	if len(what.Inputs) > 0 {
		notes = append(notes, fmt.Sprintf("each step is fed what %s recorded with; other feeds are a Go cell's", were(what.Inputs, "input")))
	}
	if w.Memory != nil {
		notes = append(notes, fmt.Sprintf("%s goes on after %s", w.Optimizer, counted(w.Memory.Steps, "step")))
	}
	return notes
}

// were lists a few names: "the inputs x and y were".
func were(names []string, what string) string {
	const few = 8
	if n := len(names); n > few {
		names = append(append([]string{}, names[:few]...), fmt.Sprintf("%d more", n-few))
	}
	if len(names) == 1 {
		return "the " + what + " " + names[0] + " was"
	}
	last := len(names) - 1
	return "the " + what + "s " + strings.Join(names[:last], ", ") + " and " + names[last] + " were"
}

func (w *taught[T]) appended() string { return w.recorded }

func (w *taught[T]) run(ctx context.Context) error { return w.Run(ctx) }

func (w *taught[T]) reached() (step int, loss string) {
	r := w.Reached()
	return r.Step, r.Loss
}

func (w *taught[T]) keep() kept {
	r := w.Reached()
	if r.Step == 0 {
		return kept{}
	}
	k := kept{step: r.Step, loss: r.Loss}
	own := 0
	for _, name := range w.Trained {
		slot := w.slotOf(name)
		w.lasting(slot, r.Parameters.Slot(slot))
		w.stepped[name] = true
		if _, former := w.heirs[name]; slot >= w.slots && !former {
			own++
		}
	}
	if m := w.Remembers(r); m != nil {
		w.remembering(w.key, m)
	}
	k.curve = topos.ReadPlot(topos.Plot{Title: w.loss, XLabel: "step", YLabel: w.loss, Values: r.Losses, Log: true})
	if own > 0 {
		k.gone = fmt.Sprintf("%s recorded by this cell, and gone with it: record what is trained in an earlier cell, and an interrupt keeps it", plural(own, "parameter is", "parameters are"))
	}
	return k
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (w *taught[T]) word(err error) error {
	var f *training.Fault
	if !errors.As(err, &f) {
		return err
	}
	called := named(w.label(f.Node.Symbol()), w.tape.Resolve(f.Node).String())
	kept := "the parameters are as they were"
	if f.Step > 1 {
		kept = fmt.Sprintf("the parameters are those after step %d", f.Step-1)
	}
	if f.Stepped {
		return fmt.Errorf("step %d of %d would make %s not finite: %s; a smaller --rate may do", f.Step, w.Steps, called, kept)
	}
	if why := f.Node.Why(); why != "" {
		called += " (" + why + ")"
	}
	return fmt.Errorf("step %d of %d is not finite, first at %s: %s", f.Step, w.Steps, called, kept)
}

// named is a node with its name, where it has one.
func named(name, node string) string {
	if name == "" {
		return node
	}
	return name + " = " + node
}
