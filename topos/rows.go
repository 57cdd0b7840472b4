package topos

// Rows: Gather takes rows of a table, Scatter adds rows into one. The second
// operand is a selection [rows, vocabulary], one-hot by row; each is the other's
// adjoint, and nothing flows into the selection.
//
//	kind     operands                  shape                  cotangents                 retains
//	Gather   table [vocabulary, ..]    [rows, ..]             Scatter(g, selection)      selection
//	Scatter  rows [rows, ..]           [vocabulary, ..]       Gather(g, selection)       selection
//
// Zeros of the selection are skipped, so that a row that is not selected cannot
// spoil the answer with a NaN. Scatter starts from +0 and adds by ascending
// selection row.

var (
	gatherFacts  = facts{name: "Gather", spelling: "gather", arity: 2, family: rowFamily, retains: right, stops: right}
	scatterFacts = facts{name: "Scatter", spelling: "scatter", arity: 2, family: rowFamily, retains: right, stops: right}
)

func rowShape(op Opcode, x []Shape) Shape {
	a, selection := x[0], x[1]
	if op.Kind == OpGather {
		if len(a) == 0 || len(selection) != 2 || selection[1] != a[0] {
			refuse("gather", []Shape{a, selection}, "", "gather cannot select from a table %v by %v", a, selection)
		}
		return a.with(0, selection[0])
	}
	if len(a) == 0 || len(selection) != 2 || selection[0] != a[0] {
		refuse("scatter", []Shape{a, selection}, "", "scatter cannot spread rows %v by %v", a, selection)
	}
	return a.with(0, selection[1])
}

// Gather takes rows of a table v by a one-hot selection [rows, vocabulary].
func (v Trace) Gather(selection Trace) Trace { return v.tape.apply2(OpGather, v, selection) }

// Scatter adds rows v where a one-hot selection [rows, vocabulary] points.
func (v Trace) Scatter(selection Trace) Trace { return v.tape.apply2(OpScatter, v, selection) }

func (t *dense) Gather(selection *dense) *dense {
	r := t.made(infer(Opcode{Kind: OpGather}, t.shape, selection.shape))
	t.k.gather(r.data, t.all(), selection.all(), selection.shape[0], selection.shape[1], t.shape[1:].Volume())
	return r
}

func (t *dense) Scatter(selection *dense) *dense {
	r := t.made(infer(Opcode{Kind: OpScatter}, t.shape, selection.shape))
	t.k.scatter(r.data, t.all(), selection.all(), selection.shape[0], selection.shape[1], t.shape[1:].Volume())
	return r
}

// gather skips the zeros of a selection row, so that an unselected row of the
// table cannot spoil the answer with a NaN.
func gather[T native](dst, table, selection []T, rows, vocabulary, inner int) {
	clear(dst)
	for r := range rows {
		d, first := dst[r*inner:(r+1)*inner], true
		for v, s := range selection[r*vocabulary : (r+1)*vocabulary] {
			if s == 0 {
				continue
			}
			row := table[v*inner : (v+1)*inner]
			for i := range d {
				if first {
					d[i] = T(s * row[i])
				} else {
					d[i] += T(s * row[i])
				}
			}
			first = false
		}
	}
}

// scatter starts from +0 and adds by ascending selection row.
func scatter[T native](dst, rows, selection []T, count, vocabulary, inner int) {
	clear(dst)
	for r := range count {
		row := rows[r*inner : (r+1)*inner]
		for v, s := range selection[r*vocabulary : (r+1)*vocabulary] {
			if s == 0 {
				continue
			}
			d := dst[v*inner : (v+1)*inner]
			for i := range d {
				d[i] += T(s * row[i])
			}
		}
	}
}

func rowRule[R Recordable[R]](kind Kind, g, selection R) R {
	if kind == OpGather {
		return g.Scatter(selection)
	}
	return g.Gather(selection)
}

// Gather takes the rows of t that a one-hot selection [rows, vocabulary] names.
func (t *Tensor[T]) Gather(selection *Tensor[T]) *Tensor[T] {
	return typed[T](t.t.Gather(&selection.t))
}

// Scatter adds the rows of t where a one-hot selection [rows, vocabulary] points.
func (t *Tensor[T]) Scatter(selection *Tensor[T]) *Tensor[T] {
	return typed[T](t.t.Scatter(&selection.t))
}
