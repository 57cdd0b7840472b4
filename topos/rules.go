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
	cotangents, ok = make([]R, len(x)), make([]bool, len(x))
	var shared R
	for j := range x {
		if op.Kind.flows(j) {
			cotangents[j], ok[j] = rule(op, j, g, out, x, &shared), true
		}
	}
	return cotangents, ok
}

// flows says whether a cotangent reaches an operand.
func (k Kind) flows(operand int) bool { return kindFacts[k].stops&(left<<operand) == 0 }

// rule is the cotangent of one operand. It is asked for the left one first, then
// for the right; what the first part records and the second reads again is kept
// in shared. Each family has its rule beside its arithmetic: generic functions
// cannot be held in a table.
func rule[R Recordable[R]](op Opcode, operand int, g, out R, x []R, shared *R) R {
	switch kindFacts[op.Kind].family {
	case arithmeticFamily:
		return arithmeticRule(op.Kind, operand, g, out, x)
	case powfFamily:
		return powfRule(operand, g, out, x)
	case maximumFamily:
		return maximumRule(operand, g, x, shared)
	case matmulFamily:
		return matmulRule(operand, g, x)
	case rowFamily:
		return rowRule(op.Kind, g, x[1])
	}
	return unaryRule(op, g, out, x[0])
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
