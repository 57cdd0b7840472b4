// Package f16 is the element of IEEE 754 binary16, the half precision of 11
// bits: the numbers of github.com/x448/float16 as tensors hold them.
//
// It lies outside the core and makes its element of the core's public surface,
// as a program can that has a number of 16 bits of its own: see [topos.Narrow].
package f16

import (
	"math"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/elementary"
	"github.com/x448/float16"
)

// F16 is the element of [float16.Float16].
var F16 = topos.Narrow("f16", float16.Float16.Float32, Of)

// Of rounds a number once, to nearest, ties to even. NaN keeps its sign;
// subnormals are kept; what rounds beyond 65504 is an infinity.
//
// float16 rounds from float32. Rounding to odd on the way there keeps the two
// roundings together as good as one.
func Of(x float64) float16.Float16 {
	if x != x {
		nan := float16.Frombits(0x7e00)
		if math.Signbit(x) {
			nan |= 0x8000
		}
		return nan
	}
	return float16.Fromfloat32(elementary.RoundToOdd32(x))
}
