package elementary

import (
	"math"
	"math/bits"
)

// turnReduce is x = k pi/128 + r with |r| at most pi/256, and k mod 256, for a
// finite x >= 0. It multiplies the integer mantissa of x by the 256 bits of
// 2/pi that count: those before them give whole turns, those after are below
// 2^-195 (Payne and Hanek, "Radian reduction for trigonometric functions",
// 1983).
func turnReduce(x float64) (r pair, k int) {
	if x <= 0x1p-7 {
		return pair{x, 0}, 0
	}
	word := math.Float64bits(x)
	mantissa := word&(1<<52-1) | 1<<52
	// x 128/pi is mantissa * 2/pi * 2^(exponent+6). The digit of 2/pi that
	// then stands for 128 is at position exponent-1 behind the point; twoOverPi
	// begins at position -63.
	at := int(word>>52) - 1075 - 1 + 63
	var product [4]uint64 // modulo 2^256, most significant first
	var carry uint64
	for i := 3; i >= 0; i-- {
		high, low := bits.Mul64(mantissa, digitsOfTwoOverPi(at+64*i))
		var c uint64
		product[i], c = bits.Add64(low, carry, 0)
		carry = high + c
	}
	return turnSplit(product)
}

// digitsOfTwoOverPi is the 64 binary digits from a bit of the table on.
func digitsOfTwoOverPi(at int) uint64 {
	i, shift := at>>6, uint(at&63)
	return twoOverPi[i]<<shift | twoOverPi[i+1]>>1>>(63-shift)
}

// turnSplit rounds a fixed-point number with 8 digits before the point to the
// nearest whole number k and a rest, and scales the rest.
func turnSplit(p [4]uint64) (r pair, k int) {
	k = int(p[0] >> 56)
	for i := range 3 {
		p[i] = p[i]<<8 | p[i+1]>>56
	}
	p[3] <<= 8
	step := turnStep
	if p[0]>>63 == 1 {
		k++
		step = step.negated()
		borrow := uint64(0)
		for i := 3; i >= 0; i-- {
			p[i], borrow = bits.Sub64(0, p[i], borrow)
		}
	}
	// p[0] is not 0: no float64 comes closer than 2^-62 steps to a multiple.
	zeros := bits.LeadingZeros64(p[0])
	high := p[0]<<zeros | p[1]>>1>>(63-zeros)
	low := p[1]<<zeros | p[2]>>1>>(63-zeros)
	unit := powerOf2(-64 - zeros)
	rest := exactSum(float64(float64(high>>11<<11)*unit), float64(float64(high<<53|low>>11)*unit*0x1p-53))
	return rest.times(step), k & 255
}

// turnReduceQuick is turnReduce in float64: by Cody and Waite's products with
// the parts of the step, the first two exact, for a float32 below 2^14.
func turnReduceQuick(x float64) (r float64, k int) {
	if x >= 0x1p14 {
		p, k := turnReduce(x)
		return p.hi, k
	}
	n, k := nearestWhole(float64(x * turnStepInverse))
	r = (x - float64(n*turnStep1)) - float64(n*turnStep2)
	return r - float64(n*turnStep3), k & 255
}

// turnPair is sin(k pi/128 + r) within a relative 2^-80.
func turnPair(r pair, k int) pair {
	j := k & 63
	square := r.times(r)
	sine, cosine1 := turnSeries(r, square)
	s, c := turnSines[j], turnSines[64-j]
	var y pair
	switch {
	case k&64 != 0:
		y = c.plus(c.times(cosine1).plus(s.times(sine).negated()))
	case j == 0:
		y = sine
	default:
		y = s.plus(s.times(cosine1).plus(c.times(sine)))
	}
	if k&128 != 0 {
		return y.negated()
	}
	return y
}

// turnSeries is sin(r) and cos(r) - 1 for |r| < 2^-6.3, by Taylor's series cut
// after r^13 and r^14, in float64 from r^5 and r^4 on.
func turnSeries(r, square pair) (sine, cosine1 pair) {
	z := square.hi
	t := 1.0/39916800 - float64(z*(1.0/6227020800))
	t = 1.0/362880 - float64(z*t)
	t = 1.0/5040 - float64(z*t)
	t = 1.0/120 - float64(z*t)
	u := 1.0/479001600 - float64(z*(1.0/87178291200))
	u = 1.0/3628800 - float64(z*u)
	u = 1.0/40320 - float64(z*u)
	u = 1.0/720 - float64(z*u)
	u = 1.0/24 - float64(z*u)
	s := pair{-sixthHigh, -sixthLow}.plusSmaller(exactProduct(z, t))
	sine = r.plusSmaller(r.times(square.times(s)))
	cosine1 = square.times(pair{-0.5, 0}.plusSmaller(exactProduct(z, u)))
	return sine, cosine1
}

// turnQuick is sin(k pi/128 + r) within a relative 2^-48.
func turnQuick(r float64, k int) float64 {
	z := float64(r * r)
	t := 1.0/120 - float64(z*(1.0/5040))
	t = 1.0/6 - float64(z*t)
	sine := r - float64(float64(r*z)*t)
	u := 1.0/24 - float64(z*(1.0/720-float64(z*(1.0/40320))))
	cosine1 := float64(z * (float64(z*u) - 0.5))
	j := k & 63
	s, c := turnSines[j].hi, turnSines[64-j].hi
	var y float64
	if k&64 != 0 {
		y = c + (float64(c*cosine1) - float64(s*sine))
	} else {
		y = s + (float64(s*cosine1) + float64(c*sine))
	}
	if k&128 != 0 {
		return -y
	}
	return y
}
