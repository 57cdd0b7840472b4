package topos

// Plan is a derived schedule: what to run, what to keep, what to free. It
// freezes a prefix of its tape and takes parameters per call, so it holds no
// state and survives every training step and every reopen.
type plan struct {
	s        *spec
	sc       *schedule
	numerics Numerics

	candidates []Pattern // what discovery found
	elected    []Pattern // what describe and the accounting show
}

// Forward runs the plan. Under [Exact] it answers the interpreter's bits.
// Errors are those of the parameter table and the feeds.
func (p *plan) Forward(table *table, feeds ...feed) (*run, error) {
	return execute(p.s, p.sc, table, feeds)
}

// Results lists the readable values: roots, then observes.
func (p *plan) Results() []Symbol {
	r := make([]Symbol, len(p.sc.readable))
	for k, i := range p.sc.readable {
		r[k] = p.s.g.symbol(i)
	}
	return r
}

// LiveSeries is the number of live elements at each scheduled node that is not
// fused.
func (p *plan) LiveSeries() []int { return append([]int(nil), p.sc.live...) }

// Peak is the largest number of live elements and the node where it occurs.
func (p *plan) Peak() (elements int, node Symbol) {
	return p.sc.peak, p.s.g.symbol(p.sc.peakNode)
}
