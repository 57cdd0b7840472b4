package topos

import "slices"

// Element describes the number that fills a tensor. It carries one table of
// kernels, found once per tensor and never per element.
//
// The types with an element parameter are thin: they hold an untyped twin and
// hand every call on to it. Go compiles a generic body anew in each package
// that uses it, so a cell would otherwise compile this package with itself.
type Element[T any] struct{ k *kernel }

// The built-in elements.
var (
	F32 = Element[float32]{nativeKernel[float32]("f32", 4)}
	F64 = Element[float64]{nativeKernel[float64]("f64", 8)}
)

// Name is the element's short name: "f32".
func (e Element[T]) Name() string { return e.k.name }

// String is the element's name.
func (e Element[T]) String() string { return e.k.name }

// FromFloat64 rounds a number to the element once. It panics with a [*Refusal]
// for an element made by [Own] whose number cannot make it.
func (e Element[T]) FromFloat64(x float64) T { return e.k.fill(x).([]T)[0] }

// Parse reads a decimal number, rounding once. A number out of range is an error.
func (e Element[T]) Parse(s string) (T, error) {
	x, err := e.k.parse(s)
	if err != nil {
		var none T
		return none, err
	}
	return x.([]T)[0], nil
}

// Bits is the element's encoding: the IEEE bits of a float, in the low bits of
// the answer.
//
// Bits panics with a [*Refusal] for an element made by [Own].
func (e Element[T]) Bits(x T) uint64 {
	e.k.needBits()
	return e.k.bits([]T{x}, 0)
}

// FromBits is the element that an encoding stands for. Bits above the element's
// width are dropped. It panics with a [*Refusal] for an element made by [Own].
func (e Element[T]) FromBits(bits uint64) T {
	e.k.needBits()
	x, _, _ := e.k.decode(appendBits(nil, bits, e.k.width), 1)
	return x.([]T)[0]
}

// Tensor makes a tensor of a shape from as many elements as it holds, or from
// one that fills it. It panics with a [*Refusal] where the count fits neither,
// and copies what it is given.
func (e Element[T]) Tensor(shape Shape, data ...T) *Tensor[T] {
	return typed[T](e.k.tensor("tensor", shape, slices.Clone(data), len(data)))
}

// kernel is all that is known of an element: its name and its arithmetic over
// slices. Slices travel as any, each holding a []T; a body asserts its operands
// once and then runs over machine types.
type kernel struct {
	name        string
	width       int     // bytes of its bits
	stablehlo   string  // the type's name there
	accumulator *kernel // what sums and products are computed in; nil for the element itself

	// lacking are the operations that the element cannot do, and the method that
	// its number would need; nil for every built-in element.
	lacking map[Kind]string

	unary  [kinds]func(dst, a any)    // neg and the maps
	binary [kinds]func(dst, a, b any) // equal lengths

	sum        func(dst, a any)
	sumAlong   func(dst, a any, outer, extent, inner int)
	matmul     func(dst, a, b any, batch, rows, inner, columns int)
	fold       func(dst, a any, outer, inner, count, extent int, op Opcode)
	gather     func(dst, table, selection any, rows, vocabulary, inner int)
	scatter    func(dst, rows, selection any, count, vocabulary, inner int)
	logSoftmax func(dst, a any, outer, extent, inner int)
	logSumExp  func(dst, a any, outer, extent, inner int)
	make       func(n int) any        // zeros
	fill       func(x float64) any    // one element
	repeat     func(a any, n int) any // n times its one element
	move       func(dst any, at int, src any, from, n int)
	permute    func(dst, src any, shape Shape, strides []int)
	parse      func(s string) (any, error)         // one element
	void       func() any                          // one element of a payload that is gone: NaN where there is one
	float      func(a any, i int) float64          // nil where a number is no float64
	print      func(b []byte, a any, i int) []byte // shortest that reads back, never an exponent
	literal    func(b []byte, a any, i int) []byte // as StableHLO writes it
	bits       func(a any, i int) uint64           // nil where they are no integer
	same       func(a any, i int, b any, j int) bool
	digest     func(b []byte, a any, i int) []byte // the bits that a digest is taken of
	encode     func(b []byte, a any) []byte
	raw        func(a any) []byte                                       // memory that holds what encode writes, nil where none does
	lay        func(memory []byte) any                                  // nil, or data in such memory; nil data where it is not aligned
	round      func(dst any, numbers []float64)                         // each rounded once; nil for fill, one by one
	decode     func(b []byte, n int) (data any, rest []byte, err error) // of n elements
	compare    func(a any, i, j int) int                                // order of numbers, 0 where either is NaN; nil for none
}

// is says whether two tables are of one element. Own and Narrow make a new table
// each time.
func (k *kernel) is(o *kernel) bool { return k == o || k.name == o.name }

// tensor makes a tensor of data it may keep, or refuses on behalf of op.
func (k *kernel) tensor(op string, shape Shape, data any, n int) *dense {
	if fault := shape.fault(); fault != "" {
		refuse(op, []Shape{shape}, "", "%s cannot have the shape %v: %s", op, shape, fault)
	}
	if volume := shape.Volume(); n != volume && n != 1 {
		refuse(op, []Shape{shape}, "", "%s of %v holds %d elements, not %d", op, shape, volume, n)
	}
	return &dense{k, clone(shape), data, n}
}

// constant is one number over a shape.
func (k *kernel) constant(shape Shape, x float64) *dense { return &dense{k, shape, k.fill(x), 1} }
