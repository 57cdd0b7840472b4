package elementary

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
)

var (
	exhaustive = flag.Bool("exhaustive", false, "check all float32 inputs of every function, and all bfloat16 pairs of powf (minutes each)")
	powPairs   = flag.Int64("powpairs", 0, "how many random float32 pairs of powf to check besides")
)

// The exhaustive checks hold a sticky answer y to one thing: it lies on the
// same side of the boundary of rounding next to it as the real value, or on it
// where that does. Boundaries are the numbers of 25 bits, so every rounding to
// 24 bits or fewer is then right.
//
//   - Where package math agrees within 2^11 units and y is settled, package
//     math would have to be wrong by as much for y to be on the wrong side.
//   - At the edges, where a value stays within 2^-25.9 of a number, the side is
//     known.
//   - Everywhere else the oracle decides.

// boundary is the number of 25 bits nearest to y.
func boundary(y float64) float64 {
	return math.Float64frombits((math.Float64bits(y) + 1<<27) &^ (1<<28 - 1))
}

// agrees reports whether two answers are one class, or so close, or so far
// beyond the ends of float32, that a settled y is right.
func agrees(y, z float64) bool {
	switch {
	case y != y || z != z:
		return y != y && z != z
	case math.Signbit(y) != math.Signbit(z):
		return false
	case math.Abs(y) > 0x1p129 && math.Abs(z) > 0x1p129, math.Abs(y) < 0x1p-152 && math.Abs(z) < 0x1p-152:
		return true
	}
	off := int64(math.Float64bits(y) - math.Float64bits(z))
	return off >= -1<<11 && off <= 1<<11 && settled(y)
}

// edge is a number that values stay so close to that nothing else decides, and
// on which side.
func edge(name string, x float64) (next float64, side int, ok bool) {
	v, sign := math.Abs(x), 1
	if x < 0 {
		sign = -1
	}
	switch name {
	case "exp":
		return 1, sign, v < 0x1p-26 && x != 0
	case "cos":
		return 1, -1, v < 0x1p-13 && x != 0
	case "sin":
		return x, -sign, v < 0x1p-13 && x != 0
	case "tanh":
		if v >= 10 {
			return float64(sign), -sign, true
		}
		return x, -sign, v < 0x1p-13 && x != 0
	case "log1p":
		return x, -1, v < 0x1p-26 && x != 0
	case "expm1":
		if x < -20 {
			return -1, 1, true
		}
		return x, 1, v < 0x1p-26 && x != 0
	case "erf":
		return float64(sign), -sign, v >= 4
	}
	return 0, 0, false
}

func compare(a, b float64) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// rightSide asks the oracle's value.
func rightSide(y float64, value *big.Float) bool {
	if math.IsInf(y, 0) {
		bound := math.Copysign(0x1p129, y)
		return value.Cmp(number(bound)) == compare(y, 0)
	}
	if y == 0 { // too small for any of the formats
		return value.MantExp(nil) < -152 && (value.Sign() < 0) == math.Signbit(y) || value.Sign() == 0
	}
	b := boundary(y)
	gap, _ := minus(value, number(y)).Float64()
	return value.Cmp(number(b)) == compare(y, b) && math.Abs(gap) < math.Abs(y)*0x1p-30
}

func (f *function) check(x float32) (asked, right bool) {
	v, y := float64(x), f.sticky(x)
	if next, side, ok := edge(f.name, v); ok && !math.IsInf(v, 0) {
		return false, boundary(y) == next && compare(y, next) == side
	}
	if agrees(y, f.peer(v)) {
		return false, true
	}
	if v == 0 || math.IsInf(v, 0) {
		return false, same(y, f.peer(v))
	}
	if !f.domain(v) {
		return false, same(y, f.peer(v))
	}
	return true, rightSide(y, f.oracle(number(v)))
}

// parities are 1 for the even functions and -1 for the odd: there a negative
// input must mirror the positive one, which is held to the real function.
var parities = map[string]float64{"sin": -1, "cos": 1, "erf": -1, "erf_derivative": 1}

// TestEveryInput checks all 2^32 inputs of every function with -exhaustive, and
// one of 40,000 without.
func TestEveryInput(t *testing.T) {
	stride := uint64(40009)
	if *exhaustive {
		stride = 1
	}
	for _, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			parity := parities[f.name]
			asked := inParallel(1<<32, stride, func(i uint64) (bool, bool) {
				x := math.Float32frombits(uint32(i))
				if parity != 0 && math.Signbit(float64(x)) {
					mirrors := same(f.sticky(x), parity*f.sticky(-x))
					if !mirrors {
						t.Errorf("%s(%x) = %x does not mirror %x", f.name, x, f.sticky(x), f.sticky(-x))
					}
					return false, mirrors
				}
				asked, right := f.check(x)
				if !right {
					t.Errorf("%s(%x) = %x is on the wrong side", f.name, x, f.sticky(x))
				}
				return asked, right
			})
			t.Logf("%s: the oracle decided for %d inputs", f.name, asked)
		})
	}
}

// inParallel runs check over a range by blocks, until some are wrong. It counts
// how often the oracle was asked.
func inParallel(n, stride uint64, check func(i uint64) (asked, right bool)) int64 {
	const block = 1 << 22
	var next, asked, wrong atomic.Int64
	var wait sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		wait.Go(func() {
			for wrong.Load() < 20 {
				start := uint64(next.Add(block)) - block
				if start >= n {
					return
				}
				for i := (start + stride - 1) / stride * stride; i < min(start+block, n); i += stride {
					a, ok := check(i)
					if a {
						asked.Add(1)
					}
					if !ok {
						wrong.Add(1)
					}
				}
			}
		})
	}
	wait.Wait()
	return asked.Load()
}

func checkPowPair(base, exponent float32) (asked, right bool) {
	b, p := float64(base), float64(exponent)
	y := PowSticky(base, exponent)
	if want, special := powSpecial(b, p); special {
		return false, same(y, want)
	}
	z := math.Pow(b, p)
	if agrees(y, z) {
		return false, true
	}
	if t := p * math.Log(math.Abs(b)); math.Abs(t) < 0x1p-26 {
		sign := math.Copysign(1, z)
		return false, boundary(y) == sign && compare(y*sign, 1) == compare(t, 0)
	}
	value := bigSignedPow(b, p)
	return true, value != nil && rightSide(y, value)
}

// TestEveryPowOfBfloat16 checks all pairs of bfloat16 with -exhaustive, and one
// of 100,000 without.
func TestEveryPowOfBfloat16(t *testing.T) {
	stride := uint64(100003)
	if *exhaustive {
		stride = 1
	}
	asked := inParallel(1<<32, stride, func(i uint64) (bool, bool) {
		base, exponent := math.Float32frombits(uint32(i)&^0xffff), math.Float32frombits(uint32(i)<<16)
		asked, right := checkPowPair(base, exponent)
		if !right {
			t.Errorf("Pow(%x, %x) = %x is on the wrong side", base, exponent, PowSticky(base, exponent))
		}
		return asked, right
	})
	t.Logf("powf: the oracle decided for %d pairs", asked)
}

// TestPowPairs checks as many random pairs as -powpairs says, half of them of
// any bits, half where the result is a normal number.
func TestPowPairs(t *testing.T) {
	n := max(*powPairs, 100_000)
	asked := inParallel(uint64(n), 1, func(i uint64) (bool, bool) {
		r := rand.New(rand.NewPCG(7, i))
		base, exponent := powInputs(r)
		if i&1 == 0 {
			base, exponent = math.Float32frombits(r.Uint32()), math.Float32frombits(r.Uint32())
		}
		asked, right := checkPowPair(base, exponent)
		if !right {
			t.Errorf("Pow(%x, %x) = %x is on the wrong side", base, exponent, PowSticky(base, exponent))
		}
		return asked, right
	})
	t.Logf("powf: the oracle decided for %d of %d pairs", asked, n)
}
