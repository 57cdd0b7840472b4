package topos

import "slices"

// infer gives the shape of an operation over operand shapes, or refuses. It is
// the one place where shapes are checked: recording, decoding and computing
// all pass through it.
func infer(op Opcode, x ...Shape) Shape {
	a := x[0]
	name := op.Kind.Spelling()
	switch op.Kind {
	case OpAdd, OpSub, OpMul, OpDiv, OpPowf, OpMaximum, OpStep:
		if !a.Equal(x[1]) {
			refuse(name, x, "", "%s needs equal shapes, not %v and %v", name, a, x[1])
		}
		return a
	case OpMatMul:
		return inferMatMul(a, x[1])
	case OpSum:
		return Shape{}
	case OpSumAlong, OpLogSumExp:
		needAxis(op, a)
		return a.without(op.Axis)
	case OpLogSoftmax:
		needAxis(op, a)
		return a
	case OpBroadcast:
		if a.Volume() != 1 {
			refuse(name, x, op.Attributes(), "broadcast spreads one element, not %v over %v", a, op.Dims)
		}
		needShape(op, a, op.Dims)
		return op.Dims
	case OpBroadcastAlong:
		return inferBroadcastAlong(op, a)
	case OpReshape:
		needShape(op, a, op.Dims)
		if op.Dims.Volume() != a.Volume() {
			refuse(name, x, op.Attributes(), "reshape cannot make %v of %v: %d elements are not %d", op.Dims, a, op.Dims.Volume(), a.Volume())
		}
		return op.Dims
	case OpPermute:
		return inferPermute(op, a)
	case OpNarrow, OpPad:
		return inferNarrowPad(op, a)
	case OpUnfold, OpFold:
		return inferWindow(op, a)
	case OpGather:
		if len(a) == 0 || len(x[1]) != 2 || x[1][1] != a[0] {
			refuse(name, x, "", "gather cannot select from a table %v by %v", a, x[1])
		}
		return a.with(0, x[1][0])
	case OpScatter:
		if len(a) == 0 || len(x[1]) != 2 || x[1][0] != a[0] {
			refuse(name, x, "", "scatter cannot spread rows %v by %v", a, x[1])
		}
		return a.with(0, x[1][1])
	default: // maps and neg
		return a
	}
}

func inferMatMul(a, b Shape) Shape {
	n := len(a)
	if n < 2 || n != len(b) || a[n-1] != b[n-2] || !a[:n-2].Equal(b[:n-2]) {
		refuse("matmul", []Shape{a, b}, "", "matmul cannot multiply %v by %v", a, b)
	}
	return a.with(n-1, b[n-1])
}

func inferBroadcastAlong(op Opcode, a Shape) Shape {
	if op.Axis < 0 || op.Axis > len(a) || op.Extent < 1 {
		refuse("broadcast_along", []Shape{a}, op.Attributes(), "broadcast_along cannot insert axis %d of extent %d into %v", op.Axis, op.Extent, a)
	}
	r := a.inserted(op.Axis, op.Extent)
	needShape(op, a, r)
	return r
}

func inferPermute(op Opcode, a Shape) Shape {
	seen := make([]bool, len(a))
	ok := len(op.Dims) == len(a)
	for _, d := range op.Dims {
		ok = ok && d >= 0 && d < len(a) && !seen[d]
		if ok {
			seen[d] = true
		}
	}
	if !ok {
		refuse("permute", []Shape{a}, op.Attributes(), "permute cannot order the axes of %v by %v", a, op.Dims)
	}
	r := make(Shape, len(a))
	for i, d := range op.Dims {
		r[i] = a[d]
	}
	return r
}

func inferNarrowPad(op Opcode, a Shape) Shape {
	needAxis(op, a)
	extent := a[op.Axis]
	if op.Kind == OpNarrow {
		if op.Length < 1 || op.Start < 0 || op.Start > extent-op.Length {
			refuse("narrow", []Shape{a}, op.Attributes(), "narrow cannot keep %d from %d of axis %d of %v", op.Length, op.Start, op.Axis, a)
		}
		return a.with(op.Axis, op.Length)
	}
	if op.Start < 0 || op.Start > op.Extent-extent {
		refuse("pad", []Shape{a}, op.Attributes(), "pad cannot place axis %d of %v at %d of %d", op.Axis, a, op.Start, op.Extent)
	}
	r := a.with(op.Axis, op.Extent)
	needShape(op, a, r)
	return r
}

// inferWindow: unfold replaces an axis by (count, size); fold takes them back.
func inferWindow(op Opcode, a Shape) Shape {
	name := op.Kind.Spelling()
	if op.Size < 1 || op.Step < 1 || op.Dilation < 1 {
		refuse(name, []Shape{a}, op.Attributes(), "%s needs a size, step and dilation of at least 1, not %s over %v", name, op.Attributes(), a)
	}
	if op.Kind == OpUnfold {
		needAxis(op, a)
		count := windows(a[op.Axis], op)
		if count < 1 {
			refuse(name, []Shape{a}, op.Attributes(), "unfold finds no window of %s in axis %d of %v", op.Attributes(), op.Axis, a)
		}
		r := a.without(op.Axis).inserted(op.Axis, count, op.Size)
		needShape(op, a, r)
		return r
	}
	if op.Axis < 0 || op.Axis+1 >= len(a) || a[op.Axis+1] != op.Size || op.Extent < 1 || windows(op.Extent, op) != a[op.Axis] {
		refuse(name, []Shape{a}, op.Attributes(), "fold cannot lay the windows of %v back by %s", a, op.Attributes())
	}
	r := a.without(op.Axis).with(op.Axis, op.Extent)
	needShape(op, a, r)
	return r
}

// windows counts the windows along an extent. Sizes so large that their span
// would overflow find none.
func windows(extent int, op Opcode) int {
	if op.Size > extent || (op.Size > 1 && op.Dilation > extent) {
		return 0
	}
	span := (op.Size-1)*op.Dilation + 1
	if span > extent {
		return 0
	}
	return (extent-span)/op.Step + 1
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

// swapLast is the order that exchanges the last two axes.
func swapLast(rank int) []int {
	order := make([]int, rank)
	for i := range order {
		order[i] = i
	}
	order[rank-1], order[rank-2] = order[rank-2], order[rank-1]
	return order
}

// inverse is the order that undoes an order.
func inverse(order []int) []int {
	r := slices.Clone(order)
	for i, d := range order {
		r[d] = i
	}
	return r
}
