package elementary

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"
)

// bound is a claim that a comment makes: a relative error below 2^-bits.
type bound struct {
	name   string
	bits   float64
	draw   func(*rand.Rand) float64
	answer func(x float64) (pair, int)
	oracle func(*big.Float) *big.Float
}

// between draws from a range, evenly.
func between(a, b float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return a + (b-a)*r.Float64() }
}

// around draws of both signs from sizes 2^a to 2^b.
func around(a, b float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 {
		return math.Copysign(math.Exp2(a+(b-a)*r.Float64()), r.Float64()-0.5)
	}
}

func above(f func(*rand.Rand) float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return math.Abs(f(r)) }
}

// short rounds what f draws to float32.
func short(f func(*rand.Rand) float64) func(*rand.Rand) float64 {
	return func(r *rand.Rand) float64 { return float64(float32(f(r))) }
}

func quick(f func(float64) float64) func(float64) (pair, int) {
	return func(x float64) (pair, int) { return pair{f(x), 0}, 0 }
}

func exactly(f func(float64) pair) func(float64) (pair, int) {
	return func(x float64) (pair, int) { return f(x), 0 }
}

var bounds = []bound{
	{"expPair", 98, between(-745, 709), func(x float64) (pair, int) { return expPair(pair{x, 0}) }, bigExp},
	{"expPair near 0", 98, around(-60, -4), func(x float64) (pair, int) { return expPair(pair{x, 0}) }, bigExp},
	{"expm1Pair", 88, around(-60, 5.3), func(x float64) (pair, int) { return expm1Pair(pair{x, 0}) }, bigExpm1},
	{"expm1Pair, large", 88, between(40, 700), func(x float64) (pair, int) { return expm1Pair(pair{x, 0}) }, bigExpm1},
	{"tanhPair", 87, around(-28, 4.3), exactly(tanhPair), bigTanh},
	{"lnPair", 100, above(around(-1070, 1023)), exactly(func(x float64) pair { return lnPair(pair{x, 0}) }), bigLn},
	{"lnPair near 1", 100, between(0.6, 1.7), exactly(func(x float64) pair { return lnPair(pair{x, 0}) }), bigLn},
	{"lnPair of 1+x", 100, around(-60, -0.1), exactly(func(x float64) pair { return lnPair(exactSum(1, x)) }), bigLog1p},
	{"turnPair", 80, around(-27, 900), exactly(func(x float64) pair { return turnPair(turnReduce(math.Abs(x))) }),
		func(x *big.Float) *big.Float { return bigSin(x.Abs(x)) }},
	{"turnPair near 0", 80, above(around(-27, 2)), exactly(func(x float64) pair { return turnPair(turnReduce(x)) }), bigSin},
	{"erfPair", 85, above(around(-100, 2.58)), exactly(erfPair), bigErf},
	{"erfDerivativePair", 95, around(-30, 4.8), erfDerivativePair, bigErfDerivative},

	{"expQuick", 48, short(between(-300, 300)), quick(expQuick), bigExp},
	{"expm1Quick", 45, short(around(-26, 6)), quick(expm1Quick), bigExpm1},
	{"lnQuick", 50, short(above(around(-148, 127))), quick(lnQuick), bigLn},
	{"lnQuick near 1", 50, short(between(0.6, 1.7)), quick(lnQuick), bigLn},
	{"log1pQuick", 44, short(around(-26, -0.01)), quick(log1pQuick), bigLog1p},
	{"log1pQuick, large", 44, short(above(around(0, 127))), quick(log1pQuick), bigLog1p},
	{"turnQuick", 48, short(above(around(-13, 127))), quick(func(x float64) float64 { return turnQuick(turnReduceQuick(x)) }), bigSin},
	{"turnQuick near 0", 48, short(above(around(-13, 3))), quick(func(x float64) float64 { return turnQuick(turnReduceQuick(x)) }), bigSin},
	{"erfQuick", 47, short(above(around(-140, 2))), quick(erfQuick), bigErf},
}

// TestAccuracy holds the computations to what their comments say of them.
func TestAccuracy(t *testing.T) {
	for i, b := range bounds {
		t.Run(b.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(8, uint64(i)))
			worst, at := math.Inf(-1), 0.0
			for range 1500 {
				x := b.draw(r)
				y, e := b.answer(x)
				want := b.oracle(number(x))
				got := shifted(plus(number(y.hi), number(y.lo)), e)
				off, _ := ratio(minus(got, want), want).Float64()
				if off := math.Log2(math.Abs(off)); off > worst {
					worst, at = off, x
				}
			}
			t.Logf("2^%.1f at %x", worst, at)
			if worst > -b.bits {
				t.Errorf("%s(%x) is off by 2^%.1f, want below 2^-%g", b.name, at, worst, b.bits)
			}
		})
	}
}
