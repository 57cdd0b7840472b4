package topos

import (
	"encoding/binary"
	"math"
	"slices"

	"github.com/topos-notebook/topos/topos/elementary"
)

// Narrow makes an element of 16 bits out of its two conversions: to the float32
// that has the same value, and from a float64, which must round once. T holds
// the bits, the sign uppermost, and -x is x with that bit changed. The name is
// also the type's name in StableHLO.
//
// Each elementwise operation is one of float32, rounded once. Sums and products
// accumulate in float32 and round once at the end. A map is the real function's
// value, rounded correctly. LogSoftmax and LogSumExp round at each of their
// steps, of which the sum is one.
func Narrow[T ~uint16](name string, widen func(T) float32, round func(float64) T) Element[T] {
	return Element[T]{narrowKernel(name, narrowForm[T]{
		widen: widen,
		round: round,
		widenAll: func(dst []float32, a []T) {
			for i, x := range a {
				dst[i] = widen(x)
			}
		},
		roundAll: func(dst []T, a []float32) {
			for i, x := range a {
				dst[i] = round(float64(x))
			}
		},
	})}
}

// narrowForm is an element of 16 bits as its conversions, of one and of many.
type narrowForm[T ~uint16] struct {
	widen    func(T) float32
	round    func(float64) T
	widenAll func(dst []float32, a []T)
	roundAll func(dst []T, a []float32)
}

// wide is the elements as float32.
func (f narrowForm[T]) wide(a any) []float32 {
	narrow := a.([]T)
	r := make([]float32, len(narrow))
	f.widenAll(r, narrow)
	return r
}

// computed rounds what a body over float32 answers.
func (f narrowForm[T]) computed(dst any, body func(dst any)) {
	narrow := dst.([]T)
	r := make([]float32, len(narrow))
	body(r)
	f.roundAll(narrow, r)
}

// narrowKernel is the table of an element of 16 bits: that of float32 between
// the two conversions.
func narrowKernel[T ~uint16](name string, f narrowForm[T]) *kernel {
	w := F32.k
	k := &kernel{name: name, width: 2, stablehlo: name, accumulator: w}
	f.storage(k)
	f.elementwise(k, w)
	k.sum = func(dst, a any) { f.computed(dst, func(d any) { w.sum(d, f.wide(a)) }) }
	k.sumAlong = func(dst, a any, o, e, i int) {
		f.computed(dst, func(d any) { w.sumAlong(d, f.wide(a), o, e, i) })
	}
	k.matmul = func(dst, a, b any, z, r, i, c int) {
		f.computed(dst, func(d any) { w.matmul(d, f.wide(a), f.wide(b), z, r, i, c) })
	}
	k.fold = func(dst, a any, o, i, c, e int, op Opcode) {
		f.computed(dst, func(d any) { w.fold(d, f.wide(a), o, i, c, e, op) })
	}
	k.gather = func(dst, t, s any, r, v, i int) {
		f.computed(dst, func(d any) { w.gather(d, f.wide(t), f.wide(s), r, v, i) })
	}
	k.scatter = func(dst, x, s any, c, v, i int) {
		f.computed(dst, func(d any) { w.scatter(d, f.wide(x), f.wide(s), c, v, i) })
	}
	k.logSoftmax = func(dst, a any, o, e, i int) { f.logSoftmax(dst.([]T), f.wide(a), o, e, i) }
	k.logSumExp = func(dst, a any, o, e, i int) { f.logSumExp(dst.([]T), f.wide(a), o, e, i) }
	return k
}

// storage is what the table knows of bits rather than numbers.
func (f narrowForm[T]) storage(k *kernel) {
	number := func(a any, i int) float64 { return float64(f.widen(a.([]T)[i])) }
	k.make = func(n int) any { return make([]T, n) }
	k.fill = func(x float64) any { return []T{f.round(x)} }
	k.repeat = func(a any, n int) any { return slices.Repeat(a.([]T)[:1], n) }
	k.move = func(dst any, at int, src any, from, n int) { copy(dst.([]T)[at:at+n], src.([]T)[from:from+n]) }
	k.permute = func(dst, src any, shape Shape, strides []int) { permute(dst.([]T), src.([]T), shape, strides) }
	k.parse = func(s string) (any, error) {
		x, err := f.parse(s)
		return []T{x}, err
	}
	k.float = number
	k.print = func(b []byte, a any, i int) []byte { return appendNumber(b, number(a, i), 32) }
	k.literal = func(b []byte, a any, i int) []byte {
		x := number(a, i)
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return appendLiteral(b, x, uint64(a.([]T)[i]), 2)
		}
		return appendLiteral(b, x, 0, 4)
	}
	k.bits = func(a any, i int) uint64 { return uint64(a.([]T)[i]) }
	k.round = func(dst any, numbers []float64) {
		d := dst.([]T)
		for i, x := range numbers {
			d[i] = f.round(x)
		}
	}
	inMemory[T](k)
	k.encode = func(b []byte, a any) []byte {
		if k.raw != nil {
			return append(b, k.raw(a)...)
		}
		for _, x := range a.([]T) {
			b = binary.LittleEndian.AppendUint16(b, uint16(x))
		}
		return b
	}
	k.bitwise(func(b []byte) any {
		r := make([]T, len(b)/2)
		for i := range r {
			r[i] = T(binary.LittleEndian.Uint16(b[2*i:]))
		}
		return r
	})
	k.compare = func(a any, i, j int) int { return compareNumbers(number(a, i), number(a, j)) }
}

// stickyMaps are the maps as they are rounded to fewer bits than float32 has.
var stickyMaps = map[Kind]func(float32) float64{
	OpExp: elementary.ExpSticky, OpLn: elementary.LnSticky, OpSqrt: elementary.SqrtSticky,
	OpTanh: elementary.TanhSticky, OpSin: elementary.SinSticky, OpCos: elementary.CosSticky,
	OpLog1p: elementary.Log1pSticky, OpExpm1: elementary.Expm1Sticky,
	OpErf: elementary.ErfSticky, OpErfDerivative: elementary.ErfDerivativeSticky,
}

func (f narrowForm[T]) elementwise(k, w *kernel) {
	k.unary[OpNeg] = func(dst, a any) {
		d := dst.([]T)
		for i, x := range a.([]T) {
			d[i] = x ^ 1<<15
		}
	}
	for kind, g := range stickyMaps {
		k.unary[kind] = func(dst, a any) {
			d := dst.([]T)
			for i, x := range a.([]T) {
				d[i] = f.round(g(f.widen(x)))
			}
		}
	}
	for _, kind := range []Kind{OpAdd, OpSub, OpMul, OpDiv, OpMaximum, OpStep} {
		k.binary[kind] = func(dst, a, b any) {
			f.computed(dst, func(d any) { w.binary[kind](d, f.wide(a), f.wide(b)) })
		}
	}
	k.binary[OpPowf] = func(dst, a, b any) {
		d, x, y := dst.([]T), a.([]T), b.([]T)
		for i := range d {
			d[i] = f.round(elementary.PowSticky(f.widen(x[i]), f.widen(y[i])))
		}
	}
}

// logSoftmax rounds x - max, each exp of it, their sum, its ln and the answer.
func (f narrowForm[T]) logSoftmax(dst []T, a []float32, outer, extent, inner int) {
	overLanes(a, outer, extent, inner, func(lane func(int) *float32, o, i int) {
		peak, below := f.lane(lane, extent)
		for e := range extent {
			centred := f.rounded(*lane(e) - peak)
			dst[(o*extent+e)*inner+i] = f.round(float64(centred - below))
		}
	})
}

// logSumExp rounds as logSoftmax does.
func (f narrowForm[T]) logSumExp(dst []T, a []float32, outer, extent, inner int) {
	overLanes(a, outer, extent, inner, func(lane func(int) *float32, o, i int) {
		peak, below := f.lane(lane, extent)
		dst[o*inner+i] = f.round(float64(peak + below))
	})
}

// lane is the peak of a lane and the ln of its sum of exps, which accumulates in
// float32.
func (f narrowForm[T]) lane(lane func(int) *float32, extent int) (peak, below float32) {
	peak = *lane(0)
	for e := 1; e < extent; e++ {
		peak = max(peak, *lane(e))
	}
	exp := func(e int) float32 { return f.widen(f.round(elementary.ExpSticky(f.rounded(*lane(e) - peak)))) }
	total := exp(0)
	for e := 1; e < extent; e++ {
		total += exp(e)
	}
	return peak, f.widen(f.round(elementary.LnSticky(f.rounded(total))))
}

// rounded is the float32 that has the value of the nearest element.
func (f narrowForm[T]) rounded(x float32) float32 { return f.widen(f.round(float64(x))) }
