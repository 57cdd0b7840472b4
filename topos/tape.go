package topos

import "math"

// spec is what a tape and the network it becomes share: the structure and the
// payloads of its sources.
type spec struct {
	g        *graph
	k        *kernel
	leaves   []*dense // of the leaves, by position
	initials []*dense // of the parameters, by slot
	defaults []*dense // of the inputs, by position
	recorder Recorder
	aside    Aside // of the recorder, nil for none
	scratch  []byte

	constants map[constant]*dense
}

// constant is one number over an interned shape.
type constant struct {
	shape uint32
	bits  uint64
}

// maxConstants bounds what a tape remembers of its constants.
const maxConstants = 4096

// constant answers the same payload for the same number over the same shape: a
// third of a derivative's nodes are zeros, and no payload is ever written.
func (s *spec) constant(shape uint32, x float64) *dense {
	at := constant{shape, math.Float64bits(x)} // -0 is not +0
	if t, ok := s.constants[at]; ok {
		return t
	}
	if s.constants == nil || len(s.constants) >= maxConstants {
		s.constants = map[constant]*dense{}
	}
	t := s.k.constant(s.g.shapes[shape], x)
	s.constants[at] = t
	return t
}

// payload is the recorded payload of a source, or nil.
func (s *spec) payload(i int) *dense {
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

// Recording is what a [Tape] is besides its element: nodes and what is read of
// them.
type Recording struct{ t tape }

// tape is a recording's state. Its methods are kept off [Recording], since each
// promoted method is compiled again with every cell.
type tape struct {
	s      *spec
	sealed bool
}

func newRecording(k *kernel) *Recording { return &Recording{tape{s: &spec{g: newGraph(), k: k}}} }

// Len is the number of nodes.
func (t *Recording) Len() int { return len(t.t.s.g.records) }

// open gives the graph for an operation, or refuses: the tape was sealed.
func (t *tape) open(op string) *graph {
	if t == nil {
		refuseName(ErrForeign, op, "%s was given a value of no tape", op)
	}
	if t.sealed {
		refuseName(ErrSealed, op, "%s cannot use this tape: it was sealed; reopen its network and resolve the symbol there", op)
	}
	return t.s.g
}

// literal records a source of elements it may keep.
func (t *tape) literal(kind Kind, shape Shape, data any, n int) Trace {
	t.open(kind.Spelling())
	return t.source(kind, t.s.k.tensor(kind.Spelling(), shape, data, n))
}

func (t *tape) source(kind Kind, payload *dense) Trace {
	g := t.open(kind.Spelling())
	if !payload.k.is(t.s.k) {
		refuseName(ErrElement, kind.Spelling(), "%s of a tape of %s was given a tensor of %s", kind.Spelling(), t.s.k.name, payload.k.name)
	}
	return t.append(kind, payload, g.shapeOf(payload.shape))
}

func (t *tape) append(kind Kind, payload *dense, shape uint32) Trace {
	g := t.s.g
	at := g.add(Opcode{Kind: kind}, -1, -1, shape)
	switch kind {
	case OpParameter:
		t.s.initials = append(t.s.initials, payload)
	case OpInput:
		t.s.defaults = append(t.s.defaults, payload)
	default:
		t.s.leaves = append(t.s.leaves, payload)
	}
	t.recorded(at)
	return Trace{t, g.symbol(at)}
}

// apply records an operation over values of this tape.
func (t *tape) apply(op Opcode, a Trace) Trace {
	g := t.open(op.Kind.Spelling())
	x := g.resolve(op.Kind.Spelling(), a.symbol)
	t.able(op.Kind, x, -1)
	at := g.apply(op, x, -1)
	t.recorded(at)
	return Trace{t, g.symbol(at)}
}

func (t *tape) apply2(kind Kind, a, b Trace) Trace {
	g := t.open(kind.Spelling())
	x, y := g.resolve(kind.Spelling(), a.symbol), g.resolve(kind.Spelling(), b.symbol)
	t.able(kind, x, y)
	at := g.apply(Opcode{Kind: kind}, x, y)
	t.recorded(at)
	return Trace{t, g.symbol(at)}
}

// Rehearse makes inputs of some shapes on an empty tape of the same element, on
// which a composition can be tried before it is recorded beside v: what would be
// refused there appends nothing here. It panics with a [*Refusal] for a shape
// that no tensor has.
func (v Trace) Rehearse(shapes ...Shape) []Trace {
	v.tape.open("rehearse")
	k := v.tape.s.k
	scratch := newRecording(k)
	x := make([]Trace, len(shapes))
	for i, shape := range shapes {
		x[i] = scratch.t.literal(OpInput, shape, k.fill(0), 1)
	}
	return x
}

// able refuses an operation that the tape's element cannot do.
func (t *tape) able(kind Kind, a, b int) {
	if t.s.k.lacking == nil {
		return
	}
	shapes := []Shape{t.s.g.shape(a)}
	if b >= 0 {
		shapes = append(shapes, t.s.g.shape(b))
	}
	t.s.k.need(kind.Spelling(), kind, shapes...)
}

func (t *tape) recorded(at int) {
	if t.s.recorder != nil {
		t.s.scratch = t.s.encode(t.s.scratch[:0], at, t.s.aside)
		t.s.recorder.Recorded(t.s.scratch)
	}
}

// Resolve gives the value a symbol names on this tape, so that recording can
// go on from it. It panics with a [*Refusal] for a stale or foreign symbol.
func (t *Recording) Resolve(n Named) Trace {
	g := t.t.open("resolve")
	return Trace{&t.t, g.symbol(g.resolve("resolve", n.Symbol()))}
}

// Resolve gives the value that a symbol names on the tape of v, so that what
// holds symbols can record beside v. It panics with a [*Refusal] for a stale or
// foreign symbol.
func (v Trace) Resolve(n Named) Trace {
	g := v.tape.open("resolve")
	return Trace{v.tape, g.symbol(g.resolve("resolve", n.Symbol()))}
}

// Value gives the value of the node at an index. It panics with a [*Refusal]
// where there is none.
func (t *Recording) Value(index int) Trace {
	g := t.t.open("value")
	if index < 0 || index >= len(g.records) {
		refuseName(ErrStale, "value", "the tape has no node %d: it holds %d", index, len(g.records))
	}
	return Trace{&t.t, g.symbol(index)}
}

// Node is the printed entry of a node.
func (t *Recording) Node(n Named) Node { return t.t.s.named("node", n.Symbol()) }

// Nodes lists every node, in order.
func (t *Recording) Nodes() []Node { return t.t.s.nodes() }

// Parameters lists the symbols of the parameters, by slot.
func (t *Recording) Parameters() []Symbol { return t.t.s.symbols(t.t.s.g.parameters) }

// Slot is the slot of a parameter: -1 for any other node, and for a symbol that is
// not, or no longer, of this tape.
func (t *Recording) Slot(n Named) int {
	g, s := t.t.s.g, n.Symbol()
	if i := int(s.index); i < len(g.records) && g.symbol(i) == s && g.records[i].kind == OpParameter {
		return int(g.records[i].source)
	}
	return -1
}

// Inputs lists the symbols of the inputs, in order.
func (t *Recording) Inputs() []Symbol { return t.t.s.symbols(t.t.s.g.inputs) }

// RecordTo tells a recorder of every node from here on; nil ends it. One that is
// an [Aside] too is told of payloads by their names.
func (t *Recording) RecordTo(r Recorder) {
	t.t.s.recorder = r
	t.t.s.aside, _ = r.(Aside)
}

// Place says which segment and line records from here on. It becomes the
// origin of the nodes that follow.
func (t *Recording) Place(segment, line int) {
	t.t.s.g.place.segment, t.t.s.g.place.line = uint32(segment), uint32(line)
}

// Seal consumes the tape and answers the network. Values of this tape and the
// tape itself are refused from then on.
func (t *tape) seal() *network {
	t.open("seal")
	t.sealed = true
	return &network{s: t.s}
}

// View is a network of the tape as it stands. The tape stays open, and what is
// recorded later does not reach the view. Reopening a view is refused.
func (t *tape) view() *network {
	t.open("view")
	return &network{s: t.s.frozen(), view: true}
}

// frozen is a spec that later appends and cuts do not reach.
func (s *spec) frozen() *spec {
	return &spec{
		g: s.g.view(), k: s.k,
		leaves:   s.leaves[:len(s.leaves):len(s.leaves)],
		initials: s.initials[:len(s.initials):len(s.initials)],
		defaults: s.defaults[:len(s.defaults):len(s.defaults)],
	}
}

func (s *spec) named(op string, n Symbol) Node { return s.node(s.g.resolve(op, n)) }

func (s *spec) payloadOf(n Symbol) *dense { return s.payload(s.g.resolve("payload", n)) }

func (s *spec) symbols(at []int32) []Symbol {
	r := make([]Symbol, len(at))
	for i, x := range at {
		r[i] = s.g.symbol(int(x))
	}
	return r
}
