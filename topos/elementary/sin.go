package elementary

import "math"

// Sine and cosine are one computation, turn.go, a quarter turn apart: Payne and
// Hanek's reduction (1983), then a table and two short series (Tang,
// "Table-lookup algorithms for elementary functions and their error analysis",
// 1991).

// Sin is the sine of x radians: NaN at an infinity.
func Sin(x float64) float64 {
	v := math.Abs(x)
	if !(v <= math.MaxFloat64) {
		return math.NaN()
	}
	if v < 0x1p-27 {
		return x // x^3/6 is below a quarter unit
	}
	return float64(math.Copysign(1, x) * turnPair(turnReduce(v)).hi)
}

// Sin32 is the sine of x radians, correctly rounded.
func Sin32(x float32) float32 { return float32(SinSticky(x)) }

// SinSticky is the sine of x radians, to be rounded once more to at most 24
// bits.
func SinSticky(x float32) float64 {
	v := math.Abs(float64(x))
	const small = 0x39000000 // 2^-13
	if magnitude(x)-small >= 0x7f800000-small {
		return sinExtreme(float64(x))
	}
	sign := math.Copysign(1, float64(x))
	if y := turnQuick(turnReduceQuick(v)); settled(y) {
		return float64(sign * y)
	}
	return float64(sign * turnPair(turnReduce(v)).sticky())
}

func sinExtreme(x float64) float64 {
	switch {
	case x == 0:
		return x
	case x > -1 && x < 1:
		return besides(x, -float64(x*x*x*(1.0/6)))
	}
	return math.NaN()
}

// Cos is the cosine of x radians: NaN at an infinity.
func Cos(x float64) float64 {
	v := math.Abs(x)
	if !(v <= math.MaxFloat64) {
		return math.NaN()
	}
	r, k := turnReduce(v)
	return turnPair(r, k+64).hi
}

// Cos32 is the cosine of x radians, correctly rounded.
func Cos32(x float32) float32 { return float32(CosSticky(x)) }

// CosSticky is the cosine of x radians, to be rounded once more to at most 24
// bits.
func CosSticky(x float32) float64 {
	v := math.Abs(float64(x))
	const small = 0x39000000 // 2^-13
	if magnitude(x)-small >= 0x7f800000-small {
		return cosExtreme(v)
	}
	r, k := turnReduceQuick(v)
	if y := turnQuick(r, k+64); settled(y) {
		return y
	}
	p, k := turnReduce(v)
	return turnPair(p, k+64).sticky()
}

func cosExtreme(x float64) float64 {
	if x < 1 {
		return nudged(1, -x)
	}
	return math.NaN()
}
