package topos

// Recordable is the vocabulary a derivative rule may call, and nothing else:
// each method is something a tape can record. [*Tensor] computes it, [Value]
// records it, a program's own payload gives it another meaning.
type Recordable[R any] interface {
	Shape() Shape
	Add(R) R
	Sub(R) R
	Mul(R) R
	Div(R) R
	Neg() R
	Exp() R
	Ln() R
	Sqrt() R
	Tanh() R
	Sin() R
	Cos() R
	Log1p() R
	Expm1() R
	Erf() R
	ErfDerivative() R
	Powf(R) R
	Maximum(R) R
	StepAt(R) R
	MatMul(R) R
	Sum() R
	SumAlong(axis int) R
	Broadcast(Shape) R
	BroadcastAlong(axis, extent int) R
	Reshape(Shape) R
	Permute(order ...int) R
	Narrow(axis, start, length int) R
	Pad(axis, start, fullExtent int) R
	Unfold(axis, size, step, dilation int) R
	Fold(axis, size, step, dilation, extent int) R
	Gather(selection R) R
	Scatter(selection R) R
	LogSoftmax(axis int) R
	LogSumExp(axis int) R
	Filled(x float64) R // one constant over the same shape
}

// Express runs one instruction over payloads. Over tensors it is the
// interpreter, over values it records the instruction again. It panics with a
// [*Refusal] for a source, whose payload is not an instruction's to make.
func Express[R Recordable[R]](op Opcode, x ...R) R {
	if len(x) != op.Kind.Arity() || len(x) == 0 {
		refuse(op.Kind.Spelling(), nil, "", "express of %v takes %d operands, not %d", op, op.Kind.Arity(), len(x))
	}
	a := x[0]
	switch op.Kind {
	case OpAdd:
		return a.Add(x[1])
	case OpSub:
		return a.Sub(x[1])
	case OpMul:
		return a.Mul(x[1])
	case OpDiv:
		return a.Div(x[1])
	case OpNeg:
		return a.Neg()
	case OpExp:
		return a.Exp()
	case OpLn:
		return a.Ln()
	case OpSqrt:
		return a.Sqrt()
	case OpTanh:
		return a.Tanh()
	case OpSin:
		return a.Sin()
	case OpCos:
		return a.Cos()
	case OpLog1p:
		return a.Log1p()
	case OpExpm1:
		return a.Expm1()
	case OpErf:
		return a.Erf()
	case OpErfDerivative:
		return a.ErfDerivative()
	case OpPowf:
		return a.Powf(x[1])
	case OpMaximum:
		return a.Maximum(x[1])
	case OpStep:
		return a.StepAt(x[1])
	case OpMatMul:
		return a.MatMul(x[1])
	case OpSum:
		return a.Sum()
	case OpSumAlong:
		return a.SumAlong(op.Axis)
	case OpBroadcast:
		return a.Broadcast(op.Dims)
	case OpBroadcastAlong:
		return a.BroadcastAlong(op.Axis, op.Extent)
	case OpReshape:
		return a.Reshape(op.Dims)
	case OpPermute:
		return a.Permute(op.Dims...)
	case OpNarrow:
		return a.Narrow(op.Axis, op.Start, op.Length)
	case OpPad:
		return a.Pad(op.Axis, op.Start, op.Extent)
	case OpUnfold:
		return a.Unfold(op.Axis, op.Size, op.Step, op.Dilation)
	case OpFold:
		return a.Fold(op.Axis, op.Size, op.Step, op.Dilation, op.Extent)
	case OpGather:
		return a.Gather(x[1])
	case OpScatter:
		return a.Scatter(x[1])
	case OpLogSoftmax:
		return a.LogSoftmax(op.Axis)
	case OpLogSumExp:
		return a.LogSumExp(op.Axis)
	}
	panic("topos: no arithmetic for " + op.Kind.String())
}
