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
// can note which operand's part of a rule records. Each family has its rule
// beside its arithmetic; generic functions cannot be held in a table.
func rule[R Recordable[R]](op Opcode, g, out R, x []R) []func() R {
	switch kindFacts[op.Kind].family {
	case arithmeticFamily:
		return arithmeticRule(op, g, out, x)
	case powfFamily:
		return powfRule(g, out, x)
	case maximumFamily:
		return maximumRule(op.Kind, g, x)
	case matmulFamily:
		return matmulRule(g, x)
	case rowFamily:
		return rowRule(op.Kind, g, x)
	}
	return []func() R{func() R { return unaryRule(op, g, out, x[0]) }}
}

// unaryRule is the cotangent of the one operand, in the families that have but
// kinds of one.
func unaryRule[R Recordable[R]](op Opcode, g, out, x R) R {
	switch kindFacts[op.Kind].family {
	case mapFamily:
		return mapRule(op.Kind, g, out, x)
	case sumFamily:
		return sumRule(op, g, x)
	case broadcastFamily:
		return broadcastRule(op, g, x)
	case movementFamily:
		return movementRule(op, g, x)
	case narrowFamily:
		return narrowRule(op, g, x)
	case windowFamily:
		return windowRule(op, g, x)
	case logFamily:
		return logRule(op, g, out, x)
	}
	panic("topos: no derivative rule for " + op.Kind.String())
}
