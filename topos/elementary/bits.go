package elementary

import "math"

// magnitude is the bits of |x|, which order as |x| does.
func magnitude(x float32) uint32 { return math.Float32bits(x) &^ (1 << 31) }

// nearestWhole is v rounded to a whole number, for |v| below 2^31, as a float64
// and an int.
func nearestWhole(v float64) (float64, int) {
	const shift = 0x1.8p52
	s := v + shift
	return s - shift, int(int32(math.Float64bits(s)))
}

// powerOf2 is 2^e, for -1022 <= e <= 1023.
func powerOf2(e int) float64 { return math.Float64frombits(uint64(e+1023) << 52) }
