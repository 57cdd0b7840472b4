package topos_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// plates are the texts and bits that the walkthrough must print.
type plates struct {
	Spec           string          `json:"spec"`
	SpecNodes      int             `json:"spec_nodes"`
	Appended       int             `json:"appended"`
	GradientNode   int             `json:"gradient_node"`
	Differentiated string          `json:"differentiated"`
	Network        string          `json:"network"`
	Plan           string          `json:"plan"`
	PlanObserved   string          `json:"plan_observed"`
	PlanUnobserved string          `json:"plan_unobserved"`
	PlanBackward   string          `json:"plan_backward"`
	SGDPlan        string          `json:"sgd40_live_plan"`
	LiveSeries     []int           `json:"live_series"`
	Results        []int           `json:"results"`
	StableHLO      string          `json:"stablehlo"`
	Values         walkedValues    `json:"values"`
	EveryNode      []goldenTensor  `json:"every_node_value"`
	Losses         goldenBits      `json:"losses40"`
	Weights        []goldenTensor  `json:"weights40"`
	Final          goldenTensor    `json:"final_weights"`
	Printed        []string        `json:"printed"`
	Derivative     string          `json:"readme_derivative"`
	ReadmeNodes    int             `json:"readme_spec_nodes"`
	ReadmeGradient int             `json:"readme_gradient_node"`
	Scalar         string          `json:"recording_scalar"`
	Shapes         string          `json:"recording_shapes"`
	Copies         string          `json:"recording_copies"`
	Symbols        []string        `json:"recording_symbols"`
	Reopen         string          `json:"recording_reopen"`
	NodeDisplay    string          `json:"node_display_raw"`
	Panic          string          `json:"recording_panic"` // its first line; ours is one line
	Status         json.RawMessage `json:"backend_status"`  // of the reference's own backends
	Coverage       json.RawMessage `json:"coverage"`
	Chains         json.RawMessage `json:"chains"`
}

// walkedValues are the readings of the walkthrough's numbers.
type walkedValues struct {
	Loss          goldenTensor `json:"loss"`
	LossExact     goldenTensor `json:"loss_exact"`
	LossFast      goldenTensor `json:"loss_fast"`
	Engine        goldenTensor `json:"engine_gradient"`
	Recorded      goldenTensor `json:"recorded_gradient"`
	Hidden        goldenTensor `json:"hidden"`
	InputGradient goldenTensor `json:"input_gradient"`
}

// goldenBits are words that no shape goes with.
type goldenBits struct {
	Bits string `json:"bits"`
	Dec  string `json:"dec"`
}

func golden(t *testing.T) plates {
	t.Helper()
	return goldenFile[plates](t, "walkthrough.json")
}

func same(t *testing.T, what, got, want string) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got:\n%s\nwant:\n%s", what, got, want)
	}
}

type walkthrough struct {
	tape                         *Tape[float32]
	weights, input, hidden, loss Value[float32]
}

func record() walkthrough {
	t := New(F32)
	w := t.Parameter(Shape{2, 2}, 0.5, -0.25, 0.25, 0.4)
	x := t.Input(Shape{1, 2}, 1, 2)
	h := x.MatMul(w).Tanh()
	return walkthrough{t, w, x, h, h.Mul(h).Sum()}
}

// TestGoldenWalkthrough prints and computes what the documents show.
func TestGoldenWalkthrough(t *testing.T) {
	want := golden(t)
	s := goldenSuite{T: t, name: "walkthrough"}
	for _, row := range []struct {
		name string
		run  func(t *testing.T, want plates)
	}{
		{"plates", walkthroughPlates}, {"values", walkthroughValues}, {"training", walkthroughTraining},
		{"recording", recordingPlates}, {"shape slip", shapeSlip}, {"symbols", symbolsOutliveTheSeal},
		{"reopening", reopening}, {"squared error", derivativeOfTheSquaredError},
	} {
		s.row(row.name, func(t *testing.T) { row.run(t, want) })
	}
	s.ended()
}

func walkthroughPlates(t *testing.T, want plates) {
	w := record()
	same(t, "spec", w.tape.Describe(), want.Spec)
	nodes := w.tape.Len()
	unobserved := Must(w.tape.View().Entry(w.loss).Lower())
	same(t, "plan unobserved", unobserved.Describe(), want.PlanUnobserved)
	same(t, "plan observed", Must(w.tape.View().Entry(w.loss).Observe(w.hidden).Lower()).Describe(), want.PlanObserved)
	adj := w.tape.Differentiate(w.loss, w.weights)
	same(t, "differentiated", w.tape.Describe(), want.Differentiated)
	counts := []int{nodes, w.tape.Len() - nodes, adj.Of(w.weights).Index()}
	same(t, "counts", fmt.Sprint(counts), fmt.Sprint([]int{want.SpecNodes, want.Appended, want.GradientNode}))
	net := w.tape.Seal()
	same(t, "network", net.Describe(), want.Network)
	plan := Must(net.Entry(adj.Roots()...).Observe(w.hidden.Symbol()).Lower())
	same(t, "plan", plan.Describe(), want.Plan)
	same(t, "live", fmt.Sprint(plan.LiveSeries()), fmt.Sprint(want.LiveSeries))
	same(t, "results", fmt.Sprint(indices(plan.Results())), fmt.Sprint(want.Results))
	same(t, "stablehlo", Must(plan.StableHLO()).String(), want.StableHLO)
	same(t, "backward plan", Must(net.Entry(w.loss.Symbol()).Retain().Lower()).Describe(), want.PlanBackward)
	same(t, "training plan", Must(net.Entry(adj.Roots()...).Lower()).Describe(), want.SGDPlan)
}

func walkthroughValues(t *testing.T, want plates) {
	w := record()
	adj := w.tape.Differentiate(w.loss, w.weights)
	net := w.tape.Seal()
	table := net.Parameters()
	oracle := Must(net.Forward(table))
	v := want.Values
	j := newJudge(t, single, net.Nodes(), v.Loss, v.Engine, v.InputGradient)
	if len(want.EveryNode) != net.Len() {
		t.Fatalf("%d node values for %d nodes", len(want.EveryNode), net.Len())
	}
	for i, n := range net.Nodes() {
		j.compare(n.String(), i, oracle.Of(n.Symbol()), want.EveryNode[i])
	}
	field := Must(oracle.Backward(w.loss))
	at := func(v Named) int { return v.Symbol().Index() }
	j.compare("loss", at(w.loss), oracle.Of(w.loss), v.Loss)
	j.compare("engine gradient", at(adj.Of(w.weights)), field.Of(w.weights), v.Engine)
	j.compare("input gradient", at(adj.Of(w.weights)), field.Of(w.input), v.InputGradient)
	for numerics, loss := range map[Numerics]goldenTensor{Exact: v.LossExact, Fast: v.LossFast} {
		run := Must(Must(net.Entry(adj.Roots()...).Observe(w.hidden).Numerics(numerics).Lower()).Forward(table))
		j.compare("loss of a plan", at(w.loss), run.Of(w.loss), loss)
		j.compare("hidden", at(w.hidden), run.Of(w.hidden), v.Hidden)
		j.compare("recorded gradient", at(adj.Of(w.weights)), run.Of(adj.Of(w.weights)), v.Recorded)
		same(t, "loss", run.Of(w.loss).String(), want.Printed[0])
		same(t, "gradient", run.RecordedGradients(adj).Of(w.weights).String(), want.Printed[1])
		same(t, "hidden", run.Of(w.hidden).String(), want.Printed[2])
		if engine := field.Parameters(table); !run.RecordedGradients(adj).Equal(engine) {
			t.Errorf("recorded gradient %v is not the engine scan %v", run.RecordedGradients(adj).Of(w.weights), engine.Of(w.weights))
		}
	}
}

func walkthroughTraining(t *testing.T, want plates) {
	w := record()
	adj := w.tape.Differentiate(w.loss, w.weights)
	net := w.tape.Seal()
	plan := Must(net.Entry(adj.Roots()...).Lower())
	rate, table := F32.Tensor(nil, 0.05), net.Parameters()
	losses := strings.Fields(want.Losses.Bits)
	if len(losses) != len(want.Weights) {
		t.Fatalf("%d losses and %d weights", len(losses), len(want.Weights))
	}
	for step, loss := range losses {
		run := Must(plan.Forward(table))
		trained(t, fmt.Sprintf("loss of step %d", step), run.Of(w.loss), goldenTensor{Bits: loss})
		trained(t, fmt.Sprintf("weights before step %d", step), table.Of(w.weights), want.Weights[step])
		table = table.Step(run.RecordedGradients(adj), func(w, g *Tensor[float32]) *Tensor[float32] {
			return w.Sub(g.Mul(rate.Broadcast(g.Shape())))
		})
	}
	trained(t, "final weights", table.Of(w.weights), want.Final)
}

// trained allows a relative 1e-5, and 16 eps of the run's largest loss, 0.83:
// the golden run's tanh does not round correctly, ours does, and the steps carry
// the difference on.
func trained(t *testing.T, what string, got *Tensor[float32], want goldenTensor) {
	t.Helper()
	for i, bits := range want.words() {
		g, w := single.real(got.Data()[i]), single.float(bits)
		if d := math.Abs(g - w); !(d <= 1e-5*math.Abs(w)+16*single.eps*0.83) {
			t.Errorf("%s at %d: %v, want %v", what, i, g, w)
		}
	}
}

func recordingPlates(t *testing.T, want plates) {
	scalar := New(F64)
	c, wt, s := scalar.Leaf(nil, 3), scalar.Parameter(nil, 0.5), scalar.Input(nil, 1)
	wt.Mul(s).Add(c).Tanh()
	same(t, "scalar", scalar.Describe(), want.Scalar)

	shapes := New(F32)
	batch := shapes.Input(Shape{3, 2}, 0)
	weights, bias := shapes.Parameter(Shape{2, 4}, 0.1), shapes.Parameter(Shape{4}, 0)
	batch.MatMul(weights).Add(bias.BroadcastAlong(0, 3)).Tanh().SumAlong(1)
	same(t, "shapes", shapes.Describe(), want.Shapes)

	copies := New(F64)
	a, b, d := copies.Leaf(nil, 2), copies.Leaf(nil, 3), copies.Leaf(nil, 4)
	a.Add(b).Mul(d).Neg().Add(a.Mul(d))
	same(t, "copies", copies.Describe(), want.Copies)
}

func shapeSlip(t *testing.T, want plates) {
	tape := New(F32)
	left, right := tape.Input(Shape{3, 2}, 0), tape.Input(Shape{4, 5}, 0)
	before := tape.Describe()
	r := Refused(func() { left.MatMul(right) })
	if r == nil {
		t.Fatal("the product was recorded")
	}
	_, message, _ := strings.Cut(strings.Split(want.Panic, "\n")[0], ": ")
	same(t, "message", r.Error(), message)
	if r.Op != "matmul" || len(r.Shapes) != 2 || r.At == "" {
		t.Errorf("refusal %+v lacks its operation, shapes or place", r)
	}
	same(t, "tape after the refusal", tape.Describe(), before)
}

func symbolsOutliveTheSeal(t *testing.T, want plates) {
	network, names := Record(F64, func(tape *Tape[float64]) []Symbol {
		w := tape.Parameter(nil, 0.25)
		return Detach(w, w.Mul(tape.Leaf(nil, 2)))
	})
	w, doubled := names[0], names[1]
	run := Must(network.Forward(network.Parameters()))
	got := []string{
		fmt.Sprintf("w.index()          = %d", w.Index()),
		fmt.Sprintf("doubled.index()    = %d", doubled.Index()),
		fmt.Sprintf("parameters.of(w)   = %v", network.Parameters().Of(w)),
		fmt.Sprintf("run.of(doubled)    = %v", run.Of(doubled)),
	}
	got = append(got, fmt.Sprintf("network.node(w)    = %v", network.Node(w)))
	for i, line := range want.Symbols {
		same(t, "symbols", strings.Join(strings.Fields(got[i]), " "), strings.Join(strings.Fields(line), " "))
	}
	same(t, "node", network.Node(w).String(), want.NodeDisplay)
}

func reopening(t *testing.T, want plates) {
	tape := New(F64)
	w := tape.Parameter(nil, 1.5)
	square := w.Mul(w)
	plan := Must(tape.View().Entry(square).Lower())
	network := tape.Seal()
	again := network.Reopen()
	again.Resolve(square).Mul(again.Resolve(w))
	same(t, "reopened", again.Describe(), want.Reopen)
	run := Must(plan.Forward(again.InitialParameters()))
	same(t, "plan of the prefix", run.Of(square).String(), "2.25")
}

func derivativeOfTheSquaredError(t *testing.T, want plates) {
	tape := New(F32)
	w, x, y := tape.Parameter(nil, 0.5), tape.Input(nil, 2), tape.Input(nil, 3)
	e := w.Mul(x).Sub(y)
	loss := e.Mul(e)
	nodes := tape.Len()
	adj := tape.Differentiate(loss, w)
	same(t, "derivative", tape.Describe(), want.Derivative)
	if at := adj.Of(w).Index(); at != want.ReadmeGradient || nodes != want.ReadmeNodes {
		t.Errorf("d loss / d w is node %d after %d, want %d after %d", at, nodes, want.ReadmeGradient, want.ReadmeNodes)
	}
}

func TestWalkByHand(t *testing.T) {
	w := record()
	net := w.tape.Seal()
	values := make([]*Tensor[float32], net.Len())
	for i, n := range net.Nodes() {
		if n.IsSource() {
			values[i] = net.Payload(n.Symbol())
			continue
		}
		values[i] = Express(n.Opcode(), Pick(values, n.Operands())...)
	}
	oracle := Must(net.Forward(net.Parameters()))
	if got := values[w.loss.Symbol().Index()]; !got.Equal(oracle.Of(w.loss)) {
		t.Errorf("loss by hand %v, by the interpreter %v", got, oracle.Of(w.loss))
	}
}
