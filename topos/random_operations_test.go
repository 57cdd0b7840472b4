package topos_test

import . "github.com/topos-notebook/topos/topos"

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
		a := p.finite(p.moderate(p.ofRank(1)))
		p.record(Opcode{Kind: kind}, a, p.source(OpLeaf, p.oneHot(1+p.IntN(3), p.tensors[a].Shape()[0])))
	case OpScatter:
		a := p.finite(p.moderate(p.ofRank(1)))
		p.record(Opcode{Kind: kind}, a, p.source(OpInput, p.oneHot(p.tensors[a].Shape()[0], 1+p.IntN(3))))
	case OpSumAlong, OpLogSoftmax, OpLogSumExp, OpNarrow, OpPad, OpUnfold, OpFold:
		p.axisOperation(kind)
	case OpBroadcast:
		one := func(s Shape) bool { return s.Volume() == 1 }
		p.record(Opcode{Kind: kind, Dims: p.shape(p.IntN(5))}, p.existing(one, p.ones(p.IntN(3))))
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

// ones is a shape of one element.
func (p *randomProgram[T]) ones(rank int) Shape {
	s := Shape{}
	for range rank {
		s = append(s, 1)
	}
	return s
}

// factor is a right operand of a matrix product.
func (p *randomProgram[T]) factor(a Shape) int {
	n := len(a)
	fits := func(s Shape) bool {
		return len(s) == n && s[n-2] == a[n-1] && s[:n-2].Equal(a[:n-2]) && a[:n-1].Volume()*s[n-1] <= largestRandom
	}
	return p.existing(fits, append(append(Shape{}, a[:n-2]...), a[n-1], 1+p.IntN(3)))
}

// axisOperation records an operation that takes an axis, or nothing where the
// answer would be too large.
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
		op.Size, op.Step, op.Dilation = 1+p.IntN(min(3, extent)), 1+p.IntN(3), 1
		if (op.Size-1)*2 < extent {
			op.Dilation += p.IntN(2)
		}
		if s.Volume()*op.Size > largestRandom {
			return
		}
	case OpFold:
		op.Axis = p.IntN(len(s) - 1)
		op.Size, op.Step, op.Dilation = s[op.Axis+1], 1+p.IntN(3), 1+p.IntN(2)
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
