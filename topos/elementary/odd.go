package elementary

import "math"

// RoundToOdd32 rounds to the float32 of the two next to x whose last bit is 1;
// an x that is a float32 stays. The answer rounds to nearest, to 22 bits or
// fewer, as x does, so that a narrower number can be made of a float64 through
// float32 and is rounded once (Boldo and Melquiond 2008). NaN stays NaN.
func RoundToOdd32(x float64) float32 {
	y := float32(x)
	bits := math.Float32bits(y)
	switch wide := float64(y); {
	case wide == x || x != x || bits&1 == 1:
		return y
	case math.Abs(wide) > math.Abs(x): // infinity steps back to the largest
		return math.Float32frombits(bits - 1)
	default:
		return math.Float32frombits(bits + 1)
	}
}
