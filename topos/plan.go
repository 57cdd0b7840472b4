package topos

// Plan is a derived schedule: what to run, what to keep, what to free. It
// freezes a prefix of its tape and takes parameters per call, so it holds no
// state and survives every training step and every reopen.
type Plan[T any] struct {
	s        *spec[T]
	sc       *schedule
	numerics Numerics
}

// Forward runs the plan. Under [Exact] it answers the interpreter's bits.
// Errors are those of the parameter table and the feeds.
func (p *Plan[T]) Forward(table *Parameters[T], feeds ...Feed[T]) (*Run[T], error) {
	return execute(p.s, p.sc, table, feeds)
}

// Results lists the readable values: roots, then observes.
func (p *Plan[T]) Results() []Symbol {
	r := make([]Symbol, len(p.sc.readable))
	for k, i := range p.sc.readable {
		r[k] = p.s.g.symbol(i)
	}
	return r
}

// LiveSeries is the number of live elements at each scheduled node.
func (p *Plan[T]) LiveSeries() []int { return append([]int(nil), p.sc.live...) }

// Peak is the largest number of live elements and the node where it occurs.
func (p *Plan[T]) Peak() (elements int, node Symbol) {
	return p.sc.peak, p.s.g.symbol(p.sc.peakNode)
}

// RetainAll is the number of elements if nothing were freed.
func (p *Plan[T]) RetainAll() int { return p.sc.retainAll }

// Numerics is Fast or Exact, as the entry declared.
func (p *Plan[T]) Numerics() Numerics { return p.numerics }
