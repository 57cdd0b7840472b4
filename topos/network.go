package topos

// Network is the sealed spec: structure, shapes, initial payloads and input
// defaults. It holds no live weights and may be shared.
type Network[T any] struct {
	s        *spec[T]
	consumed bool
	view     bool
}

func (n *Network[T]) use(op string) *graph {
	if n.consumed {
		refuseName(ErrConsumed, op, "%s cannot use this network: it was reopened", op)
	}
	return n.s.g
}

// Reopen consumes the network and answers the tape again. Nodes do not move,
// so symbols, plans and runs of the prefix stay valid.
func (n *Network[T]) Reopen() *Tape[T] {
	n.use("reopen")
	if n.view {
		refuseName(ErrConsumed, "reopen", "reopen cannot use a view: its tape is still open")
	}
	n.consumed = true
	return &Tape[T]{s: n.s}
}

// Len is the number of nodes.
func (n *Network[T]) Len() int { return len(n.use("len").records) }

// Element describes the network's numbers.
func (n *Network[T]) Element() Element[T] { return Element[T]{n.s.k} }

// Node is the printed entry of a node.
func (n *Network[T]) Node(x Named) Node { return n.s.node(n.use("node").resolve("node", x.Symbol())) }

// Nodes lists every node, in order.
func (n *Network[T]) Nodes() []Node { n.use("nodes"); return n.s.nodes() }

// Payload is the recorded payload of a source, or nil for a computed node.
func (n *Network[T]) Payload(x Named) *Tensor[T] {
	return n.s.payload(n.use("payload").resolve("payload", x.Symbol()))
}

// Forward evaluates the whole network by the interpreter: the oracle that every
// plan must answer bit for bit under [Exact]. Inputs that are not fed use their
// defaults. The errors are those of the tables and feeds it is given.
func (n *Network[T]) Forward(p *Parameters[T], feeds ...Feed[T]) (*Run[T], error) {
	g := n.use("forward")
	all := make([]int, len(g.records))
	for i := range all {
		all[i] = i
	}
	return execute(n.s, &schedule{order: all, readable: all, whole: true}, p, feeds)
}

// Entry declares what a run may read: its roots, in order.
func (n *Network[T]) Entry(roots ...Named) Entry[T] {
	n.use("entry")
	return Entry[T]{s: n.s, roots: roots}
}
