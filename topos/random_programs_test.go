package topos_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	. "github.com/topos-notebook/topos/topos"
)

// flavour is what a random program may do.
type flavour int

const (
	smooth  flavour = iota // finite, moderate, away from poles and kinks of its inputs
	bounded                // finite and moderate; zeros, ties and kinks
	wild                   // whatever arithmetic gives, infinities and NaN included
	flavours
)

// randomProgram records operations drawn from the whole vocabulary and computes
// each one over tensors as it goes, which tells whether an operand lies in the
// domain of the next operation.
type randomProgram[T any] struct {
	*rand.Rand
	number[T]
	tape     *Tape[T]
	flavour  flavour
	values   []Value[T]
	tensors  []*Tensor[T]
	read     []bool // by node: some other node reads it
	unsure   []bool // by node: the sign of its zeros depends on how sums are seeded
	computed int    // nodes that are not sources
	loss     Value[T]
}

// largestRandom is the volume above which no operation makes a tensor.
const largestRandom = 96

// newRandomProgram records a program of some operations and the sum of most of
// what nothing reads. The seed alone decides which.
func newRandomProgram[T any](e number[T], seed uint64) *randomProgram[T] {
	return newFlavoured(e, seed, flavour(seed%uint64(flavours)))
}

func newFlavoured[T any](e number[T], seed uint64, f flavour) *randomProgram[T] {
	p := &randomProgram[T]{Rand: rand.New(rand.NewPCG(seed, 0)), number: e, tape: New(e.Element), flavour: f}
	for _, shape := range []Shape{{}, {3}, {2, 3}, p.shape(4)} {
		p.source(OpParameter, p.drawn(shape))
	}
	p.source(OpInput, p.drawn(Shape{3, 2}))
	// What has several forms comes up more often; dealing a shuffled deck keeps
	// the shares even.
	kinds := []Kind{OpMatMul, OpPermute, OpPermute, OpUnfold, OpFold, OpNarrow, OpPad, OpBroadcast, OpLn, OpDiv}
	for _, k := range Kinds() {
		if !k.IsSource() {
			kinds = append(kinds, k)
		}
	}
	deck := kinds[:0:0]
	for operations := 5 + int(seed%50); p.computed < operations; deck = deck[1:] {
		if len(deck) == 0 {
			deck = slices.Clone(kinds)
			p.Shuffle(len(deck), func(i, j int) { deck[i], deck[j] = deck[j], deck[i] })
		}
		p.operation(deck[0])
	}
	p.finish()
	return p
}

// finish sums values that nothing reads into the target: the newest, and half
// of the others. The rest is recorded and leads nowhere.
func (p *randomProgram[T]) finish() {
	total := p.record(Opcode{Kind: OpSum}, p.moderate(len(p.values)-1))
	for i, read := range slices.Clone(p.read[:total]) {
		if read || p.IntN(2) == 0 {
			continue
		}
		i = p.moderate(i)
		if len(p.tensors[i].Shape()) > 0 {
			i = p.record(Opcode{Kind: OpSum}, i)
		}
		total = p.record(Opcode{Kind: OpAdd}, total, i)
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

// drawn is a tensor of moderate numbers. Unless the program is smooth some are
// zeros of either sign or small whole numbers, which tie; a wild one may hold
// any number there is.
func (p *randomProgram[T]) drawn(shape Shape) *Tensor[T] {
	data := make([]T, shape.Volume())
	for i := range data {
		x := p.NormFloat64()
		data[i] = p.FromFloat64(x)
		switch {
		case p.flavour == smooth:
		case p.IntN(12) == 0:
			data[i] = p.zero(x < 0)
		case p.IntN(12) == 0:
			data[i] = p.FromFloat64(math.Round(x))
		case p.flavour == wild && p.IntN(20) == 0:
			data[i] = p.FromBits(p.Uint64())
		}
	}
	if p.flavour != smooth && p.IntN(8) == 0 {
		data = data[:1] // one number all over
	}
	return p.Tensor(shape, data...)
}

// oneHot is a selection of rows out of a vocabulary.
func (p *randomProgram[T]) oneHot(rows, vocabulary int) *Tensor[T] {
	data := make([]T, rows*vocabulary)
	for i := range data {
		data[i] = p.zero(false)
	}
	for r := range rows {
		data[r*vocabulary+p.IntN(vocabulary)] = p.FromFloat64(1)
	}
	return p.Tensor(Shape{rows, vocabulary}, data...)
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
	return p.keep(v, payload, false)
}

func (p *randomProgram[T]) keep(v Value[T], t *Tensor[T], unsure bool) int {
	if v.Symbol().Index() != len(p.values) {
		panic(fmt.Sprintf("node %d where %d was expected", v.Symbol().Index(), len(p.values)))
	}
	p.values, p.tensors, p.read, p.unsure = append(p.values, v), append(p.tensors, t), append(p.read, false), append(p.unsure, unsure)
	return len(p.values) - 1
}

// seeded are the kinds whose emitted text starts a sum from +0, so that a -0
// may come out as +0 elsewhere.
var seeded = map[Kind]bool{OpSum: true, OpSumAlong: true, OpMatMul: true, OpFold: true, OpGather: true, OpScatter: true}

// record records an operation over nodes and computes it.
func (p *randomProgram[T]) record(op Opcode, operands ...int) int {
	var symbols []Symbol
	var tensors []*Tensor[T]
	unsure := seeded[op.Kind]
	for _, x := range operands {
		p.read[x] = true
		unsure = unsure || p.unsure[x]
		symbols, tensors = append(symbols, p.values[x].Symbol()), append(tensors, p.tensors[x])
	}
	p.computed++
	return p.keep(Express(op, Pick(p.values, symbols)...), Express(op, tensors...), unsure)
}

// existing is a node whose shape fits, rather one that nothing reads yet, or a
// new source of a shape.
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

// ofRank is a node of at least a rank.
func (p *randomProgram[T]) ofRank(least int) int {
	if rank := least + p.IntN(5-least); p.IntN(2) == 0 {
		return p.existing(func(s Shape) bool { return len(s) == rank }, p.shape(rank))
	}
	return p.existing(func(s Shape) bool { return len(s) >= least && len(s) < 6 }, p.shape(least))
}

// every says whether a predicate holds of every element of a node.
func (p *randomProgram[T]) every(i int, holds func(x float64) bool) bool {
	for _, x := range p.tensors[i].Data() {
		if !holds(p.real(x)) {
			return false
		}
	}
	return true
}

// moderate is a node, or its tanh where a bounded program would grow too large.
func (p *randomProgram[T]) moderate(i int) int {
	if p.flavour != wild && !p.every(i, func(x float64) bool { return -4 < x && x < 4 }) {
		return p.record(Opcode{Kind: OpTanh}, i)
	}
	return i
}

// positive is a node, or something positive made of it: for a smooth program
// away from zero, otherwise where a zero's sign or a negative number would be
// trouble.
func (p *randomProgram[T]) positive(i int) int {
	i = p.moderate(i)
	fits := func(x float64) bool { return x > 0.2 }
	switch {
	case p.flavour == bounded:
		fits = func(x float64) bool { return x > 0.2 || x == 0 && !p.unsure[i] }
	case p.flavour == wild:
		fits = func(x float64) bool { return x != 0 || !p.unsure[i] }
	}
	if !p.every(i, fits) {
		i = p.record(Opcode{Kind: OpExp}, p.record(Opcode{Kind: OpTanh}, i))
	}
	if p.every(i, fits) {
		return i
	}
	return p.source(OpInput, p.Tensor(p.tensors[i].Shape(), p.FromFloat64(1.5))) // NaN comes out of tanh and exp
}

// finite is a node, or where it holds infinities or NaN a new source: rows that
// a selection leaves out are multiplied by zero in the emitted text.
func (p *randomProgram[T]) finite(i int) int {
	if p.every(i, func(x float64) bool { return x-x == 0 }) {
		return i
	}
	return p.source(OpParameter, p.Tensor(p.tensors[i].Shape(), p.FromFloat64(p.NormFloat64())))
}

// uniform says whether a node holds one number all over.
func (p *randomProgram[T]) uniform(i int) bool {
	data := p.tensors[i].Data()
	return p.every(i, func(x float64) bool { return math.Float64bits(x) == math.Float64bits(p.real(data[0])) })
}
