package topos

import (
	"math"

	"github.com/topos-notebook/topos/topos/elementary"
)

// BFloat16 is the upper half of a float32: its range, at 8 bits of precision.
type BFloat16 uint16

// BF16 is the element of [BFloat16].
var BF16 = Element[BFloat16]{narrowKernel("bf16", narrowForm[BFloat16]{
	widen:    BFloat16.Float32,
	round:    BFloat16Of,
	widenAll: widenBFloat16,
	roundAll: roundBFloat16,
})}

// BFloat16Of rounds a number once, to nearest, ties to even. NaN keeps its sign;
// subnormals are kept; what rounds beyond the largest is an infinity.
func BFloat16Of(x float64) BFloat16 {
	if x != x {
		// A conversion may change what a NaN carries, so the bits are moved.
		bits := math.Float64bits(x)
		return BFloat16(bits>>48&0x8000 | 0x7fc0 | bits>>45&0x3f)
	}
	return nearestBFloat16(elementary.RoundToOdd32(x))
}

// Float32 is the float32 of the same value.
func (x BFloat16) Float32() float32 { return math.Float32frombits(uint32(x) << 16) }

// String is the shortest numeral that reads back as the same float32.
func (x BFloat16) String() string { return string(appendNumber(nil, float64(x.Float32()), 32)) }

// nearestBFloat16 rounds by adding half a unit below the last place, less one
// where the answer without it would be even.
func nearestBFloat16(x float32) BFloat16 {
	bits := math.Float32bits(x)
	if x != x {
		return BFloat16(bits>>16 | 0x40)
	}
	return BFloat16((bits + 0x7fff + bits>>16&1) >> 16)
}

func widenBFloat16(dst []float32, a []BFloat16) {
	for i, x := range a {
		dst[i] = x.Float32()
	}
}

func roundBFloat16(dst []BFloat16, a []float32) {
	for i, x := range a {
		dst[i] = nearestBFloat16(x)
	}
}
