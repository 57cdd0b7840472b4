package topos

// VJP is the derivative rule of one instruction: given the cotangent of its
// output, the output and the operands, the cotangent of each operand, in
// operand order. ok is false for an operand through which nothing flows. It is
// the rule the engine's scan computes and [Tape.Differentiate] records (the
// chain rule on primitives; Griewank and Walther 2008, chapter 3).
func VJP[R Recordable[R]](op Opcode, g, out R, x ...R) (cotangents []R, ok []bool) {
	if len(x) != op.Kind.Arity() || len(x) == 0 {
		refuse(op.Kind.Spelling(), nil, "", "vjp of %v takes %d operands, not %d", op, op.Kind.Arity(), len(x))
	}
	rule := rule(op, g, out, x)
	cotangents, ok = make([]R, len(x)), make([]bool, len(x))
	for i := range x {
		if i < len(rule) && rule[i] != nil {
			cotangents[i], ok[i] = rule[i](), true
		}
	}
	return cotangents, ok
}

// rule gives one closure per operand, to be called in order, so that the scan
// can note which operand's part of a rule records.
func rule[R Recordable[R]](op Opcode, g, out R, x []R) []func() R {
	of := func(fs ...func() R) []func() R { return fs }
	same := func() R { return g }
	a := x[0]
	switch op.Kind {
	case OpAdd:
		return of(same, same)
	case OpSub:
		return of(same, func() R { return g.Neg() })
	case OpMul:
		return of(func() R { return g.Mul(x[1]) }, func() R { return g.Mul(a) })
	case OpDiv:
		return of(func() R { return g.Div(x[1]) }, func() R { return g.Mul(out).Div(x[1]).Neg() })
	case OpNeg:
		return of(func() R { return g.Neg() })
	case OpPowf:
		return of(
			func() R { less := x[1].Sub(x[1].Filled(1)); return g.Mul(x[1]).Mul(a.Powf(less)) },
			func() R { return g.Mul(out).Mul(a.Ln()) })
	case OpMaximum:
		var wins R
		return of(
			func() R { wins = a.StepAt(x[1]); return g.Mul(wins) },
			func() R { return g.Mul(wins.Filled(1).Sub(wins)) })
	case OpMatMul:
		swap := swapLast(len(a.Shape()))
		return of(
			func() R { return g.MatMul(x[1].Permute(swap...)) },
			func() R { return a.Permute(swap...).MatMul(g) })
	case OpGather:
		return of(func() R { return g.Scatter(x[1]) })
	case OpScatter:
		return of(func() R { return g.Gather(x[1]) })
	case OpStep:
		return nil
	}
	return of(func() R { return unaryRule(op, g, out, a) })
}

// unaryRule is the cotangent of the one operand.
func unaryRule[R Recordable[R]](op Opcode, g, out, x R) R {
	switch op.Kind {
	case OpExp:
		return g.Mul(out)
	case OpLn:
		return g.Div(x)
	case OpSqrt:
		return g.Div(out.Add(out))
	case OpTanh:
		return g.Mul(out.Filled(1).Sub(out.Mul(out)))
	case OpSin:
		return g.Mul(x.Cos())
	case OpCos:
		return g.Mul(x.Sin()).Neg()
	case OpLog1p:
		return g.Div(x.Filled(1).Add(x))
	case OpExpm1:
		return g.Mul(out.Add(out.Filled(1)))
	case OpErf:
		return g.Mul(x.ErfDerivative())
	case OpErfDerivative:
		return g.Mul(x.Add(x)).Mul(out).Neg()
	case OpSum:
		return g.Broadcast(x.Shape())
	case OpSumAlong:
		return g.BroadcastAlong(op.Axis, x.Shape()[op.Axis])
	case OpBroadcast:
		return g.Sum().Broadcast(x.Shape())
	case OpBroadcastAlong:
		return g.SumAlong(op.Axis)
	case OpReshape:
		return g.Reshape(x.Shape())
	case OpPermute:
		return g.Permute(inverse(op.Dims)...)
	case OpNarrow:
		return g.Pad(op.Axis, op.Start, x.Shape()[op.Axis])
	case OpPad:
		return g.Narrow(op.Axis, op.Start, x.Shape()[op.Axis])
	case OpUnfold:
		return g.Fold(op.Axis, op.Size, op.Step, op.Dilation, x.Shape()[op.Axis])
	case OpFold:
		return g.Unfold(op.Axis, op.Size, op.Step, op.Dilation)
	case OpLogSoftmax:
		total := g.SumAlong(op.Axis).BroadcastAlong(op.Axis, x.Shape()[op.Axis])
		return g.Sub(out.Exp().Mul(total))
	case OpLogSumExp:
		extent := x.Shape()[op.Axis]
		share := x.Sub(out.BroadcastAlong(op.Axis, extent)).Exp()
		return g.BroadcastAlong(op.Axis, extent).Mul(share)
	}
	panic("topos: no derivative rule for " + op.Kind.String())
}
