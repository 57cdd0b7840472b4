package topos_test

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	. "github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/nn"
	"github.com/topos-notebook/topos/topos/optim"
)

// trainingRun is the steps of one optimizer over one problem.
type trainingRun struct {
	Problem      string         `json:"problem"`
	Element      string         `json:"element"`
	Optimizer    string         `json:"optimizer"`
	Hyper        *hyper         `json:"hyper"`
	Rate         float64        `json:"learning_rate"`
	LossNode     int            `json:"loss_node"`
	Pairs        [][2]int       `json:"pairs"`
	Losses       string         `json:"losses_bits"`
	LossesDec    string         `json:"losses_dec"`
	First        []goldenTensor `json:"first_gradients"`
	Final        []goldenTensor `json:"final_parameters"`
	EngineEqual  bool           `json:"plan_equals_engine_every_step"`
	Describe     string         `json:"describe"`
	Nodes        []graphNode    `json:"nodes"`
	nodesOfOther []graphNode    // of a run of the same problem that lists them
}

type hyper struct {
	Beta1   float64  `json:"beta1"`
	Beta2   float64  `json:"beta2"`
	Epsilon float64  `json:"epsilon"`
	Decay   *float64 `json:"decay"`
}

// trainingTolerance is how far, relatively, losses and parameters may be off
// after all steps.
var trainingTolerance = map[string]float64{"f32": 1e-5, "f64": 1e-12, "bf16": 2e-2}

func TestGoldenTraining(t *testing.T) {
	data := goldenFile[struct {
		About string            `json:"about"`
		Runs  []json.RawMessage `json:"runs"`
	}](t, "training.json")
	s := goldenSuite{T: t, name: "training"}
	nodes := map[string][]graphNode{}
	for _, raw := range data.Runs {
		var r trainingRun
		if json.Unmarshal(raw, &r) == nil && r.Nodes != nil {
			nodes[r.Problem+"/"+r.Element] = r.Nodes
		}
	}
	for i, raw := range data.Runs {
		var named struct{ Problem, Element, Optimizer string }
		if json.Unmarshal(raw, &named) != nil || named.Problem == "" {
			named.Problem = fmt.Sprintf("row %d", i)
		}
		s.row(named.Problem+"/"+named.Element+"/"+named.Optimizer, func(t *testing.T) {
			r := understood[trainingRun](t, raw)
			r.nodesOfOther = nodes[r.Problem+"/"+r.Element]
			e, ok := elementOf(r.Element)
			if !ok {
				t.Fatalf("the suite does not know the element %q", r.Element)
			}
			e.goldenTraining(t, r)
		})
	}
	s.ended()
}

// problems are what the facades record of the problems whose shapes the data
// gives: a row that lists no nodes is compared with them in structure. Payloads
// are ones.
var problems = map[string]func(p func(Shape) Trace, in func(Shape) Trace) Trace{
	"line": func(p, in func(Shape) Trace) Trace {
		w, b, x, y := p(Shape{}), p(Shape{1}), in(Shape{4, 1}), in(Shape{4, 1})
		off := x.Mul(w.BroadcastLike(x)).Add(b.BroadcastAlong(0, 4)).Sub(y)
		return off.Mul(off).MeanAlong(0).Sum()
	},
	"mlp": func(p, in func(Shape) Trace) Trace {
		mlp := nn.NewMlp(func(shapes ...Shape) (values []Trace) {
			for _, shape := range shapes {
				values = append(values, p(shape))
			}
			return values
		}, nn.Tanh, 3, 4, 2)
		x, y := in(Shape{5, 3}), in(Shape{5, 2})
		return nn.CrossEntropy(mlp.Express(x), y)
	},
	"embedding": func(p, in func(Shape) Trace) Trace {
		table, w, selection, y := nn.NewEmbedding(p(Shape{5, 3})), p(Shape{3, 5}), in(Shape{4, 5}), in(Shape{4, 5})
		total := y.Mul(table.Express(selection).MatMul(w).LogSoftmax(1)).Sum().Neg()
		return total.Div(total.Filled(4))
	},
	"conv": func(p, in func(Shape) Trace) Trace {
		conv, w, x, y := nn.NewConv2d(p(Shape{2, 1, 3, 3}), p(Shape{2}), 1, 0), p(Shape{8, 3}), in(Shape{3, 1, 6, 6}), in(Shape{3, 3})
		pooled := nn.MaxPool(nn.Relu.Express(conv.Express(x)), 2, 2)
		return nn.CrossEntropy(nn.Flatten(pooled).MatMul(w), y)
	},
}

func (n number[T]) goldenTraining(t *testing.T, r trainingRun) {
	facade, known := problems[r.Problem]
	if known {
		n.goldenProblem(t, r, facade)
	}
	switch {
	case r.nodesOfOther != nil:
		n.goldenSteps(t, r)
	case !known:
		t.Errorf("no row of %s in %s lists its nodes, and the suite does not know the problem", r.Problem, r.Element)
	}
}

// goldenProblem compares what the facades record with where the row's nodes are,
// and with its text if it has one.
func (n number[T]) goldenProblem(t *testing.T, r trainingRun, facade func(p, in func(Shape) Trace) Trace) {
	tape := New(n.Element)
	one := n.FromFloat64(1)
	loss := facade(
		func(shape Shape) Trace { return tape.Parameter(shape, one) },
		func(shape Shape) Trace { return tape.Input(shape, one) },
	)
	adjoints := n.differentiated(t, tape, r)
	if at := loss.Symbol().Index(); at != r.LossNode {
		t.Errorf("the loss is node %d, want %d", at, r.LossNode)
	}
	for i, p := range r.Pairs {
		if at := adjoints.Gradients()[i].Index(); at != p[1] {
			t.Errorf("gradient %d is node %d, want %d", i, at, p[1])
		}
		if shape := tape.Node(adjoints.Wrt()[i]).Shape(); !shape.Equal(r.Final[i].Shape) {
			t.Errorf("parameter %d is %v, want %v", i, shape, r.Final[i].Shape)
		}
	}
	if r.Describe != "" {
		same(t, "the facades' network", tape.Seal().Describe(), r.Describe)
	}
}

func (n number[T]) differentiated(t *testing.T, tape *Tape[T], r trainingRun) Adjoints {
	t.Helper()
	var wrt []Named
	for _, p := range r.Pairs {
		wrt = append(wrt, tape.Value(p[0]))
	}
	if len(r.Final) != len(wrt) || len(r.First) != len(wrt) {
		t.Fatalf("%d pairs, %d first gradients, %d final parameters", len(wrt), len(r.First), len(r.Final))
	}
	return tape.Differentiate(tape.Value(r.LossNode), wrt...)
}

// optimizer is that of the row, with its numbers.
func (n number[T]) optimizer(t *testing.T, r trainingRun) optim.Optimizer[T] {
	t.Helper()
	number := func(x float64) *Tensor[T] { return n.Tensor(nil, n.FromFloat64(x)) }
	h := r.Hyper
	switch {
	case r.Optimizer == "Sgd" && h == nil:
		return optim.Sgd[T]{}
	case r.Optimizer == "Adam" && h != nil && h.Decay == nil:
		return optim.NewAdam(number(h.Beta1), number(h.Beta2), number(h.Epsilon))
	case r.Optimizer == "AdamW" && h != nil && h.Decay != nil:
		return optim.NewAdamW(number(h.Beta1), number(h.Beta2), number(h.Epsilon), number(*h.Decay))
	}
	t.Fatalf("the suite does not understand the optimizer %s with %+v", r.Optimizer, h)
	return nil
}

// goldenSteps trains by a plan of the target and its gradients under Exact.
func (n number[T]) goldenSteps(t *testing.T, r trainingRun) {
	tape := New(n.Element)
	for _, x := range r.nodesOfOther[:r.LossNode+1] {
		n.recordNode(t, tape, x)
	}
	adjoints := n.differentiated(t, tape, r)
	net := tape.Seal()
	if r.Describe != "" {
		same(t, "network", net.Describe(), r.Describe)
	}
	plan := Must(net.Entry(adjoints.Roots()...).Numerics(Exact).Lower())
	optimizer, rate, table := n.optimizer(t, r), n.FromFloat64(r.Rate), net.Parameters()
	losses := goldenTensor{Shape: []int{20}, Bits: r.Losses}.words()
	for step, want := range losses {
		run := Must(plan.Forward(table))
		gradients := run.RecordedGradients(adjoints)
		if engine := Must(Must(net.Forward(table)).Backward(adjoints.Target())).Parameters(table); r.EngineEqual && !engine.Equal(gradients) {
			t.Errorf("step %d: the engine's gradients are not the plan's", step)
		}
		if step == 0 {
			n.goldenFirst(t, r, net, run, adjoints, want)
		}
		n.trained(t, fmt.Sprintf("loss of step %d", step), n.Bits(run.Of(adjoints.Target()).Scalar()), want)
		table = optimizer.Step(table, gradients, rate)
	}
	for i, w := range adjoints.Wrt() {
		words := r.Final[i].words()
		for lane, x := range table.Of(w).Data() {
			n.trained(t, fmt.Sprintf("final parameter %d at %d", i, lane), n.Bits(x), words[min(lane, len(words)-1)])
		}
	}
}

// goldenFirst holds the first gradients to the tolerance of a single run.
func (n number[T]) goldenFirst(t *testing.T, r trainingRun, net *Network[T], run *Run[T], a Adjoints, loss uint64) {
	text := fmt.Sprintf("%0*x", n.digits, loss)
	j := newJudge(t, n, net.Nodes(), goldenTensor{Bits: text}, r.First...)
	for i, g := range a.Gradients() {
		j.compare("first gradient", g.Index(), run.Of(g), r.First[i])
	}
}

// trained compares a number after some steps. NaN is a class.
func (n number[T]) trained(t *testing.T, what string, got, want uint64) {
	t.Helper()
	a, b := n.float(got), n.float(want)
	if a == b || a != a && b != b {
		return
	}
	if !(math.Abs(a-b) <= trainingTolerance[n.Name()]*math.Abs(b)) {
		t.Errorf("%s is %v, want %v", what, a, b)
	}
}
