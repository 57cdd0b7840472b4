package elementary

import (
	"math"
	"math/big"
	"sync"
)

// The oracle: each function in math/big by its power series, at a precision
// far beyond what is checked. It shares no code and no table with the package.

// oraclePrecision is the precision of an answer in bits; the guard bits of the
// work are beyond it.
const (
	oraclePrecision = 320
	guard           = 96
	workPrecision   = oraclePrecision + guard
	// reductionPrecision holds pi well enough to take multiples of it out of
	// the largest float64.
	reductionPrecision = workPrecision + 1200
)

func number(x float64) *big.Float { return precise().SetFloat64(x) }

func whole(n int64) *big.Float { return precise().SetInt64(n) }

func precise() *big.Float { return new(big.Float).SetPrec(workPrecision) }

func plus(a, b *big.Float) *big.Float    { return precise().Add(a, b) }
func minus(a, b *big.Float) *big.Float   { return precise().Sub(a, b) }
func product(a, b *big.Float) *big.Float { return precise().Mul(a, b) }
func ratio(a, b *big.Float) *big.Float   { return precise().Quo(a, b) }

func shifted(a *big.Float, n int) *big.Float { return precise().SetMantExp(a, n) }

// negligible reports whether term no longer counts beside total.
func negligible(term, total *big.Float) bool {
	return term.Sign() == 0 || term.MantExp(nil) < total.MantExp(nil)-workPrecision-8
}

// bigLn2 is 2 artanh(1/3).
var bigLn2 = sync.OnceValue(func() *big.Float {
	return shifted(artanh(ratio(whole(1), whole(3))), 1)
})

// bigPi is Machin's 16 arctan(1/5) - 4 arctan(1/239), at reductionPrecision.
var bigPi = sync.OnceValue(func() *big.Float {
	arctan := func(n int64) *big.Float {
		wide := func() *big.Float { return new(big.Float).SetPrec(reductionPrecision + 32) }
		power := wide().Quo(wide().SetInt64(1), wide().SetInt64(n))
		square := wide().SetInt64(n * n)
		total := wide().Set(power)
		for k := int64(1); ; k++ {
			power.Quo(power, square).Neg(power)
			term := wide().Quo(power, wide().SetInt64(2*k+1))
			if term.MantExp(nil) < -reductionPrecision-32 {
				return total
			}
			total.Add(total, term)
		}
	}
	a, b := arctan(5), arctan(239)
	a.Mul(a, new(big.Float).SetInt64(16))
	b.Mul(b, new(big.Float).SetInt64(4))
	return a.Sub(a, b)
})

// artanh is z + z^3/3 + z^5/5 ..., for |z| at most 1/3.
func artanh(z *big.Float) *big.Float {
	square, power, total := product(z, z), precise().Set(z), precise().Set(z)
	for k := int64(3); ; k += 2 {
		power = product(power, square)
		term := ratio(power, whole(k))
		if negligible(term, total) {
			return total
		}
		total = plus(total, term)
	}
}

// taylorExpm1 is r + r^2/2! + ..., for small r.
func taylorExpm1(r *big.Float) *big.Float {
	term, total := precise().Set(r), precise().Set(r)
	for k := int64(2); ; k++ {
		term = ratio(product(term, r), whole(k))
		if negligible(term, total) {
			return total
		}
		total = plus(total, term)
	}
}

func bigExp(x *big.Float) *big.Float {
	if x.MantExp(nil) > 40 {
		panic("oracle: exponent out of range")
	}
	q, _ := ratio(x, bigLn2()).Float64()
	k := math.Round(q)
	r := minus(x, product(number(k), bigLn2()))
	y := plus(whole(1), taylorExpm1(shifted(r, -16)))
	for range 16 {
		y = product(y, y)
	}
	return shifted(y, int(k))
}

func bigExpm1(x *big.Float) *big.Float {
	if x.Sign() == 0 || x.MantExp(nil) < -2 {
		return taylorExpm1(x)
	}
	return minus(bigExp(x), whole(1))
}

// bigLn takes x to 2^e m with m around 1, and is e ln 2 + 2 artanh((m-1)/(m+1)).
func bigLn(x *big.Float) *big.Float {
	m := precise()
	e := x.MantExp(m)
	if m.Cmp(number(0.7)) < 0 {
		m, e = shifted(m, 1), e-1
	}
	y := shifted(artanh(ratio(minus(m, whole(1)), plus(m, whole(1)))), 1)
	return plus(y, product(whole(int64(e)), bigLn2()))
}

func bigLog1p(x *big.Float) *big.Float {
	if x.Sign() == 0 || x.MantExp(nil) < -2 {
		return shifted(artanh(ratio(x, plus(whole(2), x))), 1)
	}
	return bigLn(plus(whole(1), x))
}

func bigTanh(x *big.Float) *big.Float {
	if x.Sign() > 0 {
		return precise().Neg(bigTanh(precise().Neg(x)))
	}
	t := bigExpm1(shifted(x, 1))
	return precise().Neg(ratio(t, precise().Neg(plus(t, whole(2)))))
}

// bigQuadrant is x less the nearest multiple of pi/2, and the multiple mod 4.
func bigQuadrant(x *big.Float) (r *big.Float, quadrant int64) {
	half := new(big.Float).SetMantExp(bigPi(), -1)
	q := new(big.Float).SetPrec(reductionPrecision).Quo(x, half)
	q.Add(q, new(big.Float).SetFloat64(math.Copysign(0.5, float64(q.Sign()))))
	n, _ := q.Int(nil)
	r = new(big.Float).SetPrec(2 * reductionPrecision).SetInt(n)
	r.Mul(r, half)
	r.Sub(new(big.Float).SetPrec(2*reductionPrecision).Set(x), r)
	return precise().Set(r), new(big.Int).And(n, big.NewInt(3)).Int64()
}

// alternating is term - term z/((k+1)(k+2)) + ...
func alternating(term, square *big.Float, k int64) *big.Float {
	total := precise().Set(term)
	if term.Sign() == 0 {
		return total
	}
	for ; ; k += 2 {
		term = precise().Neg(ratio(product(term, square), whole((k+1)*(k+2))))
		if negligible(term, total) {
			return total
		}
		total = plus(total, term)
	}
}

func bigQuarterTurn(x *big.Float, turns int64) *big.Float {
	r, n := bigQuadrant(x)
	n = (n + turns) & 3
	square := product(r, r)
	y := alternating(r, square, 1)
	if n&1 == 1 {
		y = alternating(whole(1), square, 0)
	}
	if n >= 2 {
		y.Neg(y)
	}
	return y
}

func bigSin(x *big.Float) *big.Float { return bigQuarterTurn(x, 0) }
func bigCos(x *big.Float) *big.Float { return bigQuarterTurn(x, 1) }

// twoOverRootPi is 2/sqrt(pi).
var twoOverRootPi = sync.OnceValue(func() *big.Float {
	return ratio(whole(2), precise().Sqrt(precise().Set(bigPi())))
})

func bigErfDerivative(x *big.Float) *big.Float {
	square := product(x, x)
	return product(twoOverRootPi(), bigExp(precise().Neg(square)))
}

// bigErf is 2/sqrt(pi) exp(-x^2) (x + 2x^3/3 + 4x^5/15 + ...), whose terms
// have one sign. Beyond 20 it is 1 less a stand-in below anything checked.
func bigErf(x *big.Float) *big.Float {
	if x.Sign() == 0 {
		return x
	}
	if bound, _ := x.Float64(); math.Abs(bound) > 20 {
		one := minus(whole(1), shifted(whole(1), -300))
		if bound < 0 {
			one.Neg(one)
		}
		return one
	}
	twice := shifted(product(x, x), 1)
	term, total := precise().Set(x), precise().Set(x)
	for k := int64(3); ; k += 2 {
		term = ratio(product(term, twice), whole(k))
		if negligible(term, total) {
			return product(total, bigErfDerivative(x))
		}
		total = plus(total, term)
	}
}

func bigSqrt(x *big.Float) *big.Float { return precise().Sqrt(x) }

// bigPow is base^exponent for a positive base.
func bigPow(base, exponent float64) *big.Float {
	return bigExp(product(number(exponent), bigLn(number(base))))
}
