package topos

import "math"

// maps are the elementwise transcendentals over float64. A float32 answer is
// the float64 one rounded once.
var maps = map[Kind]func(float64) float64{
	OpExp: math.Exp, OpLn: math.Log, OpSqrt: math.Sqrt, OpTanh: math.Tanh,
	OpSin: math.Sin, OpCos: math.Cos, OpLog1p: math.Log1p, OpExpm1: math.Expm1,
	OpErf: math.Erf, OpErfDerivative: erfDerivative,
}

// erfDerivative is 2/sqrt(pi) * exp(-x*x).
func erfDerivative(x float64) float64 {
	return 2 / math.SqrtPi * math.Exp(-x*x)
}
