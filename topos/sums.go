package topos

// Sums: Sum over every element, SumAlong over one axis, which it removes.
//
// Both are sequential and start from the first element: row-major, and ascending
// along the axis. So the sum of one element is that element, -0 included.
//
//	kind      attributes  shape         cotangent of x                      retains
//	Sum                   []            Broadcast(g, shape of x)            nothing
//	SumAlong  axis        without axis  BroadcastAlong(g, axis, extent)     nothing

var (
	sumFacts      = facts{name: "Sum", spelling: "sum", arity: 1, family: sumFamily}
	sumAlongFacts = facts{name: "SumAlong", spelling: "sum_along", arity: 1, family: sumFamily, attributes: axisOnly}
)

func sumShape(op Opcode, a Shape) Shape {
	if op.Kind == OpSum {
		return Shape{}
	}
	needAxis(op, a)
	return a.without(op.Axis)
}

// Sum adds every element into a scalar.
func (v Trace) Sum() Trace { return v.tape.apply(Opcode{Kind: OpSum}, v) }

// SumAlong adds along an axis, which it removes.
func (v Trace) SumAlong(axis int) Trace {
	return v.tape.apply(Opcode{Kind: OpSumAlong, Axis: axis}, v)
}

func (t *dense) Sum() *dense {
	r := t.made(Shape{})
	t.k.sum(r.data, t.all())
	return r
}

func (t *dense) SumAlong(axis int) *dense {
	return t.lanes(Opcode{Kind: OpSumAlong, Axis: axis}, t.k.sumAlong)
}

// sum is sequential and row-major, seeded with the first element.
func sum[T native](a []T) T {
	s := a[0]
	for _, x := range a[1:] {
		s += x
	}
	return s
}

// sumAlong adds ascending along the axis, seeded with the first.
func sumAlong[T native](dst, a []T, outer, extent, inner int) {
	for o := range outer {
		d, block := dst[o*inner:(o+1)*inner], a[o*extent*inner:(o+1)*extent*inner]
		copy(d, block)
		for e := 1; e < extent; e++ {
			row := block[e*inner : (e+1)*inner]
			for i := range d {
				d[i] += row[i]
			}
		}
	}
}

func sumRule[R Recordable[R]](op Opcode, g, x R) R {
	if op.Kind == OpSum {
		return g.Broadcast(x.Shape())
	}
	return g.BroadcastAlong(op.Axis, x.Shape()[op.Axis])
}

// Sum adds every element, row-major, into a scalar.
func (t *Tensor[T]) Sum() *Tensor[T] { return typed[T](t.t.Sum()) }

// SumAlong adds along an axis, ascending, and removes it.
func (t *Tensor[T]) SumAlong(axis int) *Tensor[T] { return typed[T](t.t.SumAlong(axis)) }
