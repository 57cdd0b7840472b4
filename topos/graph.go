package topos

import (
	"slices"
	"sync/atomic"
	"unsafe"
)

// record is one node in 44 bytes. Shapes and attributes live in side tables,
// payloads of sources in the spec.
type record struct {
	kind       Kind
	part       Part
	opens      bool  // the first node that a derivative recorded
	left       int32 // operands; -1 where there is none
	right      int32
	shape      uint32
	attributes int32 // into graph.attributes, -1 for none
	source     int32 // position among its kind for sources, else -1
	generation uint32
	segment    uint32
	line       uint32
	of         int32 // the forward node whose rule spoke, -1 for none
}

// attributes are an opcode's, in 32 bytes without a pointer: none exceeds
// MaxVolume.
type attributes struct {
	axis, start, length, extent, size, step, dilation uint32
	dims                                              uint32 // an interned shape or order
}

// graph is the structure of a tape: everything but numbers. It is shared by
// the tape, the network it becomes and the plans made of it; nodes are only
// ever added at the end, or cut from it.
type graph struct {
	family     uint64
	generation uint32
	records    []record
	shapes     []Shape
	interned   map[string]uint32
	attributes []attributes
	leaves     []int32 // node of each leaf
	parameters []int32 // node of each slot
	inputs     []int32
	place      place
	stopped    func() bool // told to stop, see [Watch]; nil where nobody watches
}

// place is where recording now happens; it becomes the origin of new nodes.
type place struct {
	segment, line uint32
	of            int32
	part          Part
	opens         bool // the next node is the first of a derivative
}

var families atomic.Uint64

func newGraph() *graph {
	g := &graph{family: families.Add(1), interned: map[string]uint32{}}
	g.place.of = -1
	g.shapeOf(Shape{})
	return g
}

// shapeOf interns a shape.
func (g *graph) shapeOf(s Shape) uint32 {
	var key []byte
	if n := len(s); n > 0 {
		key = unsafe.Slice((*byte)(unsafe.Pointer(&s[0])), n*int(unsafe.Sizeof(s[0])))
	}
	if at, ok := g.interned[string(key)]; ok {
		return at
	}
	at := uint32(len(g.shapes))
	g.shapes = append(g.shapes, append(Shape{}, s...))
	g.interned[string(key)] = at
	return at
}

func (g *graph) shape(i int) Shape { return g.shapes[g.records[i].shape] }

func (g *graph) symbol(i int) Symbol {
	return Symbol{family: g.family, index: uint32(i), generation: g.records[i].generation}
}

// add appends a node that has been checked.
func (g *graph) add(op Opcode, left, right int, shape uint32) int {
	r := record{
		kind: op.Kind, part: g.place.part, opens: g.place.opens, left: int32(left), right: int32(right), shape: shape,
		attributes: -1, source: -1, generation: g.generation,
		segment: g.place.segment, line: g.place.line, of: g.place.of,
	}
	if kindFacts[op.Kind].attributes != noAttributes {
		r.attributes = int32(len(g.attributes))
		g.attributes = append(doubled(g.attributes), attributes{
			uint32(op.Axis), uint32(op.Start), uint32(op.Length), uint32(op.Extent),
			uint32(op.Size), uint32(op.Step), uint32(op.Dilation), g.shapeOf(op.Dims),
		})
	}
	g.place.opens = false
	at := len(g.records)
	switch op.Kind {
	case OpLeaf:
		r.source = int32(len(g.leaves))
		g.leaves = append(g.leaves, int32(at))
	case OpParameter:
		r.source = int32(len(g.parameters))
		g.parameters = append(g.parameters, int32(at))
	case OpInput:
		r.source = int32(len(g.inputs))
		g.inputs = append(g.inputs, int32(at))
	}
	g.records = append(doubled(g.records), r)
	return at
}

// doubled makes room where there is none: append's quarter steps would copy each
// record four times.
func doubled[E any](s []E) []E {
	if len(s) < cap(s) {
		return s
	}
	return slices.Grow(s, max(len(s), 64))
}

// apply checks an operation over nodes and appends it.
func (g *graph) apply(op Opcode, left, right int) int {
	ls := g.records[left].shape
	if op.Kind <= OpStep || op.Kind == OpLogSoftmax && op.Axis < len(g.shapes[ls]) && op.Axis >= 0 {
		// The common case, elementwise, needs no new shape.
		if right < 0 || g.records[right].shape == ls {
			return g.add(op, left, right, ls)
		}
	}
	var shapes [2]Shape
	shapes[0] = g.shapes[ls]
	n := 1
	if right >= 0 {
		shapes[1] = g.shape(right)
		n = 2
	}
	return g.add(op, left, right, g.shapeOf(infer(op, shapes[:n]...)))
}

func (g *graph) opcode(i int) Opcode {
	r := &g.records[i]
	if r.attributes < 0 {
		return Opcode{Kind: r.kind}
	}
	a := &g.attributes[r.attributes]
	op := Opcode{
		Kind: r.kind, Axis: int(a.axis), Start: int(a.start), Length: int(a.length), Extent: int(a.extent),
		Size: int(a.size), Step: int(a.step), Dilation: int(a.dilation),
	}
	if carries := kindFacts[r.kind].attributes; carries == dimsShape || carries == dimsOrder {
		op.Dims = g.shapes[a.dims]
	}
	return op
}

// operands gives the operand indices of a node, without allocating.
func (r *record) operands() (xs [2]int, n int) {
	xs = [2]int{int(r.left), int(r.right)}
	return xs, kindFacts[r.kind].arity
}

// resolve gives the index a symbol names, or refuses.
func (g *graph) resolve(op string, s Symbol) int {
	if s.family != g.family {
		refuseName(ErrForeign, op, "%s was given a symbol of another tape: node %d", op, s.index)
	}
	if int(s.index) >= len(g.records) && s.generation == g.generation {
		refuseName(ErrStale, op, "%s was given node %d, which was recorded after the %d nodes it holds", op, s.index, len(g.records))
	}
	if int(s.index) >= len(g.records) || g.records[s.index].generation != s.generation {
		refuseName(ErrStale, op, "%s was given node %d, which was cut from the tape", op, s.index)
	}
	return int(s.index)
}

// view is a frozen prefix: later cuts and appends do not reach it.
func (g *graph) view() *graph {
	v := *g
	n := len(g.records)
	v.records = g.records[:n:n]
	v.shapes = g.shapes[:len(g.shapes):len(g.shapes)]
	v.attributes = g.attributes[:len(g.attributes):len(g.attributes)]
	v.leaves = g.leaves[:len(g.leaves):len(g.leaves)]
	v.parameters = g.parameters[:len(g.parameters):len(g.parameters)]
	v.inputs = g.inputs[:len(g.inputs):len(g.inputs)]
	v.interned = nil
	return &v
}

// ancestors marks the nodes that the given ones depend on, themselves included.
func (g *graph) ancestors(of ...int) []bool {
	wanted := make([]bool, len(g.records))
	last := -1
	for _, i := range of {
		wanted[i] = true
		last = max(last, i)
	}
	for i := last; i >= 0; i-- {
		g.pause(i)
		if !wanted[i] {
			continue
		}
		xs, n := g.records[i].operands()
		for _, x := range xs[:n] {
			wanted[x] = true
		}
	}
	return wanted
}
