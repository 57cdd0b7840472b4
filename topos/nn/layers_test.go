package nn_test

import (
	"errors"
	"fmt"
	"iter"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/initial"
	"github.com/topos-notebook/topos/topos/nn"
)

type (
	shape = topos.Shape
	value = topos.Trace
)

// computed is the value of a node under the recorded initials.
func computed(tape *topos.Tape[float64], v value) *topos.Tensor[float64] {
	return topos.Must(tape.View().Forward(tape.InitialParameters())).Of(v)
}

// close compares elements with numbers, to a few units in the last place.
func close(t *testing.T, what string, got *topos.Tensor[float64], want ...float64) {
	t.Helper()
	for i, x := range got.Data() {
		if math.Abs(x-want[i]) > 1e-14*max(1, math.Abs(want[i])) {
			t.Errorf("%s is %v, want %v", what, got, want)
			return
		}
	}
}

func TestNormsNormalise(t *testing.T) {
	tape := topos.New(topos.F64)
	x := tape.Input(shape{2, 3}, 1, 5, 6, 3, -1, 0)
	scale, shift, epsilon := tape.Parameter(shape{3}, 1, 2, 3), tape.Parameter(shape{3}, 0, 0.5, 0), tape.Leaf(nil, 0.25)
	batch := nn.NewBatchNorm(scale, shift, epsilon)
	y, mean, variance := batch.Training(x)
	close(t, "mean", computed(tape, mean), 2, 2, 3)
	close(t, "variance", computed(tape, variance), 1, 9, 9)
	a, b := 1/math.Sqrt(1.25), 3/math.Sqrt(9.25)
	want := []float64{-a, 2*b + 0.5, 3 * b, a, -2*b + 0.5, -3 * b}
	close(t, "batch norm", computed(tape, y), want...)
	close(t, "batch norm by its own statistics", computed(tape, batch.Inference(x, mean, variance)), want...)
	// Rows have the means 4 and 2/3, and the mean squares 62/3 and 10/3.
	for i, norm := range []nn.Module{nn.NewLayerNorm(scale, shift, epsilon), nn.NewRmsNorm(scale, epsilon)} {
		got := computed(tape, norm.Express(x))
		for row, xs := range [][]float64{{1, 5, 6}, {3, -1, 0}} {
			mean, square, shifted := 0.0, 0.0, 0.0
			for _, x := range xs {
				mean += x / 3
			}
			if i == 1 {
				mean = 0
			}
			for _, x := range xs {
				square += (x - mean) * (x - mean) / 3
			}
			for column, x := range xs {
				if i == 0 {
					shifted = []float64{0, 0.5, 0}[column]
				}
				want := (x-mean)/math.Sqrt(square+0.25)*float64(column+1) + shifted
				if got := got.Data()[row*3+column]; math.Abs(got-want) > 1e-14 {
					t.Errorf("norm %d at %d, %d is %v, want %v", i, row, column, got, want)
				}
			}
		}
	}
}

// The node order of a root mean square norm, which no golden dump shows.
func TestRmsNormRecords(t *testing.T) {
	got := recorded(func(x []value) { nn.NewRmsNorm(x[1], x[2]).Express(x[0]) }, shape{2, 3}, shape{3}, shape{})
	want := `   3  Mul            0, 0               [2, 3]
   4  SumAlong       3  axis=1          [2]
   5  Leaf                              [2]
   6  Div            4, 5               [2]
   7  Broadcast      2  shape=[2]       [2]
   8  Add            6, 7               [2]
   9  Sqrt           8                  [2]
  10  BroadcastAlong 9  axis=1 extent=3 [2, 3]
  11  Div            0, 10              [2, 3]
  12  BroadcastAlong 1  axis=0 extent=2 [2, 3]
  13  Mul            11, 12             [2, 3]
tape: 14 nodes, 0 parameters, 3 inputs
`
	if !strings.HasSuffix(got, want) {
		t.Errorf("it records\n%s", got)
	}
}

func TestPools(t *testing.T) {
	tape := topos.New(topos.F64)
	x := tape.Input(shape{1, 1, 3, 4}, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
	close(t, "max_pool", computed(tape, nn.MaxPool(x, 2, 1)), 6, 7, 8, 10, 11, 12)
	close(t, "average_pool", computed(tape, nn.AveragePool(x, 2, 2)), 3.5, 5.5)
	close(t, "a window of one", computed(tape, nn.MaxPool(x, 1, 2)), 1, 3, 9, 11)
}

func TestConvolutionSlidesAndPads(t *testing.T) {
	tape := topos.New(topos.F64)
	x := tape.Input(shape{1, 2, 2, 2}, 1, 2, 3, 4, 5, 6, 7, 8)
	w := tape.Parameter(shape{1, 2, 1, 2}, 1, 10, 100, 1000)
	b := tape.Parameter(shape{1}, 0.5)
	close(t, "conv2d", computed(tape, nn.Convolve2d(x, w, b, 1, 0)), 1+20+500+6000+0.5, 3+40+700+8000+0.5)
	// Padded by one on each side: [4, 4], of which every other row and column.
	y := nn.NewConv2d(w, b, 2, 1).Express(x)
	if got := y.Shape(); !got.Equal(shape{1, 1, 2, 2}) {
		t.Errorf("the padded convolution is %v", got)
	}
	close(t, "conv2d padded", computed(tape, y), 0.5, 0.5, 10*3+1000*7+0.5, 4+800+0.5)
}

func TestMasks(t *testing.T) {
	if got := nn.CausalMask(topos.F32, 3, float32(math.Inf(-1))).String(); got != "[[0, -inf, -inf], [0, 0, -inf], [0, 0, 0]]" {
		t.Errorf("the mask is %s", got)
	}
	for _, extent := range []int{0, -1, 1 << 40} {
		if topos.Refused(func() { nn.CausalMask(topos.F32, extent, 0) }) == nil {
			t.Errorf("a mask of %d is made", extent)
		}
	}
	// With masks of -inf the first row attends to itself alone.
	tape := topos.New(topos.F64)
	x, v := tape.Input(shape{2, 1}, 3, 4), tape.Input(shape{2, 1}, 10, 20)
	mask, scale := tape.LeafOf(nn.CausalMask(topos.F64, 2, math.Inf(-1))), tape.Leaf(nil, 1)
	got := computed(tape, nn.ScaledDotProduct(x, x, v, scale, mask)).Data()
	if p := 1 / (1 + math.Exp(4)); got[0] != 10 || math.Abs(got[1]-(10*p+20*(1-p))) > 1e-12 {
		t.Errorf("attends to %v", got)
	}
}

// graded is the loss and its gradients, after the plan, the interpreter and the
// engine have agreed to the bit.
func graded[T any](t *testing.T, tape *topos.Tape[T], loss value, wrt ...value) string {
	t.Helper()
	var named []topos.Named
	for _, w := range wrt {
		named = append(named, w)
	}
	adjoints := tape.Differentiate(loss, named...)
	view, table := tape.View(), tape.InitialParameters()
	oracle := topos.Must(view.Forward(table))
	engine := topos.Must(oracle.Backward(loss))
	run := topos.Must(topos.Must(view.Entry(adjoints.Roots()...).Numerics(topos.Exact).Lower()).Forward(table))
	text := run.Of(loss).String()
	if !run.Of(loss).Equal(oracle.Of(loss)) {
		t.Errorf("the plan's loss is %s, the interpreter's %v", text, oracle.Of(loss))
	}
	for _, w := range wrt {
		recorded := run.Of(adjoints.Of(w))
		if !recorded.Equal(engine.Of(w)) {
			t.Errorf("the recorded gradient is %v, the engine's %v", recorded, engine.Of(w))
		}
		text += " " + recorded.String()
	}
	return text
}

// The rows of complaints about other libraries that a loss answers.

func TestC07MaskedLogits(t *testing.T) {
	low := float32(math.Inf(-1))
	for _, c := range []struct {
		logits, targets []float32
		want            string
	}{
		{[]float32{low, 0, 0}, []float32{0, 1, 0}, "0.6931472 [[0, -0.5, 0.5]]"},
		{[]float32{low, 0, low}, []float32{0, 1, 0}, "-0 [[0, 0, 0]]"},
		{[]float32{low, 0, 0}, []float32{0, 0.5, 0.5}, "0.6931472 [[0, 0, 0]]"},
		{[]float32{low, 0, 0}, []float32{1, 0, 0}, "60000 [[0, 0, 0]]"},
		{[]float32{low, low, low}, []float32{0, 1, 0}, "NaN [[NaN, NaN, NaN]]"},
	} {
		tape := topos.New(topos.F32)
		x := tape.Parameter(shape{1, 3}, c.logits...)
		if got := graded(t, tape, nn.MaskedCrossEntropy(x, tape.Leaf(shape{1, 3}, c.targets...)), x); got != c.want {
			t.Errorf("logits %v with targets %v: %s, want %s", c.logits, c.targets, got, c.want)
		}
	}
	// The formula of CrossEntropy multiplies each logit by its target: pinned.
	tape := topos.New(topos.F32)
	x := tape.Parameter(shape{1, 3}, low, 0, 0)
	if got := graded(t, tape, nn.CrossEntropy(x, tape.Leaf(shape{1, 3}, 0, 1, 0)), x); got != "NaN [[0, -0.5, 0.5]]" {
		t.Errorf("CrossEntropy of a masked logit: %s", got)
	}
	tape = topos.New(topos.F32)
	x = tape.Parameter(shape{1, 3}, -1e9, 0, 0)
	if got := graded(t, tape, nn.CrossEntropy(x, tape.Leaf(shape{1, 3}, 0, 1, 0)), x); got != "0.6931472 [[0, -0.5, 0.5]]" {
		t.Errorf("CrossEntropy of a logit of -1e9: %s", got)
	}
}

func TestC11LargeLogits(t *testing.T) {
	for name, loss := range map[string]func(logits, targets value) value{"plain": nn.CrossEntropy, "masked": nn.MaskedCrossEntropy} {
		tape := topos.New(topos.F32)
		x := tape.Parameter(shape{1, 3}, -431, 279, 427)
		if got := graded(t, tape, loss(x, tape.Leaf(shape{1, 3}, 1, 0, 0)), x); got != "858 [[-1, 0, 1]]" {
			t.Errorf("%s: %s", name, got)
		}
		tape = topos.New(topos.F32)
		x = tape.Parameter(shape{1, 3}, -1000, 0, 1000)
		if got := graded(t, tape, loss(x, tape.Leaf(shape{1, 3}, 0, 0, 1)), x); strings.TrimPrefix(got, "-") != "0 [[0, 0, 0]]" {
			t.Errorf("%s of logits far apart: %s", name, got)
		}
	}
}

// doubled is a module of a program's own.
type doubled struct{ by topos.Symbol }

func (d doubled) Over(input topos.Shape) topos.Shape {
	if input.Rank() != 2 {
		topos.Refuse("doubled", []topos.Shape{input}, "doubled cannot take input %v: it needs two axes", input)
	}
	return input
}

func (d doubled) Express(x topos.Trace) topos.Trace {
	d.Over(x.Shape())
	return x.Mul(x.Resolve(d.by).BroadcastLike(x))
}

func (d doubled) Parameters() iter.Seq2[string, topos.Symbol] {
	return func(yield func(string, topos.Symbol) bool) { yield("by", d.by) }
}

func TestModulesInARow(t *testing.T) {
	tape, other := topos.New(topos.F32), topos.New(topos.F32)
	by, x := tape.Parameter(nil, 2), tape.Input(shape{4, 3}, 1)
	mlp := nn.NewMlp(nn.Drawn(tape, initial.Uniform(topos.F32, 1, 1)), nn.Relu, 3, 5, 2)
	foreign := nn.NewLinear(other.Parameter(shape{2, 2}, 1), other.Parameter(shape{2}, 1))
	good := nn.Sequential{doubled{by.Symbol()}, nn.Sequential{mlp, nn.Tanh}}
	before := tape.Describe()
	for name, c := range map[string]struct {
		row   nn.Sequential
		input value
		err   error
		want  string
	}{
		"a later stage": {
			nn.Sequential{doubled{by.Symbol()}, nn.Sequential{nn.Tanh, foreign}}, x, topos.ErrShape,
			"sequential cannot take input [4, 3]: at 1, sequential cannot take input [4, 3]: at 1, linear cannot take input [4, 3], weights [2, 2] and bias [2]: the input must be [rows, 2]",
		},
		"another tape's layer last":  {append(good[:2:2], foreign), x, topos.ErrForeign, "resolve was given a symbol of another tape"},
		"another tape's own module":  {nn.Sequential{nn.Tanh, doubled{other.Parameter(nil, 1).Symbol()}}, x, topos.ErrForeign, "resolve was given a symbol of another tape"},
		"the perceptron's own layer": {nn.Sequential{nn.Stage("flatten", nn.Flatten), mlp, mlp}, x, topos.ErrShape, "sequential cannot take input [4, 3]: at 2, mlp cannot take input [4, 2]: sequential cannot take input [4, 2]: at 0, linear cannot"},
		"a stage that pools":         {nn.Sequential{nn.Stage("pool", func(x value) value { return nn.MaxPool(x, 2, 2) })}, x, topos.ErrShape, "sequential cannot take input [4, 3]: at 0, pool cannot take input [4, 3]: max_pool cannot take input [4, 3]"},
	} {
		t.Run(name, func(t *testing.T) {
			r := topos.Refused(func() { c.row.Express(c.input) })
			if r == nil || !errors.Is(r, c.err) || !strings.HasPrefix(r.Error(), c.want) || strings.Contains(r.Error(), "\n") {
				t.Errorf("refused by %v, want %q", r, c.want)
			}
			if got := tape.Describe(); got != before {
				t.Errorf("the tape holds\n%s", got)
			}
		})
	}
	var paths []string
	for path := range good.Parameters() {
		paths = append(paths, path)
		if path == "1.0.1.weights" {
			break // a reader may stop
		}
	}
	if got := strings.Join(paths, " "); got != "0.by 1.0.0.weights 1.0.0.bias 1.0.1.weights" {
		t.Errorf("the paths are %s", got)
	}
	if y := good.Express(x); !y.Shape().Equal(shape{4, 2}) || !good.Over(shape{7, 3}).Equal(shape{7, 2}) {
		t.Errorf("the row gives %v", y)
	}
	if y := (nn.Sequential{}).Express(x); y != x {
		t.Errorf("no modules give %v", y)
	}
}

// A module outlives the tape it was made on: its names do.
func TestModulesAfterAReopen(t *testing.T) {
	tape := topos.New(topos.F32)
	mlp := nn.NewMlp(nn.Drawn(tape, initial.Xavier(topos.F32, 1)), nn.Tanh, 2, 3, 1)
	x := tape.Input(shape{1, 2}, 1)
	first := mlp.Express(x)
	sealed := tape.Seal()
	tape = sealed.Reopen()
	second := mlp.Express(tape.Resolve(x))
	run := topos.Must(tape.View().Forward(tape.InitialParameters()))
	if !run.Of(first).Equal(run.Of(second)) {
		t.Errorf("%v before, %v after", run.Of(first), run.Of(second))
	}
	if r := topos.Refused(func() { mlp.Express(x) }); r == nil || !errors.Is(r, topos.ErrSealed) {
		t.Errorf("a value of the sealed tape is refused by %v", r)
	}
}

func TestDrawnRecordsAllOrNothing(t *testing.T) {
	tape := topos.New(topos.F32)
	calls := 0
	wrong := func(s topos.Shape) *topos.Tensor[float32] {
		if calls++; calls == 4 {
			s = shape{7}
		}
		return topos.F32.Tensor(s, 1)
	}
	r := topos.Refused(func() { nn.NewMlp(nn.Drawn(tape, wrong), nn.Tanh, 2, 3, 1) })
	if r == nil || r.Error() != "parameter of [1] was drawn as [7]" || tape.Len() != 0 {
		t.Errorf("refused by %v, with %d nodes", r, tape.Len())
	}
	for _, sizes := range [][]int{nil, {2}, {2, 0}, {2, -1, 3}, {1 << 20, 1 << 20}} {
		r := topos.Refused(func() { nn.NewMlp(nn.Drawn(tape, initial.Xavier(topos.F32, 1)), nn.Tanh, sizes...) })
		if r == nil || !errors.Is(r, topos.ErrShape) || tape.Len() != 0 {
			t.Errorf("sizes %v: refused by %v, with %d nodes", sizes, r, tape.Len())
		}
	}
}

func TestActivations(t *testing.T) {
	if nn.Tanh.Gain() != 5.0/3 || nn.Relu.Gain() != math.Sqrt2 || fmt.Sprint(nn.Tanh, nn.Relu) != "tanh relu" {
		t.Errorf("%v %v, %v %v", nn.Tanh, nn.Tanh.Gain(), nn.Relu, nn.Relu.Gain())
	}
	tape := topos.New(topos.F64)
	x := tape.Input(shape{2}, -1, 2)
	close(t, "relu", computed(tape, nn.Relu.Express(x)), 0, 2)
	close(t, "tanh", computed(tape, nn.Tanh.Express(x)), math.Tanh(-1), math.Tanh(2))
	if n := len(slices.Collect(keys(nn.Relu.Parameters()))); n != 0 || !nn.Relu.Over(shape{3}).Equal(shape{3}) {
		t.Errorf("%d parameters", n)
	}
}

func keys(pairs iter.Seq2[string, topos.Symbol]) iter.Seq[string] {
	return func(yield func(string) bool) {
		for path := range pairs {
			if !yield(path) {
				return
			}
		}
	}
}

// What a layer costs beside the three nodes it records.
func BenchmarkLinearByHand(b *testing.B) {
	tape := topos.New(topos.F32)
	w, bias := tape.Parameter(shape{3, 3}, 1), tape.Parameter(shape{3}, 1)
	x := tape.Input(shape{4, 3}, 1)
	b.ReportAllocs()
	for b.Loop() {
		x = x.MatMul(w).Add(bias.BroadcastAlong(0, 4))
	}
}

func BenchmarkLinear(b *testing.B) {
	tape := topos.New(topos.F32)
	l := nn.NewLinear(tape.Parameter(shape{3, 3}, 1), tape.Parameter(shape{3}, 1))
	x := tape.Input(shape{4, 3}, 1)
	b.ReportAllocs()
	for b.Loop() {
		x = l.Express(x)
	}
}
