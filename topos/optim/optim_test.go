package optim_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/optim"
)

// table is a matrix and a vector, and gradients of them.
func table() (tape *Tape[float64], w, b Value[float64], p, g *Parameters[float64]) {
	tape = New(F64)
	w, b = tape.Parameter(Shape{2, 2}, 1, -2, 3, 4), tape.Parameter(Shape{2}, 10, 20)
	p = tape.InitialParameters()
	return tape, w, b, p, p.WithPayloads(With(w, F64.Tensor(Shape{2, 2}, 0.5, -0.25, 2, 0)), With(b, F64.Tensor(Shape{2}, -1, 8)))
}

func scalar(x float64) *Tensor[float64] { return F64.Tensor(nil, x) }

// The formulas over plain numbers, in the same order. Variables, since the
// language computes constants exactly.
type adam struct{ m, v, p1, p2 float64 }

var beta1, beta2 = 0.9, 0.999

func (a *adam) step(p, g, rate float64) float64 {
	a.m = float64(a.m*beta1) + float64(g*(1-beta1))
	a.v = float64(a.v*beta2) + float64(float64(g*g)*(1-beta2))
	a.p1, a.p2 = a.p1*beta1, a.p2*beta2
	direction := (a.m / (1 - a.p1)) / (sqrt(a.v/(1-a.p2)) + 1e-8)
	return p - float64(direction*rate)
}

func sqrt(x float64) float64 { return F64.Tensor(nil, x).Sqrt().Scalar() }

func TestStepsFollowTheFormulas(t *testing.T) {
	const rate = 0.125
	_, _, _, p, g := table()
	for name, c := range map[string]struct {
		optimizer optim.Optimizer[float64]
		want      func() func(rank int, p, g float64) float64
	}{
		"sgd": {optim.Sgd[float64]{}, func() func(int, float64, float64) float64 {
			return func(_ int, p, g float64) float64 { return p - float64(g*rate) }
		}},
		"adam": {optim.DefaultAdam(F64), func() func(int, float64, float64) float64 {
			a := adam{p1: 1, p2: 1}
			return func(_ int, p, g float64) float64 { return a.step(p, g, rate) }
		}},
		"adamw": {optim.DefaultAdamW(F64), func() func(int, float64, float64) float64 {
			a := adam{p1: 1, p2: 1}
			return func(rank int, p, g float64) float64 {
				next := a.step(p, g, rate)
				if rank >= 2 {
					next -= float64(float64(p*0.01) * rate)
				}
				return next
			}
		}},
	} {
		t.Run(name, func(t *testing.T) {
			next := p
			gradients := []*Parameters[float64]{g, g.Scale(-3), g.Scale(0.1)}
			for _, g := range gradients {
				next = c.optimizer.Step(next, g, rate)
			}
			for slot := range p.Len() {
				for lane, x := range p.Slot(slot).Data() {
					f := c.want()
					for _, g := range gradients {
						x = f(p.Slot(slot).Shape().Rank(), x, g.Slot(slot).Data()[lane])
					}
					if got := next.Slot(slot).Data()[lane]; got != x {
						t.Errorf("slot %d at %d is %v, want %v", slot, lane, got, x)
					}
				}
			}
		})
	}
}

func TestDecayIsAPredicate(t *testing.T) {
	_, w, b, p, g := table()
	still := g.Scale(0)
	plain := optim.DefaultAdamW(F64)
	if next := plain.Step(p, still, 1); next.Of(w).Equal(p.Of(w)) || !next.Of(b).Equal(p.Of(b)) {
		t.Errorf("decayed to %v and %v", next.Of(w), next.Of(b))
	}
	chosen := optim.NewAdamW(scalar(0.9), scalar(0.999), scalar(1e-8), scalar(0.5))
	chosen.Decays = func(name Symbol, _ *Tensor[float64]) bool { return name == b.Symbol() }
	if next := chosen.Step(p, still, 0.5); !next.Of(w).Equal(p.Of(w)) || next.Of(b).String() != "[7.5, 15]" {
		t.Errorf("decayed to %v and %v", next.Of(w), next.Of(b))
	}
}

func TestRefusedStepsAreForgotten(t *testing.T) {
	_, _, _, p, g := table()
	_, _, _, _, foreign := table()
	for name, optimizer := range map[string]interface {
		optim.Optimizer[float64]
		Steps() int
	}{"adam": optim.DefaultAdam(F64), "adamw": optim.DefaultAdamW(F64)} {
		first := optimizer.Step(p, g, 0.1)
		if r := Refused(func() { optimizer.Step(first, foreign, 0.1) }); r == nil || !errors.Is(r, ErrForeign) {
			t.Errorf("%s: refused by %v", name, r)
		}
		if optimizer.Steps() != 1 {
			t.Errorf("%s counts %d steps", name, optimizer.Steps())
		}
		var again optim.Optimizer[float64] = optim.DefaultAdam(F64)
		if name == "adamw" {
			again = optim.DefaultAdamW(F64)
		}
		again.Step(p, g, 0.1)
		if got, want := optimizer.Step(first, g, 0.1), again.Step(first, g, 0.1); !got.Equal(want) {
			t.Errorf("%s steps elsewhere after a refusal", name)
		}
	}
	if r := Refused(func() { optim.Sgd[float64]{}.Step(p, foreign, 1) }); r == nil {
		t.Error("sgd takes gradients of another tape")
	}
}

func TestResumeGoesOn(t *testing.T) {
	_, _, _, p, g := table()
	whole, cut := optim.DefaultAdam(F64), optim.DefaultAdam(F64)
	q := p
	for range 3 {
		p, q = whole.Step(p, g, 0.1), cut.Step(q, g, 0.1)
	}
	first, second := cut.Moments()
	resumed := optim.DefaultAdam(F64)
	if err := resumed.Resume(first, second, cut.Steps()); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		p, q = whole.Step(p, g, 0.1), resumed.Step(q, g, 0.1)
	}
	if !p.Equal(q) || resumed.Steps() != 6 {
		t.Errorf("after %d steps %v and %v", resumed.Steps(), p.Slot(0), q.Slot(0))
	}
	for _, steps := range []int{-1, 2} {
		if err := resumed.Resume(nil, second, steps); err == nil || resumed.Steps() != 6 {
			t.Errorf("resumed after %d steps without moments: %v", steps, err)
		}
	}
	if err := resumed.Resume(first, second, 1<<50); err != nil || resumed.Steps() != 1<<50 {
		t.Errorf("%d steps, %v", resumed.Steps(), err)
	}
	if err := resumed.Resume(nil, nil, 0); err != nil {
		t.Error(err)
	}
	if a, b := resumed.Step(p, g, 0.1), optim.DefaultAdam(F64).Step(p, g, 0.1); !a.Equal(b) {
		t.Errorf("from the start: %v and %v", a.Slot(0), b.Slot(0))
	}
}

// Parameters that were recorded after a reopen start from zeros, the others go
// on from their moments.
func TestMomentsFollowTheTable(t *testing.T) {
	tape, w, b, p, g := table()
	optimizer := optim.DefaultAdam(F64)
	p = optimizer.Step(p, g, 0.1)
	old := optimizer.Step(p, g, 0.1)
	optimizer = optim.DefaultAdam(F64)
	optimizer.Step(tape.InitialParameters(), g, 0.1)
	late := tape.Parameter(nil, 5)
	longer := Must(tape.Carry(p))
	next := optimizer.Step(longer, Must(tape.Carry(g)), 0.1)
	if !next.Of(w).Equal(old.Of(w)) || !next.Of(b).Equal(old.Of(b)) {
		t.Errorf("stepped to %v and %v, want %v and %v", next.Of(w), next.Of(b), old.Of(w), old.Of(b))
	}
	if first, _ := optimizer.Moments(); first.Len() != 3 || first.Of(late).Scalar() != 5*(1-beta1) {
		t.Errorf("the newest moment is %v", first.Of(late))
	}
}

// What fmt prints of an optimizer is the same in two runs, which an address is not.
func TestPrintedOptimizersHoldNoAddress(t *testing.T) {
	_, _, _, p, g := table()
	adam, adamW := optim.DefaultAdam(F64), optim.DefaultAdamW(F64)
	adam.Step(p, g, 0.1)
	for want, o := range map[string]optim.Optimizer[float64]{
		"sgd": optim.Sgd[float64]{},
		"adam: beta1 0.9, beta2 0.999, epsilon 0.00000001, steps 1":              adam,
		"adamw: decay 0.01, beta1 0.9, beta2 0.999, epsilon 0.00000001, steps 0": adamW,
	} {
		if got := fmt.Sprint(o); got != want {
			t.Errorf("prints %q, want %q", got, want)
		}
	}
}

func TestScalarsAreOfRankZero(t *testing.T) {
	good, bad := scalar(0.5), F64.Tensor(Shape{2}, 0.5)
	for want, misuse := range map[string]func(){
		"adam cannot be made with beta1 [2]":   func() { optim.NewAdam(bad, good, good) },
		"adam cannot be made with beta2 [2]":   func() { optim.NewAdam(good, bad, good) },
		"adam cannot be made with epsilon [2]": func() { optim.NewAdam(good, good, bad) },
		"adamw cannot be made with decay [2]":  func() { optim.NewAdamW(good, good, good, bad) },
	} {
		if r := Refused(misuse); r == nil || !strings.HasPrefix(r.Error(), want) || !errors.Is(r, ErrShape) {
			t.Errorf("refused by %v, want %s", r, want)
		}
	}
}

// In bf16 the usual beta2 rounds to 1 and the average of squares stays 0: the
// step divides 0 by 0. A smaller one trains.
func TestBfloatNeedsASmallerBeta(t *testing.T) {
	number := func(x float64) *Tensor[BFloat16] { return BF16.Tensor(nil, BF16.FromFloat64(x)) }
	tape := New(BF16)
	tape.Parameter(nil, BF16.FromFloat64(1))
	p, rate := tape.InitialParameters(), BF16.FromFloat64(0.5)
	if got := optim.DefaultAdam(BF16).Step(p, p, rate).Slot(0).String(); got != "NaN" {
		t.Errorf("by default it steps to %s", got)
	}
	if got := optim.NewAdam(number(0.9), number(0.9921875), number(1e-8)).Step(p, p, rate).Slot(0).String(); got != "0.5" {
		t.Errorf("by a smaller beta2 it steps to %s", got)
	}
}
