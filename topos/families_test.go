package topos_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// family is what the file of a family of operations promises, row by row. The
// tests beside the families fill it in.
type family struct {
	shapes    []shapeRow
	computes  []computeRow
	rules     []ruleRow
	gradients []gradientRow
}

// shapeRow is the shape an operation makes, or the sentence it refuses with.
type shapeRow struct {
	op   Opcode
	of   []Shape
	made Shape
	says string
}

// numbers are the elements of one operand, exact in every element that a row
// is checked for.
type numbers struct {
	shape Shape
	data  []float64
}

func of(shape Shape, data ...float64) numbers { return numbers{shape, data} }

// computeRow is what an operation answers, to the bit.
type computeRow struct {
	op   Opcode
	of   []numbers
	want numbers
	only int // 32 or 64 where the row is about one width
}

// ruleRow is what a derivative rule records, as recordedBy spells it, and which
// values a backward sweep reads.
type ruleRow struct {
	op      Opcode
	of      []Shape
	records string
	retains string
}

// gradientRow is a point at which the rule is compared with differences.
type gradientRow struct {
	op    Opcode
	of    []numbers
	first bool // of the first operand alone: nothing flows into the other
}

var zero = math.Copysign(0, -1) // the negative one

// families are all of them, so that a kind without a test is noticed.
var families = map[string]family{
	"arithmetic": arithmeticPromises, "maps": mapPromises, "powf": powfPromises, "maximum": maximumPromises,
	"matmul": matmulPromises, "sums": sumPromises, "broadcasts": broadcastPromises, "movement": movementPromises,
	"narrowing": narrowingPromises, "windows": windowPromises, "rows": rowPromises, "logdomain": logPromises,
}

func TestEveryKindIsPromised(t *testing.T) {
	type seen struct{ made, computes, rules, gradients bool }
	of := map[Kind]seen{}
	for _, f := range families {
		for _, r := range f.shapes {
			s := of[r.op.Kind]
			s.made = s.made || r.says == ""
			of[r.op.Kind] = s
		}
		for _, r := range f.computes {
			s := of[r.op.Kind]
			s.computes = true
			of[r.op.Kind] = s
		}
		for _, r := range f.rules {
			s := of[r.op.Kind]
			s.rules = true
			of[r.op.Kind] = s
		}
		for _, r := range f.gradients {
			s := of[r.op.Kind]
			s.gradients = true
			of[r.op.Kind] = s
		}
	}
	for _, k := range Kinds() {
		if all := (seen{true, true, true, k != OpStep}); !k.IsSource() && of[k] != all {
			t.Errorf("%v has rows for %+v", k, of[k])
		}
	}
}

func (f family) check(t *testing.T) {
	for _, r := range f.shapes {
		t.Run(fmt.Sprint("shape of ", named(r.op), " over ", r.of), r.check)
	}
	for _, r := range f.computes {
		t.Run(fmt.Sprint("value of ", named(r.op), " over ", r.of), r.check)
	}
	for _, r := range f.rules {
		t.Run(fmt.Sprint("rule of ", named(r.op), " over ", r.of), r.check)
	}
	for _, r := range f.gradients {
		t.Run(fmt.Sprint("gradient of ", named(r.op), " over ", r.of), func(t *testing.T) {
			gradientCheck(t, r.of, r.first, func(x ...Trace) Trace { return Express(r.op, x...) })
		})
	}
}

func named(op Opcode) string { return strings.TrimSpace(op.String() + " " + op.Attributes()) }

// check asks tape and tensors alike: both go by one shape rule.
func (r shapeRow) check(t *testing.T) {
	tape := New(F32)
	var values []Trace
	var tensors []*Tensor[float32]
	for _, s := range r.of {
		values = append(values, tape.Parameter(s, 1))
		tensors = append(tensors, F32.Tensor(s, 1))
	}
	before := tape.Describe()
	var made [2]Shape
	refusals := [2]*Refusal{
		Refused(func() { made[0] = Express(r.op, values...).Shape() }),
		Refused(func() { made[1] = Express(r.op, tensors...).Shape() }),
	}
	for i, refusal := range refusals {
		switch {
		case refusal == nil && r.says != "":
			t.Errorf("made %v, should refuse", made[i])
		case refusal == nil && !made[i].Equal(r.made):
			t.Errorf("made %v, want %v", made[i], r.made)
		case refusal != nil && refusal.Error() != r.says:
			t.Errorf("refused with %q, want %q", refusal, r.says)
		case refusal != nil && refusal.Op != r.op.Kind.Spelling():
			t.Errorf("the refusal names %s", refusal.Op)
		case refusal != nil && fmt.Sprint(refusal.Shapes) != fmt.Sprint(r.of):
			t.Errorf("the refusal holds the shapes %v, not %v", refusal.Shapes, r.of)
		}
	}
	if r.says != "" {
		same(t, "tape after a refusal", tape.Describe(), before)
	}
}

func (r computeRow) check(t *testing.T) {
	if r.only != 64 {
		computeCheck(t, F32, r)
	}
	if r.only != 32 {
		computeCheck(t, F64, r)
	}
}

// computeCheck compares bits over tensors, and through a tape and its plan.
func computeCheck[T float32 | float64](t *testing.T, e Element[T], r computeRow) {
	t.Helper()
	tape := New(e)
	var tensors []*Tensor[T]
	var values []Trace
	for _, x := range r.of {
		tensors = append(tensors, tensorOf(e, x))
		values = append(values, tape.InputOf(tensorOf(e, x)))
	}
	want := tensorOf(e, r.want)
	if got := Express(r.op, tensors...); !got.Equal(want) {
		t.Errorf("%v: %v, want %v", e, got, want)
	}
	y := Express(r.op, values...)
	run := Must(Must(tape.View().Entry(y).Numerics(Exact).Lower()).Forward(tape.InitialParameters()))
	if got := run.Of(y); !got.Equal(want) {
		t.Errorf("%v by a plan: %v, want %v", e, got, want)
	}
}

func tensorOf[T float32 | float64](e Element[T], x numbers) *Tensor[T] {
	data := make([]T, len(x.data))
	for i := range data {
		data[i] = T(x.data[i])
	}
	return e.Tensor(x.shape, data...)
}

func (r ruleRow) check(t *testing.T) {
	tape := New(F32)
	var values []Trace
	names := map[int]string{}
	var wrt []Named
	for i, s := range r.of {
		values = append(values, tape.Parameter(s, 1))
		wrt = append(wrt, values[i])
		names[i] = [][]string{{"x"}, {"a", "b"}}[len(r.of)-1][i]
	}
	y := Express(r.op, values...)
	names[y.Symbol().Index()] = "out"
	seed := tape.Parameter(y.Shape(), 1)
	names[seed.Symbol().Index()] = "g"
	from := tape.Len()
	tape.VJP(y, seed, wrt...)
	same(t, "recorded", recordedBy(tape.Nodes()[from:], names), r.records)
	same(t, "retained", retainedBy(tape, y, names), r.retains)
}

// recordedBy spells nodes by what they read: "Mul g, b; Leaf; Add 1, 0". Nodes
// without a name go by their position among those listed.
func recordedBy(nodes []Node, names map[int]string) string {
	var lines []string
	for _, n := range nodes {
		var reads []string
		for _, o := range n.Operands() {
			name, ok := names[o.Index()]
			if !ok {
				name = fmt.Sprint(o.Index() - nodes[0].Symbol().Index())
			}
			reads = append(reads, name)
		}
		line := n.Opcode().String() + " " + strings.Join(reads, ", ") + " " + n.Opcode().Attributes()
		lines = append(lines, strings.Join(strings.Fields(line), " "))
	}
	return strings.Join(lines, "; ")
}

// retainedBy lists what a plan keeps for a backward sweep through y.
func retainedBy(tape *Tape[float32], y Trace, names map[int]string) string {
	loss := y
	if len(y.Shape()) > 0 {
		loss = y.Reshape(Shape{y.Shape().Volume()}).SumAlong(0)
	} else {
		loss = y.Reshape(Shape{1}).SumAlong(0)
	}
	var retained []string
	plan := Must(tape.View().Entry(loss).Retain().Lower())
	for _, line := range strings.Split(plan.Describe(), "\n") {
		if strings.HasSuffix(line, " retained") {
			var index int
			fmt.Sscan(line, &index)
			retained = append(retained, names[index])
		}
	}
	return strings.Join(retained, " ")
}

// gradientCheck compares the engine's scan and the recorded derivative with
// central differences in float64, each element of each operand.
func gradientCheck(t *testing.T, operands []numbers, first bool, f func(x ...Trace) Trace) {
	t.Helper()
	tape := New(F64)
	var values []Trace
	var wrt []Named
	for _, x := range operands {
		values = append(values, tape.ParameterOf(tensorOf(F64, x)))
		wrt = append(wrt, values[len(values)-1])
	}
	y := f(values...)
	weights := make([]float64, y.Shape().Volume())
	for i := range weights {
		weights[i] = float64(i%5)/4 - 0.375 // none is zero, few are equal
	}
	loss := y.Mul(tape.Leaf(y.Shape(), weights...)).Sum()
	adjoints := tape.Differentiate(loss, wrt...)
	view, table := tape.View(), tape.InitialParameters()
	run := Must(view.Forward(table))
	field := Must(run.Backward(loss))
	plan := Must(view.Entry(loss).Lower())
	if first {
		if got := field.Of(wrt[1]); !got.Equal(got.Filled(0)) {
			t.Errorf("%v flows into the second operand", got)
		}
		operands = operands[:1]
	}
	for k, x := range operands {
		got, recorded := field.Of(wrt[k]), run.Of(adjoints.Of(wrt[k]))
		if !got.Equal(recorded) {
			t.Errorf("operand %d: the scan answers %v, the recorded derivative %v", k, got, recorded)
		}
		for i, a := range x.data {
			h := 1e-5 * max(1, math.Abs(a))
			at := func(moved float64) float64 {
				data := append([]float64(nil), x.data...)
				data[i] = moved
				return Must(plan.Forward(table.With(wrt[k], F64.Tensor(x.shape, data...)))).Of(loss).Scalar()
			}
			want := (at(a+h) - at(a-h)) / ((a + h) - (a - h))
			if g := got.Data()[i]; !(math.Abs(g-want) <= 1e-7*max(1, math.Abs(want))) {
				t.Errorf("operand %d at %d: %v, differences say %v", k, i, g, want)
			}
		}
	}
}
