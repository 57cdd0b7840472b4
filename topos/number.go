package topos

import (
	"bytes"
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

var negativeInfinity = math.Inf(-1)

// appendNumber prints the shortest form that reads back, never an exponent.
func appendNumber(b []byte, x float64, bitSize int) []byte {
	switch {
	case math.IsNaN(x):
		return append(b, "NaN"...)
	case math.IsInf(x, 1):
		return append(b, "inf"...)
	case math.IsInf(x, -1):
		return append(b, "-inf"...)
	}
	start := len(b)
	b = strconv.AppendFloat(b, x, 'f', -1, bitSize)
	if at := evenTie(b[start:], x); at >= 0 {
		b[start+at]++
	}
	return b
}

// evenTie finds the last digit of a shortest numeral that lies below the number
// by exactly half of that digit's unit: of two shortest numerals that are equally
// close package strconv takes the even one, and here the larger is printed, as
// Steele and White have it (1990, "How to print floating-point numbers
// accurately"). It is -1 where the numeral is the closest.
func evenTie(numeral []byte, x float64) int {
	places := fractionBits(x) // as many decimals write x exactly
	point := bytes.IndexByte(numeral, '.')
	if point >= 0 {
		if places != len(numeral)-point {
			return -1
		}
		exact := strconv.AppendFloat(nil, x, 'f', places, 64)
		if last := len(numeral) - 1; exact[last+1] == '5' && bytes.HasPrefix(exact, numeral) {
			return last
		}
		return -1
	}
	digits := len(bytes.TrimRight(numeral, "0"))
	if places > 0 || digits == 0 || digits == len(numeral) {
		return -1
	}
	exact := strconv.AppendFloat(nil, x, 'f', 0, 64)
	if rest := exact[digits:]; rest[0] == '5' && len(bytes.TrimRight(rest[1:], "0")) == 0 && bytes.HasPrefix(exact, numeral[:digits]) {
		return digits - 1
	}
	return -1
}

// fractionBits is how many binary places behind the point a finite number has;
// negative where its lowest bit is an even number.
func fractionBits(x float64) int {
	b := math.Float64bits(x)
	fraction, exponent := b&(1<<52-1), int(b>>52&0x7ff)
	if exponent > 0 {
		fraction, exponent = fraction|1<<52, exponent-1
	}
	if fraction == 0 {
		return 0
	}
	return 1074 - exponent - bits.TrailingZeros64(fraction)
}

// shortest prints a float64 that may have come from a float32, which then reads
// back as such.
func shortest(x float64) string {
	if float64(float32(x)) == x {
		return string(appendNumber(nil, x, 32))
	}
	return string(appendNumber(nil, x, 64))
}

// appendLiteral writes a number as StableHLO's parser takes it: with a point,
// an exponent below 1e-4 and from 1e16 on, and bits where there is no numeral.
func appendLiteral(b []byte, x float64, pattern uint64, width int) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Appendf(b, "0x%0*X", width*2, pattern)
	}
	// The exponent of the shortest digits decides: a float32 of 0.0001 lies
	// just below 1e-4.
	digits := strconv.AppendFloat(nil, x, 'e', -1, width*8)
	e := bytes.IndexByte(digits, 'e')
	exponent, _ := strconv.Atoi(string(digits[e+1:]))
	if x != 0 && (exponent < -4 || exponent >= 16) {
		if evenTie(strconv.AppendFloat(nil, x, 'f', -1, width*8), x) >= 0 {
			digits[e-1]++
		}
		return appendExponent(b, digits[:e], exponent)
	}
	start := len(b)
	b = appendNumber(b, x, width*8)
	for _, c := range b[start:] {
		if c == '.' {
			return b
		}
	}
	return append(b, ".0"...)
}

// appendExponent writes 1 and -7 as 1.0e-7.
func appendExponent(b, mantissa []byte, exponent int) []byte {
	b = append(b, mantissa...)
	if bytes.IndexByte(mantissa, '.') < 0 {
		b = append(b, ".0"...)
	}
	return strconv.AppendInt(append(b, 'e'), int64(exponent), 10)
}
