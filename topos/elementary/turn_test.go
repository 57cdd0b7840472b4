package elementary

import (
	"math"
	"math/big"
	"testing"
)

// nearestToTurns is the m below 2^53 that brings m 2^e nearest to a multiple of
// a quarter turn: a denominator of the continued fraction of
// 2^e 2/pi, less its whole turns.
func nearestToTurns(e int) float64 {
	exact := func() *big.Float { return new(big.Float).SetPrec(reductionPrecision) }
	alpha := exact().Quo(big.NewFloat(2), bigPi())
	alpha.SetMantExp(alpha, e)
	q, before := big.NewInt(1), big.NewInt(0)
	for {
		n, _ := alpha.Int(nil)
		alpha = exact().Quo(big.NewFloat(1), alpha.Sub(alpha, exact().SetInt(n)))
		n, _ = alpha.Int(nil)
		next := n.Add(n.Mul(n, q), before)
		if next.BitLen() > 53 {
			return float64(q.Uint64())
		}
		before, q = q, next
	}
}

func TestNearestToTurns(t *testing.T) {
	closest := 1.0
	// A multiple of pi/128 is a quarter turn for 64 times the number, which for
	// the largest float64 is beyond them.
	for e := 0; e <= 971+6; e++ {
		m := nearestToTurns(e)
		r, _ := bigQuadrant(shifted(number(m), e))
		off, _ := r.Float64()
		closest = min(closest, math.Abs(off))
		x := math.Ldexp(m, e)
		if math.IsInf(x, 0) {
			continue
		}
		want, got := bigSin(number(x)), turnPair(turnReduce(x))
		gap, _ := ratio(minus(plus(number(got.hi), number(got.lo)), want), want).Float64()
		if math.Abs(gap) > 0x1p-80 {
			t.Errorf("the sine of %x is off by a relative %g", x, gap)
		}
		if off := ulps(Cos(x), bigCos(number(x))); off > 0.5001 {
			t.Errorf("Cos(%x) is %g units off", x, off)
		}
	}
	// The reduction wants a leading one in the first 64 bits of the rest.
	if closest < 0x1p-62*math.Pi/2 || closest > 0x1p-58 {
		t.Errorf("the closest is %g from a quarter turn", closest)
	}
}
