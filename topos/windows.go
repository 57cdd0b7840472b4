package topos

// Windows: Unfold replaces an axis by windows along it, two axes (count, size);
// Fold adds windows back into an axis. Each is the other's adjoint, so a
// convolution and its derivative need no kinds of their own (im2col; Chellapilla,
// Puri and Simard 2006).
//
// Position p of window w is element w*step + p*dilation of the axis. There are
// (extent - span)/step + 1 windows, span = (size - 1)*dilation + 1; elements past
// the last window are in none. Fold starts from +0 and adds by ascending position
// in the window.
//
//	kind    attributes                            cotangent of x                retains
//	Unfold  axis, size, step, dilation            Fold(g) to the extent of x    nothing
//	Fold    axis, size, step, dilation, extent    Unfold(g)                     nothing

var (
	unfoldFacts = facts{name: "Unfold", spelling: "unfold", arity: 1, family: windowFamily, attributes: unfolding}
	foldFacts   = facts{name: "Fold", spelling: "fold", arity: 1, family: windowFamily, attributes: folding}
)

// windowShape: unfold replaces an axis by (count, size); fold takes them back.
func windowShape(op Opcode, a Shape) Shape {
	name := op.Kind.Spelling()
	if op.Size < 1 || op.Step < 1 || op.Dilation < 1 {
		refuse(name, []Shape{a}, op.Attributes(), "%s needs a size, step and dilation of at least 1, not %s over %v", name, op.Attributes(), a)
	}
	if op.Step > MaxVolume || op.Dilation > MaxVolume {
		refuse(name, []Shape{a}, op.Attributes(), "%s takes a step and dilation of at most %d, not %s over %v", name, MaxVolume, op.Attributes(), a)
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

// Unfold replaces an axis by windows along it: two axes, (count, size).
func (v Trace) Unfold(axis, size, step, dilation int) Trace {
	return v.tape.apply(Opcode{Kind: OpUnfold, Axis: axis, Size: size, Step: step, Dilation: dilation}, v)
}

// Fold adds windows back into an axis of an extent: the adjoint of Unfold.
func (v Trace) Fold(axis, size, step, dilation, extent int) Trace {
	return v.tape.apply(Opcode{Kind: OpFold, Axis: axis, Size: size, Step: step, Dilation: dilation, Extent: extent}, v)
}

func (t *dense) Unfold(axis, size, step, dilation int) *dense {
	shape := infer(Opcode{Kind: OpUnfold, Axis: axis, Size: size, Step: step, Dilation: dilation}, t.shape)
	if t.uniform() {
		return &dense{t.k, shape, t.data, t.n}
	}
	r := t.made(shape)
	outer, extent, inner := t.shape.around(axis)
	count := shape[axis]
	for o := range outer {
		for w := range count {
			for p := range size {
				t.k.move(r.data, ((o*count+w)*size+p)*inner, t.data, (o*extent+w*step+p*dilation)*inner, inner)
			}
		}
	}
	return r
}

func (t *dense) Fold(axis, size, step, dilation, extent int) *dense {
	op := Opcode{Kind: OpFold, Axis: axis, Size: size, Step: step, Dilation: dilation, Extent: extent}
	r := t.made(infer(op, t.shape))
	t.k.fold(r.data, t.all(), t.shape[:axis].Volume(), t.shape[axis+2:].Volume(), t.shape[axis], extent, op)
	return r
}

// fold starts from +0 and adds by ascending position in the window.
func fold[T native](dst, a []T, outer, inner, count, extent int, op Opcode) {
	clear(dst)
	for o := range outer {
		for p := range op.Size {
			for w := range count {
				d := dst[(o*extent+w*op.Step+p*op.Dilation)*inner:][:inner]
				s := a[((o*count+w)*op.Size+p)*inner:][:inner]
				for i := range d {
					d[i] += s[i]
				}
			}
		}
	}
}

func windowRule[R Recordable[R]](op Opcode, g, x R) R {
	if op.Kind == OpUnfold {
		return g.Fold(op.Axis, op.Size, op.Step, op.Dilation, x.Shape()[op.Axis])
	}
	return g.Unfold(op.Axis, op.Size, op.Step, op.Dilation)
}

// Unfold replaces an axis by windows along it: (count, size).
func (t *Tensor[T]) Unfold(axis int, size int, step int, dilation int) *Tensor[T] {
	return typed[T](t.t.Unfold(axis, size, step, dilation))
}

// Fold adds windows back where Unfold would take them from.
func (t *Tensor[T]) Fold(axis int, size int, step int, dilation int, extent int) *Tensor[T] {
	return typed[T](t.t.Fold(axis, size, step, dilation, extent))
}
