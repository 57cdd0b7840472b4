package elementary

import "math"

// Pow is base^exponent, with the special cases of IEEE 754's pow: 1 for an
// exponent of 0 or a base of 1 even beside a NaN, 1 for -1 to an infinity, NaN
// for a finite negative base to a fraction.
func Pow(base, exponent float64) float64 {
	if y, special := powSpecial(base, exponent); special {
		return y
	}
	y, e := powPair(math.Abs(base), exponent)
	return signed(y.scale(e), powNegative(base, exponent))
}

// Pow32 is base^exponent, correctly rounded.
func Pow32(base, exponent float32) float32 { return float32(PowSticky(base, exponent)) }

// PowSticky is base^exponent, to be rounded once more to at most 24 bits.
func PowSticky(base, exponent float32) float64 {
	b, p := float64(base), float64(exponent)
	if y, special := powSpecial(b, p); special {
		return y
	}
	return signed(powPositive(math.Abs(b), p), powNegative(b, p))
}

// powPositive is b^p as sticky, for float32 without special values, b positive.
func powPositive(b, p float64) float64 {
	t := float64(p * lnQuick(b))
	switch {
	case t > -0x1p-26 && t < 0x1p-26:
		return nudged(1, t)
	case t > 200:
		return math.Inf(1)
	case t < -200:
		return 0
	}
	if y := expQuick(t); settled(y) {
		return y
	}
	if y, exact := powExact(b, p); exact {
		return y
	}
	// An inexact power comes within the error of this of a boundary for less
	// than one of a hundred of the 2^64 pairs, if they scatter like chance.
	y, e := powPair(b, p)
	return y.stickyAt(e)
}

// powPair is b^p = y * 2^e, for a positive finite b other than 1: the relative
// error is below 2^-99 times |p ln b|, or 2^-98.
func powPair(b, p float64) (y pair, e int) {
	l := lnPair(pair{b, 0})
	switch t := float64(p * l.hi); {
	case t > 750:
		return pair{1, 0}, 2000
	case t < -750:
		return pair{1, 0}, -2000
	case t > -0x1p-200 && t < 0x1p-200:
		return pair{1, 0}, 0
	}
	return expPair(l.scaled(p))
}

// powSpecial answers what is not computed: zeros, infinities, NaN, ones.
func powSpecial(base, exponent float64) (y float64, special bool) {
	switch {
	case exponent == 0 || base == 1:
		return 1, true
	case base != base || exponent != exponent:
		return math.NaN(), true
	case math.IsInf(exponent, 0):
		return powOfInfinity(math.Abs(base), exponent > 0), true
	case base == 0 || math.IsInf(base, 0):
		return powFromEnd(base, exponent), true
	case base < 0 && exponent != math.Trunc(exponent):
		return math.NaN(), true
	}
	return 0, false
}

// powOfInfinity is |b| to plus or minus infinity.
func powOfInfinity(b float64, positive bool) float64 {
	switch {
	case b == 1:
		return 1
	case (b > 1) == positive:
		return math.Inf(1)
	}
	return 0
}

// powFromEnd is zero or infinity to a finite exponent other than 0.
func powFromEnd(base, exponent float64) float64 {
	y := 0.0
	if (base == 0) != (exponent > 0) {
		y = math.Inf(1)
	}
	return signed(y, powNegative(base, exponent))
}

// powNegative reports whether a power has a minus: that of a negative base, or
// -0, to an odd exponent.
func powNegative(base, exponent float64) bool { return math.Signbit(base) && isOdd(exponent) }

func signed(y float64, negative bool) float64 {
	if negative {
		return -y
	}
	return y
}

// isOdd reports whether x is an odd whole number. Half of one is not whole.
func isOdd(x float64) bool {
	return math.Abs(x) < 0x1p53 && x == math.Trunc(x) && x/2 != math.Trunc(x/2)
}

// powExact is b^p when that is a number of 25 bits or fewer, for positive b.
// With b = 2^a m and p = 2^s n, m and n odd: b^p is such a number when m is 1
// and a p whole, or when p is positive, b is a power of 2^-s and the rest of m
// to n is small (Lauter and Lefevre, "An efficient rounding boundary test for
// pow(x, y) in double precision", 2009).
func powExact(b, p float64) (y float64, exact bool) {
	m, a := oddPart(b)
	if m == 1 {
		e := float64(float64(a) * p)
		if e != math.Trunc(e) || math.Abs(e) > 1000 {
			return 0, false
		}
		return powerOf2(int(e)), true
	}
	if p < 0 {
		return 0, false
	}
	n, s := oddPart(p)
	for ; s < 0; s++ {
		root := uint64(math.Sqrt(float64(m)))
		if a&1 != 0 || root*root != m {
			return 0, false
		}
		m, a = root, a/2
	}
	if s > 5 || n<<s > 25 {
		return 0, false
	}
	power := uint64(1)
	for range n << s {
		if power *= m; power >= 1<<25 {
			return 0, false
		}
	}
	return float64(float64(power) * powerOf2(a*int(n<<s))), true
}

// oddPart splits a positive x of at most 53 bits into an odd m and 2^e.
func oddPart(x float64) (m uint64, e int) {
	const mantissa = 1<<52 - 1
	bits := math.Float64bits(x)
	m, e = bits&mantissa|1<<52, int(bits>>52)-1075
	for m&1 == 0 {
		m, e = m>>1, e+1
	}
	return m, e
}
