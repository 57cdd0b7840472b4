package topos

import "github.com/topos-notebook/topos/topos/elementary"

// Maps: Exp, Ln, Sqrt, Tanh, Sin, Cos, Log1p, Expm1, Erf, ErfDerivative.
//
// Elementwise, of one operand, any shape. A map is defined as the real function
// rounded, not as what a library happens to answer; package elementary says how
// and cites its sources.
//
//	kind           value                   cotangent of x        retains
//	Exp            e^x                     g*out                 out
//	Ln             natural logarithm       g/x                   x
//	Sqrt           square root             g/(out+out)           out
//	Tanh           hyperbolic tangent      g*(one - out*out)     out
//	Sin            of radians              g*cos x               x
//	Cos            of radians              -(g*sin x)            x
//	Log1p          ln(1 + x)               g/(one + x)           x
//	Expm1          e^x - 1                 g*(out + one)         out
//	Erf            error function          g*erf_derivative(x)   x
//	ErfDerivative  2/sqrt(pi) * e^(-x*x)   -((g*(x+x))*out)      x, out

var (
	expFacts           = facts{name: "Exp", spelling: "exp", arity: 1, family: mapFamily, retains: output}
	lnFacts            = facts{name: "Ln", spelling: "ln", arity: 1, family: mapFamily, retains: left}
	sqrtFacts          = facts{name: "Sqrt", spelling: "sqrt", arity: 1, family: mapFamily, retains: output}
	tanhFacts          = facts{name: "Tanh", spelling: "tanh", arity: 1, family: mapFamily, retains: output}
	sinFacts           = facts{name: "Sin", spelling: "sin", arity: 1, family: mapFamily, retains: left}
	cosFacts           = facts{name: "Cos", spelling: "cos", arity: 1, family: mapFamily, retains: left}
	log1pFacts         = facts{name: "Log1p", spelling: "log1p", arity: 1, family: mapFamily, retains: left}
	expm1Facts         = facts{name: "Expm1", spelling: "expm1", arity: 1, family: mapFamily, retains: output}
	erfFacts           = facts{name: "Erf", spelling: "erf", arity: 1, family: mapFamily, retains: left}
	erfDerivativeFacts = facts{name: "ErfDerivative", spelling: "erf_derivative", arity: 1, family: mapFamily, retains: left | output}
)

// Exp is e to the power v.
func (v Trace) Exp() Trace { return v.tape.apply(Opcode{Kind: OpExp}, v) }

// Ln is the natural logarithm.
func (v Trace) Ln() Trace { return v.tape.apply(Opcode{Kind: OpLn}, v) }

// Sqrt is the square root.
func (v Trace) Sqrt() Trace { return v.tape.apply(Opcode{Kind: OpSqrt}, v) }

// Tanh is the hyperbolic tangent. Its rule is g*(1 - out*out).
func (v Trace) Tanh() Trace { return v.tape.apply(Opcode{Kind: OpTanh}, v) }

// Sin is the sine of radians.
func (v Trace) Sin() Trace { return v.tape.apply(Opcode{Kind: OpSin}, v) }

// Cos is the cosine of radians.
func (v Trace) Cos() Trace { return v.tape.apply(Opcode{Kind: OpCos}, v) }

// Log1p is ln(1 + v).
func (v Trace) Log1p() Trace { return v.tape.apply(Opcode{Kind: OpLog1p}, v) }

// Expm1 is exp(v) - 1.
func (v Trace) Expm1() Trace { return v.tape.apply(Opcode{Kind: OpExpm1}, v) }

// Erf is the error function.
func (v Trace) Erf() Trace { return v.tape.apply(Opcode{Kind: OpErf}, v) }

// ErfDerivative is 2/sqrt(pi) * exp(-v*v).
func (v Trace) ErfDerivative() Trace { return v.tape.apply(Opcode{Kind: OpErfDerivative}, v) }

func (t *dense) Exp() *dense { return t.unary(OpExp) }

func (t *dense) Ln() *dense { return t.unary(OpLn) }

func (t *dense) Sqrt() *dense { return t.unary(OpSqrt) }

func (t *dense) Tanh() *dense { return t.unary(OpTanh) }

func (t *dense) Sin() *dense { return t.unary(OpSin) }

func (t *dense) Cos() *dense { return t.unary(OpCos) }

func (t *dense) Log1p() *dense { return t.unary(OpLog1p) }

func (t *dense) Expm1() *dense { return t.unary(OpExpm1) }

func (t *dense) Erf() *dense { return t.unary(OpErf) }

func (t *dense) ErfDerivative() *dense { return t.unary(OpErfDerivative) }

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

func mapKernels[T native](k *kernel) {
	for kind := range maps {
		f := mapOf[T](kind)
		k.unary[kind] = func(dst, a any) {
			d, x := dst.([]T), a.([]T)
			for i := range d {
				d[i] = f(x[i])
			}
		}
	}
}

func mapRule[R Recordable[R]](kind Kind, g, out, x R) R {
	switch kind {
	case OpExp:
		return g.Mul(out)
	case OpLn:
		return g.Div(x)
	case OpSqrt:
		return g.Div(out.Add(out))
	case OpTanh:
		return g.Mul(out.Filled(1).Sub(out.Mul(out)))
	case OpSin:
		return g.Mul(x.Cos())
	case OpCos:
		return g.Mul(x.Sin()).Neg()
	case OpLog1p:
		return g.Div(x.Filled(1).Add(x))
	case OpExpm1:
		return g.Mul(out.Add(out.Filled(1)))
	case OpErf:
		return g.Mul(x.ErfDerivative())
	}
	return g.Mul(x.Add(x)).Mul(out).Neg() // of ErfDerivative
}

// Exp is e to the power t.
func (t *Tensor[T]) Exp() *Tensor[T] { return typed[T](t.t.unary(OpExp)) }

// Ln is the natural logarithm.
func (t *Tensor[T]) Ln() *Tensor[T] { return typed[T](t.t.unary(OpLn)) }

// Sqrt is the square root.
func (t *Tensor[T]) Sqrt() *Tensor[T] { return typed[T](t.t.unary(OpSqrt)) }

// Tanh is the hyperbolic tangent.
func (t *Tensor[T]) Tanh() *Tensor[T] { return typed[T](t.t.unary(OpTanh)) }

// Sin is the sine of radians.
func (t *Tensor[T]) Sin() *Tensor[T] { return typed[T](t.t.unary(OpSin)) }

// Cos is the cosine of radians.
func (t *Tensor[T]) Cos() *Tensor[T] { return typed[T](t.t.unary(OpCos)) }

// Log1p is ln(1 + t).
func (t *Tensor[T]) Log1p() *Tensor[T] { return typed[T](t.t.unary(OpLog1p)) }

// Expm1 is exp(t) - 1.
func (t *Tensor[T]) Expm1() *Tensor[T] { return typed[T](t.t.unary(OpExpm1)) }

// Erf is the error function.
func (t *Tensor[T]) Erf() *Tensor[T] { return typed[T](t.t.unary(OpErf)) }

// ErfDerivative is 2/sqrt(pi) * exp(-t*t).
func (t *Tensor[T]) ErfDerivative() *Tensor[T] { return typed[T](t.t.unary(OpErfDerivative)) }
