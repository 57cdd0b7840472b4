package topos

import (
	"math"
	"strconv"

	"github.com/topos-notebook/topos/topos/elementary"
)

// Emission chooses among spellings of a module.
type Emission uint8

// Primitive spells out what not every compiler takes: erf, which otherwise is
// chlo's, and batch norms, which [Fast] otherwise raises.
const Primitive Emission = 1

// primitive says whether a pattern may be raised all the same.
func (k PatternKind) primitive() bool { return k == WindowProduct || k == ReduceWindow }

// The terms that leave less than 2^-54 of erf: of its series, for |x| < 1, and of
// the sum for erfc.
const (
	erfTerms  = 19
	erfcTerms = 12
)

// erf spells the error function in f64, whatever the element, and converts the
// answer back. Below 1 it is the series around 0 (Abramowitz and Stegun,
// "Handbook of Mathematical Functions", 1964, 7.1.5). From 1 on it is 1 - erfc,
// by the trapezoidal rule with steps of 1/2 and the correction for its pole
// (Hunter and Regan, "A note on the evaluation of the complementary error
// function", 1972):
//
//	erfc(a) = a e^(-a^2)/pi (1/(2 a^2) + sum of e^(-n^2/4)/(a^2 + n^2/4)) - 2/(e^(4 pi a) - 1)
//
// That is at most 2 units of f64 in the last place off.
func (e *emitter) erf(w written) {
	s := &erfSpelling{e, w.name, tensorType(w.to, "f64"), tensorType(w.to, "i1")}
	x := w.x[0]
	if e.element != "f64" {
		x = s.put("wide", "convert %s : (%s) -> %s", x, e.typeOf(w.to), s.wide)
	}
	size := s.put("size", "abs %s : %s", x, s.wide)
	// erf is 1 from 6 on; an infinity would meet zeros.
	a := s.apply("near", "minimum", size, s.number("end", 6))
	square := s.apply("square", "multiply", a, a)
	small := s.apply("small", "multiply", x, s.series(square))
	large := s.apply("large", "subtract", s.number("one", 1), s.complement(a, square))
	below := s.put("below", "compare LT, %s, %s, FLOAT : (%s, %s) -> %s", x, s.number("zero", 0), s.wide, s.wide, s.mask)
	signed := s.put("signed", "select %s, %s, %s : %s, %s", below, s.put("negated", "negate %s : %s", large, s.wide), large, s.mask, s.wide)
	inside := s.put("inside", "compare LT, %s, %s, FLOAT : (%s, %s) -> %s", a, w.name+"_one", s.wide, s.wide, s.mask)
	if e.element == "f64" {
		s.put("", "select %s, %s, %s : %s, %s", inside, small, signed, s.mask, s.wide)
		return
	}
	chosen := s.put("chosen", "select %s, %s, %s : %s, %s", inside, small, signed, s.mask, s.wide)
	s.put("", "convert %s : (%s) -> %s", chosen, s.wide, e.typeOf(w.to))
}

// erfSpelling writes the lines of one erf.
type erfSpelling struct {
	*emitter
	name string
	wide string // the type of what is computed
	mask string // and of what is compared
}

// put writes an operation under a name of its own, or under the node's, and
// answers that.
func (s *erfSpelling) put(label, format string, args ...any) string {
	name := s.name
	if label != "" {
		name += "_" + label
	}
	s.line("%s = stablehlo."+format, append([]any{name}, args...)...)
	return name
}

func (s *erfSpelling) apply(label, operation, a, b string) string {
	return s.put(label, operation+" %s, %s : %s", a, b, s.wide)
}

func (s *erfSpelling) number(label string, x float64) string {
	return s.put(label, "constant dense<%s> : %s", string(F64.k.literal(nil, F64.k.fill(x), 0)), s.wide)
}

// series is erf(x)/x, a polynomial in x^2, by Horner's rule.
func (s *erfSpelling) series(square string) string {
	factorial, coefficients := 1.0, make([]float64, erfTerms)
	for n := range coefficients {
		if n > 0 {
			factorial = float64(factorial * -float64(n))
		}
		coefficients[n] = 2 / math.Sqrt(math.Pi) / float64(factorial*float64(2*n+1))
	}
	total := s.number("c"+strconv.Itoa(erfTerms-1), coefficients[erfTerms-1])
	for n := erfTerms - 2; n >= 0; n-- {
		total = s.apply("p"+strconv.Itoa(n), "multiply", total, square)
		total = s.apply("s"+strconv.Itoa(n), "add", total, s.number("c"+strconv.Itoa(n), coefficients[n]))
	}
	return total
}

// complement is erfc(a), for a from 1 to 6.
func (s *erfSpelling) complement(a, square string) string {
	total := s.apply("t0", "divide", s.number("half", 0.5), square)
	for n := 1; n <= erfcTerms; n++ {
		at, of := float64(n*n)/4, strconv.Itoa(n)
		place := s.apply("d"+of, "add", square, s.number("at"+of, at))
		term := s.apply("q"+of, "divide", s.number("w"+of, elementary.Exp(-at)), place)
		total = s.apply("t"+of, "add", total, term)
	}
	bell := s.put("bell", "exponential %s : %s", s.put("exponent", "negate %s : %s", square, s.wide), s.wide)
	front := s.apply("front", "multiply", s.apply("weight", "multiply", a, bell), s.number("scale", 1/math.Pi))
	pole := s.put("pole", "exponential %s : %s", s.apply("turns", "multiply", a, s.number("rate", 4*math.Pi)), s.wide)
	correction := s.apply("correction", "divide", s.number("two", 2), s.apply("beyond", "subtract", pole, s.name+"_one"))
	return s.apply("rest", "subtract", s.apply("body", "multiply", front, total), correction)
}
