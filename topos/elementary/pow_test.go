package elementary

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestPowExact runs pairs whose result is a number of 24 bits, or lies midway
// between two: small odd numbers to small powers and back.
func TestPowExact(t *testing.T) {
	exact, midway := 0, 0
	for m := uint64(1); m < 1<<13; m += 2 + m>>6&^1 {
		power := m
		for n := 1; n <= 30 && power < 1<<26; n++ {
			for _, shift := range []int{-9, 0, 3} {
				base := math.Ldexp(float64(m), shift)
				checkPow32(t, float32(base), float32(n))
				checkPow32(t, -float32(base), float32(n))
				checkPow64(t, base, float64(n))
				if y, ok := powExact(base, float64(n)); ok != (power < 1<<25) || ok && y != math.Ldexp(float64(power), shift*n) {
					t.Errorf("powExact(%v, %v) = %v, %v", base, n, y, ok)
				}
				if power < 1<<24 {
					exact++
				} else if power < 1<<25 {
					midway++
				}
			}
			power *= m
		}
	}
	if exact < 1000 || midway < 100 {
		t.Errorf("only %d exact and %d midway pairs", exact, midway)
	}
}

func TestPowRoots(t *testing.T) {
	for m := uint64(1); m < 1<<12; m += 2 {
		for s := 1; s <= 4; s++ {
			for _, n := range []int{1, 3, 5} {
				base := math.Ldexp(math.Pow(float64(m), float64(int(1)<<s)), -12<<s)
				if float64(float32(base)) != base {
					continue
				}
				p := float64(n) / float64(int(1)<<s)
				checkPow32(t, float32(base), float32(p))
				if m == 1 {
					checkPow32(t, float32(base), -float32(p))
				}
			}
		}
	}
}

// TestPowRandom draws pairs that do not all overflow.
func TestPowRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range max(5000, *samples) {
		base, exponent := powInputs(r)
		checkPow32(t, base, exponent)
		b := float64(base) * (1 + r.Float64()*0x1p-20)
		checkPow64(t, b, r.NormFloat64()*700/(1+math.Abs(math.Log(math.Abs(b)))))
	}
}

func powInputs(r *rand.Rand) (base, exponent float32) {
	for base == 0 || math.IsInf(float64(base), 0) || base != base {
		base = inputs32(r)
	}
	switch r.IntN(4) {
	case 0:
		return base, float32(r.IntN(41) - 20)
	case 1: // next to 1
		base = 1 + float32(r.NormFloat64())*0x1p-12
	}
	if r.IntN(4) > 0 {
		base = float32(math.Abs(float64(base)))
	}
	return base, float32(r.NormFloat64() * 60 / (0.01 + math.Abs(math.Log(math.Abs(float64(base))))))
}

// TestPowPairAccuracy measures what decides for float32 pairs that are next to
// a boundary.
func TestPowPairAccuracy(t *testing.T) {
	r := rand.New(rand.NewPCG(10, 10))
	worst := 0.0
	for range 3000 {
		base, exponent := powInputs(r)
		b, p := math.Abs(float64(base)), float64(exponent)
		if size := math.Abs(p * math.Log(b)); size < 0x1p-26 || size > 105 {
			continue
		}
		y, e := powPair(b, p)
		want := bigPow(b, p)
		gap, _ := ratio(minus(shifted(plus(number(y.hi), number(y.lo)), e), want), want).Float64()
		worst = max(worst, math.Abs(gap))
	}
	t.Logf("2^%.1f", math.Log2(worst))
	if worst > 0x1p-92 {
		t.Errorf("the error is 2^%.1f, want below 2^-92", math.Log2(worst))
	}
}
