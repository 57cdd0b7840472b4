package topos

import (
	"cmp"
	"encoding/binary"
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
		name: name, width: width,
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
		decode:  func(b []byte) any { return decode[T](b) },
		compare: func(a any, i, j int) int { return compareNumbers(a.([]T)[i], a.([]T)[j]) },
	}
	elementwiseKernels[T](k)
	return k
}

// over asserts the operands of an elementwise body once.
func over[T native](f func(dst, a, b []T)) func(dst, a, b any) {
	return func(dst, a, b any) { f(dst.([]T), a.([]T), b.([]T)) }
}

func elementwiseKernels[T native](k *kernel) {
	k.binary[OpAdd] = over(func(dst, a, b []T) {
		for i := range dst {
			dst[i] = a[i] + b[i]
		}
	})
	k.binary[OpSub] = over(func(dst, a, b []T) {
		for i := range dst {
			dst[i] = a[i] - b[i]
		}
	})
	k.binary[OpMul] = over(func(dst, a, b []T) {
		for i := range dst {
			dst[i] = T(a[i] * b[i])
		}
	})
	k.binary[OpDiv] = over(func(dst, a, b []T) {
		for i := range dst {
			dst[i] = a[i] / b[i]
		}
	})
	pow := powOf[T]()
	k.binary[OpPowf] = over(func(dst, a, b []T) {
		for i := range dst {
			dst[i] = pow(a[i], b[i])
		}
	})
	k.binary[OpMaximum] = over(func(dst, a, b []T) {
		for i := range dst {
			dst[i] = max(a[i], b[i])
		}
	})
	k.binary[OpStep] = over(func(dst, a, b []T) {
		for i := range dst {
			dst[i] = 0
			if a[i] >= b[i] {
				dst[i] = 1
			}
		}
	})
	k.unary[OpNeg] = func(dst, a any) {
		d, x := dst.([]T), a.([]T)
		for i := range d {
			d[i] = -x[i]
		}
	}
	for kind := range maps {
		f := mapOf[T](kind)
		k.unary[kind] = func(dst, a any) {
			d, x := dst.([]T), a.([]T)
			for i := range d {
				d[i] = f(x[i])
			}
		}
	}
}

// sum is sequential and row-major, seeded with the first element.
func sum[T native](a []T) T {
	s := a[0]
	for _, x := range a[1:] {
		s += x
	}
	return s
}

// sumAlong adds ascending along the axis, seeded with the first.
func sumAlong[T native](dst, a []T, outer, extent, inner int) {
	for o := range outer {
		d, block := dst[o*inner:(o+1)*inner], a[o*extent*inner:(o+1)*extent*inner]
		copy(d, block)
		for e := 1; e < extent; e++ {
			row := block[e*inner : (e+1)*inner]
			for i := range d {
				d[i] += row[i]
			}
		}
	}
}

// matmul starts each output with its first product and adds ascending. Running
// the columns innermost keeps that order while reading rows of b.
func matmul[T native](dst, a, b []T, batch, rows, inner, columns int) {
	for z := range batch {
		for i := range rows {
			d := dst[(z*rows+i)*columns : (z*rows+i+1)*columns]
			x := a[(z*rows+i)*inner : (z*rows+i+1)*inner]
			y := b[z*inner*columns : (z+1)*inner*columns]
			for j := range d {
				d[j] = T(x[0] * y[j])
			}
			for k := 1; k < inner; k++ {
				row, xk := y[k*columns:(k+1)*columns], x[k]
				for j := range d {
					d[j] += T(xk * row[j])
				}
			}
		}
	}
}

// fold starts from +0 and adds by ascending position in the window.
func fold[T native](dst, a []T, outer, inner, count, extent int, op Opcode) {
	clear(dst)
	for o := range outer {
		for p := range op.Size {
			for w := range count {
				d := dst[(o*extent+w*op.Step+p*op.Dilation)*inner:][:inner]
				s := a[((o*count+w)*op.Size+p)*inner:][:inner]
				for i := range d {
					d[i] += s[i]
				}
			}
		}
	}
}

// gather skips the zeros of a selection row, so that an unselected row of the
// table cannot spoil the answer with a NaN.
func gather[T native](dst, table, selection []T, rows, vocabulary, inner int) {
	clear(dst)
	for r := range rows {
		d, first := dst[r*inner:(r+1)*inner], true
		for v, s := range selection[r*vocabulary : (r+1)*vocabulary] {
			if s == 0 {
				continue
			}
			row := table[v*inner : (v+1)*inner]
			for i := range d {
				if first {
					d[i] = T(s * row[i])
				} else {
					d[i] += T(s * row[i])
				}
			}
			first = false
		}
	}
}

// scatter starts from +0 and adds by ascending selection row.
func scatter[T native](dst, rows, selection []T, count, vocabulary, inner int) {
	clear(dst)
	for r := range count {
		row := rows[r*inner : (r+1)*inner]
		for v, s := range selection[r*vocabulary : (r+1)*vocabulary] {
			if s == 0 {
				continue
			}
			d := dst[v*inner : (v+1)*inner]
			for i := range d {
				d[i] += T(s * row[i])
			}
		}
	}
}

// logSoftmax is x - max - ln(sum(exp(x - max))) along an axis.
func logSoftmax[T native](dst, a []T, outer, extent, inner int) {
	exp, ln := mapOf[T](OpExp), mapOf[T](OpLn)
	overLanes(a, outer, extent, inner, func(lane func(int) *T, o, i int) {
		peak, total := laneTotal(exp, lane, extent)
		below := ln(total)
		for e := range extent {
			dst[(o*extent+e)*inner+i] = (*lane(e) - peak) - below
		}
	})
}

// logSumExp is max + ln(sum(exp(x - max))) along an axis.
func logSumExp[T native](dst, a []T, outer, extent, inner int) {
	exp, ln := mapOf[T](OpExp), mapOf[T](OpLn)
	overLanes(a, outer, extent, inner, func(lane func(int) *T, o, i int) {
		peak, total := laneTotal(exp, lane, extent)
		dst[o*inner+i] = peak + ln(total)
	})
}

func overLanes[T native](a []T, outer, extent, inner int, f func(lane func(int) *T, o, i int)) {
	for o := range outer {
		for i := range inner {
			f(func(e int) *T { return &a[(o*extent+e)*inner+i] }, o, i)
		}
	}
}

func laneTotal[T native](exp func(T) T, lane func(int) *T, extent int) (peak, total T) {
	peak = *lane(0)
	for e := 1; e < extent; e++ {
		peak = max(peak, *lane(e))
	}
	total = exp(*lane(0) - peak)
	for e := 1; e < extent; e++ {
		total += exp(*lane(e) - peak)
	}
	return peak, total
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
		return append(b, unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), len(data)*width)...)
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
	raw := unsafe.Slice((*byte)(unsafe.Pointer(&data[0])), len(data)*width)
	copy(raw, b)
	if !littleEndian {
		for at := 0; at < len(raw); at += width {
			slices.Reverse(raw[at : at+width])
		}
	}
	return data
}

var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

func compareNumbers[T native](a, b T) int {
	if a != a || b != b {
		return 0
	}
	return cmp.Compare(a, b)
}

// permute walks the answer in order, moving through the source by strides.
func permute[T any](dst, src []T, shape Shape, strides []int) {
	at, from := make([]int, len(shape)), 0
	for i := range dst {
		dst[i] = src[from]
		for d := len(shape) - 1; d >= 0; d-- {
			at[d]++
			from += strides[d]
			if at[d] < shape[d] {
				break
			}
			from -= at[d] * strides[d]
			at[d] = 0
		}
	}
}
