package topos_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// opCase is one recorded program with what it printed and computed.
type opCase struct {
	ID            string         `json:"id"`
	Op            string         `json:"op"`
	Element       string         `json:"element"`
	Program       goldenProgram  `json:"program"`
	Describe      string         `json:"describe"`
	Weighted      bool           `json:"weighted"`
	SpecNodes     int            `json:"spec_nodes"`
	Appended      string         `json:"appended"`
	LossNode      int            `json:"loss_node"`
	GradientNodes []int          `json:"gradient_nodes"`
	Output        goldenTensor   `json:"output"`
	Loss          goldenTensor   `json:"loss"`
	Gradients     []goldenTensor `json:"gradients"`
	EngineEqual   bool           `json:"recorded_equals_engine"`
	ExactEqual    bool           `json:"exact_plan_equals_interpreter"`
	FastEqual     bool           `json:"fast_plan_equals_interpreter"`
}

func TestGoldenOps(t *testing.T) {
	data := goldenFile[struct {
		About string            `json:"about"`
		Cases []json.RawMessage `json:"cases"`
	}](t, "ops.json")
	goldenRows(t, "ops", data.Cases, func(t *testing.T, e tested, c opCase) { e.goldenOp(t, c) })
}

func (n number[T]) goldenOp(t *testing.T, c opCase) {
	tape := New(n.Element)
	values := n.record(t, tape, c.Program)
	y := values[len(values)-1]
	same(t, "describe", tape.Describe(), c.Describe)
	loss := y
	if c.Weighted {
		weights := make([]T, y.Shape().Volume())
		for i := range weights {
			weights[i] = n.FromFloat64(float64(i*7%11)/4 - 1.25)
		}
		loss = y.Mul(tape.Leaf(y.Shape(), weights...)).Sum()
	}
	if loss.Symbol().Index() != c.LossNode || tape.Len() != c.SpecNodes {
		t.Errorf("the loss is node %d of %d, want %d of %d", loss.Symbol().Index(), tape.Len(), c.LossNode, c.SpecNodes)
	}
	var wrt []Named
	for i, s := range c.Program.Sources {
		if s.Kind == "parameter" {
			wrt = append(wrt, values[i])
		}
	}
	adjoints := tape.Differentiate(loss, wrt...)
	all := strings.SplitAfter(tape.Describe(), "\n")
	same(t, "appended", strings.Join(all[c.SpecNodes:], ""), c.Appended)
	at := make([]int, len(wrt))
	for i, g := range adjoints.Gradients() {
		at[i] = g.Index()
	}
	same(t, "gradient nodes", fmt.Sprint(at), fmt.Sprint(c.GradientNodes))
	n.goldenOpValues(t, c, tape.Seal(), y, adjoints)
}

// goldenOpValues compares the output, the loss and the gradients, after every
// way to compute them has agreed.
func (n number[T]) goldenOpValues(t *testing.T, c opCase, net *Network[T], y Named, adjoints Adjoints) {
	table := net.Parameters()
	run := Must(net.Forward(table))
	engine := Must(run.Backward(adjoints.Target()))
	entry := net.Entry(adjoints.Roots()...).Observe(y)
	readable := append(adjoints.Roots(), y)
	for _, numerics := range []Numerics{Exact, Fast} {
		planned := Must(Must(entry.Numerics(numerics).Lower()).Forward(table))
		for _, r := range readable {
			if wanted := numerics == Exact && c.ExactEqual || numerics == Fast && c.FastEqual; wanted && !planned.Of(r).Equal(run.Of(r)) {
				t.Errorf("the %v plan answers %v at node %d, the interpreter %v", numerics, planned.Of(r), r.Symbol().Index(), run.Of(r))
			}
		}
	}
	values := n.goldenValues(net)
	j := newJudge(t, n, net.Nodes(), c.Loss, c.Gradients...)
	lanes := n.unequalLanes(run.Of(y), values[y.Symbol().Index()])
	differs(t, "ops "+strings.TrimSuffix(c.ID, "/"+c.Element), lanes)
	judged := func(what string, at Symbol, want goldenTensor) {
		j.compare(what, at.Index(), values[at.Index()], want)
	}
	judged("output", y.Symbol(), c.Output)
	judged("loss", adjoints.Target(), c.Loss)
	if len(c.Gradients) != len(adjoints.Gradients()) {
		t.Fatalf("%d gradients, want %d", len(adjoints.Gradients()), len(c.Gradients))
	}
	for i, g := range adjoints.Gradients() {
		if wrt := adjoints.Wrt()[i]; c.EngineEqual && !run.Of(g).Equal(engine.Of(wrt)) {
			t.Errorf("gradient %d: recorded %v, engine %v", i, run.Of(g), engine.Of(wrt))
		}
		judged(fmt.Sprintf("gradient %d", i), g, c.Gradients[i])
	}
}
