package topos_test

import (
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/elementary"
	"github.com/topos-notebook/topos/topos/language"
	"github.com/topos-notebook/topos/topos/nn"
)

// machine is a float64 as a program's own number with every method there is.
type machine struct{ x float64 }

func (a machine) Add(b machine) machine         { return machine{a.x + b.x} }
func (a machine) Sub(b machine) machine         { return machine{a.x - b.x} }
func (a machine) Mul(b machine) machine         { return machine{a.x * b.x} }
func (a machine) Div(b machine) machine         { return machine{a.x / b.x} }
func (a machine) Neg() machine                  { return machine{-a.x} }
func (a machine) Exp() machine                  { return machine{elementary.Exp(a.x)} }
func (a machine) Ln() machine                   { return machine{elementary.Ln(a.x)} }
func (a machine) Sqrt() machine                 { return machine{elementary.Sqrt(a.x)} }
func (a machine) Tanh() machine                 { return machine{elementary.Tanh(a.x)} }
func (a machine) Sin() machine                  { return machine{elementary.Sin(a.x)} }
func (a machine) Cos() machine                  { return machine{elementary.Cos(a.x)} }
func (a machine) Log1p() machine                { return machine{elementary.Log1p(a.x)} }
func (a machine) Expm1() machine                { return machine{elementary.Expm1(a.x)} }
func (a machine) Erf() machine                  { return machine{elementary.Erf(a.x)} }
func (a machine) ErfDerivative() machine        { return machine{elementary.ErfDerivative(a.x)} }
func (a machine) Powf(b machine) machine        { return machine{elementary.Pow(a.x, b.x)} }
func (a machine) Maximum(b machine) machine     { return machine{max(a.x, b.x)} }
func (machine) FromInt(x int64) machine         { return machine{float64(x)} }
func (a machine) IsZero() bool                  { return a.x == 0 }
func (a machine) Float64() float64              { return a.x }
func (a machine) String() string                { return F64.Tensor(nil, a.x).String() }
func (machine) Parse(s string) (machine, error) { x, err := F64.Parse(s); return machine{x}, err }

func (a machine) Compare(b machine) int {
	switch {
	case a.x < b.x:
		return -1
	case a.x > b.x:
		return 1
	}
	return 0
}

func (a machine) StepAt(b machine) machine {
	if a.x >= b.x {
		return machine{1}
	}
	return machine{0}
}

var machines = Own[machine]("machine")

// TestOwnNumberIsAnElement computes every golden program with float64 and with a
// number that wraps one: each node answers the same, printed.
func TestOwnNumberIsAnElement(t *testing.T) {
	data := goldenFile[struct {
		About string
		Cases []opCase
	}](t, "ops.json")
	met := map[Kind]bool{}
	for _, c := range data.Cases {
		if c.Element != "f64" {
			continue
		}
		tape := New(F64)
		values := double.record(t, tape, c.Program)
		loss := values[len(values)-1]
		if len(loss.Shape()) > 0 {
			loss = loss.Mul(loss).Sum()
		}
		var wrt []Named
		for i, s := range c.Program.Sources {
			if s.Kind == "parameter" {
				wrt = append(wrt, values[i])
			}
		}
		tape.Differentiate(loss, wrt...)
		own := again(tape, machines, func(x float64) machine { return machine{x} })
		if tape.Describe() != own.Describe() {
			t.Fatalf("%s: recorded again\n%s\nwant\n%s", c.ID, own.Describe(), tape.Describe())
		}
		net, other := tape.View(), own.View()
		want, got := Must(net.Forward(net.Parameters())), Must(other.Forward(other.Parameters()))
		engine := Must(got.Backward(other.Nodes()[loss.Symbol().Index()].Symbol()))
		field := Must(want.Backward(loss))
		for i, n := range net.Nodes() {
			met[n.Opcode().Kind] = true
			at := other.Nodes()[i].Symbol()
			same(t, c.ID, got.Of(at).String(), want.Of(n.Symbol()).String())
			same(t, c.ID+" backward", engine.Of(at).String(), field.Of(n.Symbol()).String())
		}
		same(t, c.ID+" reading", textOf(got.Reading()), textOf(want.Reading()))
	}
	for _, kind := range Kinds() {
		if !met[kind] {
			t.Errorf("no program holds %v", kind)
		}
	}
}

// textOf is what a reading of values says but for digests, which differ.
func textOf(r *Reading) string {
	var b strings.Builder
	for _, p := range r.Payloads {
		b.WriteString(p.Text + " " + p.Min + " " + p.Max + " " + p.Norm + "\n")
	}
	return b.String()
}

// again records a tape once more, on one of another element.
func again[T any](tape *Tape[float64], e Element[T], number func(float64) T) *Tape[T] {
	other := New(e)
	for _, n := range tape.Nodes() {
		op := n.Opcode()
		if !op.Kind.IsSource() {
			var xs []Trace
			for _, o := range n.Operands() {
				xs = append(xs, other.Value(o.Index()))
			}
			Express(op, xs...)
			continue
		}
		payload := tape.Payload(n.Symbol())
		var data []T
		for _, x := range payload.Data() {
			data = append(data, number(x))
		}
		switch op.Kind {
		case OpParameter:
			other.Parameter(payload.Shape(), data...)
		case OpInput:
			other.Input(payload.Shape(), data...)
		default:
			other.Leaf(payload.Shape(), data...)
		}
	}
	return other
}

// whole is a number of no more than what is asked for.
type whole int64

func (a whole) Add(b whole) whole   { return a + b }
func (a whole) Sub(b whole) whole   { return a - b }
func (a whole) Mul(b whole) whole   { return whole(a * b) }
func (a whole) Neg() whole          { return -a }
func (whole) FromInt(x int64) whole { return whole(x) }
func (a whole) String() string      { return big.NewInt(int64(a)).String() }

var wholes = Own[whole]("whole")

func TestOwnNumberLacks(t *testing.T) {
	tape := New(wholes)
	x := tape.Parameter(Shape{2}, 2, 3)
	y := x.Mul(x).Sum()
	tape.Differentiate(y, x)
	before := tape.Describe()
	tests := []struct {
		what string
		f    func()
		want string
	}{
		{"an operation", func() { x.Div(x) }, "div over [2] and [2] cannot be done with whole: the number has no method Div"},
		{"a map", func() { y.Tanh() }, "tanh over [] cannot be done with whole: the number has no method Tanh"},
		{"an order", func() { x.Maximum(x) }, "maximum over [2] and [2] cannot be done with whole: the number has no method Maximum or Compare"},
		{"a step", func() { x.StepAt(x) }, "step over [2] and [2] cannot be done with whole: the number has no method StepAt or Compare"},
		{"a power", func() { x.Powf(x) }, "powf over [2] and [2] cannot be done with whole: the number has no method Powf"},
		{"the log domain", func() { x.LogSoftmax(0) }, "log_softmax over [2] cannot be done with whole: the number has no method Exp"},
		{"softplus", func() { x.Softplus() }, "softplus over [2] cannot be done with whole: the number has no method Maximum or Compare"},
		{"softmax", func() { x.Softmax(0) }, "log_softmax over [2] cannot be done with whole: the number has no method Exp"},
		{"gelu", func() { x.Gelu() }, "gelu over [2] cannot be done with whole: the number has no method Sqrt"},
		{"relu", func() { x.Relu() }, "relu over [2] cannot be done with whole: the number has no method Maximum or Compare"},
		{"a mean", func() { x.MeanAlong(0) }, "mean_along over [2] cannot be done with whole: the number has no method Div"},
		{"a fraction", func() { x.Filled(0.5) }, "whole cannot make 0.5: it is no whole number and the number has no method Div"},
		{"infinity", func() { x.Filled(math.Inf(-1)) }, "whole has no -inf: a constant of it is a whole number or a fraction"},
		{"bits", func() { wholes.Bits(3) }, "bits: a number of whole has none of a fixed width; encode it"},
		{"a tensor's map", func() { wholes.Tensor(nil, 2).Exp() }, "exp over [] cannot be done with whole: the number has no method Exp"},
		{"a tensor's quotient", func() { wholes.Tensor(nil, 2).Div(wholes.Tensor(nil, 3)) }, "div over [] and [] cannot be done with whole: the number has no method Div"},
		{"a tensor's lanes", func() { wholes.Tensor(Shape{2}, 2).LogSumExp(0) }, "logsumexp over [2] cannot be done with whole: the number has no method Exp"},
	}
	for _, test := range tests {
		r := Refused(test.f)
		if r == nil || r.Reason != test.want || !errors.Is(r, ErrElement) || !strings.HasSuffix(strings.Split(r.At, ":")[0], "element_own_test.go") {
			t.Errorf("%s: %v, want %q", test.what, r, test.want)
		}
		if got := tape.Describe(); got != before {
			t.Fatalf("%s: the tape became\n%s", test.what, got)
		}
	}
	plan := Must(tape.View().Entry(y).Lower())
	if _, err := plan.StableHLO(); !errors.Is(err, ErrElement) || err.Error() != "stablehlo has no type for the element whole: element" {
		t.Errorf("stablehlo: %v", err)
	}
	if _, err := wholes.Parse("1"); !errors.Is(err, ErrElement) {
		t.Errorf("parsing: %v", err)
	}
	if got := Must(plan.Forward(tape.InitialParameters())).Of(y).String(); got != "13" {
		t.Errorf("the sum of squares is %s", got)
	}
}

// A composition of a layer above is refused as a whole: nothing of it is recorded.
func TestOwnNumberLacksWhatALayerNeeds(t *testing.T) {
	tape := New(wholes)
	x := tape.Parameter(Shape{2, 3}, 1)
	before := tape.Describe()
	r := Refused(func() { nn.CrossEntropy(x, x) })
	if r == nil || !strings.HasSuffix(r.Reason, ": logsumexp over [2, 3] cannot be done with whole: the number has no method Exp") {
		t.Errorf("cross entropy: %v", r)
	}
	same(t, "the tape", tape.Describe(), before)
}

// peaked has a maximum and no step, which the maximum's rule asks for.
type peaked struct{ whole }

func (a peaked) Add(b peaked) peaked     { return peaked{a.whole + b.whole} }
func (a peaked) Sub(b peaked) peaked     { return peaked{a.whole - b.whole} }
func (a peaked) Mul(b peaked) peaked     { return peaked{whole(a.whole * b.whole)} }
func (a peaked) Neg() peaked             { return peaked{-a.whole} }
func (peaked) FromInt(x int64) peaked    { return peaked{whole(x)} }
func (a peaked) Maximum(b peaked) peaked { return peaked{max(a.whole, b.whole)} }

// A rule that asks for what the number lacks is refused, and takes back what the
// derivative recorded until then.
func TestOwnNumberLacksWhatARuleNeeds(t *testing.T) {
	tape := New(Own[peaked]("peaked"))
	x := tape.Parameter(nil, peaked{2})
	y := x.Mul(x).Maximum(x)
	before := tape.Describe()
	for what, f := range map[string]func(){
		"differentiate": func() { tape.Differentiate(y, x) },
		"vjp":           func() { tape.VJP(y, x, x) },
	} {
		r := Refused(f)
		if r == nil || r.Reason != "step over [] and [] cannot be done with peaked: the number has no method StepAt or Compare" {
			t.Errorf("%s: %v", what, r)
		}
		if got := tape.Describe(); got != before {
			t.Errorf("%s leaves\n%s", what, got)
		}
	}
	if g := tape.Differentiate(x.Mul(x), x); g.Gradients()[0].Index() != tape.Len()-1 {
		t.Errorf("another derivative answers %v", g)
	}
}

// ratio is an exact fraction.
type ratio struct{ *big.Rat }

func (a ratio) rat() *big.Rat {
	if a.Rat == nil {
		return new(big.Rat)
	}
	return a.Rat
}

func (a ratio) with(f func(z, x, y *big.Rat) *big.Rat, b ratio) ratio {
	return ratio{f(new(big.Rat), a.rat(), b.rat())}
}

func (a ratio) Add(b ratio) ratio   { return a.with((*big.Rat).Add, b) }
func (a ratio) Sub(b ratio) ratio   { return a.with((*big.Rat).Sub, b) }
func (a ratio) Mul(b ratio) ratio   { return a.with((*big.Rat).Mul, b) }
func (a ratio) Div(b ratio) ratio   { return a.with((*big.Rat).Quo, b) }
func (a ratio) Neg() ratio          { return ratio{new(big.Rat).Neg(a.rat())} }
func (a ratio) Compare(b ratio) int { return a.rat().Cmp(b.rat()) }
func (ratio) FromInt(x int64) ratio { return ratio{new(big.Rat).SetInt64(x)} }
func (a ratio) String() string      { return a.rat().RatString() }
func (ratio) Parse(s string) (ratio, error) {
	x, ok := new(big.Rat).SetString(s)
	if !ok {
		return ratio{}, errors.New("it is no fraction")
	}
	return ratio{x}, nil
}

var ratios = Own[ratio]("ratio")

// A float64 becomes the fraction that it is, however large or small.
func TestOwnConstants(t *testing.T) {
	for _, x := range []float64{0, 1, -1, 2, 3, 0.5, 0.1, -0.1, 1e300, -1e300, 1 << 62, 1 << 63, 1 << 53, 5e-324, math.MaxFloat64, 0x1.8p-1000} {
		if got := ratios.FromFloat64(x); got.Cmp(exact(x)) != 0 {
			t.Errorf("%v becomes %v", x, got)
		}
	}
}

func TestOwnNumbersEncode(t *testing.T) {
	tape := New(ratios)
	third := ratio{big.NewRat(1, 3)}
	x := tape.Parameter(Shape{2}, third, ratio{})
	tape.Input(Shape{3}, third)
	tape.LeafOf(ratios.Tensor(nil, ratio{big.NewRat(-5, 1)}))
	x.Mul(x).Sum()
	b := tape.Encode(0)
	other := New(Own[ratio]("ratio"))
	if err := other.Decode(b); err != nil {
		t.Fatal(err)
	}
	same(t, "decoded", other.Describe(), tape.Describe())
	for i, n := range tape.Nodes()[:3] {
		p, q := tape.Payload(n.Symbol()), other.Payload(other.Value(i))
		if !p.Equal(q) || p.Digest() != q.Digest() {
			t.Errorf("node %d: %v and %v", i, p, q)
		}
	}
	a, c := ratios.Tensor(Shape{2}, third), ratios.Tensor(Shape{2}, third, third.Add(ratio{big.NewRat(1, 1<<60)}))
	if a.Equal(c) || a.Digest() == c.Digest() {
		t.Error("tensors that differ are equal")
	}
	for cut := range b {
		if other := New(ratios); other.Decode(b[:cut]) == nil && other.Len() == tape.Len() {
			t.Errorf("%d of %d bytes are taken for all", cut, len(b))
		}
	}
	if p, err := ratios.Decode(Shape{2}, a.Encode()); err != nil || !p.Equal(a) {
		t.Errorf("a tensor's encoding reads as %v: %v", p, err)
	}
	for _, bits := range [][]byte{nil, a.Encode()[:3], append(a.Encode(), 0)} {
		if p, err := ratios.Decode(Shape{2}, bits); !errors.Is(err, ErrShape) {
			t.Errorf("%x reads as %v: %v", bits, p, err)
		}
	}
	if err := New(wholes).Decode(b); err == nil || !errors.Is(err, ErrEncoding) {
		t.Errorf("numbers of another element: %v", err)
	}
	foreign := Own[ratio]("fraction").Tensor(nil, third)
	if r := Refused(func() { tape.LeafOf(foreign) }); r == nil || r.Reason != "leaf of a tape of ratio was given a tensor of fraction" {
		t.Errorf("a tensor of another element: %v", r)
	}
}

// One text records the same tape whatever the number.
func TestOneTextForEveryElement(t *testing.T) {
	program := Must(language.Parse("w = parameter [2, 2]\nx = input [1, 2] {0.1, 2}\nh = x @ w - 0.25\nloss = sum(maximum(h, 0) * h) / 3\n"))
	f64 := New(F64)
	Must(language.Record(program, f64, &language.Names{}))
	texts := map[string]string{"f64": f64.Describe()}
	seeded := f64.Payload(f64.Value(0))
	record := func(name string, f func() (describe, weights string)) {
		describe, weights := f()
		if describe != texts["f64"] {
			t.Errorf("%s records\n%s\nwant\n%s", name, describe, texts["f64"])
		}
		texts[name] = weights
	}
	record("bf16", func() (string, string) {
		tape := New(BF16)
		Must(language.Record(program, tape, &language.Names{}))
		return tape.Describe(), ""
	})
	record("ratio", func() (string, string) {
		tape := New(ratios)
		Must(language.Record(program, tape, &language.Names{}))
		for i, x := range seeded.Data() {
			if got := tape.Payload(tape.Value(0)).Data()[i]; got.Cmp(exact(x)) != 0 {
				t.Errorf("the seeded weight %d is %v, want %v", i, got, x)
			}
		}
		return tape.Describe(), tape.Payload(tape.Value(1)).String()
	})
	same(t, "the input", texts["ratio"], "[[1/10, 2]]")
	_, err := language.Record(program, New(wholes), &language.Names{})
	if err == nil || err.Error() != "line 1: parameter [2, 2] without elements is drawn as fractions: whole cannot make 0.3970543740519624: it is no whole number and the number has no method Div" {
		t.Errorf("a number without fractions: %v", err)
	}
	_, err = language.Record(Must(language.Parse("x = input [2] {1, 2}")), New(wholes), &language.Names{})
	if err == nil || !strings.HasPrefix(err.Error(), `line 1: 1 is no number of whole: "1" cannot be read as whole: the number has no method Parse`) {
		t.Errorf("a number that reads no text: %v", err)
	}
}
