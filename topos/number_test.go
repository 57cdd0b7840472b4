package topos_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// What prints reads back, no numeral of its length is closer, and of two that are
// equally close the larger is printed.
func TestPrintedNumbersAreShortest(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 0))
	for i := range 20000 {
		x := r.NormFloat64() * math.Exp2(float64(r.IntN(60)-30))
		if i%2 == 0 { // few bits: a numeral may fall half way
			x = math.Ldexp(float64(r.IntN(1<<14)*2+1), r.IntN(90)-30)
		}
		printedShort(t, F32, float32(x), float64(float32(x)))
		printedShort(t, F64, x, x)
	}
	for x, want := range map[float32]string{-0.322265625: "-0.32226563", 0.1: "0.1", 16777216: "16777216", 3: "3", 5e-324: "0"} {
		same(t, "numeral", F32.Tensor(nil, x).String(), want)
	}
}

func printedShort[T any](t *testing.T, e Element[T], x T, real float64) {
	t.Helper()
	text := e.Tensor(nil, x).String()
	back, err := e.Parse(text)
	if err != nil || e.Bits(back) != e.Bits(x) {
		t.Errorf("%s of %x reads back as %v, %v", text, real, back, err)
	}
	text = strings.TrimPrefix(text, "-")
	printed, _ := new(big.Rat).SetString(text)
	off := new(big.Rat).SetFloat64(math.Abs(real))
	off.Sub(off, printed).Add(off, off)
	if unit := lastUnit(text); off.Cmp(unit) >= 0 || off.Neg(off).Cmp(unit) > 0 {
		t.Errorf("%s is not the closest of its length to %x, or not the larger of two", text, real)
	}
}

// lastUnit is 1 at the place of the last digit that is not a padding zero.
func lastUnit(text string) *big.Rat {
	places, whole := 0, strings.TrimRight(text, "0")
	if point := strings.IndexByte(text, '.'); point >= 0 {
		places, whole = len(text)-point-1, text
	}
	power := func(n int) *big.Int { return new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(n)), nil) }
	return new(big.Rat).SetFrac(power(len(text)-len(whole)), power(places))
}
