package topos_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"sync"
	"testing"

	. "github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/elementary"
	"github.com/topos-notebook/topos/topos/f16"
)

// narrow is an element of 16 bits for tests that run over both.
type narrow struct {
	name  string
	form  ieee
	of    func(float64) uint16
	value func(uint16) float64
	parse func(string) (uint16, error)
	one   func(op Opcode, xs ...uint16) uint16 // of scalars
	all   func(op Opcode) []uint16             // of every number
}

func narrowOf[T ~uint16](e Element[T], form ieee) narrow {
	// What a number prints is the float32 of its value.
	values := sync.OnceValue(func() []float64 {
		table := make([]float64, 1<<16)
		for bits := range table {
			table[bits], _ = strconv.ParseFloat(e.Tensor(nil, T(bits)).String(), 32)
		}
		return table
	})
	return narrow{
		name: e.Name(), form: form,
		of:    func(x float64) uint16 { return uint16(e.FromFloat64(x)) },
		value: func(x uint16) float64 { return values()[x] },
		parse: func(s string) (uint16, error) { x, err := e.Parse(s); return uint16(x), err },
		one: func(op Opcode, xs ...uint16) uint16 {
			var ts []*Tensor[T]
			for _, x := range xs {
				ts = append(ts, e.Tensor(nil, T(x)))
			}
			return uint16(Express(op, ts...).Scalar())
		},
		all: func(op Opcode) (answers []uint16) {
			every := make([]T, 1<<16)
			for bits := range every {
				every[bits] = T(bits)
			}
			for _, y := range Express(op, e.Tensor(Shape{1 << 16}, every...)).Data() {
				answers = append(answers, uint16(y))
			}
			return answers
		},
	}
}

var narrows = []narrow{narrowOf(BF16, formatBF16), narrowOf(f16.F16, formatF16)}

func overNarrows(t *testing.T, f func(t *testing.T, n narrow)) {
	for _, n := range narrows {
		t.Run(n.name, func(t *testing.T) { f(t, n) })
	}
}

// agree says whether a number is the wanted one, its zero's sign included; NaN
// is a class.
func (n narrow) agree(t *testing.T, got uint16, want float64, what string, args ...any) bool {
	t.Helper()
	g := n.value(got)
	if math.IsNaN(g) && math.IsNaN(want) || g == want && math.Signbit(g) == math.Signbit(want) {
		return true
	}
	t.Errorf("%s is %v, want %v", sprintf(what, args...), g, want)
	return false
}

// TestNarrowRounding rounds every number of the format, the number half way to
// its neighbour, and the float64s next to that.
func TestNarrowRounding(t *testing.T) {
	overNarrows(t, func(t *testing.T, n narrow) {
		for bits := range 1 << 16 {
			x := n.value(uint16(bits))
			if math.IsNaN(x) || math.IsInf(x, 0) {
				continue
			}
			y := n.value(uint16(bits + 1))
			if math.IsInf(y, 0) || math.IsNaN(y) {
				y = math.Copysign(2*n.form.largest-math.Abs(n.value(uint16(bits-1))), x)
			}
			half := x/2 + y/2
			for _, w := range []float64{x, math.Nextafter(half, math.Inf(-1)), half, math.Nextafter(half, math.Inf(1))} {
				if !n.agree(t, n.of(w), n.form.nearest(exact(w), math.Signbit(w)), "%v (bits %#x)", w, math.Float64bits(w)) {
					return
				}
			}
		}
	})
}

func TestNarrowRoundingAtRandom(t *testing.T) {
	overNarrows(t, func(t *testing.T, n narrow) {
		r := rand.New(rand.NewPCG(1, 2))
		for range 40_000 {
			// Exponents of the format and some on either side.
			e := n.form.least - 4 + r.IntN(int(math.Log2(n.form.largest))-n.form.least+8)
			x := math.Ldexp(1+r.Float64(), e)
			if r.IntN(2) == 0 {
				x = -x
			}
			if !n.agree(t, n.of(x), n.form.nearest(exact(x), false), "%v", x) {
				return
			}
		}
	})
}

// TestNarrowParsing reads decimals that lie so near half way between two numbers
// that a float64 cannot tell them from it.
func TestNarrowParsing(t *testing.T) {
	overNarrows(t, func(t *testing.T, n narrow) {
		r := rand.New(rand.NewPCG(3, 4))
		tail := new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Exp(big.NewInt(10), big.NewInt(400), nil))
		for range 1000 {
			bits := uint16(r.IntN(1 << 15))
			x, y := n.value(bits), n.value(bits+1)
			if math.IsNaN(x) || math.IsInf(x, 0) || math.IsInf(y, 0) {
				continue
			}
			half := new(big.Rat).Quo(new(big.Rat).Add(exact(x), exact(y)), big.NewRat(2, 1))
			for _, z := range []*big.Rat{half, new(big.Rat).Add(half, tail), new(big.Rat).Sub(half, tail)} {
				for _, sign := range []string{"", "-"} {
					text := sign + z.FloatString(500)
					got, err := n.parse(text)
					want := n.form.nearest(z, false)
					if sign == "-" {
						want = -want
					}
					if err != nil || !n.agree(t, got, want, "%s", text[:60]) {
						t.Fatalf("%s: %v", text, err)
					}
				}
			}
		}
		over := strconv.FormatFloat(2*n.form.largest, 'f', -1, 64)
		for _, text := range []string{over, "-" + over, "1e39", "1e400", "one", ""} {
			if x, err := n.parse(text); err == nil {
				t.Errorf("%q reads as %v, want an error", text, n.value(x))
			}
		}
		for text, want := range map[string]float64{"inf": math.Inf(1), "-inf": math.Inf(-1), "NaN": math.NaN(), "-0": signedZero(true), "1e-400": 0, "-1e-400": signedZero(true), "2.5E-1": 0.25, "0x1p-2": 0.25} {
			x, err := n.parse(text)
			if err != nil {
				t.Errorf("%q: %v", text, err)
			}
			n.agree(t, x, want, "%q", text)
		}
	})
}

// TestNarrowArithmetic compares single operations with exact fractions. A
// product or quotient among the subnormals of float32 is rounded there first,
// since the operation is one of float32: those are left out.
func TestNarrowArithmetic(t *testing.T) {
	operations := []struct {
		kind Kind
		of   func(z, a, b *big.Rat) *big.Rat
	}{{OpAdd, (*big.Rat).Add}, {OpSub, (*big.Rat).Sub}, {OpMul, (*big.Rat).Mul}, {OpDiv, (*big.Rat).Quo}}
	overNarrows(t, func(t *testing.T, n narrow) {
		r := rand.New(rand.NewPCG(5, 6))
		checked := 0
		for range 30_000 {
			a, b := uint16(r.Uint32()), uint16(r.Uint32())
			if r.IntN(2) == 0 { // near each other
				b = a&0xff00 ^ uint16(r.IntN(1<<11)) ^ uint16(r.IntN(2)<<15)
			}
			x, y := n.value(a), n.value(b)
			if math.IsNaN(x+y) || math.IsInf(x, 0) || math.IsInf(y, 0) || x == 0 || y == 0 {
				continue
			}
			o := operations[r.IntN(len(operations))]
			z := o.of(new(big.Rat), exact(x), exact(y))
			if z.Sign() != 0 && new(big.Rat).Abs(z).Cmp(power2(-126)) < 0 && o.kind != OpAdd && o.kind != OpSub {
				continue
			}
			checked++
			if !n.agree(t, n.one(Opcode{Kind: o.kind}, a, b), n.form.nearest(z, false), "%v %v %v", x, o.kind, y) {
				return
			}
		}
		if checked < 10_000 {
			t.Errorf("only %d operations were checked", checked)
		}
	})
}

// TestNarrowSquareRoots compares every square root: r is the nearest where the
// number lies between the squares half way to its neighbours.
func TestNarrowSquareRoots(t *testing.T) {
	overNarrows(t, func(t *testing.T, n narrow) {
		for bits := range 1 << 15 {
			x := n.value(uint16(bits))
			if math.IsNaN(x) || math.IsInf(x, 0) || x == 0 {
				continue
			}
			root := new(big.Float).SetPrec(300).SetFloat64(x)
			want, _ := root.Sqrt(root).Rat(nil)
			if !n.agree(t, n.one(Opcode{Kind: OpSqrt}, uint16(bits)), n.form.nearest(want, false), "sqrt %v", x) {
				return
			}
		}
	})
}

// TestNarrowMapsEverywhere compares each map over every number with the map of
// float64, which is computed another way, rounded once. A float64 that is off by
// half a unit rounds alike unless it falls on half way between two numbers, where
// it is left out unless the answer is exact.
func TestNarrowMapsEverywhere(t *testing.T) {
	wide := map[Kind]func(float64) float64{
		OpExp: elementary.Exp, OpLn: elementary.Ln, OpSqrt: elementary.Sqrt, OpTanh: elementary.Tanh, OpSin: elementary.Sin, OpCos: elementary.Cos,
		OpLog1p: elementary.Log1p, OpExpm1: elementary.Expm1, OpErf: elementary.Erf, OpErfDerivative: elementary.ErfDerivative,
	}
	overNarrows(t, func(t *testing.T, n narrow) {
		for kind, f := range wide {
			answers, left := n.all(Opcode{Kind: kind}), 0
			for bits, got := range answers {
				y := f(n.value(uint16(bits)))
				if down, up := math.Nextafter(y, math.Inf(-1)), math.Nextafter(y, math.Inf(1)); y != 0 && n.of(down) != n.of(up) && kind != OpSqrt {
					left++
					continue
				}
				if !n.agree(t, got, n.value(n.of(y)), "%v of %v", kind, n.value(uint16(bits))) {
					break
				}
			}
			if left > 8 {
				t.Errorf("%v: %d numbers were left out", kind, left)
			}
		}
	})
}

func TestNarrowNaNKeepsItsSign(t *testing.T) {
	overNarrows(t, func(t *testing.T, n narrow) {
		for _, negative := range []bool{false, true} {
			nan := math.NaN()
			if math.Signbit(nan) != negative {
				nan = math.Copysign(nan, signedZero(negative))
			}
			got := n.of(nan)
			if !math.IsNaN(n.value(got)) || got>>15 == 1 != negative {
				t.Errorf("a NaN with sign %v is %#04x", negative, got)
			}
		}
	})
}
