package topos

import (
	"cmp"
	"math"
	"slices"
	"strconv"
	"unsafe"
)

// native are the elements whose arithmetic is the machine's.
type native interface{ float32 | float64 }

// nativeKernel is the table of a machine float. Every product that feeds an
// addition is converted explicitly: the language then forbids fusing the two,
// which arm64 and GOAMD64=v3 otherwise do.
func nativeKernel[T native](name string, width int) *kernel {
	k := &kernel{
		name: name, width: width, stablehlo: name,
		sum:        func(dst, a any) { dst.([]T)[0] = sum(a.([]T)) },
		sumAlong:   func(dst, a any, o, e, i int) { sumAlong(dst.([]T), a.([]T), o, e, i) },
		matmul:     func(dst, a, b any, z, r, i, c int) { matmul(dst.([]T), a.([]T), b.([]T), z, r, i, c) },
		fold:       func(dst, a any, o, i, c, e int, op Opcode) { fold(dst.([]T), a.([]T), o, i, c, e, op) },
		gather:     func(dst, t, s any, r, v, i int) { gather(dst.([]T), t.([]T), s.([]T), r, v, i) },
		scatter:    func(dst, x, s any, c, v, i int) { scatter(dst.([]T), x.([]T), s.([]T), c, v, i) },
		logSoftmax: func(dst, a any, o, e, i int) { logSoftmax(dst.([]T), a.([]T), o, e, i) },
		logSumExp:  func(dst, a any, o, e, i int) { logSumExp(dst.([]T), a.([]T), o, e, i) },

		make:    func(n int) any { return make([]T, n) },
		fill:    func(x float64) any { return []T{T(x)} },
		repeat:  func(a any, n int) any { return slices.Repeat(a.([]T)[:1], n) },
		move:    func(dst any, at int, src any, from, n int) { copy(dst.([]T)[at:at+n], src.([]T)[from:from+n]) },
		permute: func(dst, src any, shape Shape, strides []int) { permute(dst.([]T), src.([]T), shape, strides) },
		parse:   func(s string) (any, error) { x, err := strconv.ParseFloat(s, width*8); return []T{T(x)}, err },
		float:   func(a any, i int) float64 { return float64(a.([]T)[i]) },
		print:   func(b []byte, a any, i int) []byte { return appendNumber(b, float64(a.([]T)[i]), width*8) },
		literal: func(b []byte, a any, i int) []byte {
			x := a.([]T)[i]
			return appendLiteral(b, float64(x), bitsOf(x), width)
		},
		bits:    func(a any, i int) uint64 { return bitsOf(a.([]T)[i]) },
		encode:  func(b []byte, a any) []byte { return encode(b, a.([]T)) },
		compare: func(a any, i, j int) int { return compareNumbers(a.([]T)[i], a.([]T)[j]) },
	}
	k.round = func(dst any, numbers []float64) {
		d := dst.([]T)
		for i, x := range numbers {
			d[i] = T(x)
		}
	}
	k.bitwise(func(b []byte) any { return decode[T](b) })
	inMemory[T](k)
	arithmeticKernels[T](k)
	mapKernels[T](k)
	powfKernels[T](k)
	maximumKernels[T](k)
	return k
}

func bitsOf[T native](x T) uint64 {
	if unsafe.Sizeof(x) == 4 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(float64(x))
}

// encode copies memory as it lies on a little-endian machine.
func encode[T native](b []byte, data []T) []byte {
	width := int(unsafe.Sizeof(data[0]))
	if littleEndian {
		return append(b, memoryOf(data)...)
	}
	for _, x := range data {
		b = appendBits(b, bitsOf(x), width)
	}
	return b
}

func decode[T native](b []byte) []T {
	var zero T
	width := int(unsafe.Sizeof(zero))
	data := make([]T, len(b)/width)
	raw := memoryOf(data)
	copy(raw, b)
	if !littleEndian {
		for at := 0; at < len(raw); at += width {
			slices.Reverse(raw[at : at+width])
		}
	}
	return data
}

func compareNumbers[T native](a, b T) int {
	if a != a || b != b {
		return 0
	}
	return cmp.Compare(a, b)
}
