package elementary

import (
	"flag"
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

var samples = flag.Int("samples", 2000, "how many random float64 inputs of every function are checked")

// inputs32 draws float32 of every size, most within 2^12 of 1.
func inputs32(r *rand.Rand) float32 {
	bits := r.Uint32()
	if r.IntN(4) > 0 {
		bits = bits&^(255<<23) | uint32(115+r.IntN(24))<<23
	}
	return math.Float32frombits(bits)
}

func inputs64(r *rand.Rand) float64 {
	bits := r.Uint64()
	if r.IntN(4) > 0 {
		bits = bits&^(2047<<52) | uint64(1000+r.IntN(40))<<52
	}
	return math.Float64frombits(bits)
}

// TestRandom32 compares with the oracle's value, rounded once.
func TestRandom32(t *testing.T) {
	for i, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, uint64(i)))
			for range 4000 {
				x := inputs32(r)
				if v := float64(x); math.IsNaN(v) || math.IsInf(v, 0) || v == 0 || !f.domain(v) {
					continue
				}
				want, _ := f.oracle(number(float64(x))).Float32()
				if got := f.narrow(x); got != want {
					t.Errorf("%s(%x) = %x, want %x", f.name, x, got, want)
				}
			}
		})
	}
}

// ulps is how far got is from want, in units of the last place of want.
func ulps(got float64, want *big.Float) float64 {
	nearest, _ := want.Float64()
	if math.IsInf(got, 0) || math.IsInf(nearest, 0) {
		if got == nearest {
			return 0
		}
		return math.Inf(1)
	}
	exponent := max(want.MantExp(nil)-53, -1074)
	off, _ := shifted(minus(number(got), want), -exponent).Float64()
	return math.Abs(off)
}

// TestRandom64 measures the error of the float64 forms.
func TestRandom64(t *testing.T) {
	const bound = 0.5001
	for i, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(2, uint64(i)))
			worst, at := 0.0, 0.0
			for range *samples {
				x := inputs64(r)
				if math.IsNaN(x) || math.IsInf(x, 0) || x == 0 || !f.domain(x) {
					continue
				}
				if off := ulps(f.wide(x), f.oracle(number(x))); off > worst {
					worst, at = off, x
				}
			}
			t.Logf("%s: at most %.6f units off in %d inputs, at %x", f.name, worst, *samples, at)
			if worst > bound {
				t.Errorf("%s(%x): %g units off, want at most %g", f.name, at, worst, bound)
			}
		})
	}
}

// TestSubnormal64 draws inputs whose results are next to the least normal
// float64, where they lose bits and must still be rounded once.
func TestSubnormal64(t *testing.T) {
	draws := map[string]func(*rand.Rand) float64{
		"exp":            between(-745, -706),
		"erf":            around(-1074, -1019),
		"expm1":          around(-1074, -1019),
		"erf_derivative": between(26.5, 27.3),
	}
	for _, f := range functions {
		draw := draws[f.name]
		if draw == nil {
			continue
		}
		r := rand.New(rand.NewPCG(9, 9))
		for range 500 {
			x := draw(r)
			if off := ulps(f.wide(x), f.oracle(number(x))); off > 0.5001 {
				t.Errorf("%s(%x) is %g units off", f.name, x, off)
			}
		}
	}
}
