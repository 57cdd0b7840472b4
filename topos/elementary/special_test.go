package elementary

import (
	"fmt"
	"math"
	"testing"
)

var (
	inf       = math.Inf(1)
	nan       = math.NaN()
	minusZero = math.Copysign(0, -1)
	least64   = math.SmallestNonzeroFloat64
	least32   = float64(math.SmallestNonzeroFloat32)
)

// same compares values with the signs of zeros; NaN is a class.
func same(a, b float64) bool {
	if a != a || b != b {
		return a != a && b != b
	}
	return math.Float64bits(a) == math.Float64bits(b)
}

// specials are what annex F of C demands, and results beside the ends of the
// range. Those with an argument that is a float32 hold for all forms.
var specials = map[string][][2]float64{
	"exp":  {{0, 1}, {minusZero, 1}, {inf, inf}, {-inf, 0}, {nan, nan}, {1e30, inf}, {-1e30, 0}, {least32, 1}},
	"ln":   {{1, 0}, {0, -inf}, {minusZero, -inf}, {-1, nan}, {-inf, nan}, {-least32, nan}, {inf, inf}, {nan, nan}},
	"sqrt": {{0, 0}, {minusZero, minusZero}, {4, 2}, {-1, nan}, {-inf, nan}, {inf, inf}, {nan, nan}},
	"tanh": {{0, 0}, {minusZero, minusZero}, {inf, 1}, {-inf, -1}, {nan, nan}, {1e30, 1}, {-1e30, -1}, {least32, least32}, {-least32, -least32}},
	"sin":  {{0, 0}, {minusZero, minusZero}, {inf, nan}, {-inf, nan}, {nan, nan}, {least32, least32}, {-least32, -least32}},
	"cos":  {{0, 1}, {minusZero, 1}, {inf, nan}, {-inf, nan}, {nan, nan}, {least32, 1}},
	"log1p": {{0, 0}, {minusZero, minusZero}, {-1, -inf}, {-2, nan}, {-inf, nan}, {inf, inf}, {nan, nan}, {least32, least32},
		{-least32, -least32}},
	"expm1": {{0, 0}, {minusZero, minusZero}, {inf, inf}, {-inf, -1}, {nan, nan}, {1e30, inf}, {-1e30, -1}, {least32, least32},
		{-least32, -least32}},
	"erf":            {{0, 0}, {minusZero, minusZero}, {inf, 1}, {-inf, -1}, {nan, nan}, {1e30, 1}, {-1e30, -1}},
	"erf_derivative": {{inf, 0}, {-inf, 0}, {nan, nan}, {1e30, 0}, {-1e30, 0}},
}

// ends are float64 results beside overflow and underflow.
var ends = map[string][][2]float64{
	"exp":            {{710, inf}, {-745.1332191019411, least64}, {-745.1332191019412, 0}, {0x1.62e42fefa39efp9, 0x1.fffffffffff2ap1023}},
	"expm1":          {{710, inf}, {0x1.62e42fefa39efp9, 0x1.fffffffffff2ap1023}, {least64, least64}},
	"log1p":          {{least64, least64}, {-least64, -least64}},
	"sin":            {{least64, least64}, {-least64, -least64}},
	"tanh":           {{least64, least64}, {-least64, -least64}},
	"erf":            {{least64, least64}, {-least64, -least64}},
	"erf_derivative": {{27.5, 0}},
}

func TestSpecialValues(t *testing.T) {
	for _, f := range functions {
		for _, row := range specials[f.name] {
			x, want := row[0], row[1]
			if got := f.wide(x); !same(got, want) {
				t.Errorf("%s(%v) = %v, want %v", f.name, x, got, want)
			}
			if got := f.sticky(float32(x)); math.IsInf(x, 0) && !same(got, want) {
				t.Errorf("%s(%v), before rounding, = %v, want %v", f.name, x, got, want)
			}
			if got := f.narrow(float32(x)); !same(float64(got), want) {
				t.Errorf("%s(float32 %v) = %v, want %v", f.name, x, got, want)
			}
		}
		for _, row := range ends[f.name] {
			if got := f.wide(row[0]); !same(got, row[1]) {
				t.Errorf("%s(%v) = %v, want %v", f.name, row[0], got, row[1])
			}
		}
	}
}

// powSpecials is IEEE 754-2019, 9.2.1.
var powSpecials = [][3]float64{
	{2, 0, 1}, {nan, 0, 1}, {inf, 0, 1}, {0, minusZero, 1}, {-3, minusZero, 1},
	{1, nan, 1}, {1, inf, 1}, {1, -7, 1}, {nan, 1, nan}, {2, nan, nan}, {nan, nan, nan},
	{0, -3, inf}, {minusZero, -3, -inf}, {0, -2, inf}, {minusZero, -2, inf}, {0, -0.5, inf}, {minusZero, -0.5, inf},
	{0, -inf, inf}, {minusZero, -inf, inf}, {0, inf, 0}, {minusZero, inf, 0},
	{0, 3, 0}, {minusZero, 3, minusZero}, {0, 2, 0}, {minusZero, 2, 0}, {0, 0.5, 0}, {minusZero, 0.5, 0},
	{-1, inf, 1}, {-1, -inf, 1},
	{0.5, inf, 0}, {-0.5, inf, 0}, {2, inf, inf}, {-2, inf, inf},
	{0.5, -inf, inf}, {-0.5, -inf, inf}, {2, -inf, 0}, {-2, -inf, 0},
	{inf, 2, inf}, {inf, 0.5, inf}, {inf, -2, 0}, {inf, inf, inf}, {inf, -inf, 0},
	{-inf, 3, -inf}, {-inf, 2, inf}, {-inf, 0.5, inf}, {-inf, -3, minusZero}, {-inf, -2, 0}, {-inf, -0.5, 0},
	{-inf, inf, inf}, {-inf, -inf, 0},
	{-2, 0.5, nan}, {-2, -1.5, nan}, {-2, 3, -8}, {-2, 2, 4}, {-2, -1, -0.5}, {-1, 3, -1}, {-1, 4, 1},
	{-1, 0x1p53, 1}, {-1, 0x1p30, 1}, {-2, 1e30, inf}, {-0.5, 1e30, 0},
	{2, 1e30, inf}, {2, -1e30, 0}, {0.5, 1e30, 0}, {0.5, -1e30, inf},
}

func TestPowSpecialValues(t *testing.T) {
	for _, row := range powSpecials {
		if got := Pow(row[0], row[1]); !same(got, row[2]) {
			t.Errorf("Pow(%v, %v) = %v, want %v", row[0], row[1], got, row[2])
		}
		if got := Pow32(float32(row[0]), float32(row[1])); !same(float64(got), row[2]) {
			t.Errorf("Pow32(%v, %v) = %v, want %v", row[0], row[1], got, row[2])
		}
	}
	if got := Pow(-1, 0x1p53-1); got != -1 {
		t.Errorf("Pow(-1, 2^53-1) = %v, want -1", got)
	}
}

// TestMonotone walks along neighbouring float32, and across the seams between
// the ways to compute an answer, where a rounded value must not fall.
func TestMonotone(t *testing.T) {
	rising := map[string][2]float32{
		"exp": {-110, 89}, "ln": {0x1p-149, math.MaxFloat32}, "sqrt": {0, math.MaxFloat32}, "tanh": {-11, 11},
		"sin": {-1.57, 1.57}, "log1p": {-1, math.MaxFloat32}, "expm1": {-30, 89}, "erf": {-5, 5},
	}
	for _, f := range functions {
		span, ok := rising[f.name]
		if !ok {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			for x := span[0]; x < span[1]; {
				last, lastWide := f.narrow(x), f.wide(float64(x))
				for range 20 {
					x = math.Nextafter32(x, float32(inf))
					if y := f.narrow(x); y < last {
						t.Fatalf("%s falls from %x to %x at %x", f.name, last, y, x)
					} else {
						last = y
					}
					if y := f.wide(float64(x)); y < lastWide {
						t.Fatalf("%s over float64 falls from %x to %x at %x", f.name, lastWide, y, x)
					} else {
						lastWide = y
					}
				}
				x = further(x)
			}
		})
	}
}

// further is some 1/128 of the way to the next power of 2 or the last.
func further(x float32) float32 {
	bits := int64(math.Float32bits(x) &^ (1 << 31))
	if x < 0 {
		if bits -= 65521; bits < 0 {
			return 0
		}
		return -math.Float32frombits(uint32(bits))
	}
	return math.Float32frombits(uint32(bits + 65521))
}

func ExampleExpSticky() {
	// One rounding to the eight bits of a bfloat16, from the value before any.
	x := float32(0.5)
	y := ExpSticky(x)
	bits := math.Float64bits(y)
	const drop = 53 - 8
	rounded := (bits + 1<<(drop-1) - 1 + bits>>drop&1) >> drop << drop
	fmt.Println(math.Float64frombits(rounded), Exp32(x))
	// Output: 1.6484375 1.6487212
}
