package topos_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// The numbers after C name rows of a list of complaints about other libraries;
// each test states what this one answers to the same input.

// graded is a target with its value, the values of some nodes and the gradients
// of others, after every way to compute them has agreed to the bit.
type graded[T float32 | float64] struct {
	value     *Tensor[T]
	gradients []*Tensor[T]
}

// grade differentiates the sum of y, with respect to xs, by the engine's scan
// and by the recorded derivative.
func grade[T float32 | float64](t *testing.T, tape *Tape[T], y Value[T], xs ...Value[T]) graded[T] {
	t.Helper()
	loss := y.Sum()
	var wrt []Named
	for _, x := range xs {
		wrt = append(wrt, x)
	}
	adjoints := tape.Differentiate(loss, wrt...)
	view := tape.View()
	table := view.Parameters()
	oracle := Must(view.Forward(table))
	engine := Must(oracle.Backward(loss))
	plan := Must(Must(view.Entry(adjoints.Roots()...).Observe(y).Numerics(Exact).Lower()).Forward(table))
	if !plan.Of(y).Equal(oracle.Of(y)) {
		t.Errorf("the plan answers %v, the interpreter %v", plan.Of(y), oracle.Of(y))
	}
	r := graded[T]{value: oracle.Of(y)}
	for _, x := range xs {
		recorded := plan.Of(adjoints.Of(x))
		if !engine.Of(x).Equal(recorded) {
			t.Errorf("the engine's gradient is %v, the recorded one %v", engine.Of(x), recorded)
		}
		r.gradients = append(r.gradients, recorded)
	}
	return r
}

func (g graded[T]) String() string { return fmt.Sprint(g.value, " ", g.gradients) }

func expect[T float32 | float64](t *testing.T, got graded[T], want string) {
	t.Helper()
	if got.String() != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

var nan, inf = math.NaN(), math.Inf(1)

// The rule of tanh is g*(1 - out*out), which cancels: what it loses is pinned.
func TestC01C02TanhDerivativeCancels(t *testing.T) {
	tape := New(F32)
	x := tape.Parameter(nil, -9.010914)
	expect(t, grade(t, tape, x.Tanh(), x), "-1 [0]")
	for _, c := range []struct{ x, least, most float64 }{
		{0.5, 0, 1e-15}, {4, 0, 1e-12}, {6, 0, 1e-10}, {14, 1e-7, 1e-4}, {19, 0.5, 0.9}, {20, 1, 1},
	} {
		tape := New(F64)
		x := tape.Parameter(nil, c.x)
		small := math.Exp(-2 * c.x)
		truth := 4 * small / ((1 + small) * (1 + small))
		got := grade(t, tape, x.Tanh(), x).gradients[0].Scalar()
		if off := math.Abs(got-truth) / truth; off < c.least || off > c.most {
			t.Errorf("at %v the derivative is %v, off by %v, not from %v to %v", c.x, got, off, c.least, c.most)
		}
	}
}

func TestC03SigmoidDerivativeIsSymmetric(t *testing.T) {
	slope := func(at float64) float64 {
		tape := New(F64)
		x := tape.Parameter(nil, at)
		return grade(t, tape, x.Mul(x.Filled(0.5)).Tanh().Add(x.Filled(1)).Mul(x.Filled(0.5)), x).gradients[0].Scalar()
	}
	for _, x := range []float64{1, 17, 37, 100} {
		if slope(x) != slope(-x) {
			t.Errorf("at %v the derivative is %v, at its negative %v", x, slope(x), slope(-x))
		}
	}
}

func TestC04C06C07C09Lanes(t *testing.T) {
	lane := func(x ...float32) (*Tape[float32], Value[float32]) {
		tape := New(F32)
		return tape, tape.Parameter(Shape{len(x)}, x...)
	}
	low, high := float32(-inf), float32(inf)
	tape, x := lane(low, low)
	expect(t, grade(t, tape, x.LogSumExp(0), x), "NaN [[NaN, NaN]]")
	for _, v := range []float32{1, 1e4, 1e8, 1e20, 1e36} {
		tape, x := lane(v, v)
		expect(t, grade(t, tape, x.LogSoftmax(0), x), "[-0.6931472, -0.6931472] [[0, 0]]")
	}
	tape, x = lane(low, 0, 0)
	if got := grade(t, tape, x.LogSoftmax(0), tape.Leaf(nil, 0)).value.String(); got != "[-inf, -0.6931472, -0.6931472]" {
		t.Errorf("a masked lane gives %s", got)
	}
	tape, x = lane(low, 0, 0)
	expect(t, grade(t, tape, x.LogSoftmax(0).Narrow(0, 1, 1), x), "[-0.6931472] [[0, 0.5, -0.5]]")
	tape, x = lane(low, 0, 0)
	expect(t, grade(t, tape, x.LogSumExp(0), x), "0.6931472 [[0, 0.5, 0.5]]")
	tape, x = lane(high, 0)
	expect(t, grade(t, tape, x.Softmax(0), x), "[NaN, NaN] [[NaN, NaN]]")
}

func TestC11LargeLogits(t *testing.T) {
	tape := New(F32)
	x := tape.Parameter(Shape{3}, -431, 279, 427)
	expect(t, grade(t, tape, x.LogSoftmax(0).Narrow(0, 0, 1).Neg(), x), "[858] [[-1, 0, 1]]")
}

func TestC12TiesGoLeft(t *testing.T) {
	negative := float32(math.Copysign(0, -1))
	for _, c := range []struct{ a, b float32 }{{0, 0}, {negative, 0}, {0, negative}, {2, 2}} {
		tape := New(F32)
		a, b := tape.Parameter(nil, c.a), tape.Parameter(nil, c.b)
		if got := fmt.Sprint(grade(t, tape, a.Maximum(b), a, b).gradients); got != "[1 0]" {
			t.Errorf("a tie of %v and %v sends %s", c.a, c.b, got)
		}
	}
	tape := New(F32)
	x := tape.Parameter(Shape{3}, -1, 0, 1)
	expect(t, grade(t, tape, x.Relu(), x), "[0, 0, 1] [[0, 1, 1]]")
}

func TestC14C15C16MaximumPropagatesNaN(t *testing.T) {
	quiet, zero := float32(nan), float32(math.Copysign(0, -1))
	tape := New(F32)
	a := tape.Parameter(Shape{5}, 1, quiet, 0, zero, float32(inf))
	b := tape.Parameter(Shape{5}, quiet, 1, zero, 0, quiet)
	m := a.Maximum(b)
	module := Must(Must(tape.View().Entry(m).Numerics(Exact).Lower()).StableHLO()).String()
	if !strings.Contains(module, "stablehlo.maximum %arg0, %arg1 : tensor<5xf32>") {
		t.Errorf("the module is\n%s", module)
	}
	got := grade(t, tape, m, a, b)
	if got.value.String() != "[NaN, NaN, 0, 0, NaN]" {
		t.Errorf("the maximum is %v", got.value)
	}
	for i, x := range got.value.Data()[2:4] {
		if math.Signbit(float64(x)) {
			t.Errorf("lane %d is -0", i+2)
		}
	}
	if want := "[[0, 0, 1, 1, 0] [1, 1, 0, 0, 1]]"; fmt.Sprint(got.gradients) != want {
		t.Errorf("the gradients are %v, want %s", got.gradients, want)
	}
}

func TestC17C19C20PowersAtTheEdges(t *testing.T) {
	for _, c := range []struct {
		base, exponent float64
		want           string
	}{
		{0, 1, "0 [1 NaN]"},
		{0, 1.5, "0 [0 NaN]"},
		{0, 0.5, "0 [inf NaN]"},
		{0, 0, "1 [NaN -inf]"},
		{-2, 2, "4 [-4 NaN]"},
	} {
		tape := New(F64)
		b, e := tape.Parameter(nil, c.base), tape.Parameter(nil, c.exponent)
		if got := grade(t, tape, b.Powf(e), b, e); got.String() != c.want {
			t.Errorf("%v to the power %v is %v, want %s", c.base, c.exponent, got, c.want)
		}
	}
}

// A NaN that flows into the base stays away from what the base does not read.
func TestC19PowerOfZeroSpoilsNoOther(t *testing.T) {
	tape := New(F64)
	x, w := tape.Parameter(nil, 0), tape.Parameter(nil, 3)
	power := x.Powf(tape.Leaf(nil, 0))
	expect(t, grade(t, tape, power.Add(w.Mul(w)), w, x), "10 [6 NaN]")
}

// A sum runs in the order of the elements, whatever view they are read through.
func TestC33SumsKeepTheirOrder(t *testing.T) {
	const n = 1 << 20
	tape := New(F32)
	point := tape.Leaf(nil, 0.1)
	row := point.Broadcast(Shape{n})
	square := row.Reshape(Shape{1 << 10, 1 << 10})
	data := make([]float32, n)
	for i := range data {
		data[i] = 0.1
	}
	sums := []Value[float32]{
		row.Sum(), row.SumAlong(0), square.Sum(), square.Transpose().Sum(), tape.Leaf(Shape{n}, data...).Sum(),
		point.BroadcastAlong(0, 2).Narrow(0, 1, 1).Broadcast(Shape{n}).Sum(), row.Unsqueeze(0).MatMul(tape.Leaf(nil, 1).Broadcast(Shape{n, 1})).Sum(),
	}
	run := Must(tape.View().Forward(tape.InitialParameters()))
	for i, s := range sums {
		if got := run.Of(s).String(); got != "105891.84" {
			t.Errorf("sum %d is %s", i, got)
		}
	}
}

func TestC41BackwardTwice(t *testing.T) {
	tape := New(F32)
	w := tape.Parameter(Shape{2}, 1, 2)
	loss := w.Mul(w).Sum()
	run := Must(tape.View().Forward(tape.InitialParameters()))
	first, second := Must(run.Backward(loss)).Of(w), Must(run.Backward(loss)).Of(w)
	if !first.Equal(second) || first.String() != "[2, 4]" {
		t.Errorf("gradients are %v, then %v", first, second)
	}
	a, b := tape.Differentiate(loss, w), tape.Differentiate(loss, w)
	run = Must(tape.View().Forward(tape.InitialParameters()))
	if !run.Of(a.Of(w)).Equal(first) || !run.Of(b.Of(w)).Equal(first) {
		t.Errorf("recorded gradients are %v, then %v", run.Of(a.Of(w)), run.Of(b.Of(w)))
	}
}

func TestC43OneLinePerValue(t *testing.T) {
	tape := New(F32)
	x := tape.Input(Shape{1, 2}, 1, 2)
	for want, v := range map[string]Value[float32]{"#0 Input [1, 2] f32": x, "#1 Mul [1, 2] f32": x.Mul(x)} {
		if got := fmt.Sprint(v); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

func TestC47NonFiniteLiterals(t *testing.T) {
	brain.nonFiniteLiterals(t, "dense<[0x7F80, 0xFF80, 0x7FC0, -0.0]> : tensor<4xbf16>")
	half.nonFiniteLiterals(t, "dense<[0x7C00, 0xFC00, 0x7E00, -0.0]> : tensor<4xf16>")
	single, double := New(F32), New(F64)
	x := single.Leaf(Shape{4}, float32(inf), float32(-inf), float32(nan), float32(math.Copysign(0, -1)))
	y := double.Leaf(Shape{4}, inf, -inf, nan, math.Copysign(0, -1))
	texts := map[string]string{
		"f32": Must(Must(single.View().Entry(x).Lower()).StableHLO()).String(),
		"f64": Must(Must(double.View().Entry(y).Lower()).StableHLO()).String(),
	}
	for element, want := range map[string]string{
		"f32": "dense<[0x7F800000, 0xFF800000, 0x7FC00000, -0.0]>",
		"f64": "dense<[0x7FF0000000000000, 0xFFF0000000000000, 0x7FF8000000000001, -0.0]>",
	} {
		if !strings.Contains(texts[element], want) {
			t.Errorf("%s: no %s in\n%s", element, want, texts[element])
		}
	}
}

func (n number[T]) nonFiniteLiterals(t *testing.T, want string) {
	tape := New(n.Element)
	leaf := tape.Leaf(Shape{4}, n.FromFloat64(inf), n.FromFloat64(-inf), n.FromFloat64(nan), n.zero(true))
	if text := Must(Must(tape.View().Entry(leaf).Lower()).StableHLO()).String(); !strings.Contains(text, want) {
		t.Errorf("%s: no %s in\n%s", n.Name(), want, text)
	}
}

func TestC51ScalarsAreBroadcastOverNoDimensions(t *testing.T) {
	tape := New(F32)
	x := tape.Parameter(Shape{4}, 1, 2, 3, 4)
	adjoints := tape.Differentiate(x.MeanAlong(0), x)
	module := Must(Must(tape.View().Entry(adjoints.Roots()...).Lower()).StableHLO()).String()
	if !strings.Contains(module, "dims = [] : (tensor<f32>) -> tensor<4xf32>") {
		t.Errorf("no broadcast of a scalar in\n%s", module)
	}
}
