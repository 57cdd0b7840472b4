package elementary

import "math"

// Ln is the natural logarithm of x: -Inf at 0, NaN below.
func Ln(x float64) float64 {
	switch {
	case x != x || x > math.MaxFloat64:
		return x
	case x == 0:
		return math.Inf(-1)
	case x < 0:
		return math.NaN()
	}
	return lnPair(pair{x, 0}).hi
}

// Ln32 is the natural logarithm of x, correctly rounded.
func Ln32(x float32) float32 { return float32(LnSticky(x)) }

// LnSticky is the natural logarithm of x, to be rounded once more to at most
// 24 bits.
func LnSticky(x float32) float64 {
	v := float64(x)
	if math.Float32bits(x)-1 >= 0x7f800000-1 { // not from the least float32 to the largest
		return Ln(v)
	}
	if y := lnQuick(v); settled(y) {
		return y
	}
	return lnPair(pair{v, 0}).sticky()
}

// Log1p is the natural logarithm of 1 + x: -Inf at -1, NaN below.
func Log1p(x float64) float64 {
	if x > -0x1p-60 && x < 0x1p-60 {
		return x
	}
	if !(x > -1) || x > math.MaxFloat64 {
		return Ln(1 + x)
	}
	return lnPair(exactSum(1, x)).hi
}

// Log1p32 is the natural logarithm of 1 + x, correctly rounded.
func Log1p32(x float32) float32 { return float32(Log1pSticky(x)) }

// Log1pSticky is the natural logarithm of 1 + x, to be rounded once more to at
// most 24 bits.
func Log1pSticky(x float32) float64 {
	v := float64(x)
	const tiny = 0x32800000 // 2^-26
	switch {
	case magnitude(x) < tiny:
		return besides(v, float64(v*v*-0.5))
	case !(v > -1) || v > math.MaxFloat32:
		return Ln(1 + v)
	}
	if y := log1pQuick(v); settled(y) {
		return y
	}
	return lnPair(exactSum(1, v)).sticky()
}

// log1pQuick is ln(1+x) within a relative 2^-44, for a float32 x.
func log1pQuick(x float64) float64 {
	if x > -0x1p-8 && x < 0x1p-8 {
		return x + float64(float64(x*x)*ln1pTailQuick(x))
	}
	return lnQuick(1 + x)
}

// lnStep is a factor that takes a mantissa next to 1 and the logarithm to add
// for it.
type lnStep struct {
	inverse float64
	ln      pair
}

// lnIndex splits a normal x into 2^e m and finds the step for m.
func lnIndex(x float64) (m float64, step *lnStep, e int) {
	const mantissa = 1<<52 - 1
	bits := math.Float64bits(x)
	e = int(bits>>52) - 1023
	m = math.Float64frombits(bits&mantissa | 1023<<52)
	j := (bits&mantissa + 1<<44) >> 45
	if j >= lnWrap {
		e++
	}
	return m, &lnSteps[j], e
}

// lnQuick is ln(x) within a relative 2^-50 for a float32 x, and within 2^-51
// besides for a normal float64 not next to 1.
func lnQuick(x float64) float64 {
	m, step, e := lnIndex(x)
	r := float64(m*step.inverse) - 1
	y := float64(float64(e)*ln2Part1) + step.ln.hi
	low := float64(float64(e)*ln2Part2) + step.ln.lo
	return y + (r + (low + float64(float64(r*r)*ln1pTailQuick(r))))
}

// ln1pTailQuick is (ln(1+r) - r) / r^2 for |r| < 2^-7.8, cut after r^5.
func ln1pTailQuick(r float64) float64 {
	t := 1.0/6 - float64(r*(1.0/7))
	t = 1.0/5 - float64(r*t)
	t = 1.0/4 - float64(r*t)
	t = 1.0/3 - float64(r*t)
	return float64(r*t) - 0.5
}

// lnPair is ln(x) within a relative 2^-100, for a positive finite x, by a table
// of factors with their logarithms and a short series (Tang, "Table-driven
// implementation of the logarithm function in IEEE floating-point arithmetic",
// 1990; with factors in place of quotients, Muller, "Elementary Functions", 3rd
// ed. 2016). The
// mantissa m is taken from about 0.71 to 1.42, so that a logarithm of 2 and the
// logarithm of m do not cancel.
func lnPair(x pair) pair {
	subnormal := 0
	if x.hi < 0x1p-1022 {
		x, subnormal = pair{float64(x.hi * 0x1p54), 0}, 54
	}
	m, step, e := lnIndex(x.hi)
	p := exactProduct(m, step.inverse)
	if x.lo != 0 {
		p.lo += float64(x.lo * (m / x.hi) * step.inverse) // by the same power of 2 as the mantissa
	}
	r := exactSum(p.hi-1, p.lo)
	y := step.ln
	if e -= subnormal; e != 0 {
		k := float64(e)
		low := exactProduct(k, ln2Part2)
		low.lo += float64(k * ln2Part3)
		y = pair{float64(k * ln2Part1), 0}.plus(low).plus(y)
	}
	return y.plus(ln1pSeries(r))
}

const (
	thirdHigh = 0x1.5555555555555p-2
	thirdLow  = 1.0/3 - thirdHigh
	fifthHigh = 0x1.999999999999ap-3
	fifthLow  = 1.0/5 - fifthHigh
)

// ln1pSeries is ln(1+r) within a relative 2^-100 for |r| < 2^-7.8: the series
// r - r^2/2 + r^3/3 ..., cut after r^13, in float64 from r^7 on.
func ln1pSeries(r pair) pair {
	x := -r.hi
	t := 1.0/12 + float64(x*(1.0/13))
	t = 1.0/11 + float64(x*t)
	t = 1.0/10 + float64(x*t)
	t = 1.0/9 + float64(x*t)
	t = 1.0/8 + float64(x*t)
	t = 1.0/7 + float64(x*t)
	n := r.negated()
	s := pair{sixthHigh, sixthLow}.plusSmaller(exactProduct(x, t))
	s = pair{fifthHigh, fifthLow}.plusSmaller(n.times(s))
	s = pair{0.25, 0}.plusSmaller(n.times(s))
	s = pair{thirdHigh, thirdLow}.plusSmaller(n.times(s))
	s = pair{0.5, 0}.plusSmaller(n.times(s))
	return r.plusSmaller(r.times(n).times(s))
}
