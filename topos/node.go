package topos

// Node is one recorded entry: what describe prints a line of.
type Node struct {
	symbol   Symbol
	opcode   Opcode
	operands []Symbol
	shape    Shape
	origin   Origin
	g        *graph
}

// Symbol names the node.
func (n Node) Symbol() Symbol { return n.symbol }

// Opcode is the instruction.
func (n Node) Opcode() Opcode { return n.opcode }

// Operands name what the node reads, in order.
func (n Node) Operands() []Symbol { return n.operands }

// Shape is the inferred shape.
func (n Node) Shape() Shape { return n.shape }

// Origin is where the node was recorded, and by which derivative rule.
func (n Node) Origin() Origin { return n.origin }

// Why says the origin in words; "" where nothing is known.
func (n Node) Why() string { return n.g.why(n.symbol.Index()) }

// IsSource says whether the node has no operands.
func (n Node) IsSource() bool { return n.opcode.Kind.IsSource() }

// String is the node's line as describe prints it.
func (n Node) String() string {
	var xs [2]int
	for i, o := range n.operands {
		xs[i] = o.Index()
	}
	return string(appendLine(nil, n.symbol.Index(), n.opcode, xs[:len(n.operands)], n.shape))
}

func (s *spec) node(i int) Node {
	g := s.g
	xs, arity := g.records[i].operands()
	n := Node{symbol: g.symbol(i), opcode: g.opcode(i), shape: g.shape(i), origin: g.origin(i), g: g}
	for _, x := range xs[:arity] {
		n.operands = append(n.operands, g.symbol(x))
	}
	return n
}

func (s *spec) nodes() []Node {
	r := make([]Node, len(s.g.records))
	for i := range r {
		s.g.pause(i)
		r[i] = s.node(i)
	}
	return r
}

// Pick gathers payloads by symbol: the operands of a node in a walk by hand.
func Pick[R any](payloads []R, at []Symbol) []R {
	r := make([]R, len(at))
	for i, s := range at {
		r[i] = payloads[s.Index()]
	}
	return r
}

// Must unwraps a call that answers a value and an error, for cells and
// examples. It panics with the error.
func Must[V any](v V, err error) V {
	if err != nil {
		panic(err)
	}
	return v
}
