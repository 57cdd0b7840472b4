package topos

import (
	"fmt"
	"math"
	"strconv"
	"strings"
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
	return strconv.AppendFloat(b, x, 'f', -1, bitSize)
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
func appendLiteral(b []byte, x float64, bits uint64, width int) []byte {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return fmt.Appendf(b, "0x%0*X", width*2, bits)
	}
	// The exponent of the shortest digits decides: a float32 of 0.0001 lies
	// just below 1e-4.
	digits := strconv.FormatFloat(x, 'e', -1, width*8)
	exponent, _ := strconv.Atoi(digits[strings.IndexByte(digits, 'e')+1:])
	if x != 0 && (exponent < -4 || exponent >= 16) {
		return appendExponent(b, digits, exponent)
	}
	start := len(b)
	b = strconv.AppendFloat(b, x, 'f', -1, width*8)
	for _, c := range b[start:] {
		if c == '.' {
			return b
		}
	}
	return append(b, ".0"...)
}

// appendExponent turns 1e-07 into 1.0e-7.
func appendExponent(b []byte, digits string, exponent int) []byte {
	mantissa := digits[:strings.IndexByte(digits, 'e')]
	b = append(b, mantissa...)
	if !strings.Contains(mantissa, ".") {
		b = append(b, ".0"...)
	}
	return strconv.AppendInt(append(b, 'e'), int64(exponent), 10)
}
