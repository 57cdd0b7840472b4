package topos

import "fmt"

// Value is the operand of recording: a small, copyable proxy of a node that
// borrows its tape. Every method appends nodes and panics with a [*Refusal]
// when the shapes do not fit, the tape was sealed, or the values belong to
// different tapes. Take its [Symbol] to speak of the node after the seal.
//
// Value[T] is a [Trace] whatever T is: a node has no element of its own, its
// tape has. Values of tapes of different elements are told apart when they meet.
type Value[T any] = Trace

// Trace is the payload that records instead of computing. See [Value].
type Trace struct {
	tape   *tape
	symbol Symbol
}

// Symbol is the detached name of the node.
func (v Trace) Symbol() Symbol { return v.symbol }

// Shape is the node's shape. It must not be changed.
func (v Trace) Shape() Shape { return v.shape("shape") }

// shape is the node's shape for an operation, which a refusal names.
func (v Trace) shape(op string) Shape { return v.shapeBeside(op, v) }

// shapeBeside is the shape of a value that must be of the same tape.
func (v Trace) shapeBeside(op string, o Trace) Shape {
	g := v.tape.open(op)
	return g.shape(g.resolve(op, o.symbol))
}

// String prints one line: #3 Mul [1, 2] f32.
func (v Trace) String() string {
	if v.tape == nil {
		return "no value"
	}
	n := v.tape.s.named("value", v.symbol)
	return fmt.Sprintf("#%d %v %v %s", v.symbol.index, n.opcode, n.shape, v.tape.s.k.name)
}

func clone(s []int) Shape { return append(Shape{}, s...) }
