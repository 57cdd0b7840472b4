package topos

// Maximum and Step, elementwise over equal shapes.
//
// Maximum is IEEE 754-2019 maximum (section 9.6), which Go's max is too: NaN
// from either side, +0 above -0. Step is 1 where a >= b, else 0, and 0 where
// either is NaN.
//
//	kind     value       cotangents of a, b                              retains
//	Maximum  max(a, b)   g*w, g*(one - w), w = step(a, b) recorded once  a, b
//	Step     a >= b      none, none                                      nothing
//
// So a tie sends its gradient to a.

var (
	maximumFacts = facts{name: "Maximum", spelling: "maximum", arity: 2, family: maximumFamily, retains: left | right}
	stepFacts    = facts{name: "Step", spelling: "step", arity: 2, family: maximumFamily, stops: left | right}
)

// Maximum is the larger of two, elementwise, as IEEE 754-2019 defines it: NaN
// from either side, +0 above -0. A tie sends its gradient to v.
func (v Trace) Maximum(o Trace) Trace { return v.tape.apply2(OpMaximum, v, o) }

// StepAt is 1 where v >= o, else 0. Nothing flows back through it.
func (v Trace) StepAt(o Trace) Trace { return v.tape.apply2(OpStep, v, o) }

func (t *dense) Maximum(o *dense) *dense { return t.binary(OpMaximum, o) }

func (t *dense) StepAt(o *dense) *dense { return t.binary(OpStep, o) }

func maximumKernels[T native](k *kernel) {
	k.binary[OpMaximum] = over(func(dst, a, b []T) {
		for i := range dst {
			dst[i] = max(a[i], b[i])
		}
	})
	k.binary[OpStep] = over(func(dst, a, b []T) {
		for i := range dst {
			dst[i] = 0
			if a[i] >= b[i] {
				dst[i] = 1
			}
		}
	})
}

// maximumRule records the mask once, for the left operand, and reads it again
// for the right.
func maximumRule[R Recordable[R]](operand int, g R, x []R, wins *R) R {
	if operand == 0 {
		*wins = x[0].StepAt(x[1])
		return g.Mul(*wins)
	}
	return g.Mul((*wins).Filled(1).Sub(*wins))
}

// Maximum is IEEE 754-2019 maximum: NaN from either side, +0 above -0.
func (t *Tensor[T]) Maximum(o *Tensor[T]) *Tensor[T] { return typed[T](t.t.binary(OpMaximum, &o.t)) }

// StepAt is 1 where t >= o, else 0.
func (t *Tensor[T]) StepAt(o *Tensor[T]) *Tensor[T] { return typed[T](t.t.binary(OpStep, &o.t)) }
