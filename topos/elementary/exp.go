package elementary

import "math"

// Exp is e^x.
func Exp(x float64) float64 {
	switch {
	case x != x:
		return x
	case x > 710:
		return math.Inf(1)
	case x < -746:
		return 0
	}
	y, e := expPair(pair{x, 0})
	return y.scale(e)
}

// Exp32 is e^x, correctly rounded.
func Exp32(x float32) float32 { return float32(ExpSticky(x)) }

// ExpSticky is e^x, to be rounded once more to at most 24 bits.
func ExpSticky(x float32) float64 {
	v := float64(x)
	const tiny, huge = 0x32800000, 0x43000000 // 2^-26, 128
	if magnitude(x)-tiny >= huge-tiny {
		return expExtreme(v)
	}
	if y := expQuick(v); settled(y) {
		return y
	}
	y, e := expPair(pair{v, 0})
	return y.stickyAt(e)
}

// expExtreme answers where the result is next to 1 or beyond a float32.
func expExtreme(x float64) float64 {
	if x > -1 && x < 1 {
		return nudged(1, x)
	}
	return Exp(x)
}

// expQuick is e^x within 2^-48, for |x| up to 700.
func expQuick(x float64) float64 {
	r, j, e := expReduceQuick(x)
	y := expSteps[j].hi
	return float64((y + float64(y*expm1SeriesQuick(r))) * powerOf2(e))
}

// expReduceQuick splits x into (128e + j) ln(2)/128 + r.
func expReduceQuick(x float64) (r float64, j, e int) {
	k, n := nearestWhole(float64(x * expStepInverse))
	r = (x - float64(k*expStep1)) - float64(k*expStep2)
	return r, n & (expSize - 1), n >> 7
}

// expm1SeriesQuick is e^r - 1 for |r| < 2^-8.5, cut after r^5.
func expm1SeriesQuick(r float64) float64 {
	t := 1.0/24 + float64(r*(1.0/120))
	t = 1.0/6 + float64(r*t)
	t = 0.5 + float64(r*t)
	return r + float64(float64(r*r)*t)
}

// expReduce splits x into (128e + j) ln(2)/128 + r: the product with the first
// part of the step is exact and so is its difference (Cody and Waite, "Software
// Manual for the Elementary Functions", 1980).
func expReduce(x pair) (r pair, j, e int) {
	k, n := nearestWhole(float64(x.hi * expStepInverse))
	r.hi = x.hi - float64(k*expStep1)
	p := exactProduct(-k, expStep2)
	r = exactSum(r.hi, p.hi)
	r = exactSum(r.hi, r.lo+(x.lo+(p.lo-float64(k*expStep3))))
	return r, n & (expSize - 1), n >> 7
}

// expPair is e^x = y * 2^e within 2^-98 of y, for |x| up to 750, with y from 1
// to 2: a table of 128 powers and a short series (Tang, "Table-driven
// implementation of the exponential function in IEEE floating-point arithmetic",
// 1989).
func expPair(x pair) (y pair, e int) {
	r, j, e := expReduce(x)
	y = expSteps[j]
	return y.plusSmaller(y.times(expm1Series(r))), e
}

const (
	sixthHigh = 0x1.5555555555555p-3
	sixthLow  = 1.0/6 - sixthHigh
	hi24      = 0x1.5555555555555p-5
	lo24      = 1.0/24 - hi24
)

// expm1Series is e^r - 1 within a relative 2^-98 for |r| < 2^-8.5: Taylor's
// series cut after r^9, in float64 from r^5 on.
func expm1Series(r pair) pair {
	x := r.hi
	t := 1.0/40320 + float64(x*(1.0/362880))
	t = 1.0/5040 + float64(x*t)
	t = 1.0/720 + float64(x*t)
	t = 1.0/120 + float64(x*t)
	s := pair{hi24, lo24}.plusSmaller(exactProduct(x, t))
	s = pair{sixthHigh, sixthLow}.plusSmaller(r.times(s))
	s = pair{0.5, 0}.plusSmaller(r.times(s))
	return r.plusSmaller(r.times(r).times(s))
}
