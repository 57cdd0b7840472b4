package topos

// infer gives the shape of an operation over operand shapes, or refuses. It is
// the one place where shapes are checked: recording, decoding and computing
// all pass through it. Each family has its rule beside its arithmetic.
func infer(op Opcode, x ...Shape) Shape {
	a := x[0]
	switch kindFacts[op.Kind].family {
	case arithmeticFamily, powfFamily, maximumFamily:
		if kindFacts[op.Kind].arity == 2 {
			return equalShapes(op, x)
		}
	case matmulFamily:
		return matmulShape(a, x[1])
	case sumFamily:
		return sumShape(op, a)
	case broadcastFamily:
		return broadcastShape(op, a)
	case movementFamily:
		return movementShape(op, a)
	case narrowFamily:
		return narrowShape(op, a)
	case windowFamily:
		return windowShape(op, a)
	case rowFamily:
		return rowShape(op, x)
	case logFamily:
		return logShape(op, a)
	}
	return a // maps and neg
}

func needAxis(op Opcode, a Shape) {
	if op.Axis < 0 || op.Axis >= len(a) {
		name := op.Kind.Spelling()
		refuse(name, []Shape{a}, op.Attributes(), "%s finds no axis %d in %v", name, op.Axis, a)
	}
}

func needShape(op Opcode, a, made Shape) {
	if fault := made.fault(); fault != "" {
		name := op.Kind.Spelling()
		refuse(name, []Shape{a}, op.Attributes(), "%s of %v cannot make %v: %s", name, a, made, fault)
	}
}
