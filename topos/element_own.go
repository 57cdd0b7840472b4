package topos

import (
	"fmt"
	"slices"
)

// Number is what a program's own number answers so that tensors can be filled
// with it: see [Own]. A number is a value: methods answer another one and change
// neither receiver nor operand. FromInt is called on the zero value of N.
//
// What follows is optional, and found by its methods. A tape of the number
// refuses an operation, where it is recorded, that the number has no method for.
//
//	Div(N) N                           Div; constants that are no whole numbers
//	Exp() N, Ln, Sqrt, Tanh, Sin, Cos  the map of that name; so are
//	                                   Log1p, Expm1, Erf, ErfDerivative
//	Powf(N) N                          Powf
//	Maximum(N) N, StepAt(N) N          Maximum and Step, or for both of them
//	Compare(N) int                     the order: -1, 0, 1. It also gives cards
//	                                   their smallest and largest element
//	IsZero() bool                      zeros of a selection are skipped; without
//	                                   it (or Compare) they are multiplied by
//	Parse(string) (N, error)           numbers in text, such as a tape program's,
//	                                   called on the zero value
//	Encode() []byte,                   the number's bits, for digests, equality
//	Decode([]byte) (N, error)          and encoded tapes; else String and Parse
//	Float64() float64                  for curves, norms and the search for
//	                                   infinities and NaNs in cards, nothing else
//
// LogSoftmax and LogSumExp need Exp, Ln and Maximum.
type Number[N any] interface {
	Add(N) N
	Sub(N) N
	Mul(N) N
	Neg() N
	FromInt(x int64) N // x, or the number that stands for it
	String() string    // as readings print it
}

// Own makes an element of a program's own number. Everything that is read of a
// tape works on it, but for StableHLO, which has no type for it. No number
// passes through a machine float: the constants that derivative rules and
// compositions record (0, 1, 2, an extent) are made by FromInt, and a float64
// that a program writes itself, as Filled takes one, by the quotient of whole
// numbers that it is.
//
// Arithmetic is done in the order that is defined for every element: sums are
// sequential and start from their first term, a fold or scatter from zero. An
// operation on tensors of one repeated element is done once.
func Own[N Number[N]](name string) Element[N] {
	o := own[N]{name}
	k := &kernel{name: name, void: func() any { return make([]N, 1) }}
	o.storage(k)
	o.text(k)
	o.arithmetic(k)
	o.maps(k)
	o.reductions(k)
	o.lacks(k)
	return Element[N]{k}
}

// own builds the table of a program's number.
type own[N Number[N]] struct{ name string }

func (own[N]) int(x int64) N { var zero N; return zero.FromInt(x) }

// zero is the zero value as whoever looks for a method needs it.
func (own[N]) zero() any { var zero N; return zero }

// storage is what the table knows of numbers without computing with them.
func (o own[N]) storage(k *kernel) {
	k.make = func(n int) any { return slices.Repeat([]N{o.int(0)}, n) }
	k.repeat = func(a any, n int) any { return slices.Repeat(a.([]N)[:1], n) }
	k.move = func(dst any, at int, src any, from, n int) { copy(dst.([]N)[at:at+n], src.([]N)[from:from+n]) }
	k.permute = func(dst, src any, shape Shape, strides []int) { permute(dst.([]N), src.([]N), shape, strides) }
	k.fill = func(x float64) any { return []N{o.constant(x)} }
	if _, ok := o.zero().(interface{ Compare(N) int }); ok {
		k.compare = func(a any, i, j int) int { return compared(a.([]N)[i], a.([]N)[j]) }
	}
	if _, ok := o.zero().(interface{ Float64() float64 }); ok {
		k.float = func(a any, i int) float64 { return any(a.([]N)[i]).(interface{ Float64() float64 }).Float64() }
	}
}

func compared[N any](x, y N) int { return any(x).(interface{ Compare(N) int }).Compare(y) }

// lacks marks the operations that the number has no method for.
func (o own[N]) lacks(k *kernel) {
	for kind, method := range map[Kind]string{
		OpDiv: "Div", OpExp: "Exp", OpLn: "Ln", OpSqrt: "Sqrt", OpTanh: "Tanh", OpSin: "Sin", OpCos: "Cos",
		OpLog1p: "Log1p", OpExpm1: "Expm1", OpErf: "Erf", OpErfDerivative: "ErfDerivative", OpPowf: "Powf",
		OpMaximum: "Maximum or Compare", OpStep: "StepAt or Compare",
	} {
		if k.unary[kind] == nil && k.binary[kind] == nil {
			k.without(kind, method)
		}
	}
	for _, kind := range []Kind{OpLogSoftmax, OpLogSumExp} {
		for _, needed := range []Kind{OpExp, OpLn, OpMaximum} {
			if method, ok := k.lacking[needed]; ok {
				k.without(kind, method)
				break
			}
		}
	}
}

// without marks an operation that the element cannot do for want of a method.
func (k *kernel) without(kind Kind, method string) {
	if k.lacking == nil {
		k.lacking = map[Kind]string{}
	}
	k.lacking[kind] = method
}

// need refuses, on behalf of op, a kind that the element cannot do.
func (k *kernel) need(op string, kind Kind, shapes ...Shape) {
	if k.lacking == nil {
		return
	}
	if method, ok := k.lacking[kind]; ok {
		over := ""
		for i, s := range shapes {
			if over += " over "; i > 0 {
				over = over[:len(over)-len(" over ")] + " and "
			}
			over += s.String()
		}
		reason := fmt.Sprintf("%s%s cannot be done with %s: the number has no method %s", op, over, k.name, method)
		panic(&Refusal{Op: op, Shapes: shapes, Reason: reason, At: caller(), Err: ErrElement})
	}
}
