package topos

// Network is the sealed spec: structure, shapes, initial payloads and input
// defaults. It holds no live weights and may be shared.
type network struct {
	s        *spec
	consumed bool
	view     bool
}

func (n *network) use(op string) *graph {
	if n.consumed {
		refuseName(ErrConsumed, op, "%s cannot use this network: it was reopened", op)
	}
	return n.s.g
}

// Reopen consumes the network and answers the tape again. Nodes do not move,
// so symbols, plans and runs of the prefix stay valid.
func (n *network) Reopen() *tape {
	n.use("reopen")
	if n.view {
		refuseName(ErrConsumed, "reopen", "reopen cannot use a view: its tape is still open")
	}
	n.consumed = true
	return &tape{s: n.s}
}

// Len is the number of nodes.
func (n *network) Len() int { return len(n.use("len").records) }

// Forward evaluates the whole network by the interpreter: the oracle that every
// plan must answer bit for bit under [Exact]. Inputs that are not fed use their
// defaults. The errors are those of the tables and feeds it is given.
func (n *network) Forward(p *table, feeds ...feed) (*run, error) {
	g := n.use("forward")
	all := make([]int, len(g.records))
	for i := range all {
		all[i] = i
	}
	return execute(n.s, &schedule{order: all, readable: all, whole: true}, p, feeds)
}

// Entry declares what a run may read: its roots, in order.
func (n *network) Entry(roots ...Named) entry {
	n.use("entry")
	return entry{s: n.s, roots: roots}
}
