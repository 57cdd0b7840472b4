package topos

// Sources: Leaf, Parameter, Input.
//
// A source has no operands; its payload is recorded beside it. A leaf is a
// constant, a parameter is trainable and takes its payload from the table of a
// run, an input is fed per run or falls back to what was recorded. They are
// recorded by the methods of [Tape]; here is the one constant that a value can
// ask for.

var (
	leafFacts      = facts{name: "Leaf", spelling: "leaf", family: sourceFamily}
	parameterFacts = facts{name: "Parameter", spelling: "parameter", family: sourceFamily}
	inputFacts     = facts{name: "Input", spelling: "input", family: sourceFamily}
)

// Filled records a constant leaf of the shape of v.
func (v Trace) Filled(x float64) Trace {
	g := v.tape.open("leaf")
	shape := g.records[g.resolve("leaf", v.symbol)].shape
	return v.tape.append(OpLeaf, v.tape.s.constant(shape, x), shape)
}

func (t *dense) Filled(x float64) *dense {
	return t.k.constant(t.shape, x)
}

// Filled is one number over the shape of t.
func (t *Tensor[T]) Filled(x float64) *Tensor[T] { return typed[T](t.t.Filled(x)) }
