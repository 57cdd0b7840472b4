package topos

// spec is what a tape and the network it becomes share: the structure and the
// payloads of its sources.
type spec[T any] struct {
	g        *graph
	k        *kernels[T]
	leaves   []*Tensor[T] // of the leaves, by position
	initials []*Tensor[T] // of the parameters, by slot
	defaults []*Tensor[T] // of the inputs, by position
	recorder Recorder
	scratch  []byte
}

// payload is the recorded payload of a source, or nil.
func (s *spec[T]) payload(i int) *Tensor[T] {
	r := &s.g.records[i]
	switch r.kind {
	case OpParameter:
		return s.initials[r.source]
	case OpInput:
		return s.defaults[r.source]
	case OpLeaf:
		return s.leaves[r.source]
	}
	return nil
}

// Tape is the construction phase: an append-only list of operations. It is not
// safe for concurrent use.
type Tape[T any] struct {
	s      *spec[T]
	sealed bool
}

// New makes an empty tape of an element.
func New[T any](e Element[T]) *Tape[T] {
	return &Tape[T]{s: &spec[T]{g: newGraph(), k: e.k}}
}

// Record makes a tape, lets f record on it and seals it. What f returns, such
// as the symbols of [Detach], is handed on.
func Record[T, R any](e Element[T], f func(*Tape[T]) R) (*Network[T], R) {
	tape := New(e)
	names := f(tape)
	return tape.Seal(), names
}

// Len is the number of nodes.
func (t *Tape[T]) Len() int { return len(t.s.g.records) }

// Element describes the tape's numbers.
func (t *Tape[T]) Element() Element[T] { return Element[T]{t.s.k} }

// open gives the graph for an operation, or refuses: the tape was sealed.
func (t *Tape[T]) open(op string) *graph {
	if t == nil {
		refuseName(ErrForeign, op, "%s was given a value of no tape", op)
	}
	if t.sealed {
		refuseName(ErrSealed, op, "%s cannot use this tape: it was sealed; reopen its network and resolve the symbol there", op)
	}
	return t.s.g
}

// Leaf records a constant. Shape and elements as [Element.Tensor] takes them.
func (t *Tape[T]) Leaf(shape Shape, data ...T) Value[T] {
	return t.source(OpLeaf, t.Element().tensorFor("leaf", shape, data))
}

// Parameter records a trainable source and its initial payload.
func (t *Tape[T]) Parameter(shape Shape, data ...T) Value[T] {
	return t.source(OpParameter, t.Element().tensorFor("parameter", shape, data))
}

// Input records a source that is fed per run, and its default payload.
func (t *Tape[T]) Input(shape Shape, data ...T) Value[T] {
	return t.source(OpInput, t.Element().tensorFor("input", shape, data))
}

// LeafOf records a constant from a tensor.
func (t *Tape[T]) LeafOf(payload *Tensor[T]) Value[T] { return t.source(OpLeaf, payload) }

// ParameterOf records a trainable source from a tensor.
func (t *Tape[T]) ParameterOf(initial *Tensor[T]) Value[T] { return t.source(OpParameter, initial) }

// InputOf records a source that is fed per run from its default.
func (t *Tape[T]) InputOf(fallback *Tensor[T]) Value[T] { return t.source(OpInput, fallback) }

func (t *Tape[T]) source(kind Kind, payload *Tensor[T]) Value[T] {
	g := t.open(kind.Spelling())
	at := g.add(Opcode{Kind: kind}, -1, -1, g.shapeOf(payload.shape))
	switch kind {
	case OpParameter:
		t.s.initials = append(t.s.initials, payload)
	case OpInput:
		t.s.defaults = append(t.s.defaults, payload)
	default:
		t.s.leaves = append(t.s.leaves, payload)
	}
	t.recorded(at)
	return Value[T]{t, g.symbol(at)}
}

// tensorFor is Tensor with the refusal naming the source that is recorded.
func (e Element[T]) tensorFor(op string, shape Shape, data []T) *Tensor[T] {
	if fault := shape.fault(); fault != "" {
		refuse(op, []Shape{shape}, "", "%s cannot have the shape %v: %s", op, shape, fault)
	}
	if n := shape.Volume(); len(data) != n && len(data) != 1 {
		refuse(op, []Shape{shape}, "", "%s of %v holds %d elements, not %d", op, shape, n, len(data))
	}
	return e.Tensor(shape, data...)
}

// apply records an operation over values of this tape.
func (t *Tape[T]) apply(op Opcode, a Value[T]) Value[T] {
	g := t.open(op.Kind.Spelling())
	at := g.apply(op, g.resolve(op.Kind.Spelling(), a.symbol), -1)
	t.recorded(at)
	return Value[T]{t, g.symbol(at)}
}

func (t *Tape[T]) apply2(kind Kind, a, b Value[T]) Value[T] {
	g := t.open(kind.Spelling())
	at := g.apply(Opcode{Kind: kind}, g.resolve(kind.Spelling(), a.symbol), g.resolve(kind.Spelling(), b.symbol))
	t.recorded(at)
	return Value[T]{t, g.symbol(at)}
}

func (t *Tape[T]) recorded(at int) {
	if t.s.recorder != nil {
		t.s.scratch = t.s.encode(t.s.scratch[:0], at)
		t.s.recorder.Recorded(t.s.scratch)
	}
}

// Resolve gives the value a symbol names on this tape, so that recording can
// go on from it. It panics with a [*Refusal] for a stale or foreign symbol.
func (t *Tape[T]) Resolve(n Named) Value[T] {
	g := t.open("resolve")
	return Value[T]{t, g.symbol(g.resolve("resolve", n.Symbol()))}
}

// Value gives the value of the node at an index. It panics with a [*Refusal]
// where there is none.
func (t *Tape[T]) Value(index int) Value[T] {
	g := t.open("value")
	if index < 0 || index >= len(g.records) {
		refuseName(ErrStale, "value", "the tape has no node %d: it holds %d", index, len(g.records))
	}
	return Value[T]{t, g.symbol(index)}
}

// Node is the printed entry of a node.
func (t *Tape[T]) Node(n Named) Node { return t.s.node(t.s.g.resolve("node", n.Symbol())) }

// Nodes lists every node, in order.
func (t *Tape[T]) Nodes() []Node { return t.s.nodes() }

// Parameters lists the symbols of the parameters, by slot.
func (t *Tape[T]) Parameters() []Symbol { return t.s.symbols(t.s.g.parameters) }

// Inputs lists the symbols of the inputs, in order.
func (t *Tape[T]) Inputs() []Symbol { return t.s.symbols(t.s.g.inputs) }

// Payload is the recorded payload of a source, or nil for a computed node.
func (t *Tape[T]) Payload(n Named) *Tensor[T] {
	return t.s.payload(t.s.g.resolve("payload", n.Symbol()))
}

// Place says which segment and line records from here on. It becomes the
// origin of the nodes that follow.
func (t *Tape[T]) Place(segment, line int) {
	t.s.g.place.segment, t.s.g.place.line = uint32(segment), uint32(line)
}

// Seal consumes the tape and answers the network. Values of this tape and the
// tape itself are refused from then on.
func (t *Tape[T]) Seal() *Network[T] {
	t.open("seal")
	t.sealed = true
	return &Network[T]{s: t.s}
}

// View is a network of the tape as it stands. The tape stays open, and what is
// recorded later does not reach the view. Reopening a view is refused.
func (t *Tape[T]) View() *Network[T] {
	t.open("view")
	return &Network[T]{s: t.s.frozen(), view: true}
}

// frozen is a spec that later appends and cuts do not reach.
func (s *spec[T]) frozen() *spec[T] {
	return &spec[T]{
		g: s.g.view(), k: s.k,
		leaves:   s.leaves[:len(s.leaves):len(s.leaves)],
		initials: s.initials[:len(s.initials):len(s.initials)],
		defaults: s.defaults[:len(s.defaults):len(s.defaults)],
	}
}

func (s *spec[T]) symbols(at []int32) []Symbol {
	r := make([]Symbol, len(at))
	for i, x := range at {
		r[i] = s.g.symbol(int(x))
	}
	return r
}
