package topos_test

import (
	"bufio"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/nn"
)

// writtenOperation is an operation over operands of some shapes.
type writtenOperation struct {
	form   string // told apart from other forms of the kind
	op     Opcode
	shapes []Shape
}

// writtenOperations has every kind that computes, those with attributes in each
// form that is emitted in a way of its own.
var writtenOperations = []writtenOperation{
	{"", Opcode{Kind: OpMatMul}, []Shape{{2, 3}, {3, 4}}},
	{"batched", Opcode{Kind: OpMatMul}, []Shape{{2, 1, 2, 3}, {2, 1, 3, 2}}},
	{"", Opcode{Kind: OpSum}, []Shape{{3, 2, 4}}},
	{"scalar", Opcode{Kind: OpSum}, []Shape{{}}},
	{"", Opcode{Kind: OpSumAlong, Axis: 1}, []Shape{{3, 5, 2}}},
	{"", Opcode{Kind: OpBroadcast, Dims: Shape{2, 3}}, []Shape{{}}},
	{"of rank 2", Opcode{Kind: OpBroadcast, Dims: Shape{2, 3}}, []Shape{{1, 1}}},
	{"to rank 0", Opcode{Kind: OpBroadcast, Dims: Shape{}}, []Shape{{1}}},
	{"", Opcode{Kind: OpBroadcastAlong, Axis: 1, Extent: 3}, []Shape{{2, 4}}},
	{"of a scalar", Opcode{Kind: OpBroadcastAlong, Extent: 3}, []Shape{{}}},
	{"", Opcode{Kind: OpReshape, Dims: Shape{4, 3}}, []Shape{{2, 6}}},
	{"", Opcode{Kind: OpPermute, Dims: Shape{2, 0, 1}}, []Shape{{2, 3, 4}}},
	{"", Opcode{Kind: OpNarrow, Axis: 1, Start: 1, Length: 2}, []Shape{{2, 4}}},
	{"", Opcode{Kind: OpPad, Axis: 1, Start: 1, Extent: 6}, []Shape{{2, 4}}},
	{"", Opcode{Kind: OpUnfold, Axis: 1, Size: 2, Step: 1, Dilation: 1}, []Shape{{2, 5}}},
	{"apart", Opcode{Kind: OpUnfold, Axis: 0, Size: 2, Step: 2, Dilation: 3}, []Shape{{7, 2}}},
	{"", Opcode{Kind: OpFold, Axis: 1, Size: 2, Step: 1, Dilation: 1, Extent: 5}, []Shape{{2, 4, 2}}},
	{"crowded", Opcode{Kind: OpFold, Axis: 0, Size: 3, Step: 1, Dilation: 1, Extent: 7}, []Shape{{5, 3, 2}}},
	{"long", Opcode{Kind: OpFold, Axis: 0, Size: 2, Step: 2, Dilation: 1, Extent: 400}, []Shape{{200, 2}}},
	{"", Opcode{Kind: OpGather}, []Shape{{4, 3}, {2, 4}}},
	{"", Opcode{Kind: OpScatter}, []Shape{{3, 2}, {3, 4}}},
	{"", Opcode{Kind: OpLogSoftmax, Axis: 1}, []Shape{{3, 4}}},
	{"", Opcode{Kind: OpLogSumExp, Axis: 1}, []Shape{{3, 4}}},
}

// TestWriteOperations writes operations.jsonl: each operation alone, on moderate
// numbers and, where it is elementwise, on special ones; and each pattern, as it
// is raised under Fast and as it is spelled under Exact.
func TestWriteOperations(t *testing.T) {
	named := map[Kind]bool{}
	for _, k := range Kinds() {
		named[k] = k.IsSource() || elementwiseKind(k)
	}
	for _, o := range writtenOperations {
		named[o.op.Kind] = true
	}
	for k, ok := range named {
		if !ok {
			t.Errorf("%v is in no module", k)
		}
	}
	if *writePrograms == "" {
		return
	}
	w := newProgramWriter(t, "operations.jsonl")
	for _, e := range elements {
		e.writeOperations(w)
		e.writePatterns(w)
	}
}

// elementwiseKind says whether a kind takes any shape, element by element.
func elementwiseKind(k Kind) bool {
	return k == OpNeg || k == OpSqrt || mapKinds[k] && k != OpPowf || pairwiseKind(k)
}

func pairwiseKind(k Kind) bool {
	switch k {
	case OpAdd, OpSub, OpMul, OpDiv, OpPowf, OpMaximum, OpStep:
		return true
	}
	return false
}

func (n number[T]) writeOperations(w *programWriter) {
	for _, k := range Kinds() {
		if !elementwiseKind(k) {
			continue
		}
		operands := 1
		if pairwiseKind(k) {
			operands = 2
		}
		n.writeOperation(w, k.String(), Opcode{Kind: k}, n.moderate(k, operands))
		n.writeOperation(w, k.String()+" (special)", Opcode{Kind: k}, n.special(operands))
		if k == OpErf {
			n.writeOperation(w, k.String()+" (primitive)", Opcode{Kind: k}, n.moderate(k, operands), Primitive)
			n.writeOperation(w, k.String()+" primitive (special)", Opcode{Kind: k}, n.special(operands), Primitive)
		}
	}
	for _, o := range writtenOperations {
		name := o.op.Kind.String()
		if o.form != "" {
			name += " (" + o.form + ")"
		}
		n.writeOperation(w, name, o.op, n.operands(o))
	}
}

// operands draws those of an operation that is not elementwise.
func (n number[T]) operands(o writtenOperation) (xs []*Tensor[T]) {
	r := rand.New(rand.NewPCG(11, uint64(o.op.Kind)))
	for _, s := range o.shapes {
		xs = append(xs, n.drawn(r, s, -2, 2))
	}
	if o.op.Kind == OpGather || o.op.Kind == OpScatter {
		xs[1] = n.selection(o.shapes[1])
	}
	return xs
}

// writeOperation writes one operation over parameters.
func (n number[T]) writeOperation(w *programWriter, name string, op Opcode, operands []*Tensor[T], options ...Emission) {
	tape := New(n.Element)
	var values []Value[T]
	for _, x := range operands {
		values = append(values, tape.ParameterOf(x))
	}
	y := Express(op, values...)
	net := tape.Seal()
	writePlan(w, n, "operation/"+name+"/"+n.Name(), net, Must(net.Entry(y).Numerics(Exact).Lower()), options...)
}

// moderate draws operands of an elementwise kind from where it is tame.
func (n number[T]) moderate(k Kind, operands int) []*Tensor[T] {
	r := rand.New(rand.NewPCG(12, uint64(k)))
	low, high := -4.0, 4.0
	switch k {
	case OpLn, OpSqrt:
		low = 0.01
	case OpLog1p:
		low = -0.99
	}
	xs := []*Tensor[T]{n.drawn(r, Shape{8, 16}, low, high), n.drawn(r, Shape{8, 16}, -4, 4)}
	switch k {
	case OpDiv:
		xs[1] = n.drawn(r, Shape{8, 16}, 0.1, 4)
	case OpPowf:
		xs[0] = n.drawn(r, Shape{8, 16}, 0.1, 4)
	}
	return xs[:operands]
}

// drawn is a tensor of numbers from a range.
func (n number[T]) drawn(r *rand.Rand, shape Shape, low, high float64) *Tensor[T] {
	data := make([]T, shape.Volume())
	for i := range data {
		data[i] = n.FromFloat64(low + float64((high-low)*r.Float64()))
	}
	return n.Tensor(shape, data...)
}

// selection takes rows in turn, the last one twice.
func (n number[T]) selection(s Shape) *Tensor[T] {
	data := make([]T, s.Volume())
	for i := range data {
		data[i] = n.FromFloat64(0)
	}
	for row := range s[0] {
		data[row*s[1]+max(row, 1)%s[1]] = n.FromFloat64(1)
	}
	return n.Tensor(s, data...)
}

// special is every special number, or every pair of them.
func (n number[T]) special(operands int) []*Tensor[T] {
	infinity := n.Bits(n.FromFloat64(math.Inf(1)))
	positive := []T{n.FromFloat64(0), n.FromBits(1), n.FromFloat64(0.5), n.FromFloat64(1), n.FromFloat64(2), n.FromFloat64(3), n.FromBits(infinity - 1), n.FromBits(infinity)}
	all := []T{n.FromFloat64(math.NaN())}
	for _, x := range positive {
		all = append(all, x, n.FromFloat64(-n.real(x)))
	}
	if operands == 1 {
		return []*Tensor[T]{n.Tensor(Shape{len(all)}, all...)}
	}
	var left, right []T
	for _, x := range all {
		for _, y := range all {
			left, right = append(left, x), append(right, y)
		}
	}
	shape := Shape{len(all), len(all)}
	return []*Tensor[T]{n.Tensor(shape, left...), n.Tensor(shape, right...)}
}

// writePatterns writes what Fast raises, and the same spelled out.
func (n number[T]) writePatterns(w *programWriter) {
	r := rand.New(rand.NewPCG(13, 13))
	tape := New(n.Element)
	image := tape.InputOf(n.drawn(r, Shape{2, 3, 6, 6}, -1, 1))
	weights := tape.ParameterOf(n.drawn(r, Shape{4, 3, 3, 3}, -1, 1))
	bias := tape.ParameterOf(n.drawn(r, Shape{4}, -1, 1))
	table := func() Trace { return tape.ParameterOf(n.drawn(r, Shape{4}, 0.5, 2)) }
	norm := nn.NewBatchNorm(table(), table(), tape.Leaf(nil, n.FromFloat64(0x1p-10)))
	rows := tape.InputOf(n.drawn(r, Shape{6, 4}, -1, 1))
	output, mean, variance := norm.Training(rows)
	patterns := []struct {
		name  string
		roots []Named
	}{
		{"convolution", []Named{nn.Convolve2d(image, weights, bias, 1, 0)}},
		{"convolution (stride 2, padding 1)", []Named{nn.Convolve2d(image, weights, bias, 2, 1)}},
		{"reduce_window", []Named{nn.MaxPool(image, 2, 2)}},
		{"batch_norm_training", []Named{output, mean, variance}},
		{"batch_norm_inference", []Named{norm.Inference(rows, table(), table())}},
	}
	net := tape.Seal()
	for _, p := range patterns {
		for _, numerics := range []Numerics{Exact, Fast} {
			plan := Must(net.Entry(p.roots...).Numerics(numerics).Lower())
			text, name := Must(plan.StableHLO()).String(), p.name
			kind, _, _ := strings.Cut(p.name, " ")
			if raised := strings.Contains(text, "stablehlo."+kind); raised != (numerics == Fast) {
				w.Errorf("%s: raised is %v under %v", p.name, raised, numerics)
			}
			primitive := Must(plan.StableHLO(Primitive)).String()
			if norm := strings.HasPrefix(kind, "batch_norm"); norm && strings.Contains(primitive, kind) || !norm && primitive != text {
				w.Errorf("%s: as a primitive under %v it is\n%s", p.name, numerics, primitive)
			}
			if numerics == Exact {
				name += " (spelled out)"
			}
			writePlan(w, n, "operation/"+name+"/"+n.Name(), net, plan)
		}
	}
}

// TestWriteHardInputs writes hard.jsonl: every map of f32 on inputs whose values
// lie next to a boundary of rounding.
func TestWriteHardInputs(t *testing.T) {
	if *writePrograms == "" {
		return
	}
	w := newProgramWriter(t, "hard.jsonl")
	file, err := os.Open("elementary/testdata/hard_inputs_f32.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	inputs := map[string][]float32{}
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var name string
		var bits uint32
		if _, err := fmt.Sscanf(lines.Text(), "%s %x", &name, &bits); err != nil {
			t.Fatal(err)
		}
		inputs[name] = append(inputs[name], math.Float32frombits(bits))
	}
	for _, k := range Kinds() {
		name := strings.ReplaceAll(k.Spelling(), "ln", "log")
		if xs := inputs[name]; xs != nil {
			single.writeHard(w, k, xs)
			delete(inputs, name)
		}
	}
	if len(inputs) > 0 {
		t.Errorf("no operation is called %v", inputs)
	}
}

func (n number[T]) writeHard(w *programWriter, k Kind, xs []T) {
	tape := New(n.Element)
	y := Express(Opcode{Kind: k}, tape.Parameter(Shape{len(xs)}, xs...))
	net := tape.Seal()
	writeModule(w, n, "hard/"+k.String()+"/"+n.Name(), net, net.Entry(y).Numerics(Exact))
}
