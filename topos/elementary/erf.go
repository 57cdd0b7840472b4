package elementary

import "math"

// erfStep holds the Taylor coefficients of erf around a point: eight in double-
// double arithmetic and eleven more.
type erfStep struct {
	leading [8]pair
	rest    [11]float64
}

// Erf is the error function of x.
func Erf(x float64) float64 {
	v := math.Abs(x)
	switch {
	case x != x:
		return x
	case v >= 6:
		return math.Copysign(1, x)
	case v < 0x1p-300: // x^3 no longer counts, and errors of products underflow
		return math.Copysign(erfScale.scaled(float64(v*0x1p600)).scale(-600), x)
	}
	return math.Copysign(erfPair(v).hi, x)
}

// Erf32 is the error function of x, correctly rounded.
func Erf32(x float32) float32 { return float32(ErfSticky(x)) }

// ErfSticky is the error function of x, to be rounded once more to at most 24
// bits.
func ErfSticky(x float32) float64 {
	v := math.Abs(float64(x))
	if !(v < 4) || v == 0 {
		return erfExtreme(float64(x))
	}
	if y := erfQuick(v); settled(y) {
		return math.Copysign(y, float64(x))
	}
	return math.Copysign(erfPair(v).sticky(), float64(x))
}

func erfExtreme(x float64) float64 {
	switch {
	case x == 0 || x != x:
		return x
	case math.IsInf(x, 0):
		return math.Copysign(1, x)
	}
	return math.Copysign(nudged(1, -1), x) // 1 - erf(4) is below 2^-25.9
}

// erfQuick is erf(x) within a relative 2^-47, for 0 <= x < 6.
func erfQuick(x float64) float64 {
	if x < 0x1p-4 {
		z := float64(x * x)
		t := erfOdd[3].hi + float64(z*erfOdd[4].hi)
		t = erfOdd[2].hi + float64(z*t)
		t = erfOdd[1].hi + float64(z*t)
		return float64(x * (erfOdd[0].hi + float64(z*t)))
	}
	j := int(float64(x*8) + 0.5)
	h, step := x-float64(float64(j)*0.125), &erfSteps[j-1]
	t := step.rest[1] + float64(h*step.rest[2])
	t = step.rest[0] + float64(h*t)
	for n := 7; n >= 0; n-- {
		t = step.leading[n].hi + float64(h*t)
	}
	return t
}

// erfPair is erf(x) within a relative 2^-85, for 0 <= x < 6: the odd series
// around 0, or the series around the nearest multiple of 1/8, from which the
// difference is exact (Abramowitz and Stegun, "Handbook of Mathematical
// Functions", 1964: 7.1.5, and 7.1.19 for the derivatives at those points).
func erfPair(x float64) pair {
	if x < 0x1p-4 {
		return erfOddPair(x)
	}
	j := int(float64(x*8) + 0.5)
	h, step := x-float64(float64(j)*0.125), &erfSteps[j-1]
	t := step.rest[10]
	for n := 9; n >= 0; n-- {
		t = step.rest[n] + float64(h*t)
	}
	s := step.leading[7].plus(exactProduct(h, t))
	for n := 6; n >= 0; n-- {
		s = step.leading[n].plus(s.scaled(h))
	}
	return s
}

// erfOddPair is x (a0 + a1 x^2 + a2 x^4 + ...), with x^2 below 2^-8.
func erfOddPair(x float64) pair {
	square := exactProduct(x, x)
	t := erfOdd[10].hi
	for n := 9; n >= 5; n-- {
		t = erfOdd[n].hi + float64(square.hi*t)
	}
	s := erfOdd[4].plusSmaller(exactProduct(square.hi, t))
	for n := 3; n >= 0; n-- {
		s = erfOdd[n].plusSmaller(square.times(s))
	}
	return s.scaled(x)
}

// ErfDerivative is the derivative of the error function, 2/sqrt(pi) e^(-x^2)
// (Abramowitz and Stegun, 7.1.1).
func ErfDerivative(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 28 || x < -28:
		return 0
	}
	y, e := erfDerivativePair(x)
	return y.scale(e)
}

// ErfDerivative32 is the derivative of the error function, correctly rounded.
func ErfDerivative32(x float32) float32 { return float32(ErfDerivativeSticky(x)) }

// ErfDerivativeSticky is the derivative of the error function, to be rounded
// once more to at most 24 bits.
func ErfDerivativeSticky(x float32) float64 {
	v := float64(x)
	if !(v > -16 && v < 16) {
		return ErfDerivative(v) // below any float32 or NaN
	}
	if y := float64(expQuick(-float64(v*v)) * erfScale.hi); settled(y) {
		return y
	}
	y, e := erfDerivativePair(v)
	return y.stickyAt(e)
}

// erfDerivativePair is y * 2^e within a relative 2^-95, for |x| up to 28.
func erfDerivativePair(x float64) (y pair, e int) {
	y, e = expPair(exactProduct(-x, x))
	return y.times(erfScale), e
}
