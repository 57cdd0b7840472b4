package topos

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Module is StableHLO text: describe in another syntax.
type Module string

// String is the text itself.
func (m Module) String() string { return string(m) }

// StableHLO writes the plan as a module: the scheduled nodes in order, as a
// function of the wanted parameters, then the wanted inputs, that returns the
// readable values as declared. Under [Exact] every operation is spelled so that
// the recorded order of arithmetic is kept; under [Fast] windows and batch norms
// are one operation each. [Primitive] spells out more.
func (p *plan) StableHLO(options ...Emission) (Module, error) {
	if p.s.k.stablehlo == "" {
		return "", fmt.Errorf("stablehlo has no type for the element %s: %w", p.s.k.name, ErrElement)
	}
	e := emitter{
		g: p.s.g, exact: p.numerics == Exact, primitive: slices.Contains(options, Primitive), element: p.s.k.stablehlo, accumulator: p.s.k.accumulator, names: make([]string, len(p.s.g.records)),
		constant: func(i int) string { return p.s.payload(i).literal() },
		number:   func(x float64) string { return string(p.s.k.literal(nil, p.s.k.fill(x), 0)) },
		lowest:   fmt.Sprintf("0x%0*X", p.s.k.width*2, p.s.k.bits(p.s.k.fill(negativeInfinity), 0)),
	}
	if !e.exact {
		e.raise(p.candidates)
	}
	return e.module(p.sc)
}

// literal is the tensor as a dense attribute's value: one number where all bits
// agree, else nested brackets.
func (t *dense) literal() string {
	same := true
	for i := range t.n {
		same = same && t.k.bits(t.data, i) == t.k.bits(t.data, 0)
	}
	if same {
		return string(t.k.literal(nil, t.data, 0))
	}
	return string(nested(nil, t.shape, 0, func(b []byte, i int) []byte { return t.k.literal(b, t.data, i) }))
}

// nested brackets the elements of a shape.
func nested(b []byte, rest Shape, at int, element func([]byte, int) []byte) []byte {
	if len(rest) == 0 {
		return element(b, at)
	}
	b = append(b, '[')
	block := rest[1:].Volume()
	for i := range rest[0] {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = nested(b, rest[1:], at+i*block, element)
	}
	return append(b, ']')
}

// emitter writes one module.
type emitter struct {
	g        *graph
	exact    bool // keep the recorded order of arithmetic
	element  string
	names    []string // what a node is called in the text, by index
	constant func(i int) string
	number   func(float64) string
	lowest   string // minus infinity
	raised   raised // patterns written as one operation
	b        strings.Builder

	primitive bool // spell out what not every compiler takes

	accumulator *kernel // of sums and products; nil where that is the element
}

func (e *emitter) module(sc *schedule) (Module, error) {
	var arguments, types []string
	for _, kind := range []Kind{OpParameter, OpInput} {
		for _, i := range sc.order {
			if e.g.records[i].kind == kind {
				e.names[i] = "%arg" + strconv.Itoa(len(arguments))
				arguments = append(arguments, e.names[i]+": "+e.typeOf(e.g.shape(i)))
			}
		}
	}
	for _, i := range sc.readable {
		types = append(types, e.typeOf(e.g.shape(i)))
	}
	e.b.WriteString("module @topos {\n")
	fmt.Fprintf(&e.b, "  func.func @main(%s) -> (%s) {\n", strings.Join(arguments, ", "), strings.Join(types, ", "))
	for k, i := range sc.order {
		e.g.pause(k)
		if kind := e.g.records[i].kind; kind == OpParameter || kind == OpInput {
			continue
		}
		if e.raises(i) {
			continue
		}
		if err := e.node(i); err != nil {
			return "", err
		}
	}
	var results []string
	for _, i := range sc.readable {
		results = append(results, e.names[i])
	}
	fmt.Fprintf(&e.b, "    return %s : %s\n  }\n}\n", strings.Join(results, ", "), strings.Join(types, ", "))
	return Module(e.b.String()), nil
}

func (e *emitter) typeOf(s Shape) string { return tensorType(s, e.element) }

func tensorType(s Shape, element string) string {
	var b strings.Builder
	b.WriteString("tensor<")
	for _, x := range s {
		b.WriteString(strconv.Itoa(x))
		b.WriteByte('x')
	}
	return b.String() + element + ">"
}

func (e *emitter) line(format string, args ...any) {
	e.b.WriteString("    ")
	fmt.Fprintf(&e.b, format, args...)
	e.b.WriteByte('\n')
}

// elementwise are the operations that StableHLO has under another name.
var elementwise = map[Kind]string{
	OpAdd: "add", OpSub: "subtract", OpMul: "multiply", OpDiv: "divide", OpNeg: "negate",
	OpExp: "exponential", OpLn: "log", OpSqrt: "sqrt", OpTanh: "tanh", OpSin: "sine", OpCos: "cosine",
	OpLog1p: "log_plus_one", OpExpm1: "exponential_minus_one", OpPowf: "power", OpMaximum: "maximum",
}

// node writes one scheduled node.
func (e *emitter) node(i int) error {
	name := "%v" + strconv.Itoa(i)
	op, shape := e.g.opcode(i), e.g.shape(i)
	operands, n := e.g.records[i].operands()
	e.names[i] = name
	if op.Kind == OpLeaf {
		e.line("%s = stablehlo.constant dense<%s> : %s", name, e.constant(i), e.typeOf(shape))
		return nil
	}
	var x [2]string
	for j, o := range operands[:n] {
		x[j] = e.names[o]
	}
	if spelling, ok := elementwise[op.Kind]; ok {
		e.line("%s = stablehlo.%s %s : %s", name, spelling, strings.Join(x[:n], ", "), e.typeOf(shape))
		return nil
	}
	w := written{name: name, x: x, op: op, from: e.g.shape(operands[0]), to: shape}
	if n == 2 {
		w.second = e.g.shape(operands[1])
		return e.pair(w)
	}
	return e.single(i, w)
}

// written is a node being written: its name, operands and shapes.
type written struct {
	name   string
	x      [2]string
	op     Opcode
	from   Shape
	to     Shape
	second Shape
}

func (e *emitter) pair(w written) error {
	a, b, to := e.typeOf(w.from), e.typeOf(w.second), e.typeOf(w.to)
	switch n := len(w.from); w.op.Kind {
	case OpStep:
		mask := tensorType(w.to, "i1")
		e.line("%s_mask = stablehlo.compare GE, %s, %s, FLOAT : (%s, %s) -> %s", w.name, w.x[0], w.x[1], a, b, mask)
		e.line("%s_ones = stablehlo.constant dense<%s> : %s", w.name, e.number(1), to)
		e.line("%s_zeros = stablehlo.constant dense<%s> : %s", w.name, e.number(0), to)
		e.line("%s = stablehlo.select %s_mask, %s_ones, %s_zeros : %s, %s", w.name, w.name, w.name, w.name, mask, to)
	case OpMatMul:
		batching := ""
		if n > 2 {
			axes := axes(n - 2)
			batching = fmt.Sprintf("batching_dims = %v x %v, ", axes, axes)
		}
		e.product(w.name, w.x[0], w.x[1], fmt.Sprintf("%scontracting_dims = [%d] x [%d]", batching, n-1, n-2), w.from, w.second, w.to)
	case OpGather:
		e.line("%s = stablehlo.dot_general %s, %s, contracting_dims = [1] x [0] : (%s, %s) -> %s", w.name, w.x[1], w.x[0], b, a, to)
	case OpScatter:
		e.product(w.name, w.x[1], w.x[0], "contracting_dims = [0] x [0]", w.second, w.from, w.to)
	default:
		return fmt.Errorf("stablehlo has no spelling of %v", w.op)
	}
	return nil
}

func (e *emitter) single(i int, w written) error {
	from, to := e.typeOf(w.from), e.typeOf(w.to)
	switch w.op.Kind {
	case OpSum:
		if len(w.from) == 0 {
			e.names[i] = w.x[0]
			return nil
		}
		e.total(w.name, w.x[0], axes(len(w.from)), w.from, w.to)
	case OpSumAlong:
		e.total(w.name, w.x[0], Shape{w.op.Axis}, w.from, w.to)
	case OpBroadcast:
		scalar := w.x[0]
		if len(w.from) > 0 {
			scalar = w.name + "_scalar"
			e.line("%s = stablehlo.reshape %s : (%s) -> %s", scalar, w.x[0], from, e.typeOf(nil))
		}
		e.line("%s = stablehlo.broadcast_in_dim %s, dims = [] : (%s) -> %s", w.name, scalar, e.typeOf(nil), to)
	case OpBroadcastAlong:
		e.spread(w.name, w.x[0], w.op.Axis, w.from, w.to)
	case OpReshape:
		e.line("%s = stablehlo.reshape %s : (%s) -> %s", w.name, w.x[0], from, to)
	case OpPermute:
		e.line("%s = stablehlo.transpose %s, dims = %v : (%s) -> %s", w.name, w.x[0], w.op.Dims, from, to)
	case OpNarrow:
		e.narrow(w, from, to)
	case OpPad:
		e.pad(w, from, to)
	case OpUnfold:
		e.unfold(w)
	case OpFold:
		e.fold(w)
	case OpErf:
		if e.primitive {
			e.erf(w)
			break
		}
		e.line("%s = chlo.erf %s : %s -> %s", w.name, w.x[0], from, to)
	case OpErfDerivative:
		e.line("%s_squared = stablehlo.multiply %s, %s : %s", w.name, w.x[0], w.x[0], to)
		e.line("%s_negated = stablehlo.negate %s_squared : %s", w.name, w.name, to)
		e.line("%s_bell = stablehlo.exponential %s_negated : %s", w.name, w.name, to)
		e.line("%s_scale = stablehlo.constant dense<1.1283791670955126> : %s", w.name, to)
		e.line("%s = stablehlo.multiply %s_bell, %s_scale : %s", w.name, w.name, w.name, to)
	case OpLogSoftmax, OpLogSumExp:
		e.logDomain(w)
	default:
		return fmt.Errorf("stablehlo has no spelling of %v", w.op)
	}
	return nil
}

func (e *emitter) narrow(w written, from, to string) {
	ranges := make([]string, len(w.from))
	for d, x := range w.from {
		start, end := 0, x
		if d == w.op.Axis {
			start, end = w.op.Start, w.op.Start+w.op.Length
		}
		ranges[d] = fmt.Sprintf("%d:%d", start, end)
	}
	e.line("%s = stablehlo.slice %s [%s] : (%s) -> %s", w.name, w.x[0], strings.Join(ranges, ", "), from, to)
}

func (e *emitter) pad(w written, from, to string) {
	low, high := make(Shape, len(w.from)), make(Shape, len(w.from))
	low[w.op.Axis], high[w.op.Axis] = w.op.Start, w.op.Extent-w.op.Start-w.from[w.op.Axis]
	e.line("%s_zero = stablehlo.constant dense<%s> : %s", w.name, e.number(0), e.typeOf(nil))
	e.line("%s = stablehlo.pad %s, %s_zero, low = %v, high = %v, interior = %v : (%s, %s) -> %s", w.name, w.x[0], w.name, low, high, make(Shape, len(low)), from, e.typeOf(nil), to)
}

// axes lists the first n axes.
func axes(n int) Shape {
	r := make(Shape, n)
	for i := range r {
		r[i] = i
	}
	return r
}

// reduce folds dimensions into a seed that it writes first.
func (e *emitter) reduce(name, x, with, seed string, dims, from, to Shape) {
	label := name + "_seed"
	if with == "maximum" {
		label = strings.TrimSuffix(name, "_peak") + "_low"
	}
	e.line("%s = stablehlo.constant dense<%s> : %s", label, seed, e.typeOf(nil))
	e.reduction(name, x, label, with, dims, from, to, e.element)
}

func (e *emitter) reduction(name, x, seed, with string, dims, from, to Shape, element string) {
	e.line("%s = stablehlo.reduce(%s init: %s) applies stablehlo.%s across dimensions = %v : (%s, %s) -> %s",
		name, x, seed, with, dims, tensorType(from, element), tensorType(nil, element), tensorType(to, element))
}

// spread repeats along one axis: the others keep their places.
func (e *emitter) spread(name, x string, axis int, from, to Shape) {
	e.line("%s = stablehlo.broadcast_in_dim %s, dims = %v : (%s) -> %s", name, x, axes(len(to)).without(axis), e.typeOf(from), e.typeOf(to))
}

// logDomain spells log_softmax and logsumexp as the interpreter computes them.
func (e *emitter) logDomain(w written) {
	n, from, axis := w.name, w.from, w.op.Axis
	lane := from.without(axis)
	full, short := e.typeOf(from), e.typeOf(lane)
	e.reduce(n+"_peak", w.x[0], "maximum", e.lowest, Shape{axis}, from, lane)
	e.spread(n+"_spread_peak", n+"_peak", axis, lane, from)
	e.line("%s_centered = stablehlo.subtract %s, %s_spread_peak : %s", n, w.x[0], n, full)
	e.line("%s_exp = stablehlo.exponential %s_centered : %s", n, n, full)
	e.total(n+"_total", n+"_exp", Shape{axis}, from, lane)
	e.line("%s_normalizer = stablehlo.log %s_total : %s", n, n, short)
	if w.op.Kind == OpLogSumExp {
		e.line("%s = stablehlo.add %s_peak, %s_normalizer : %s", n, n, n, short)
		return
	}
	e.spread(n+"_spread_normalizer", n+"_normalizer", axis, lane, from)
	e.line("%s = stablehlo.subtract %s_centered, %s_spread_normalizer : %s", n, n, n, full)
}

// unfold gathers the windows' starts.
func (e *emitter) unfold(w written) {
	axis, count, size := w.op.Axis, w.to[w.op.Axis], w.op.Size
	index := Shape{count, size, 1}
	starts := string(nested(nil, index, 0, func(b []byte, i int) []byte {
		return strconv.AppendInt(b, int64(i/size*w.op.Step+i%size*w.op.Dilation), 10)
	}))
	sizes := slices.Clone(w.from)
	sizes[axis] = 1
	offsets := slices.DeleteFunc(axes(len(w.to)), func(d int) bool { return d == axis || d == axis+1 })
	indexType := tensorType(index, "i64")
	e.line("%s_starts = stablehlo.constant dense<%s> : %s", w.name, starts, indexType)
	e.line(`%s = "stablehlo.gather"(%s, %s_starts) {dimension_numbers = #stablehlo.gather<offset_dims = %v, collapsed_slice_dims = [%d], start_index_map = [%d], index_vector_dim = 2>, indices_are_sorted = false, slice_sizes = array<i64: %s>} : (%s, %s) -> %s`,
		w.name, w.x[0], w.name, offsets, axis, axis, strings.Trim(sizes.String(), "[]"), e.typeOf(w.from), indexType, e.typeOf(w.to))
}
