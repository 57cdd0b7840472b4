package elementary

import "math"

// Expm1 is e^x - 1.
func Expm1(x float64) float64 {
	switch {
	case x != x || x == 0:
		return x
	case x > 710:
		return math.Inf(1)
	case x < -40:
		return -1
	case x > -0x1p-60 && x < 0x1p-60:
		return x
	}
	y, e := expm1Pair(pair{x, 0})
	return y.scale(e)
}

// Expm132 is e^x - 1, correctly rounded.
func Expm132(x float32) float32 { return float32(Expm1Sticky(x)) }

// Expm1Sticky is e^x - 1, to be rounded once more to at most 24 bits.
func Expm1Sticky(x float32) float64 {
	v := float64(x)
	const tiny, huge = 0x32800000, 0x42800000 // 2^-26, 64
	if magnitude(x)-tiny >= huge-tiny {
		return expm1Extreme(v)
	}
	if y := expm1Quick(v); settled(y) {
		return y
	}
	if v < -20 {
		return nudged(-1, 1)
	}
	y, e := expm1Pair(pair{v, 0})
	return y.stickyAt(e)
}

func expm1Extreme(x float64) float64 {
	switch {
	case x != x || x == 0:
		return x
	case x > -1 && x < 1:
		return besides(x, float64(x*x*0.5))
	case math.IsInf(x, -1):
		return -1
	case x < 0:
		return nudged(-1, 1)
	}
	return ExpSticky(float32(x)) // 1 is far below what decides a rounding
}

// expm1Quick is e^x - 1 within a relative 2^-45, for |x| up to 700.
func expm1Quick(x float64) float64 {
	r, j, e := expReduceQuick(x)
	s := expm1SeriesQuick(r)
	if j|e == 0 {
		return s
	}
	y, p := expSteps[j], powerOf2(e)
	return (float64(y.hi*p) - 1) + float64((y.lo+float64(y.hi*s))*p)
}

// expm1Pair is e^x - 1 = y * 2^e within a relative 2^-88, for -40 <= x <= 750, by
// the table of exp, and by the series alone next to 0 (Tang, "Table-driven
// implementation of the expm1 function in IEEE floating-point arithmetic", 1992).
// Subtracting 1 loses less than nine bits, since the series alone answers
// where e^x is within 2^-8.5 of it.
func expm1Pair(x pair) (y pair, e int) {
	r, j, e := expReduce(x)
	s := expm1Series(r)
	if j|e == 0 {
		return s, 0
	}
	y = expSteps[j]
	y = y.plusSmaller(y.times(s))
	if e > 120 {
		return y, e
	}
	return y.times2(e).plus(pair{-1, 0}), 0
}
