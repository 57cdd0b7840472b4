package topos

// MatMul: [.., m, k] by [.., k, n] gives [.., m, n]; both have at least two axes
// and the same leading ones, which are batches.
//
// An element of the answer starts as its first product, then adds the others by
// ascending k, each multiplied, rounded, then added: no fused operation and no
// blocking over k. Doing several columns or rows at a time keeps that order.
//
//	kind    cotangents of a, b                   retains
//	MatMul  g @ swap(b), swap(a) @ g             a, b
//
// where swap is a Permute of the last two axes.

var matmulFacts = facts{name: "MatMul", spelling: "matmul", arity: 2, family: matmulFamily, retains: left | right}

func matmulShape(a, b Shape) Shape {
	n := len(a)
	if n < 2 || n != len(b) || a[n-1] != b[n-2] || !a[:n-2].Equal(b[:n-2]) {
		refuse("matmul", []Shape{a, b}, "", "matmul cannot multiply %v by %v", a, b)
	}
	return a.with(n-1, b[n-1])
}

// MatMul multiplies the last two axes, [.., m, k] by [.., k, n]; leading axes
// are batches and must agree.
func (v Trace) MatMul(o Trace) Trace { return v.tape.apply2(OpMatMul, v, o) }

func (t *dense) MatMul(o *dense) *dense {
	r := t.made(infer(Opcode{Kind: OpMatMul}, t.shape, o.shape))
	n := len(t.shape)
	t.k.matmul(r.data, t.all(), o.all(), t.shape[:n-2].Volume(), t.shape[n-2], t.shape[n-1], o.shape[n-1])
	return r
}

// matmul starts each output with its first product and adds ascending. Running
// the columns innermost keeps that order while reading rows of b.
func matmul[T native](dst, a, b []T, batch, rows, inner, columns int) {
	for z := range batch {
		for i := range rows {
			d := dst[(z*rows+i)*columns : (z*rows+i+1)*columns]
			x := a[(z*rows+i)*inner : (z*rows+i+1)*inner]
			y := b[z*inner*columns : (z+1)*inner*columns]
			for j := range d {
				d[j] = T(x[0] * y[j])
			}
			for k := 1; k < inner; k++ {
				row, xk := y[k*columns:(k+1)*columns], x[k]
				for j := range d {
					d[j] += T(xk * row[j])
				}
			}
		}
	}
}

func matmulRule[R Recordable[R]](operand int, g R, x []R) R {
	swap := swapLast(len(x[0].Shape()))
	if operand == 0 {
		return g.MatMul(x[1].Permute(swap...))
	}
	return x[0].Permute(swap...).MatMul(g)
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

// MatMul multiplies the last two axes; leading axes are batches.
func (t *Tensor[T]) MatMul(o *Tensor[T]) *Tensor[T] { return typed[T](t.t.MatMul(&o.t)) }
