package topos

import (
	"slices"
	"unsafe"
)

// Tape is the construction phase: an append-only list of operations. It is not
// safe for concurrent use. Recording methods panic with a [*Refusal].
type Tape[T any] struct{ Recording }

// New makes an empty tape of an element.
//
// What is allocated is the untyped part: an allocation in generic code would
// have every cell compile the type's methods for it.
func New[T any](e Element[T]) *Tape[T] { return (*Tape[T])(unsafe.Pointer(newRecording(e.k))) }

// Record makes a tape, lets f record on it and seals it. What f returns, such
// as the symbols of [Detach], is handed on.
func Record[T, R any](e Element[T], f func(*Tape[T]) R) (*Network[T], R) {
	tape := New(e)
	names := f(tape)
	return tape.Seal(), names
}

// Element describes the tape's numbers.
func (t *Tape[T]) Element() Element[T] { return Element[T]{t.t.s.k} }

// Leaf records a constant. Shape and elements as [Element.Tensor] takes them.
func (t *Tape[T]) Leaf(shape Shape, data ...T) Value[T] {
	return t.t.literal(OpLeaf, shape, slices.Clone(data), len(data))
}

// Parameter records a trainable source and its initial payload.
func (t *Tape[T]) Parameter(shape Shape, data ...T) Value[T] {
	return t.t.literal(OpParameter, shape, slices.Clone(data), len(data))
}

// Input records a source that is fed per run, and its default payload.
func (t *Tape[T]) Input(shape Shape, data ...T) Value[T] {
	return t.t.literal(OpInput, shape, slices.Clone(data), len(data))
}

// LeafOf records a constant from a tensor.
func (t *Tape[T]) LeafOf(payload *Tensor[T]) Value[T] { return t.t.source(OpLeaf, &payload.t) }

// ParameterOf records a trainable source from a tensor.
func (t *Tape[T]) ParameterOf(initial *Tensor[T]) Value[T] {
	return t.t.source(OpParameter, &initial.t)
}

// InputOf records a source that is fed per run from its default.
func (t *Tape[T]) InputOf(fallback *Tensor[T]) Value[T] { return t.t.source(OpInput, &fallback.t) }

// Payload is the recorded payload of a source, or nil for a computed node.
func (t *Tape[T]) Payload(n Named) *Tensor[T] { return typed[T](t.t.s.payloadOf(n.Symbol())) }

// Seal consumes the tape and answers the network. Values of this tape and the
// tape itself are refused from then on.
func (t *Tape[T]) Seal() *Network[T] { return (*Network[T])(unsafe.Pointer(t.t.seal())) }

// View is a network of the tape as it stands. The tape stays open, and what is
// recorded later does not reach the view. Reopening a view is refused.
func (t *Tape[T]) View() *Network[T] { return (*Network[T])(unsafe.Pointer(t.t.view())) }

// InitialParameters is the table of the recorded initial payloads.
func (t *Tape[T]) InitialParameters() *Parameters[T] { return typedTable[T](t.t.s.parameters()) }

// Carry keeps the payloads of an earlier table of the same tape and fills the
// slots recorded since from their initials.
func (t *Tape[T]) Carry(p *Parameters[T]) (*Parameters[T], error) {
	r, err := t.t.s.carry(&p.t)
	return typedTable[T](r), err
}

// Network is the sealed spec: structure, shapes, initial payloads and input
// defaults. It holds no live weights and may be shared.
type Network[T any] struct{ n network }

// Reopen consumes the network and answers the tape again. Nodes do not move,
// so symbols, plans and runs of the prefix stay valid.
func (n *Network[T]) Reopen() *Tape[T] { return (*Tape[T])(unsafe.Pointer(n.n.Reopen())) }

// Len is the number of nodes.
func (n *Network[T]) Len() int { return n.n.Len() }

// Element describes the network's numbers.
func (n *Network[T]) Element() Element[T] { return Element[T]{n.n.s.k} }

// Node is the printed entry of a node.
func (n *Network[T]) Node(x Named) Node { n.n.use("node"); return n.n.s.named("node", x.Symbol()) }

// Nodes lists every node, in order.
func (n *Network[T]) Nodes() []Node { n.n.use("nodes"); return n.n.s.nodes() }

// Payload is the recorded payload of a source, or nil for a computed node.
func (n *Network[T]) Payload(x Named) *Tensor[T] {
	n.n.use("payload")
	return typed[T](n.n.s.payloadOf(x.Symbol()))
}

// Parameters is the table of the recorded initial payloads.
func (n *Network[T]) Parameters() *Parameters[T] { return typedTable[T](n.n.Parameters()) }

// Carry keeps the payloads of an earlier table of the same tape and fills the
// slots recorded since from their initials.
func (n *Network[T]) Carry(p *Parameters[T]) (*Parameters[T], error) {
	r, err := n.n.Carry(&p.t)
	return typedTable[T](r), err
}

// Forward evaluates the whole network by the interpreter: the oracle that every
// plan must answer bit for bit under [Exact]. Inputs that are not fed use their
// defaults. The errors are those of the tables and feeds it is given.
func (n *Network[T]) Forward(p *Parameters[T], feeds ...Feed[T]) (*Run[T], error) {
	r, err := n.n.Forward(&p.t, untypedFeeds(feeds)...)
	return typedRun[T](r), err
}

// Entry declares what a run may read: its roots, in order.
func (n *Network[T]) Entry(roots ...Named) Entry[T] { return Entry[T]{n.n.Entry(roots...)} }

// Describe prints the network as [Tape.Describe] prints a tape.
func (n *Network[T]) Describe() string { return n.n.Describe() }

// Reading is the spec of the sealed network.
func (n *Network[T]) Reading() *Reading { return n.n.reading() }

// String is the text of that reading.
func (n *Network[T]) String() string { return n.n.reading().line() }
