package topos

import (
	"slices"
	"unsafe"
)

// Tape is the construction phase: an append-only list of operations. It is not
// safe for concurrent use. Recording methods panic with a [*Refusal].
type Tape[T any] struct{ t tape }

// New makes an empty tape of an element.
func New[T any](e Element[T]) *Tape[T] { return &Tape[T]{newTape(e.k)} }

// Record makes a tape, lets f record on it and seals it. What f returns, such
// as the symbols of [Detach], is handed on.
func Record[T, R any](e Element[T], f func(*Tape[T]) R) (*Network[T], R) {
	tape := New(e)
	names := f(tape)
	return tape.Seal(), names
}

// Len is the number of nodes.
func (t *Tape[T]) Len() int { return t.t.Len() }

// Element describes the tape's numbers.
func (t *Tape[T]) Element() Element[T] { return Element[T]{t.t.s.k} }

// Leaf records a constant. Shape and elements as [Element.Tensor] takes them.
func (t *Tape[T]) Leaf(shape Shape, data ...T) Value[T] {
	return Value[T]{t.t.literal(OpLeaf, shape, slices.Clone(data), len(data))}
}

// Parameter records a trainable source and its initial payload.
func (t *Tape[T]) Parameter(shape Shape, data ...T) Value[T] {
	return Value[T]{t.t.literal(OpParameter, shape, slices.Clone(data), len(data))}
}

// Input records a source that is fed per run, and its default payload.
func (t *Tape[T]) Input(shape Shape, data ...T) Value[T] {
	return Value[T]{t.t.literal(OpInput, shape, slices.Clone(data), len(data))}
}

// LeafOf records a constant from a tensor.
func (t *Tape[T]) LeafOf(payload *Tensor[T]) Value[T] {
	return Value[T]{t.t.source(OpLeaf, &payload.t)}
}

// ParameterOf records a trainable source from a tensor.
func (t *Tape[T]) ParameterOf(initial *Tensor[T]) Value[T] {
	return Value[T]{t.t.source(OpParameter, &initial.t)}
}

// InputOf records a source that is fed per run from its default.
func (t *Tape[T]) InputOf(fallback *Tensor[T]) Value[T] {
	return Value[T]{t.t.source(OpInput, &fallback.t)}
}

// Resolve gives the value a symbol names on this tape, so that recording can
// go on from it. It panics with a [*Refusal] for a stale or foreign symbol.
func (t *Tape[T]) Resolve(n Named) Value[T] { return Value[T]{t.t.Resolve(n.Symbol())} }

// Value gives the value of the node at an index. It panics with a [*Refusal]
// where there is none.
func (t *Tape[T]) Value(index int) Value[T] { return Value[T]{t.t.Value(index)} }

// Node is the printed entry of a node.
func (t *Tape[T]) Node(n Named) Node { return t.t.s.named("node", n.Symbol()) }

// Nodes lists every node, in order.
func (t *Tape[T]) Nodes() []Node { return t.t.s.nodes() }

// Parameters lists the symbols of the parameters, by slot.
func (t *Tape[T]) Parameters() []Symbol { return t.t.s.symbols(t.t.s.g.parameters) }

// Inputs lists the symbols of the inputs, in order.
func (t *Tape[T]) Inputs() []Symbol { return t.t.s.symbols(t.t.s.g.inputs) }

// Payload is the recorded payload of a source, or nil for a computed node.
func (t *Tape[T]) Payload(n Named) *Tensor[T] { return typed[T](t.t.s.payloadOf(n.Symbol())) }

// Place says which segment and line records from here on. It becomes the
// origin of the nodes that follow.
func (t *Tape[T]) Place(segment, line int) { t.t.Place(segment, line) }

// Differentiate appends the gradient of a rank-0 target as ordinary nodes: the
// reverse scan with a seed of one. It panics with a [*Refusal] where the target
// is not rank 0; sum it first.
func (t *Tape[T]) Differentiate(target Named, wrt ...Named) Adjoints {
	return t.t.Differentiate(target, wrt...)
}

// VJP appends the vector-Jacobian product of a target by an explicit seed of
// its shape. A seed that is itself a gradient records a Hessian-vector product.
func (t *Tape[T]) VJP(target Named, seed Value[T], wrt ...Named) Adjoints {
	return t.t.VJP(target, seed.v, wrt...)
}

// Recorded finds a derivative of the target with respect to wrt that the tape
// already holds, the newest first. It panics with a [*Refusal] for a stale or
// foreign symbol.
func (t *Tape[T]) Recorded(target Named, wrt ...Named) (Adjoints, bool) {
	return t.t.Recorded(target, wrt...)
}

// Seal consumes the tape and answers the network. Values of this tape and the
// tape itself are refused from then on.
func (t *Tape[T]) Seal() *Network[T] { return (*Network[T])(unsafe.Pointer(t.t.Seal())) }

// View is a network of the tape as it stands. The tape stays open, and what is
// recorded later does not reach the view. Reopening a view is refused.
func (t *Tape[T]) View() *Network[T] { return (*Network[T])(unsafe.Pointer(t.t.View())) }

// InitialParameters is the table of the recorded initial payloads.
func (t *Tape[T]) InitialParameters() *Parameters[T] { return typedTable[T](t.t.s.parameters()) }

// Carry keeps the payloads of an earlier table of the same tape and fills the
// slots recorded since from their initials.
func (t *Tape[T]) Carry(p *Parameters[T]) (*Parameters[T], error) {
	r, err := t.t.s.carry(&p.t)
	return typedTable[T](r), err
}

// Describe prints one line per node: index, operation, operands and
// attributes, shape; then the counts.
func (t *Tape[T]) Describe() string { return t.t.Describe() }

// DescribeFrom prints the tape with a line of text above the node at from.
func (t *Tape[T]) DescribeFrom(from int, text string) string { return t.t.DescribeFrom(from, text) }

// RecordTo tells a recorder of every node from here on; nil ends it.
func (t *Tape[T]) RecordTo(r Recorder) { t.t.s.recorder = r }

// Encode is the encoding of the nodes from an index on: per node its kind, its
// origin, operands and attributes, and for a source its shape and its elements'
// bits. Integers are varints, bits little-endian; entries follow each other
// without padding.
func (t *Tape[T]) Encode(from int) []byte { return t.t.Encode(from) }

// Decode appends encoded nodes as if they were recorded here: shapes are
// inferred and checked anew. Where an entry is torn or does not fit, the error
// says which node, and nothing is appended.
func (t *Tape[T]) Decode(b []byte) error { return t.t.Decode(b) }

// Cut removes the nodes from an index on and answers them. Symbols of cut nodes
// are refused from then on, also when other nodes are recorded in their place;
// views and plans made before keep what they hold.
func (t *Tape[T]) Cut(at int) *Tail[T] { return (*Tail[T])(unsafe.Pointer(t.t.Cut(at))) }

// Restore cuts what was recorded since and puts a tail back where it was. Its
// symbols name the same nodes again.
func (t *Tape[T]) Restore(c *Tail[T]) { t.t.Restore(&c.c) }

// Tail is what [Tape.Cut] removed, so that it can be put back.
type Tail[T any] struct{ c tail }

// Len is the number of nodes in the tail.
func (c *Tail[T]) Len() int { return len(c.c.records) }

// Reading is the spec: every node, in order.
func (t *Tape[T]) Reading() *Reading { return t.t.reading() }

// Picture is the tape as a reading to be drawn.
func (t *Tape[T]) Picture() *Reading { return t.t.Picture() }

// ReadGradient is the tape with a divider above the nodes that a derivative
// appended. name may be nil.
func (t *Tape[T]) ReadGradient(a Adjoints, name Naming) *Reading { return t.t.ReadGradient(a, name) }

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
