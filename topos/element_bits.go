package topos

import (
	"errors"
	"math"
)

var errShort = errors.New("its bytes end early or are out of range")

// bitwise completes the table of an element whose numbers are IEEE bits of a
// fixed width: what is compared, digested and decoded is these.
func (k *kernel) bitwise(decode func(b []byte) any) {
	isNaN := func(a any, i int) bool { return math.IsNaN(k.float(a, i)) }
	nan := k.fill(math.NaN())
	quiet := k.bits(nan, 0) &^ (1 << (k.width*8 - 1))
	k.void = func() any { return nan }
	k.same = func(a any, i int, b any, j int) bool {
		return k.bits(a, i) == k.bits(b, j) || isNaN(a, i) && isNaN(b, j)
	}
	k.digest = func(b []byte, a any, i int) []byte {
		bits := k.bits(a, i)
		if isNaN(a, i) {
			bits = quiet
		}
		return appendBits(b, bits, k.width)
	}
	k.decode = func(b []byte, n int) (any, []byte, error) {
		size := n * k.width
		if size > len(b) {
			return nil, nil, errShort
		}
		return decode(b[:size]), b[size:], nil
	}
}

// needBits refuses for an element without bits of a fixed width.
func (k *kernel) needBits() {
	if k.bits == nil {
		refuseName(ErrElement, "bits", "bits: a number of %s has none of a fixed width; encode it", k.name)
	}
}
