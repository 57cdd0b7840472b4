package elementary

// scale is a * 2^e rounded once, subnormal results included, for a positive a,
// e from -2000 to 2000 and an a.hi that e + 1000 leaves in range.
func (a pair) scale(e int) float64 {
	switch {
	case e > 1023:
		return float64(a.hi * 0x1p1023 * powerOf2(min(e-1023, 1023)))
	case e > -500:
		return float64(a.hi * powerOf2(e))
	case e < -1200:
		return 0
	}
	y := float64(a.hi * powerOf2(e+1000))
	if y < 0x1p-22 {
		y = a.subnormal(y)
	}
	return float64(y * 0x1p-1000)
}

// subnormal rounds y, which stands for the exact a and 2^1000 times the result,
// to a multiple of the least float64. Where a.hi lies midway a.lo decides; it
// would be lost if a.hi alone were rounded again.
func (a pair) subnormal(y float64) float64 {
	const least = 0x1p-74
	r := (y + 0x1p-22) - 0x1p-22 // the last place of the sum is least
	switch d := y - r; {
	case d == least/2 && a.lo > 0:
		r += least
	case d == -least/2 && a.lo < 0:
		r -= least
	}
	return r
}
