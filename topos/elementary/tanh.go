package elementary

import "math"

// Tanh is the hyperbolic tangent of x.
func Tanh(x float64) float64 {
	if x != x || x > -0x1p-28 && x < 0x1p-28 {
		return x // x^3/3 is below a quarter unit
	}
	if x > 20 || x < -20 {
		return math.Copysign(1, x)
	}
	return tanhPair(x).hi
}

// Tanh32 is the hyperbolic tangent of x, correctly rounded.
func Tanh32(x float32) float32 { return float32(TanhSticky(x)) }

// TanhSticky is the hyperbolic tangent of x, to be rounded once more to at most
// 24 bits.
func TanhSticky(x float32) float64 {
	v := float64(x)
	const small, large = 0x39000000, 0x41200000 // 2^-13, 10
	if magnitude(x)-small >= large-small {
		return tanhExtreme(v)
	}
	t := expm1Quick(v + v)
	if y := t / (t + 2); settled(y) {
		return y
	}
	return tanhPair(v).sticky()
}

func tanhExtreme(x float64) float64 {
	switch {
	case x != x || x == 0:
		return x
	case math.IsInf(x, 0):
		return math.Copysign(1, x)
	case x > 1:
		return nudged(1, -1)
	case x < -1:
		return nudged(-1, 1)
	}
	return besides(x, -float64(x*x*x*(1.0/3)))
}

// tanhPair is t/(t+2) with t = e^(2x) - 1, for |x| up to 20: sinh over cosh
// (Abramowitz and Stegun, "Handbook of Mathematical Functions", 1964, 4.5.3),
// which does not cancel next to 0.
func tanhPair(x float64) pair {
	t, _ := expm1Pair(pair{x + x, 0})
	return t.over(t.plus(pair{2, 0}))
}
