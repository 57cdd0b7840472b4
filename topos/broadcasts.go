package topos

// Broadcasts: Broadcast spreads one element over a shape, BroadcastAlong repeats
// a value along a new axis. Copies only; no arithmetic.
//
//	kind            operand     attributes     cotangent of x                       retains
//	Broadcast       volume 1    shape          Broadcast(Sum(g), shape of x)        nothing
//	BroadcastAlong  any         axis, extent   SumAlong(g, axis)                    nothing
//
// The rule of Broadcast records both nodes for an operand of rank 0 too.

var (
	broadcastFacts      = facts{name: "Broadcast", spelling: "broadcast", arity: 1, family: broadcastFamily, attributes: dimsShape}
	broadcastAlongFacts = facts{name: "BroadcastAlong", spelling: "broadcast_along", arity: 1, family: broadcastFamily, attributes: axisExtent}
)

func broadcastShape(op Opcode, a Shape) Shape {
	if op.Kind == OpBroadcastAlong {
		return broadcastAlongShape(op, a)
	}
	if a.Volume() != 1 {
		refuse("broadcast", []Shape{a}, op.Attributes(), "broadcast spreads one element, not %v over %v", a, op.Dims)
	}
	needShape(op, a, op.Dims)
	return op.Dims
}

func broadcastAlongShape(op Opcode, a Shape) Shape {
	if op.Axis < 0 || op.Axis > len(a) || op.Extent < 1 {
		refuse("broadcast_along", []Shape{a}, op.Attributes(), "broadcast_along cannot insert axis %d of extent %d into %v", op.Axis, op.Extent, a)
	}
	r := a.inserted(op.Axis, op.Extent)
	needShape(op, a, r)
	return r
}

// Broadcast spreads a value of one element over a shape.
func (v Trace) Broadcast(shape Shape) Trace {
	return v.tape.apply(Opcode{Kind: OpBroadcast, Dims: shape}, v)
}

// BroadcastAlong repeats the value along a new axis of an extent.
func (v Trace) BroadcastAlong(axis, extent int) Trace {
	return v.tape.apply(Opcode{Kind: OpBroadcastAlong, Axis: axis, Extent: extent}, v)
}

func (t *dense) Broadcast(shape Shape) *dense {
	return &dense{t.k, infer(Opcode{Kind: OpBroadcast, Dims: clone(shape)}, t.shape), t.data, 1}
}

func (t *dense) BroadcastAlong(axis, extent int) *dense {
	shape := infer(Opcode{Kind: OpBroadcastAlong, Axis: axis, Extent: extent}, t.shape)
	if t.uniform() {
		return &dense{t.k, shape, t.data, t.n}
	}
	r := t.made(shape)
	inner := t.shape[axis:].Volume()
	for o := range t.shape[:axis].Volume() {
		for e := range extent {
			t.k.move(r.data, (o*extent+e)*inner, t.data, o*inner, inner)
		}
	}
	return r
}

func broadcastRule[R Recordable[R]](op Opcode, g, x R) R {
	if op.Kind == OpBroadcast {
		return g.Sum().Broadcast(x.Shape())
	}
	return g.SumAlong(op.Axis)
}

// Broadcast spreads one element over a shape.
func (t *Tensor[T]) Broadcast(shape Shape) *Tensor[T] { return typed[T](t.t.Broadcast(shape)) }

// BroadcastAlong repeats the tensor along a new axis.
func (t *Tensor[T]) BroadcastAlong(axis int, extent int) *Tensor[T] {
	return typed[T](t.t.BroadcastAlong(axis, extent))
}
