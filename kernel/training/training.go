package training

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/optim"
)

// Setting says what to train, and how.
type Setting[T any] struct {
	Network   *topos.Network[T] // that holds the derivative
	Adjoints  topos.Adjoints
	Trained   []topos.Symbol // the parameters that are stepped; others stay as they are
	Exact     bool           // keep the recorded order of arithmetic
	Optimizer string         // sgd, adam or adamw
	Rate      string         // rounded to the element once
	Steps     int
	Memory    *Memory[T] // of an earlier training to go on from, nil for none
}

// Training is one run of steps.
type Training[T any] struct {
	Setting[T]
	plan      *topos.Plan[T]
	optimizer optim.Optimizer[T]
	adam      *optim.Adam[T] // what remembers, nil where nothing does
	rate      T
	trained   map[topos.Symbol]bool
	reached   atomic.Pointer[Reached[T]]
}

// Reached is the state after some whole steps.
type Reached[T any] struct {
	Step       int // 0 before the first
	Parameters *topos.Parameters[T]
	Losses     []float64 // that each step read, before it stepped
	Loss       string    // the last of them as it prints, "" before the first step

	first, second *topos.Parameters[T]
}

// New prepares a training from the parameters of the network. It fails where the
// rate or the optimizer does not suit the element, and where the derivative
// cannot be run.
func New[T any](s Setting[T], start *topos.Parameters[T]) (*Training[T], error) {
	t := &Training[T]{Setting: s, trained: map[topos.Symbol]bool{}}
	for _, at := range s.Trained {
		t.trained[at] = true
	}
	e := s.Network.Element()
	var err error
	if t.rate, err = e.Parse(s.Rate); errors.Is(err, strconv.ErrRange) {
		return nil, fmt.Errorf("the rate %s is no number of %v: it is out of range", s.Rate, e)
	}
	if err != nil {
		return nil, fmt.Errorf("the rate %s is no number of %v: %w", s.Rate, e, err)
	}
	if err := t.choose(e); err != nil {
		return nil, err
	}
	if t.adam != nil && s.Memory != nil {
		first, second := s.Memory.tables(start)
		if err := t.adam.Resume(first, second, s.Memory.Steps); err != nil {
			return nil, err
		}
	}
	entry := s.Network.Entry(s.Adjoints.Roots()...)
	if s.Exact {
		entry = entry.Numerics(topos.Exact)
	}
	if t.plan, err = entry.Lower(); err != nil {
		return nil, err
	}
	t.reached.Store(&Reached[T]{Parameters: start})
	return t, nil
}

// choose makes the optimizer, with the scalars that topos/optim gives it.
func (t *Training[T]) choose(e topos.Element[T]) error {
	switch t.Optimizer {
	case "sgd":
		t.optimizer = optim.Sgd[T]{}
		return nil
	case "adam":
		t.adam = optim.DefaultAdam(e)
		t.optimizer = t.adam
		return suits(e, "adam", "optim.NewAdam")
	case "adamw":
		w := optim.DefaultAdamW(e)
		t.adam, t.optimizer = w.Adam, w
		return suits(e, "adamw", "optim.NewAdamW")
	default:
		return fmt.Errorf("there is no optimizer %q", t.Optimizer)
	}
}

// suits refuses an element in which Adam's usual numbers give NaN before long.
func suits[T any](e topos.Element[T], name, other string) error {
	advice := "train by sgd, or in a Go cell by " + other + " with other numbers"
	switch {
	case e.Float64(e.FromFloat64(0.999)) == 1:
		return fmt.Errorf("%s averages by 0.999, which %v rounds to 1: %s", name, e, advice)
	case e.Float64(e.FromFloat64(1e-8)) == 0:
		return fmt.Errorf("%s divides by no less than 1e-8, which %v rounds to 0: %s", name, e, advice)
	}
	return nil
}

// Plan is what each step runs.
func (t *Training[T]) Plan() *topos.Plan[T] { return t.plan }

// Reached is the state after the last whole step. It may be asked for while the
// training runs.
func (t *Training[T]) Reached() *Reached[T] { return t.reached.Load() }

// Remembers is what the optimizer remembers at a state, nil where it remembers
// nothing.
func (t *Training[T]) Remembers(at *Reached[T]) *Memory[T] {
	if t.adam == nil {
		return nil
	}
	if at.Step == 0 {
		return t.Memory
	}
	m := &Memory[T]{at.Step, map[topos.Symbol]Moments[T]{}}
	if t.Memory != nil {
		m.Steps += t.Memory.Steps
		for name, x := range t.Memory.Moments {
			m.Moments[name] = x
		}
	}
	for _, name := range t.Trained {
		m.Moments[name] = Moments[T]{at.first.Of(name), at.second.Of(name)}
	}
	return m
}

// Run takes the steps. It ends with the context's error, between two steps or
// where the network's tape was told to stop, or with a [*Fault]; what was reached
// before is whole in any case.
func (t *Training[T]) Run(ctx context.Context) error {
	for r := t.Reached(); r.Step < t.Steps; {
		if err := ctx.Err(); err != nil {
			return err
		}
		var next *Reached[T]
		var err error
		if refusal := topos.Refused(func() { next, err = t.step(r) }); refusal != nil {
			err = refusal
		}
		if errors.Is(err, topos.ErrStopped) {
			return cmp.Or(ctx.Err(), context.Canceled)
		}
		if err != nil {
			return err
		}
		t.reached.Store(next)
		r = next
	}
	return nil
}

// step takes one step.
func (t *Training[T]) step(from *Reached[T]) (*Reached[T], error) {
	run, err := t.plan.Forward(from.Parameters)
	if err != nil {
		return nil, err
	}
	loss := run.Of(t.Adjoints.Target())
	sound := loss.Finite()
	gradients := run.RecordedGradients(t.Adjoints)
	for _, name := range t.Trained {
		sound = sound && gradients.Of(name).Finite()
	}
	if !sound {
		return nil, t.locate(from)
	}
	stepped := t.optimizer.Step(from.Parameters, gradients, t.rate)
	next := &Reached[T]{
		Step: from.Step + 1, Losses: append(from.Losses, loss.Element().Float64(loss.Scalar())), Loss: loss.String(),
		Parameters: stepped.StepEach(from.Parameters, func(name topos.Symbol, after, before *topos.Tensor[T]) *topos.Tensor[T] {
			if t.trained[name] {
				return after
			}
			return before
		}),
	}
	for _, name := range t.Trained {
		if !next.Parameters.Of(name).Finite() {
			return nil, &Fault{Step: next.Step, Node: t.Network.Node(name), Stepped: true}
		}
	}
	if t.adam != nil {
		next.first, next.second = t.adam.Moments()
	}
	return next, nil
}
