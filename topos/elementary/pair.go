package elementary

import "math"

// pair is the unevaluated sum hi + lo of two float64, with |lo| at most half a
// unit in the last place of hi: about 106 bits (Dekker 1971). The error bounds
// of the operations are those of Joldes, Muller and Popescu, "Tight and
// rigorous error bounds for basic building blocks of double-word arithmetic"
// (2017): a few units of 2^-106, relative.
type pair struct{ hi, lo float64 }

// exactSum is a + b without error (Knuth, TAOCP 2, 4.2.2).
func exactSum(a, b float64) pair {
	s := a + b
	t := s - a
	return pair{s, (a - (s - t)) + (b - t)}
}

// orderedSum is a + b without error when |a| is at least |b| or a is 0 (Dekker 1971).
func orderedSum(a, b float64) pair {
	s := a + b
	return pair{s, b - (s - a)}
}

// exactProduct is a * b without error, unless the error underflows. A fused
// multiply-add is exact everywhere, in hardware or at a cost in software; where
// there is hardware it takes half the time of Dekker's split factors.
func exactProduct(a, b float64) pair {
	p := float64(a * b)
	return pair{p, math.FMA(a, b, -p)}
}

func (a pair) negated() pair { return pair{-a.hi, -a.lo} }

// plus is a + b whatever their signs and sizes.
func (a pair) plus(b pair) pair {
	s, t := exactSum(a.hi, b.hi), exactSum(a.lo, b.lo)
	s = orderedSum(s.hi, s.lo+t.hi)
	return orderedSum(s.hi, s.lo+t.lo)
}

// plusSmaller is a + b when |b| is below |a|/2 or a is 0.
func (a pair) plusSmaller(b pair) pair {
	s := orderedSum(a.hi, b.hi)
	return orderedSum(s.hi, (a.lo+b.lo)+s.lo)
}

func (a pair) times(b pair) pair {
	p := exactProduct(a.hi, b.hi)
	return orderedSum(p.hi, p.lo+(float64(a.hi*b.lo)+float64(a.lo*b.hi)))
}

// scaled is a * b.
func (a pair) scaled(b float64) pair {
	p := exactProduct(a.hi, b)
	return orderedSum(p.hi, p.lo+float64(a.lo*b))
}

func (a pair) over(b pair) pair {
	q := a.hi / b.hi
	r := a.plus(b.scaled(-q))
	return orderedSum(q, r.hi/b.hi)
}

// times2 is a * 2^e, for a power of two in range.
func (a pair) times2(e int) pair {
	p := powerOf2(e)
	return pair{float64(a.hi * p), float64(a.lo * p)}
}
