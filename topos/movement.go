package topos

import "slices"

// Movement: Reshape gives the same elements, row-major, another shape of equal
// volume; Permute reorders axes: axis i of the answer is axis order[i] of x.
//
//	kind     attributes  cotangent of x                   retains
//	Reshape  shape       Reshape(g, shape of x)           nothing
//	Permute  order       Permute(g, inverse order)        nothing

var (
	reshapeFacts = facts{name: "Reshape", spelling: "reshape", arity: 1, family: movementFamily, attributes: dimsShape}
	permuteFacts = facts{name: "Permute", spelling: "permute", arity: 1, family: movementFamily, attributes: dimsOrder}
)

func movementShape(op Opcode, a Shape) Shape {
	if op.Kind == OpPermute {
		return permuteShape(op, a)
	}
	needShape(op, a, op.Dims)
	if op.Dims.Volume() != a.Volume() {
		refuse("reshape", []Shape{a}, op.Attributes(), "reshape cannot make %v of %v: %d elements are not %d", op.Dims, a, op.Dims.Volume(), a.Volume())
	}
	return op.Dims
}

func permuteShape(op Opcode, a Shape) Shape {
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

// Reshape gives the same elements, row-major, another shape of equal volume.
func (v Trace) Reshape(shape Shape) Trace {
	return v.tape.apply(Opcode{Kind: OpReshape, Dims: shape}, v)
}

// Permute reorders the axes: axis i of the answer is axis order[i] of v.
func (v Trace) Permute(order ...int) Trace {
	return v.tape.apply(Opcode{Kind: OpPermute, Dims: order}, v)
}

func (t *dense) Reshape(shape Shape) *dense {
	return &dense{t.k, infer(Opcode{Kind: OpReshape, Dims: clone(shape)}, t.shape), t.data, t.n}
}

func (t *dense) Permute(order ...int) *dense {
	shape := infer(Opcode{Kind: OpPermute, Dims: order}, t.shape)
	if t.uniform() {
		return &dense{t.k, shape, t.data, t.n}
	}
	strides := make([]int, len(t.shape))
	for i, stride := len(t.shape)-1, 1; i >= 0; i-- {
		strides[i] = stride
		stride *= t.shape[i]
	}
	moved := make([]int, len(order))
	for i, d := range order {
		moved[i] = strides[d]
	}
	r := t.made(shape)
	t.k.permute(r.data, t.data, shape, moved)
	return r
}

// permute walks the answer in order, moving through the source by strides.
func permute[T any](dst, src []T, shape Shape, strides []int) {
	at, from := make([]int, len(shape)), 0
	for i := range dst {
		dst[i] = src[from]
		for d := len(shape) - 1; d >= 0; d-- {
			at[d]++
			from += strides[d]
			if at[d] < shape[d] {
				break
			}
			from -= at[d] * strides[d]
			at[d] = 0
		}
	}
}

func movementRule[R Recordable[R]](op Opcode, g, x R) R {
	if op.Kind == OpReshape {
		return g.Reshape(x.Shape())
	}
	return g.Permute(inverse(op.Dims)...)
}

// inverse is the order that undoes an order.
func inverse(order []int) []int {
	r := slices.Clone(order)
	for i, d := range order {
		r[d] = i
	}
	return r
}

// Reshape gives the same elements, row-major, another shape.
func (t *Tensor[T]) Reshape(shape Shape) *Tensor[T] { return typed[T](t.t.Reshape(shape)) }

// Permute reorders the axes: axis i of the answer is axis order[i] of t.
func (t *Tensor[T]) Permute(order ...int) *Tensor[T] { return typed[T](t.t.Permute(order...)) }
