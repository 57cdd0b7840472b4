package topos

import "github.com/topos-notebook/topos/topos/elementary"

// mapForms are one elementwise transcendental over the machine floats.
type mapForms struct {
	narrow func(float32) float32
	wide   func(float64) float64
}

// maps are defined, not inherited from a library: a float32 answer is the real
// function's value rounded correctly, a float64 one is less than a unit in the
// last place off, and bits are the same on every platform.
var maps = map[Kind]mapForms{
	OpExp:           {elementary.Exp32, elementary.Exp},
	OpLn:            {elementary.Ln32, elementary.Ln},
	OpSqrt:          {elementary.Sqrt32, elementary.Sqrt},
	OpTanh:          {elementary.Tanh32, elementary.Tanh},
	OpSin:           {elementary.Sin32, elementary.Sin},
	OpCos:           {elementary.Cos32, elementary.Cos},
	OpLog1p:         {elementary.Log1p32, elementary.Log1p},
	OpExpm1:         {elementary.Expm132, elementary.Expm1},
	OpErf:           {elementary.Erf32, elementary.Erf},
	OpErfDerivative: {elementary.ErfDerivative32, elementary.ErfDerivative},
}

// mapOf is a map over one machine float.
func mapOf[T native](kind Kind) func(T) T {
	forms := maps[kind]
	if f, ok := any(forms.narrow).(func(T) T); ok {
		return f
	}
	return any(forms.wide).(func(T) T)
}

// powOf is powf over one machine float.
func powOf[T native]() func(base, exponent T) T {
	if f, ok := any(elementary.Pow32).(func(base, exponent T) T); ok {
		return f
	}
	return any(elementary.Pow).(func(base, exponent T) T)
}
