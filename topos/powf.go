package topos

import "github.com/topos-notebook/topos/topos/elementary"

// Powf: b to the power e, elementwise over equal shapes.
//
// Special cases are those of pow in IEEE 754-2019, section 9.2.1: x^0 and 1^y
// are 1 even where the other is NaN; a negative base with an exponent that is no
// integer gives NaN.
//
//	kind  value   cotangents of b, e                        retains
//	Powf  b^e     (g*e)*powf(b, e - one), (g*out)*ln b      b, e, out
//
// At b = 0 the second is NaN or infinite, since ln 0 is; it reaches a gradient
// only where the exponent is asked for one.

var powfFacts = facts{name: "Powf", spelling: "powf", arity: 2, family: powfFamily, retains: left | right | output}

// Powf is v to the power o, elementwise.
func (v Trace) Powf(o Trace) Trace { return v.tape.apply2(OpPowf, v, o) }

func (t *dense) Powf(o *dense) *dense { return t.binary(OpPowf, o) }

// powOf is powf over one machine float.
func powOf[T native]() func(base, exponent T) T {
	if f, ok := any(elementary.Pow32).(func(base, exponent T) T); ok {
		return f
	}
	return any(elementary.Pow).(func(base, exponent T) T)
}

func powfKernels[T native](k *kernel) {
	pow := powOf[T]()
	k.binary[OpPowf] = over(func(dst, a, b []T) {
		for i := range dst {
			dst[i] = pow(a[i], b[i])
		}
	})
}

func powfRule[R Recordable[R]](operand int, g, out R, x []R) R {
	if operand == 0 {
		less := x[1].Sub(x[1].Filled(1))
		return g.Mul(x[1]).Mul(x[0].Powf(less))
	}
	return g.Mul(out).Mul(x[0].Ln())
}

// Powf is t to the power o, elementwise.
func (t *Tensor[T]) Powf(o *Tensor[T]) *Tensor[T] { return typed[T](t.t.binary(OpPowf, &o.t)) }
