package topos

import "strconv"

// Symbol is a detached name of a node: the family of its tape, its position,
// and the generation in which that position was written. It is comparable and
// carries no element type. A symbol taken before a seal or a reopen names the
// same node afterwards; a symbol of a node that was cut is refused.
type Symbol struct {
	family            uint64
	index, generation uint32
}

// Index is the node's position on its tape, the number describe prints.
func (s Symbol) Index() int { return int(s.index) }

// String prints the position: #3.
func (s Symbol) String() string { return "#" + strconv.Itoa(int(s.index)) }

// Symbol makes a Symbol a [Named].
func (s Symbol) Symbol() Symbol { return s }

// Named is a Symbol or a Value: readers take either.
type Named interface{ Symbol() Symbol }

// Detach turns values into symbols, in order: the names that leave construction.
func Detach(values ...Trace) []Symbol {
	r := make([]Symbol, len(values))
	for i, v := range values {
		r[i] = v.symbol
	}
	return r
}
