package topos_test

import (
	"math"
	"testing"

	. "github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/f16"
)

// number is an element under test, with what the tests know of its format
// themselves and do not ask the product for.
type number[T any] struct {
	Element[T]
	format
}

// format is how an element's bits stand for real numbers.
type format struct {
	digits   int     // hexadecimal digits of the bits
	eps      float64 // from 1 to the next number
	mapUnits float64 // how far, in units in the last place, golden maps may be off
	float    func(bits uint64) float64
}

// tested is what every suite that runs on all elements asks of one.
type tested interface {
	Name() string
	everyOperation(t *testing.T)
	graphModules(t *testing.T, c graphCase) map[string]string
	fuzzNumber(t *testing.T, bits uint64, text string)
	goldenOp(t *testing.T, c opCase)
	goldenEmission(t *testing.T, c emissionCase)
	goldenGraph(t *testing.T, c graphCase)
	goldenHVP(t *testing.T, c hvpCase)
	goldenReopened(t *testing.T, c reopenedCase)
	goldenTraining(t *testing.T, r trainingRun)
	goldenNumber(t *testing.T, row [4]string)
	displayTensor(t *testing.T, text string, shape Shape, numerals []string) int
	checkProgram(t *randomSuite, seed uint64)
	writePrograms(w *programWriter, seed uint64)
	writeGraph(w *programWriter, c graphCase)
	writeEmission(w *programWriter, c emissionCase)
	writeOperations(w *programWriter)
	writePatterns(w *programWriter)
	erfTexts() (plain, primitive string)
	digestOp(d *digest, c opCase)
	digestGraph(d *digest, c graphCase)
	digestTraining(d *digest, r trainingRun)
	digestRandom(d *digest, seed uint64)
}

var (
	single = number[float32]{F32, format{8, 0x1p-23, 2, func(b uint64) float64 { return float64(math.Float32frombits(uint32(b))) }}}
	double = number[float64]{F64, format{16, 0x1p-52, 4, math.Float64frombits}}
	brain  = number[BFloat16]{BF16, format{4, 0x1p-7, 1, func(b uint64) float64 { return float64(math.Float32frombits(uint32(b) << 16)) }}}
	half   = numberOf(f16.F16, format{4, 0x1p-10, 1, halfValue})
)

func numberOf[T any](e Element[T], f format) number[T] { return number[T]{e, f} }

// elements are the built-in ones, and the one beside them.
var elements = []tested{single, double, brain, half}

// halfValue is the number that 16 bits of IEEE binary16 stand for.
func halfValue(b uint64) float64 {
	sign, exponent, fraction := 1.0, int(b>>10&31), float64(b&1023)
	if b&0x8000 != 0 {
		sign = -1
	}
	switch exponent {
	case 0:
		return sign * math.Ldexp(fraction, -24)
	case 31:
		if fraction != 0 {
			return math.NaN()
		}
		return sign * math.Inf(1)
	}
	return sign * math.Ldexp(1024+fraction, exponent-25)
}

// elementOf finds an element by its name.
func elementOf(name string) (tested, bool) {
	for _, e := range elements {
		if e.Name() == name {
			return e, true
		}
	}
	return nil, false
}

// real is the number that an element stands for.
func (n number[T]) real(x T) float64 { return n.float(n.Bits(x)) }

// zero is +0, or -0.
func (n number[T]) zero(negative bool) T {
	if negative {
		return n.FromFloat64(math.Copysign(0, -1))
	}
	return n.FromFloat64(0)
}

func TestBitsAndBack(t *testing.T) {
	for _, bits := range []uint64{0, 0x80000000, 0x3f800000, 1, 0x7f7fffff, 0xff800000} {
		if got := F32.Bits(F32.FromBits(bits)); got != bits {
			t.Errorf("f32 %08x comes back as %08x", bits, got)
		}
	}
	for _, bits := range []uint64{0, 1 << 63, 1, 0x3ff0000000000001, 0x7fefffffffffffff} {
		if got := F64.Bits(F64.FromBits(bits)); got != bits {
			t.Errorf("f64 %016x comes back as %016x", bits, got)
		}
	}
	if got := F32.FromBits(0x1234567840490fdb); got != math.Pi {
		t.Errorf("bits above the width count: %v", got)
	}
}

func (n number[T]) isNegativeZero(x float64) bool { return x == 0 && math.Signbit(x) }

func TestFinite(t *testing.T) {
	inf := math.Inf(1)
	for _, x := range []float64{0, -0.5, 1e30, inf, -inf, math.NaN()} {
		want := !math.IsInf(x, 0) && !math.IsNaN(x)
		single, double, bf := F32.Tensor(Shape{2}, 1, float32(x)), F64.Tensor(Shape{3}, x), BF16.Tensor(Shape{2}, 0, BF16.FromFloat64(x))
		if single.Finite() != want || double.Finite() != want || bf.Finite() != want {
			t.Errorf("%v counts as finite: %v, %v, %v", x, single.Finite(), double.Finite(), bf.Finite())
		}
		if got := F32.Float64(float32(x)); got != float64(float32(x)) && want {
			t.Errorf("%v becomes %v", x, got)
		}
	}
	if got := BF16.Float64(BF16.FromFloat64(1.0078125)); got != 1.0078125 {
		t.Errorf("bf16 1.0078125 becomes %v", got)
	}
}
