package topos

import (
	"fmt"
	"strconv"
	"strings"
)

// fold multiplies by the windows' places, which puts the axis last.
func (e *emitter) fold(w written) {
	axis, count, size, extent := w.op.Axis, w.from[w.op.Axis], w.op.Size, w.op.Extent
	places := Shape{count, size, extent}
	if count*size > mostPlaces/extent {
		e.foldApart(w)
		return
	}
	weights := string(nested(nil, places, 0, func(b []byte, i int) []byte {
		window, position, at := i/(size*extent), i/extent%size, i%extent
		if window*w.op.Step+position*w.op.Dilation == at {
			return append(b, e.number(1)...)
		}
		return append(b, e.number(0)...)
	}))
	joined, order := w.to, Shape(nil)
	name := w.name
	if axis != len(w.to)-1 {
		joined = append(w.to.without(axis), extent)
		name = w.name + "_joined"
		order = axes(len(w.to)-1).inserted(axis, len(w.to)-1)
	}
	dims := fmt.Sprintf("[%d, %d] x [0, 1]", axis, axis+1)
	if e.exact && crowded(w.op, count) {
		// The product then runs over positions before windows, as the
		// interpreter adds. Two summands are the same either way.
		dims = fmt.Sprintf("[%d, %d] x [1, 0]", axis+1, axis)
	}
	e.line("%s_weights = stablehlo.constant dense<%s> : %s", w.name, weights, e.typeOf(places))
	e.accumulated(w.name, name, joined, func(name, element string) {
		e.dot(name, w.x[0], w.name+"_weights", "contracting_dims = "+dims, w.from, places, tensorType(joined, element))
	})
	if order != nil {
		e.line("%s = stablehlo.transpose %s, dims = %v : (%s) -> %s", w.name, name, order[:len(w.to)], e.typeOf(joined), e.typeOf(w.to))
	}
}

// mostPlaces is how many weights a fold may spell out. They grow with the square
// of the axis.
const mostPlaces = 1 << 16

// foldApart adds the positions of the windows one after another, each spread
// to its places, from +0: the order of the interpreter.
func (e *emitter) foldApart(w written) {
	e.line("%s_zero = stablehlo.constant dense<%s> : %s", w.name, e.number(0), e.typeOf(nil))
	e.accumulated(w.name, w.name, w.to, func(answer, element string) {
		to := tensorType(w.to, element)
		total := w.name + "_sum"
		e.line("%s = stablehlo.constant dense<%s> : %s", total, e.zeroOf(element), to)
		for p := range w.op.Size {
			name := w.name + "_" + strconv.Itoa(p)
			e.foldLane(w, name, p)
			summand := name + "_spread"
			if element != e.element {
				e.line("%s_promoted = stablehlo.convert %s : (%s) -> %s", name, summand, e.typeOf(w.to), to)
				summand = name + "_promoted"
			}
			next := name
			if p == w.op.Size-1 {
				next = answer
			}
			e.line("%s = stablehlo.add %s, %s : %s", next, total, summand, to)
			total = next
		}
	})
}

// foldLane spreads one position of the windows to its places.
func (e *emitter) foldLane(w written, name string, position int) {
	axis, zeros := w.op.Axis, make(Shape, len(w.to))
	lane := w.from.without(axis + 1)
	ranges := make([]string, len(w.from))
	for d, x := range w.from {
		ranges[d] = fmt.Sprintf("0:%d", x)
	}
	ranges[axis+1] = fmt.Sprintf("%d:%d", position, position+1)
	low := position * w.op.Dilation
	high := w.op.Extent - low - (w.from[axis]-1)*w.op.Step - 1
	slice := e.typeOf(w.from.with(axis+1, 1))
	e.line("%s_slice = stablehlo.slice %s [%s] : (%s) -> %s", name, w.x[0], strings.Join(ranges, ", "), e.typeOf(w.from), slice)
	e.line("%s_lane = stablehlo.reshape %s_slice : (%s) -> %s", name, name, slice, e.typeOf(lane))
	e.line("%s_spread = stablehlo.pad %s_lane, %s_zero, low = %v, high = %v, interior = %v : (%s, %s) -> %s",
		name, name, w.name, zeros.with(axis, low), zeros.with(axis, high), zeros.with(axis, w.op.Step-1), e.typeOf(lane), e.typeOf(nil), e.typeOf(w.to))
}

// crowded says whether three windows or more meet somewhere.
func crowded(op Opcode, count int) bool {
	meet := make([]int, op.Extent)
	for w := range count {
		for p := range op.Size {
			at := w*op.Step + p*op.Dilation
			if meet[at]++; meet[at] > 2 {
				return true
			}
		}
	}
	return false
}
