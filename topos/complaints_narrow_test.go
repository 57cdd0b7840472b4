package topos_test

import (
	"math"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// Rows of the list of complaints about other libraries that concern 16 bits.

// A long row of small logits: the normaliser does not stall, nor the gradient.
func TestC08LongRowOfLogits(t *testing.T) {
	const lanes = 1 << 16
	data := make([]BFloat16, lanes)
	for i := range data {
		data[i] = BFloat16Of(float64(i%7) / 64)
	}
	tape := New(BF16)
	x := tape.Parameter(Shape{lanes}, data...)
	out := x.LogSoftmax(0)
	loss := out.Narrow(0, 3, 1).Sum()
	run := Must(tape.View().Forward(tape.InitialParameters()))
	gradient := Must(run.Backward(loss)).Of(x).Data()
	for i, g := range gradient {
		want := -1.0 / lanes
		if i == 3 {
			want++
		}
		if got := float64(g.Float32()); !(math.Abs(got-want) <= 0.1*math.Abs(want)) {
			t.Fatalf("the gradient at %d is %v, not about %v", i, got, want)
		}
	}
	if got := float64(run.Of(out).Data()[0].Float32()); math.Abs(got+math.Log(lanes)) > 0.2 {
		t.Errorf("a logit's log softmax is %v", got)
	}
}

func TestC27RoundedOnceFromFloat64(t *testing.T) {
	same(t, "bf16", BF16.Tensor(nil, BF16.FromFloat64(1+0x1p-8+0x1p-40)).String(), "1.0078125")
	same(t, "bf16, parsed", BF16.Tensor(nil, Must(BF16.Parse("1.0039062500009094947017729282379150390625"))).String(), "1.0078125")
	same(t, "f16", half.Tensor(nil, half.FromFloat64(1+0x1p-11+0x1p-40)).String(), "1.0009766")
}

// Subnormal numbers are kept, shifted once, and ties go to even.
func TestC29SubnormalsAndTies(t *testing.T) {
	for x, want := range map[float64]string{
		1 + 0x1p-8: "1", 1 + 3*0x1p-8: "1.015625", 257: "256", 259: "260", 3.4e38: "inf", -3.4e38: "-inf", 0x1p-134: "0", -0x1p-134: "-0",
	} {
		same(t, "bf16", BF16.Tensor(nil, BF16.FromFloat64(x)).String(), want)
	}
	brain.sweepSubnormals(t, 0x80, 0x1p-133)
	half.sweepSubnormals(t, 0x400, 0x1p-24)
}

// sweepSubnormals rounds every subnormal, what lies half way to the next, and
// what lies just off half way; and runs each through arithmetic.
func (n number[T]) sweepSubnormals(t *testing.T, count uint64, least float64) {
	t.Helper()
	one, two := n.Tensor(nil, n.FromFloat64(1)), n.Tensor(nil, n.FromFloat64(2))
	for b := range count {
		x := n.Tensor(nil, n.FromBits(b))
		for at, want := range map[float64]uint64{0: b, 0.25: b, 0.5: b + b&1, 0.75: b + 1} {
			if got := n.Bits(n.FromFloat64((float64(b) + at) * least)); got != want {
				t.Errorf("%s: (%d + %v) times the least number rounds to %#x, want %#x", n.Name(), b, at, got, want)
			}
		}
		halved := n.Bits(x.Div(two).Scalar())
		if want := b/2 + b&1*(b/2&1); halved != want {
			t.Errorf("%s: half of %#x is %#x, want %#x", n.Name(), b, halved, want)
		}
		if !x.Mul(one).Equal(x) || !x.Add(x).Sub(x).Equal(x) || n.Bits(x.Neg().Scalar()) != b|1<<(n.digits*4-1) {
			t.Errorf("%s: %#x does not survive arithmetic", n.Name(), b)
		}
	}
}

// Sums of 16-bit numbers are accumulated in float32 and rounded once, whichever
// operation sums.
func TestC30SumsDoNotStall(t *testing.T) {
	brain.sumsDoNotStall(t)
	half.sumsDoNotStall(t)
}

func (n number[T]) sumsDoNotStall(t *testing.T) {
	const count = 10_000
	data := make([]T, count)
	var total float32
	for i := range data {
		data[i] = n.FromFloat64(0.5 + float64(i%13-6)/32)
		total += float32(n.real(data[i]))
	}
	row := n.Tensor(Shape{count}, data...)
	column := row.Reshape(Shape{count, 1})
	ones := n.Tensor(Shape{1, count}, n.FromFloat64(1))
	want := n.Tensor(nil, n.FromFloat64(float64(total)))
	for name, got := range map[string]*Tensor[T]{
		"sum":       row.Sum(),
		"sum_along": row.SumAlong(0),
		"matmul":    ones.MatMul(column),
		"scatter":   column.Scatter(n.Tensor(Shape{count, 1}, n.FromFloat64(1))),
	} {
		if !got.Reshape(Shape{}).Equal(want) {
			t.Errorf("%s: %s of %d numbers is %v, want %v", n.Name(), name, count, got, want)
		}
	}
	// Windows of 1000 numbers, one step apart: the middle position adds them all.
	const size = 1000
	windows := n.Tensor(Shape{size, size}, n.FromFloat64(0.75)).Fold(0, size, 1, 1, 2*size-1).Data()
	if got := n.real(windows[size-1]); got != n.real(n.FromFloat64(0.75*size)) {
		t.Errorf("%s: a fold of %d numbers is %v", n.Name(), size, got)
	}
}

// The emitted sum of 16-bit numbers shows the float32 it accumulates in, and one
// conversion back.
func TestC31EmittedSumsAccumulateWide(t *testing.T) {
	brain.sumsAreEmittedWide(t)
	half.sumsAreEmittedWide(t)
}

func (n number[T]) sumsAreEmittedWide(t *testing.T) {
	tape := New(n.Element)
	x := tape.Parameter(Shape{2, 3}, n.FromFloat64(1))
	for name, y := range map[string]Value[T]{"sum": x.Sum(), "sum_along": x.SumAlong(1), "matmul": x.MatMul(x.Transpose())} {
		module := Must(Must(tape.View().Entry(y).Lower()).StableHLO()).String()
		back := 0
		for line := range strings.Lines(module) {
			if strings.Contains(line, "stablehlo.reduce(") && !strings.Contains(line, "xf32>") {
				t.Errorf("%s is reduced in another type: %s", name, line)
			}
			if strings.Contains(line, "stablehlo.convert") && strings.Contains(line, "f32>) -> tensor") && strings.Contains(line, n.Name()+">\n") {
				back++
			}
		}
		if back != 1 {
			t.Errorf("%s is converted back %d times in\n%s", name, back, module)
		}
	}
}

// The error of a sum, recovered by arithmetic that would vanish were the steps
// carried out in a wider type.
func TestC34TwoSumKeepsItsError(t *testing.T) {
	tape := New(BF16)
	a, b := tape.Parameter(nil, BFloat16Of(1)), tape.Parameter(nil, BFloat16Of(0x1p-9))
	s := a.Add(b)
	rest := s.Sub(a)
	lost := a.Sub(s.Sub(rest)).Add(b.Sub(rest))
	table := tape.InitialParameters()
	same(t, "interpreter", Must(tape.View().Forward(table)).Of(lost).String(), "0.001953125")
	for _, numerics := range []Numerics{Exact, Fast} {
		plan := Must(tape.View().Entry(lost).Numerics(numerics).Lower())
		same(t, "plan", Must(plan.Forward(table)).Of(lost).String(), "0.001953125")
		if module := Must(plan.StableHLO()).String(); strings.Contains(module, "f32") && strings.Count(module, "f32") != strings.Count(module, "bf16") {
			t.Errorf("a step is emitted in another type:\n%s", module)
		}
	}
}
