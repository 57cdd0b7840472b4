package topos

// Arithmetic: Add, Sub, Mul, Div, Neg, elementwise over equal shapes.
//
// One IEEE 754 operation of the element each, rounded to nearest even. Division
// is division, never a product with a reciprocal.
//
//	kind  value   cotangents of a, b     retains
//	Add   a + b   g, g                   nothing
//	Sub   a - b   g, -g                  nothing
//	Mul   a * b   g*b, g*a               a, b
//	Div   a / b   g/b, -((g*out)/b)      b, out
//	Neg   -a      -g                     nothing

var (
	addFacts = facts{name: "Add", spelling: "add", arity: 2, family: arithmeticFamily}
	subFacts = facts{name: "Sub", spelling: "sub", arity: 2, family: arithmeticFamily}
	mulFacts = facts{name: "Mul", spelling: "mul", arity: 2, family: arithmeticFamily, retains: left | right}
	divFacts = facts{name: "Div", spelling: "div", arity: 2, family: arithmeticFamily, retains: right | output}
	negFacts = facts{name: "Neg", spelling: "neg", arity: 1, family: arithmeticFamily}
)

// Add is the elementwise sum of equal shapes.
func (v Trace) Add(o Trace) Trace { return v.tape.apply2(OpAdd, v, o) }

// Sub is the elementwise difference of equal shapes.
func (v Trace) Sub(o Trace) Trace { return v.tape.apply2(OpSub, v, o) }

// Mul is the elementwise product of equal shapes.
func (v Trace) Mul(o Trace) Trace { return v.tape.apply2(OpMul, v, o) }

// Div is the elementwise quotient of equal shapes.
func (v Trace) Div(o Trace) Trace { return v.tape.apply2(OpDiv, v, o) }

// Neg changes the sign.
func (v Trace) Neg() Trace { return v.tape.apply(Opcode{Kind: OpNeg}, v) }

func (t *dense) Add(o *dense) *dense { return t.binary(OpAdd, o) }

func (t *dense) Sub(o *dense) *dense { return t.binary(OpSub, o) }

func (t *dense) Mul(o *dense) *dense { return t.binary(OpMul, o) }

func (t *dense) Div(o *dense) *dense { return t.binary(OpDiv, o) }

func (t *dense) Neg() *dense { return t.unary(OpNeg) }

func arithmeticKernels[T native](k *kernel) {
	k.binary[OpAdd] = over(func(dst, a, b []T) {
		for i := range dst {
			dst[i] = a[i] + b[i]
		}
	})
	k.binary[OpSub] = over(func(dst, a, b []T) {
		for i := range dst {
			dst[i] = a[i] - b[i]
		}
	})
	k.binary[OpMul] = over(func(dst, a, b []T) {
		for i := range dst {
			dst[i] = T(a[i] * b[i])
		}
	})
	k.binary[OpDiv] = over(func(dst, a, b []T) {
		for i := range dst {
			dst[i] = a[i] / b[i]
		}
	})
	k.unary[OpNeg] = func(dst, a any) {
		d, x := dst.([]T), a.([]T)
		for i := range d {
			d[i] = -x[i]
		}
	}
}

func arithmeticRule[R Recordable[R]](kind Kind, operand int, g, out R, x []R) R {
	switch {
	case kind == OpMul:
		return g.Mul(x[1-operand])
	case kind == OpDiv && operand == 0:
		return g.Div(x[1])
	case kind == OpDiv:
		return g.Mul(out).Div(x[1]).Neg()
	case kind == OpNeg || kind == OpSub && operand == 1:
		return g.Neg()
	}
	return g
}

// Add is the elementwise sum of equal shapes.
func (t *Tensor[T]) Add(o *Tensor[T]) *Tensor[T] { return typed[T](t.t.binary(OpAdd, &o.t)) }

// Sub is the elementwise difference of equal shapes.
func (t *Tensor[T]) Sub(o *Tensor[T]) *Tensor[T] { return typed[T](t.t.binary(OpSub, &o.t)) }

// Mul is the elementwise product of equal shapes.
func (t *Tensor[T]) Mul(o *Tensor[T]) *Tensor[T] { return typed[T](t.t.binary(OpMul, &o.t)) }

// Div is the elementwise quotient of equal shapes.
func (t *Tensor[T]) Div(o *Tensor[T]) *Tensor[T] { return typed[T](t.t.binary(OpDiv, &o.t)) }

// Neg changes the sign.
func (t *Tensor[T]) Neg() *Tensor[T] { return typed[T](t.t.unary(OpNeg)) }
