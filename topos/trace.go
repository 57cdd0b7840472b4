package topos

import "fmt"

// trace is the untyped twin of a [Value]: the payload that records instead of
// computing. Its methods are documented there.
type trace struct {
	tape   *tape
	symbol Symbol
}

func (v trace) Symbol() Symbol { return v.symbol }

func (v trace) Shape() Shape {
	g := v.tape.open("shape")
	return g.shape(g.resolve("shape", v.symbol))
}

func (v trace) String() string {
	if v.tape == nil {
		return "no value"
	}
	n := v.tape.s.named("value", v.symbol)
	return fmt.Sprintf("#%d %v %v %s", v.symbol.index, n.opcode, n.shape, v.tape.s.k.name)
}

func (v trace) Add(o trace) trace { return v.tape.apply2(OpAdd, v, o) }

func (v trace) Sub(o trace) trace { return v.tape.apply2(OpSub, v, o) }

func (v trace) Mul(o trace) trace { return v.tape.apply2(OpMul, v, o) }

func (v trace) Div(o trace) trace { return v.tape.apply2(OpDiv, v, o) }

func (v trace) Neg() trace { return v.tape.apply(Opcode{Kind: OpNeg}, v) }

func (v trace) Exp() trace { return v.tape.apply(Opcode{Kind: OpExp}, v) }

func (v trace) Ln() trace { return v.tape.apply(Opcode{Kind: OpLn}, v) }

func (v trace) Sqrt() trace { return v.tape.apply(Opcode{Kind: OpSqrt}, v) }

func (v trace) Tanh() trace { return v.tape.apply(Opcode{Kind: OpTanh}, v) }

func (v trace) Sin() trace { return v.tape.apply(Opcode{Kind: OpSin}, v) }

func (v trace) Cos() trace { return v.tape.apply(Opcode{Kind: OpCos}, v) }

func (v trace) Log1p() trace { return v.tape.apply(Opcode{Kind: OpLog1p}, v) }

func (v trace) Expm1() trace { return v.tape.apply(Opcode{Kind: OpExpm1}, v) }

func (v trace) Erf() trace { return v.tape.apply(Opcode{Kind: OpErf}, v) }

func (v trace) ErfDerivative() trace { return v.tape.apply(Opcode{Kind: OpErfDerivative}, v) }

func (v trace) Powf(o trace) trace { return v.tape.apply2(OpPowf, v, o) }

func (v trace) Maximum(o trace) trace { return v.tape.apply2(OpMaximum, v, o) }

func (v trace) StepAt(o trace) trace { return v.tape.apply2(OpStep, v, o) }

func (v trace) MatMul(o trace) trace { return v.tape.apply2(OpMatMul, v, o) }

func (v trace) Sum() trace { return v.tape.apply(Opcode{Kind: OpSum}, v) }

func (v trace) SumAlong(axis int) trace {
	return v.tape.apply(Opcode{Kind: OpSumAlong, Axis: axis}, v)
}

func (v trace) Broadcast(shape Shape) trace {
	return v.tape.apply(Opcode{Kind: OpBroadcast, Dims: clone(shape)}, v)
}

func (v trace) BroadcastAlong(axis, extent int) trace {
	return v.tape.apply(Opcode{Kind: OpBroadcastAlong, Axis: axis, Extent: extent}, v)
}

func (v trace) Reshape(shape Shape) trace {
	return v.tape.apply(Opcode{Kind: OpReshape, Dims: clone(shape)}, v)
}

func (v trace) Permute(order ...int) trace {
	return v.tape.apply(Opcode{Kind: OpPermute, Dims: clone(order)}, v)
}

func (v trace) Narrow(axis, start, length int) trace {
	return v.tape.apply(Opcode{Kind: OpNarrow, Axis: axis, Start: start, Length: length}, v)
}

func (v trace) Pad(axis, start, fullExtent int) trace {
	return v.tape.apply(Opcode{Kind: OpPad, Axis: axis, Start: start, Extent: fullExtent}, v)
}

func (v trace) Unfold(axis, size, step, dilation int) trace {
	return v.tape.apply(Opcode{Kind: OpUnfold, Axis: axis, Size: size, Step: step, Dilation: dilation}, v)
}

func (v trace) Fold(axis, size, step, dilation, extent int) trace {
	return v.tape.apply(Opcode{Kind: OpFold, Axis: axis, Size: size, Step: step, Dilation: dilation, Extent: extent}, v)
}

func (v trace) Gather(selection trace) trace { return v.tape.apply2(OpGather, v, selection) }

func (v trace) Scatter(selection trace) trace { return v.tape.apply2(OpScatter, v, selection) }

func (v trace) LogSoftmax(axis int) trace {
	return v.tape.apply(Opcode{Kind: OpLogSoftmax, Axis: axis}, v)
}

func (v trace) LogSumExp(axis int) trace {
	return v.tape.apply(Opcode{Kind: OpLogSumExp, Axis: axis}, v)
}

func (v trace) Filled(x float64) trace {
	g := v.tape.open("leaf")
	k := v.tape.s.k
	return v.tape.source(OpLeaf, k.constant(g.shape(g.resolve("leaf", v.symbol)), x))
}

func clone(s []int) Shape { return append(Shape{}, s...) }
