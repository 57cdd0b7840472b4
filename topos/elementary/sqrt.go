package elementary

import "math"

// Sqrt is the square root of x, correctly rounded: NaN below 0.
func Sqrt(x float64) float64 { return math.Sqrt(x) }

// Sqrt32 is the square root of x, correctly rounded.
func Sqrt32(x float32) float32 { return float32(SqrtSticky(x)) }

// SqrtSticky is the square root of x, to be rounded once more to at most 24
// bits, which is harmless (Figueroa, "When is double rounding innocuous?",
// 1995). A root that is not of 25 bits or fewer differs from every number that
// is by more than a relative 2^-52, because the square of that number has 50
// bits and differs from x.
func SqrtSticky(x float32) float64 { return math.Sqrt(float64(x)) }
