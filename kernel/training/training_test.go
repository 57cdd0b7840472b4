package training

import (
	"bytes"
	"context"
	"errors"
	"math"
	"reflect"
	"testing"

	"github.com/topos-notebook/topos/topos"
)

// prepare makes a training of the sum of what f records of two parameters.
func prepare(t *testing.T, optimizer string, steps int, f func(tape *topos.Tape[float64], w topos.Value[float64]) topos.Value[float64]) *Training[float64] {
	t.Helper()
	tape := topos.New(topos.F64)
	w := tape.Parameter(topos.Shape{2}, 1, 2)
	tape.Parameter(nil, 3)
	loss := f(tape, w).Sum()
	a := tape.Differentiate(loss, w)
	r, err := New(Setting[float64]{Network: tape.View(), Adjoints: a, Trained: []topos.Symbol{w.Symbol()}, Optimizer: optimizer, Rate: "0.5", Steps: steps}, tape.InitialParameters())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func square(_ *topos.Tape[float64], w topos.Value[float64]) topos.Value[float64] { return w.Mul(w) }

func TestRunReachesWholeSteps(t *testing.T) {
	r := prepare(t, "sgd", 3, square)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := r.Run(ctx); !errors.Is(err, context.Canceled) || r.Reached().Step != 0 {
		t.Errorf("%v at step %d", err, r.Reached().Step)
	}
	if err := r.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	// Half of w is a step of 2w*0.5: w is 0 after the first.
	at := r.Reached()
	if want := []float64{5, 0, 0}; at.Step != 3 || !reflect.DeepEqual(at.Losses, want) || at.Loss != "0" {
		t.Errorf("at step %d, losses %v, the last %s", at.Step, at.Losses, at.Loss)
	}
	if r.Remembers(at) != nil {
		t.Error("sgd remembers")
	}
}

// written is an encoding's bytes, of which there are as many as it says.
func written(t testing.TB, x *Encoding) []byte {
	t.Helper()
	var b bytes.Buffer
	if n, err := x.WriteTo(&b); err != nil || n != int64(b.Len()) || x.Bytes() != b.Len() {
		t.Errorf("%d bytes are written: %d, %v; it said %d", b.Len(), n, err, x.Bytes())
	}
	return b.Bytes()
}

func TestMemory(t *testing.T) {
	r := prepare(t, "adam", 2, square)
	if r.Remembers(r.Reached()) != nil {
		t.Error("something is remembered before the first step")
	}
	if err := r.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	m := r.Remembers(r.Reached())
	names := r.Reached().Parameters.Names()
	if m.Steps != 2 || len(m.Moments) != 1 || !m.Knows(names) || m.Knows(names[1:]) || m.Of(names) != m || m.Of(names[1:]).Knows(names) {
		t.Errorf("remembers %+v", m)
	}
	b := written(t, m.Encode(names))
	again, err := Decode(topos.F64, r.Reached().Parameters, b)
	if err != nil || !reflect.DeepEqual(again, m) {
		t.Errorf("decoded %+v, %v", again, err)
	}
	if two := m.With(names[0], names[1]); two == m || !reflect.DeepEqual(two.Moments[names[1]], m.Moments[names[0]]) || m.With(names[1], names[0]) != m {
		t.Errorf("with another name %+v", two)
	}
	long := &Memory[float64]{1 << 40, m.Moments}
	if again, err := Decode(topos.F64, r.Reached().Parameters, written(t, long.Encode(names))); err != nil || again.Steps != 1<<40 {
		t.Errorf("after 2^40 steps: %v", err)
	}
	for n := range b {
		if _, err := Decode(topos.F64, r.Reached().Parameters, b[:n]); err == nil && n > 1 {
			t.Errorf("%d of %d bytes are taken", n, len(b))
		}
	}
}

func FuzzDecode(f *testing.F) {
	tape := topos.New(topos.F32)
	tape.Parameter(topos.Shape{2}, 1, 2)
	at := tape.Parameter(nil, 3)
	p := tape.InitialParameters()
	m := Memory[float32]{7, map[topos.Symbol]Moments[float32]{at.Symbol(): {p.Slot(1), p.Slot(1)}}}
	f.Add(written(f, m.Encode(p.Names())))
	f.Add([]byte{1, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := Decode(topos.F32, p, b)
		if err != nil {
			return
		}
		again, err := Decode(topos.F32, p, written(t, m.Encode(p.Names())))
		if err != nil || again.Steps != m.Steps || len(again.Moments) != len(m.Moments) {
			t.Errorf("%+v is written as %+v, %v", m, again, err)
		}
	})
}

// C-39, C-40: where numbers that are not finite begin.
func TestFaultsAreLocated(t *testing.T) {
	type tape = *topos.Tape[float64]
	type value = topos.Value[float64]
	inf := math.Inf(1)
	for name, c := range map[string]struct {
		f       func(tape, value) value
		at      topos.Kind
		stepped bool
	}{
		"a source of NaN":    {func(t tape, w value) value { return w.Mul(t.Input(topos.Shape{2}, 1, math.NaN())) }, topos.OpInput, false},
		"overflow, then NaN": {func(t tape, w value) value { e := w.Mul(t.Leaf(topos.Shape{2}, 900)).Exp(); return e.Sub(e) }, topos.OpExp, false},
		"a mask is none": {func(t tape, w value) value {
			return w.Add(t.Leaf(topos.Shape{2}, -inf, 0)).LogSoftmax(0).Narrow(0, 1, 1).Add(w.Narrow(0, 0, 1).Neg().Ln())
		}, topos.OpLn, false},
		"only masks": {func(t tape, w value) value { return w.Mul(t.Leaf(topos.Shape{2}, inf)) }, topos.OpLeaf, false},
		"backward":   {func(_ tape, w value) value { return w.Sub(w).Sqrt() }, topos.OpDiv, false},
		"the step": {func(t tape, w value) value {
			return w.Mul(t.Leaf(topos.Shape{2}, math.MaxFloat64/16)).Mul(t.Leaf(topos.Shape{2}, 5))
		}, topos.OpParameter, true},
	} {
		r := prepare(t, "sgd", 2, c.f)
		if c.stepped {
			r.rate = 4
		}
		err := r.Run(context.Background())
		var f *Fault
		if !errors.As(err, &f) || f.Step != 1 || f.Node.Opcode().Kind != c.at || f.Stepped != c.stepped || f.Error() == "" {
			t.Errorf("%s: %v", name, err)
		}
		if at := r.Reached(); at.Step != 0 || at.Parameters.Slot(0).String() != "[1, 2]" {
			t.Errorf("%s: reached %+v", name, at)
		}
	}
}
