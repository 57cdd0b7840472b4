package initial_test

import (
	"math"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/initial"
)

func TestRefusedDraws(t *testing.T) {
	type draw = func(topos.Shape) *topos.Tensor[float32]
	e := topos.F32
	for name, c := range map[string]struct {
		make  func() draw
		shape topos.Shape // nil where making it is refused
		want  string
	}{
		"xavier of rank 3":      {func() draw { return initial.Xavier(e, 1) }, topos.Shape{2, 2, 2}, "xavier cannot draw [2, 2, 2]"},
		"xavier of rank 0":      {func() draw { return initial.Xavier(e, 1) }, topos.Shape{}, "xavier cannot draw []"},
		"kaiming of rank 3":     {func() draw { return initial.Kaiming(e, 1) }, topos.Shape{2, 2, 2}, "kaiming cannot draw [2, 2, 2]"},
		"scaled of rank 0":      {func() draw { return initial.Scaled(e, 1, 1) }, topos.Shape{}, "scaled cannot draw []"},
		"empty":                 {func() draw { return initial.Uniform(e, 1, 1) }, topos.Shape{2, 0}, "uniform cannot draw [2, 0]"},
		"too large":             {func() draw { return initial.Normal(e, 1, 1) }, topos.Shape{math.MaxInt, 2}, "normal cannot draw ["},
		"keep of 1.5":           {func() draw { return initial.Dropout(e, 1, 1.5) }, nil, "dropout cannot keep with probability 1.5"},
		"keep of 0":             {func() draw { return initial.Dropout(e, 1, 0) }, nil, "dropout cannot keep with probability 0"},
		"keep of NaN":           {func() draw { return initial.Dropout(e, 1, math.NaN()) }, nil, "dropout cannot keep with probability NaN"},
		"a scale without bound": {func() draw { return initial.Uniform(e, 1, math.Inf(1)) }, nil, "uniform cannot draw with a scale of +Inf"},
	} {
		t.Run(name, func(t *testing.T) {
			var d draw
			refusal := topos.Refused(func() { d = c.make() })
			if c.shape != nil {
				if refusal != nil {
					t.Fatal(refusal)
				}
				refusal = topos.Refused(func() { d(c.shape) })
			}
			if refusal == nil || !strings.HasPrefix(refusal.Error(), c.want) || strings.Contains(refusal.Error(), "\n") {
				t.Fatalf("refused by %v, want %q", refusal, c.want)
			}
			if c.shape == nil {
				return
			}
			// A refused draw draws nothing.
			if got, want := d(topos.Shape{2, 2}), c.make()(topos.Shape{2, 2}); !got.Equal(want) {
				t.Errorf("after the refusal it draws %v, want %v", got, want)
			}
		})
	}
}

// Biases are zeros and draw nothing: the weights after them are as without them.
func TestBiasesDrawNothing(t *testing.T) {
	e := topos.F64
	for name, of := range map[string]func() func(topos.Shape) *topos.Tensor[float64]{
		"xavier":  func() func(topos.Shape) *topos.Tensor[float64] { return initial.Xavier(e, 9) },
		"kaiming": func() func(topos.Shape) *topos.Tensor[float64] { return initial.Kaiming(e, 9) },
		"scaled":  func() func(topos.Shape) *topos.Tensor[float64] { return initial.Scaled(e, 9, 2) },
	} {
		with, without := of(), of()
		if got := with(topos.Shape{3}).String(); got != "[0, 0, 0]" {
			t.Errorf("%s gives a bias of %s", name, got)
		}
		if a, b := with(topos.Shape{2, 3}), without(topos.Shape{2, 3}); !a.Equal(b) {
			t.Errorf("%s: %v after a bias, %v without", name, a, b)
		}
	}
}

func TestZeros(t *testing.T) {
	if got := initial.Zeros(topos.F32)(topos.Shape{2, 2}).String(); got != "[[0, 0], [0, 0]]" {
		t.Errorf("zeros are %s", got)
	}
}

// The spread of what is drawn is that of the formulas.
func TestSpread(t *testing.T) {
	shape := topos.Shape{200, 50}
	for name, c := range map[string]struct {
		drawn *topos.Tensor[float64]
		want  float64 // the mean square
	}{
		"uniform": {initial.Uniform(topos.F64, 1, 0.5)(shape), 0.25 / 3},
		"normal":  {initial.Normal(topos.F64, 1, 0.02)(shape), 0.0004},
		"xavier":  {initial.Xavier(topos.F64, 1)(shape), 2.0 / 250},
		"kaiming": {initial.Kaiming(topos.F64, 1)(shape), 2.0 / 200},
		"scaled":  {initial.Scaled(topos.F64, 1, 3)(shape), 9.0 / 200},
		"dropout": {initial.Dropout(topos.F64, 1, 0.8)(shape), 1 / 0.8},
	} {
		square := c.drawn.Mul(c.drawn).Sum().Scalar() / float64(shape.Volume())
		if math.Abs(square-c.want) > 0.05*c.want {
			t.Errorf("%s has a mean square of %v, want about %v", name, square, c.want)
		}
	}
}

// A mask keeps where the stream's number lies below the probability.
func TestMasksFollowTheStream(t *testing.T) {
	const keep = 0.8
	shape := topos.Shape{5000}
	numbers, mask := initial.Uniform(topos.F64, 5, 1)(shape).Data(), initial.Dropout(topos.F64, 5, keep)(shape).Data()
	for i, x := range numbers {
		want := 0.0
		if (x+1)/2 < keep {
			want = 1 / 0.8
		}
		if mask[i] != want {
			t.Fatalf("number %d is %v, and its mask %v", i, (x+1)/2, mask[i])
		}
	}
}
