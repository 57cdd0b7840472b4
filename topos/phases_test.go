package topos_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

func TestConsumedPhasesAreRefused(t *testing.T) {
	other := New(F32)
	foreign := other.Leaf(nil, 1)
	cases := []struct {
		name string
		do   func(w walkthrough)
		err  error
		says string
	}{
		{"record on a sealed tape", func(w walkthrough) { w.tape.Seal(); w.hidden.Tanh() }, ErrSealed, "sealed"},
		{"seal twice", func(w walkthrough) { w.tape.Seal(); w.tape.Seal() }, ErrSealed, "sealed"},
		{"use a reopened network", func(w walkthrough) { n := w.tape.Seal(); n.Reopen(); n.Describe() }, ErrConsumed, "reopened"},
		{"reopen twice", func(w walkthrough) { n := w.tape.Seal(); n.Reopen(); n.Reopen() }, ErrConsumed, "reopened"},
		{"reopen a view", func(w walkthrough) { w.tape.View().Reopen() }, ErrConsumed, "view"},
		{"mix two tapes", func(w walkthrough) { w.loss.Add(foreign) }, ErrForeign, "another tape"},
		{"a stale symbol", func(w walkthrough) { w.tape.Cut(5); w.tape.Resolve(w.loss.Symbol()) }, ErrStale, "node 5"},
		{"a stale symbol whose place was taken", func(w walkthrough) { w.tape.Cut(5); w.hidden.Sum(); w.loss.Neg() }, ErrStale, "node 5"},
		{"an undeclared read", func(w walkthrough) {
			n := w.tape.Seal()
			Must(Must(n.Entry(w.loss).Lower()).Forward(n.Parameters())).Of(w.hidden)
		}, ErrUndeclared, "3 Tanh"},
		{"a gradient not taken", func(w walkthrough) { w.tape.Differentiate(w.loss, w.weights).Of(w.input) }, ErrUndeclared, "node 1"},
		{"a target of rank 2", func(w walkthrough) { w.tape.Differentiate(w.hidden, w.weights) }, ErrShape, "[1, 2]"},
		{"a seed of another shape", func(w walkthrough) { w.tape.VJP(w.hidden, w.loss, w.weights) }, ErrShape, "not []"},
		{"an empty extent", func(w walkthrough) { w.tape.Input(Shape{2, 0}, 1) }, ErrShape, "[2, 0]"},
		{"a count that does not fit", func(w walkthrough) { w.tape.Leaf(Shape{2, 2}, 1, 2, 3) }, ErrShape, "4 elements, not 3"},
		{"expressing a source", func(w walkthrough) { Express[Value[float32]](Opcode{Kind: OpLeaf}) }, ErrShape, "Leaf"},
		{"the rule of a source", func(w walkthrough) { VJP[Value[float32]](Opcode{Kind: OpInput}, w.loss, w.loss) }, ErrShape, "Input"},
		{"the value of no tape", func(w walkthrough) { var none Value[float32]; none.Tanh() }, ErrForeign, "no tape"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			r := Refused(func() { c.do(record()) })
			if r == nil {
				t.Fatal("not refused")
			}
			if !errors.Is(r, c.err) || !strings.Contains(r.Error(), c.says) || strings.Contains(r.Error(), "\n") {
				t.Errorf("refused with %q (%v), want one line with %q (%v)", r, r.Err, c.says, c.err)
			}
		})
	}
}

func TestARefusalLeavesTheTapeUnharmed(t *testing.T) {
	w := record()
	before := w.tape.Describe()
	for _, f := range []func(){
		func() { w.hidden.MatMul(w.hidden) },
		func() { w.tape.Differentiate(w.hidden, w.weights) },
		func() { w.hidden.Stack(0, w.weights) },
		func() { w.weights.Concat(0, w.weights, w.hidden, w.loss) },
		func() { w.hidden.BroadcastTo(Shape{3, 3}) },
	} {
		if Refused(f) == nil {
			t.Error("not refused")
		}
	}
	same(t, "tape", w.tape.Describe(), before)
	w.tape.Differentiate(w.loss, w.weights)
	same(t, "derivative", w.tape.Describe(), golden(t).Differentiated)
}

func TestCutAndRestore(t *testing.T) {
	w := record()
	before, plan := w.tape.Describe(), Must(w.tape.View().Entry(w.loss).Lower())
	planText := plan.Describe()
	tail := w.tape.Cut(2)
	w.tape.Parameter(Shape{3}, 7)
	w.tape.Leaf(nil, 1).Exp()
	same(t, "a plan made before the cut", plan.Describe(), planText)
	w.tape.Restore(tail)
	same(t, "restored", w.tape.Describe(), before)
	if got := w.tape.Resolve(w.loss.Symbol()).String(); got != "#5 Sum [] f32" {
		t.Errorf("a restored symbol names %s", got)
	}
	same(t, "loss", Must(plan.Forward(w.tape.InitialParameters())).Of(w.loss).String(), "0.83054614")
}

func TestEncodingRoundTrip(t *testing.T) {
	w := record()
	w.tape.Place(3, 7)
	w.hidden.Unfold(1, 2, 1, 1).Fold(1, 2, 1, 1, 2).Permute(1, 0).Pad(0, 1, 9).BroadcastAlong(1, 4)
	w.tape.Differentiate(w.loss, w.weights)
	again := New(F32)
	if err := again.Decode(w.tape.Encode(0)); err != nil {
		t.Fatal(err)
	}
	same(t, "decoded", again.Describe(), w.tape.Describe())
	for i, n := range w.tape.Nodes() {
		same(t, n.String(), again.Nodes()[i].Why(), n.Why())
		if n.IsSource() && !again.Payload(again.Nodes()[i]).Equal(w.tape.Payload(n)) {
			t.Errorf("payload of node %d differs", i)
		}
	}
	whole := w.tape.Encode(0)
	for cut := 1; cut < len(whole); cut += 7 {
		torn := New(F32)
		if err := torn.Decode(whole[:cut]); err == nil {
			continue // a cut between two nodes
		} else if !errors.Is(err, ErrEncoding) || torn.Len() != 0 {
			t.Errorf("cut at %d: %v, %d nodes kept", cut, err, torn.Len())
		}
	}
}

type counting struct{ entries, bytes int }

func (c *counting) Recorded(entry []byte) { c.entries++; c.bytes += len(entry) }

func TestRecorderSeesEveryNode(t *testing.T) {
	tape := New(F32)
	var c counting
	tape.RecordTo(&c)
	x := tape.Input(Shape{2}, 1, 2)
	tape.Differentiate(x.Gelu().Sum(), x)
	if c.entries != tape.Len() || c.bytes != len(tape.Encode(0)) {
		t.Errorf("recorder saw %d entries of %d bytes, the tape holds %d of %d", c.entries, c.bytes, tape.Len(), len(tape.Encode(0)))
	}
}

func TestOrigins(t *testing.T) {
	w := record()
	w.tape.Place(2, 5)
	w.tape.Differentiate(w.loss, w.weights)
	nodes := w.tape.Nodes()
	for i, want := range map[int]string{
		0:  "",
		6:  "the seed of the derivative of 5 Sum; segment 2 line 5",
		8:  "zeros, where the cotangent of 4 Mul starts; segment 2 line 5",
		11: "g*a, from the rule of 4 Mul, operand 1; segment 2 line 5",
		14: "one consumer's share added to the cotangent of 3 Tanh; segment 2 line 5",
		17: "one - out*out, from the rule of 3 Tanh; segment 2 line 5",
		18: "g*(one - out*out), from the rule of 3 Tanh; segment 2 line 5",
		24: "permute(a) @ g, from the rule of 2 MatMul, operand 1; segment 2 line 5",
	} {
		same(t, fmt.Sprint(i), nodes[i].Why(), want)
	}
	if o := nodes[17].Origin(); o.Of != 3 || o.Segment != 2 || o.Line != 5 || o.Part != PartOperand {
		t.Errorf("origin of node 17: %+v", o)
	}
}

func TestRecordedDerivativesAreFound(t *testing.T) {
	w := record()
	if _, found := w.tape.Recorded(w.loss, w.weights); found {
		t.Error("found a derivative that was not recorded")
	}
	first := w.tape.Differentiate(w.loss, w.weights)
	other := w.hidden.Sum()
	apart := w.tape.Parameter(nil, 1)
	second := w.tape.Differentiate(other, apart, w.hidden)
	w.tape.VJP(w.hidden, w.hidden, w.weights)
	for _, want := range []Adjoints{first, second} {
		var wrt []Named
		for _, s := range want.Wrt() {
			wrt = append(wrt, s)
		}
		found, ok := w.tape.Recorded(want.Target(), wrt...)
		if !ok {
			t.Fatalf("%v was not found", want)
		}
		from, to := found.Appended()
		wantFrom, wantTo := want.Appended()
		if found.String() != want.String() || from != wantFrom || to != wantTo {
			t.Errorf("found %v over %d to %d, want %v over %d to %d", found, from, to, want, wantFrom, wantTo)
		}
	}
	if _, found := w.tape.Recorded(w.loss, apart); found {
		t.Error("found the gradient of a parameter that was recorded later")
	}
}

func TestCarriedParameters(t *testing.T) {
	tape := New(F64)
	w := tape.Parameter(nil, 1.5)
	net := tape.Seal()
	trained := net.Parameters().With(w, F64.Tensor(nil, 9))
	tape = net.Reopen()
	b := tape.Parameter(Shape{2}, 3)
	y := tape.Resolve(w).Mul(b.Sum())
	if _, err := Must(tape.View().Entry(y).Lower()).Forward(trained); err == nil {
		t.Error("a short table was accepted")
	}
	carried := Must(tape.Carry(trained))
	same(t, "value", Must(Must(tape.View().Entry(y).Lower()).Forward(carried)).Of(y).String(), "54")
}

func TestAnEmptyEntryRunsNothing(t *testing.T) {
	w := record()
	plan := Must(w.tape.View().Entry().Lower())
	same(t, "plan", plan.Describe(), "plan: forward; 0 of 6 nodes evaluated, 0 readable\nlive volume: peak 0 elements at node 0, retain-all 0\n")
	Must(plan.Forward(w.tape.InitialParameters()))
}

func TestFeeds(t *testing.T) {
	w := record()
	net := w.tape.Seal()
	plan := Must(net.Entry(w.loss).Lower())
	p := net.Parameters()
	same(t, "fed", Must(plan.Forward(p, With(w.input, F32.Tensor(Shape{1, 2}, 0)))).Of(w.loss).String(), "0")
	for name, feed := range map[string]Feed[float32]{
		"wrong shape":    With(w.input, F32.Tensor(Shape{2, 1}, 0)),
		"not an input":   With(w.hidden, F32.Tensor(Shape{1, 2}, 0)),
		"another tape's": With(New(F32).Input(nil, 1), F32.Tensor(nil, 0)),
	} {
		if _, err := plan.Forward(p, feed); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}

func TestPlotTextReadsBack(t *testing.T) {
	r := ReadPlot(Plot{Title: "loss", Values: []float64{float64(float32(0.1)), 0.1}})
	same(t, "plot", r.Text, "loss: 2 values, first 0.1, last 0.1\n")
	r = ReadPlot(Plot{Title: "loss", Values: []float64{1.0 / 3}})
	same(t, "plot", r.Text, "loss: 1 value, first 0.3333333333333333, last 0.3333333333333333\n")
}

// As many axes as can be recorded can be encoded and read back.
func TestMostAxes(t *testing.T) {
	most := make(Shape, MaxRank)
	for i := range most {
		most[i] = 1
	}
	tape := New(F32)
	x := tape.Parameter(most, 1)
	x.Neg()
	again := New(F32)
	if err := again.Decode(tape.Encode(0)); err != nil || again.Describe() != tape.Describe() {
		t.Errorf("decoding answers %v and\n%s", err, again.Describe())
	}
	before := tape.Describe()
	for name, record := range map[string]func(){
		"input":           func() { tape.Input(append(most, 1), 1) },
		"broadcast_along": func() { x.BroadcastAlong(0, 1) },
		"reshape":         func() { x.Reshape(append(most, 1)) },
		"unfold":          func() { x.Unfold(0, 1, 1, 1) },
	} {
		r := Refused(record)
		if r == nil || !strings.Contains(r.Error(), "65 axes are more than 64") {
			t.Errorf("%s with an axis more says %v", name, r)
		}
	}
	if tape.Describe() != before {
		t.Errorf("a refusal left\n%s", tape.Describe())
	}
}

func TestNamesPrintShort(t *testing.T) {
	w := record()
	same(t, "names", fmt.Sprintf("%v, %v, %v, %v", w.loss, w.loss.Symbol(), F32, F64), "#5 Sum [] f32, #5, f32, f64")
}
