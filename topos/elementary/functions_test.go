package elementary

import (
	"math"
	"math/big"
)

// function is one map of one argument in its forms, beside the oracle.
type function struct {
	name   string
	wide   func(float64) float64
	narrow func(float32) float32
	sticky func(float32) float64
	peer   func(float64) float64 // package math's, of another make
	oracle func(*big.Float) *big.Float
	domain func(x float64) bool // where the oracle answers
}

func anywhere(x float64) bool { return true }
func positive(x float64) bool { return x > 0 }
func aboveMinusOne(x float64) bool {
	return x > -1
}
func notHuge(x float64) bool  { return x > -800 && x < 800 }
func gaussian(x float64) bool { return x > -40 && x < 40 }

var functions = []function{
	{"exp", Exp, Exp32, ExpSticky, math.Exp, bigExp, notHuge},
	{"ln", Ln, Ln32, LnSticky, math.Log, bigLn, positive},
	{"sqrt", Sqrt, Sqrt32, SqrtSticky, math.Sqrt, bigSqrt, positive},
	{"tanh", Tanh, Tanh32, TanhSticky, math.Tanh, bigTanh, notHuge},
	{"sin", Sin, Sin32, SinSticky, math.Sin, bigSin, anywhere},
	{"cos", Cos, Cos32, CosSticky, math.Cos, bigCos, anywhere},
	{"log1p", Log1p, Log1p32, Log1pSticky, math.Log1p, bigLog1p, aboveMinusOne},
	{"expm1", Expm1, Expm132, Expm1Sticky, math.Expm1, bigExpm1, notHuge},
	{"erf", Erf, Erf32, ErfSticky, math.Erf, bigErf, anywhere},
	{"erf_derivative", ErfDerivative, ErfDerivative32, ErfDerivativeSticky, mathErfDerivative, bigErfDerivative, gaussian},
}

func mathErfDerivative(x float64) float64 { return 2 / math.SqrtPi * math.Exp(-x*x) }
