package elementary

import "math"

// settledMargin is the error that the computations in float64 may have, in
// units of the last place: 2^12 of them are a relative 2^-40.
const settledMargin = 1 << 12

// settled reports whether y, off by less than settledMargin units, lies on the
// same side of every boundary of rounding to 24 bits or fewer as the value it
// approximates. Boundaries are the numbers of 25 bits: multiples of 2^28 units
// of the last place of y, subnormal results included.
func settled(y float64) bool {
	return (math.Float64bits(y)+settledMargin)&(1<<28-1) >= 2*settledMargin
}

// sticky rounds hi + lo to odd: an inexact answer ends in a 1 bit, which keeps
// it off every boundary of a later rounding to fewer bits (Boldo and
// Melquiond, "Emulation of FMA and correctly rounded sums", 2008).
func (a pair) sticky() float64 {
	if a.lo == 0 || a.hi == 0 {
		return a.hi
	}
	bits := math.Float64bits(a.hi)
	if bits&1 == 1 {
		return a.hi
	}
	if (a.lo > 0) == (a.hi > 0) {
		return math.Float64frombits(bits + 1)
	}
	return math.Float64frombits(bits - 1)
}

// stickyAt is sticky of a * 2^e, which must be a normal float64.
func (a pair) stickyAt(e int) float64 { return float64(a.sticky() * powerOf2(e)) }

// nudged is x moved by next to nothing: what rounds as x and a trace of the
// sign of direction.
func nudged(x, direction float64) float64 {
	if direction == 0 {
		return x
	}
	return pair{x, math.Copysign(0x1p-1000, direction)}.sticky()
}

// besides is x + y as sticky, for a y far below x.
func besides(x, y float64) float64 { return orderedSum(x, y).sticky() }
