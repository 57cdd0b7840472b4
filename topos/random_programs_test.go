package topos_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	. "github.com/topos-notebook/topos/topos"
)

// randomProgram records operations drawn from the whole vocabulary and computes
// each one over tensors as it goes, which tells whether an operand lies in the
// domain of the next operation.
type randomProgram[T float32 | float64] struct {
	*rand.Rand
	element  Element[T]
	tape     *Tape[T]
	smooth   bool // keep values finite, moderate and away from poles
	values   []Value[T]
	tensors  []*Tensor[T]
	read     []bool // by node: some other node reads it
	computed int    // nodes that are not sources
	loss     Value[T]
}

// largestRandom is the volume above which no operation makes a tensor.
const largestRandom = 96

// newRandomProgram records a program of a number of operations and the sum of
// everything that nothing reads.
func newRandomProgram[T float32 | float64](e Element[T], seed uint64, operations int, smooth bool) *randomProgram[T] {
	p := &randomProgram[T]{Rand: rand.New(rand.NewPCG(seed, 0)), element: e, tape: New(e), smooth: smooth}
	for _, shape := range []Shape{{}, {3}, {2, 3}, p.shape(4)} {
		p.source(OpParameter, p.drawn(shape))
	}
	p.source(OpInput, p.drawn(Shape{3, 2}))
	var kinds []Kind
	for _, k := range Kinds() {
		if !k.IsSource() {
			kinds = append(kinds, k)
		}
	}
	for p.computed < operations {
		p.operation(kinds[p.IntN(len(kinds))])
	}
	p.finish()
	return p
}

// finish sums the values that nothing reads into the target.
func (p *randomProgram[T]) finish() {
	total := -1
	for i, read := range slices.Clone(p.read) {
		if read {
			continue
		}
		s := p.record(Opcode{Kind: OpSum}, p.moderate(i))
		if total >= 0 {
			s = p.record(Opcode{Kind: OpAdd}, total, s)
		}
		total = s
	}
	p.loss = p.values[total]
}

func (p *randomProgram[T]) shape(rank int) Shape {
	s := Shape{}
	for range rank {
		s = append(s, 1+p.IntN(3))
	}
	return s
}

// drawn is a tensor of moderate numbers; some are zeros of either sign unless
// the program must be smooth.
func (p *randomProgram[T]) drawn(shape Shape) *Tensor[T] {
	data := make([]T, shape.Volume())
	for i := range data {
		data[i] = p.element.FromFloat64(p.NormFloat64())
		if !p.smooth && p.IntN(12) == 0 {
			data[i] = T(math.Copysign(0, float64(data[i])))
		}
	}
	return p.element.Tensor(shape, data...)
}

// oneHot is a selection of rows out of a vocabulary.
func (p *randomProgram[T]) oneHot(rows, vocabulary int) *Tensor[T] {
	data := make([]T, rows*vocabulary)
	for r := range rows {
		data[r*vocabulary+p.IntN(vocabulary)] = 1
	}
	return p.element.Tensor(Shape{rows, vocabulary}, data...)
}

func (p *randomProgram[T]) source(kind Kind, payload *Tensor[T]) int {
	var v Value[T]
	switch kind {
	case OpParameter:
		v = p.tape.ParameterOf(payload)
	case OpInput:
		v = p.tape.InputOf(payload)
	default:
		v = p.tape.LeafOf(payload)
	}
	return p.keep(v, payload)
}

func (p *randomProgram[T]) keep(v Value[T], t *Tensor[T]) int {
	if v.Symbol().Index() != len(p.values) {
		panic(fmt.Sprintf("node %d where %d was expected", v.Symbol().Index(), len(p.values)))
	}
	p.values, p.tensors, p.read = append(p.values, v), append(p.tensors, t), append(p.read, false)
	return len(p.values) - 1
}

// record records an operation over nodes and computes it.
func (p *randomProgram[T]) record(op Opcode, operands ...int) int {
	var symbols []Symbol
	var tensors []*Tensor[T]
	for _, x := range operands {
		p.read[x] = true
		symbols, tensors = append(symbols, p.values[x].Symbol()), append(tensors, p.tensors[x])
	}
	p.computed++
	return p.keep(Express(op, Pick(p.values, symbols)...), Express(op, tensors...))
}

// existing is a node that a test holds of, rather one that nothing reads yet,
// or a new source of the shape.
func (p *randomProgram[T]) existing(fits func(Shape) bool, otherwise Shape) int {
	var found, unread []int
	for i, t := range p.tensors {
		if fits(t.Shape()) {
			found = append(found, i)
			if !p.read[i] {
				unread = append(unread, i)
			}
		}
	}
	if len(unread) > 0 && p.IntN(3) > 0 {
		return unread[p.IntN(len(unread))]
	}
	if len(found) == 0 || p.IntN(8) == 0 {
		return p.source([]Kind{OpLeaf, OpParameter, OpInput}[p.IntN(3)], p.drawn(otherwise))
	}
	return found[p.IntN(len(found))]
}

func (p *randomProgram[T]) like(i int) int {
	want := p.tensors[i].Shape()
	return p.existing(want.Equal, want)
}

func (p *randomProgram[T]) ofRank(least int) int {
	return p.existing(func(s Shape) bool { return len(s) >= least && len(s) < 6 }, p.shape(least))
}

// span is the least and the largest element.
func (p *randomProgram[T]) span(i int) (low, high float64) {
	low, high = math.Inf(1), math.Inf(-1)
	for _, x := range p.tensors[i].Data() {
		low, high = min(low, float64(x)), max(high, float64(x))
	}
	return low, high
}

// moderate is a node, or its tanh where a smooth program would grow too large.
func (p *randomProgram[T]) moderate(i int) int {
	if low, high := p.span(i); p.smooth && !(low > -4 && high < 4) {
		return p.record(Opcode{Kind: OpTanh}, i)
	}
	return i
}

// positive is a node, or something positive made of it for a smooth program.
func (p *randomProgram[T]) positive(i int) int {
	i = p.moderate(i)
	if low, _ := p.span(i); p.smooth && !(low > 0.2) {
		i = p.record(Opcode{Kind: OpExp}, p.record(Opcode{Kind: OpTanh}, i))
	}
	return i
}

// operation records one operation of a kind, over nodes that fit.
func (p *randomProgram[T]) operation(kind Kind) {
	switch kind {
	case OpAdd, OpSub, OpMul, OpMaximum, OpStep:
		a := p.moderate(p.ofRank(0))
		p.record(Opcode{Kind: kind}, a, p.moderate(p.like(a)))
	case OpDiv:
		a := p.moderate(p.ofRank(0))
		p.record(Opcode{Kind: kind}, a, p.positive(p.like(a)))
	case OpPowf:
		a := p.positive(p.ofRank(0))
		p.record(Opcode{Kind: kind}, a, p.moderate(p.like(a)))
	case OpLn, OpSqrt, OpLog1p:
		p.record(Opcode{Kind: kind}, p.positive(p.ofRank(0)))
	case OpMatMul:
		a := p.moderate(p.ofRank(2))
		p.record(Opcode{Kind: kind}, a, p.moderate(p.factor(p.tensors[a].Shape())))
	case OpGather:
		a := p.moderate(p.ofRank(1))
		p.record(Opcode{Kind: kind}, a, p.source(OpLeaf, p.oneHot(1+p.IntN(3), p.tensors[a].Shape()[0])))
	case OpScatter:
		a := p.moderate(p.ofRank(1))
		p.record(Opcode{Kind: kind}, a, p.source(OpInput, p.oneHot(p.tensors[a].Shape()[0], 1+p.IntN(3))))
	case OpSumAlong, OpLogSoftmax, OpLogSumExp, OpNarrow, OpPad, OpUnfold, OpFold:
		p.axisOperation(kind)
	case OpBroadcast:
		one := func(s Shape) bool { return s.Volume() == 1 }
		p.record(Opcode{Kind: kind, Dims: p.shape(p.IntN(4))}, p.existing(one, p.shape(0)))
	case OpBroadcastAlong:
		a := p.existing(func(s Shape) bool { return len(s) < 5 && s.Volume() <= largestRandom/3 }, p.shape(1))
		p.record(Opcode{Kind: kind, Axis: p.IntN(len(p.tensors[a].Shape()) + 1), Extent: 1 + p.IntN(3)}, a)
	case OpReshape:
		a := p.ofRank(0)
		p.record(Opcode{Kind: kind, Dims: p.factored(p.tensors[a].Shape().Volume())}, a)
	case OpPermute:
		a := p.ofRank(0)
		p.record(Opcode{Kind: kind, Dims: p.Perm(len(p.tensors[a].Shape()))}, a)
	default: // maps, Neg, Sum
		p.record(Opcode{Kind: kind}, p.moderate(p.ofRank(0)))
	}
}

// factor is a right operand of a matrix product.
func (p *randomProgram[T]) factor(a Shape) int {
	n := len(a)
	fits := func(s Shape) bool {
		return len(s) == n && s[n-2] == a[n-1] && s[:n-2].Equal(a[:n-2]) && a[:n-1].Volume()*s[n-1] <= largestRandom
	}
	return p.existing(fits, append(append(Shape{}, a[:n-2]...), a[n-1], 1+p.IntN(3)))
}

// axisOperation records an operation that takes an axis.
func (p *randomProgram[T]) axisOperation(kind Kind) {
	a := p.moderate(p.ofRank(1))
	if kind == OpFold {
		a = p.moderate(p.ofRank(2))
	}
	s := p.tensors[a].Shape()
	op := Opcode{Kind: kind, Axis: p.IntN(len(s))}
	switch extent := s[op.Axis]; kind {
	case OpNarrow:
		op.Length = 1 + p.IntN(extent)
		op.Start = p.IntN(extent - op.Length + 1)
	case OpPad:
		op.Start = p.IntN(3)
		op.Extent = op.Start + extent + p.IntN(3)
		if s.Volume()/extent*op.Extent > largestRandom {
			return
		}
	case OpUnfold:
		op.Size, op.Step, op.Dilation = 1+p.IntN(min(3, extent)), 1+p.IntN(2), 1
		if (op.Size-1)*2 < extent {
			op.Dilation += p.IntN(2)
		}
		if s.Volume()*op.Size > largestRandom {
			return
		}
	case OpFold:
		op.Axis = p.IntN(len(s) - 1)
		op.Size, op.Step, op.Dilation = s[op.Axis+1], 1+p.IntN(2), 1+p.IntN(2)
		op.Extent = (s[op.Axis]-1)*op.Step + (op.Size-1)*op.Dilation + 1 + p.IntN(op.Step)
		if s.Volume()/s[op.Axis]/op.Size*op.Extent > largestRandom {
			return
		}
	}
	p.record(op, a)
}

// factored is a shape of a volume.
func (p *randomProgram[T]) factored(volume int) Shape {
	s := Shape{}
	for volume > 1 {
		d := 2
		for volume%d != 0 || p.IntN(2) == 0 && d < volume {
			d++
		}
		s, volume = append(s, d), volume/d
	}
	for len(s) < 4 && p.IntN(3) == 0 {
		at := p.IntN(len(s) + 1)
		s = append(s[:at:at], append(Shape{1}, s[at:]...)...)
	}
	return s
}
