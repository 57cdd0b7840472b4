package topos

// Element describes the number that fills a tensor. It carries one table of
// kernels, found once per tensor and never per element, so that a cell or a
// program using a built-in element compiles none of them again.
type Element[T any] struct{ k *kernels[T] }

// The built-in elements.
var (
	F32 = Element[float32]{nativeKernels[float32]("f32", 4)}
	F64 = Element[float64]{nativeKernels[float64]("f64", 8)}
)

// Name is the element's short name: "f32".
func (e Element[T]) Name() string { return e.k.name }

// kernels is all that is known of an element. Bodies are looked up here so
// that generic code around it stays thin.
type kernels[T any] struct {
	name  string
	width int // bytes of its bits

	unary  [kinds]func(dst, a []T)    // neg and the maps
	binary [kinds]func(dst, a, b []T) // equal lengths

	sum         func(a []T) T
	sumAlong    func(dst, a []T, outer, extent, inner int)
	matmul      func(dst, a, b []T, batch, rows, inner, columns int)
	fold        func(dst, a []T, outer, inner, count, extent int, op Opcode)
	gather      func(dst, table, selection []T, rows, vocabulary, inner int)
	scatter     func(dst, rows, selection []T, count, vocabulary, inner int)
	logSoftmax  func(dst, a []T, outer, extent, inner int)
	logSumExp   func(dst, a []T, outer, extent, inner int)
	from        func(float64) T
	float       func(T) float64
	parse       func(string) (T, error)
	print       func(b []byte, x T) []byte // shortest that reads back, never an exponent
	literal     func(b []byte, x T) []byte // as StableHLO writes it
	bits        func(T) uint64
	encode      func(b []byte, data []T) []byte // little-endian bits
	decode      func(b []byte) []T
	backward    func(s *sweep, values []*Tensor[T], seed *Tensor[T]) ([]*Tensor[T], []bool)
	record      func(s *sweep, values []Value[T], seed Value[T]) ([]Value[T], []bool)
	express     func(op Opcode, xs []*Tensor[T]) *Tensor[T]
	compare     func(a, b T) int // order of numbers; 0 where either is NaN
	isNonFinite func(T) bool
}
