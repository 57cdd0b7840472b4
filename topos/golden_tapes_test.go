package topos_test

import (
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// hvpCase is a gradient differentiated once more by an explicit seed.
type hvpCase struct {
	Name               string      `json:"name"`
	Element            string      `json:"element"`
	SpecNodes          int         `json:"spec_nodes"`
	AfterDifferentiate int         `json:"after_differentiate"`
	Describe           string      `json:"describe"`
	Loss               int         `json:"loss"`
	Gradient           int         `json:"gradient"`
	HVP                int         `json:"hvp"`
	Pairs              [][2]int    `json:"vjp_pairs"`
	Nodes              []graphNode `json:"nodes"`
	Values             struct {
		Loss     goldenTensor `json:"loss"`
		Gradient goldenTensor `json:"gradient"`
		HVP      goldenTensor `json:"hvp"`
	} `json:"values"`
	Plan      string `json:"plan"`
	StableHLO string `json:"stablehlo"`
}

func TestGoldenHessianVectorProducts(t *testing.T) {
	rows := goldenFile[goldenDumps](t, "dumps.json").HVP
	goldenRows(t, "hvp", rows, func(t *testing.T, e tested, c hvpCase) { e.goldenHVP(t, c) })
}

func (n number[T]) goldenHVP(t *testing.T, c hvpCase) {
	tape := New(n.Element)
	for _, x := range c.Nodes[:c.SpecNodes] {
		n.recordNode(t, tape, x)
	}
	var wrt []Named
	for _, p := range c.Pairs {
		wrt = append(wrt, tape.Value(p[0]))
	}
	gradient := tape.Differentiate(tape.Value(c.Loss), wrt...)
	if at := gradient.Of(wrt[0]).Index(); at != c.Gradient || tape.Len() != c.AfterDifferentiate {
		t.Errorf("the gradient is node %d of %d, want %d of %d", at, tape.Len(), c.Gradient, c.AfterDifferentiate)
	}
	// The sweep begins by adding the seed to zeros.
	start := c.Nodes[c.AfterDifferentiate+1]
	if start.Op != "Add" || len(start.Args) != 2 || start.Args[0] != c.AfterDifferentiate {
		t.Fatalf("node %d does not add a seed to zeros: the suite does not understand it", c.AfterDifferentiate+1)
	}
	product := tape.VJP(tape.Value(c.Gradient), tape.Value(start.Args[1]), wrt...)
	for i, p := range c.Pairs {
		if at := product.Gradients()[i].Index(); at != p[1] {
			t.Errorf("cotangent %d is node %d, want %d", i, at, p[1])
		}
	}
	same(t, "describe", tape.Describe(), c.Describe)
	net := tape.Seal()
	n.samePayloads(t, net, c.Nodes)
	at := func(i int) Named { return net.Nodes()[i].Symbol() }
	plan := Must(net.Entry(at(c.Loss), at(c.Gradient), at(c.HVP)).Lower())
	same(t, "plan", plan.Describe(), c.Plan)
	same(t, "stablehlo", Must(plan.StableHLO()).String(), c.StableHLO)
	j := newJudge(t, n, net.Nodes(), c.Values.Loss, c.Values.Gradient, c.Values.HVP)
	run := Must(net.Forward(net.Parameters()))
	j.compare("loss", c.Loss, run.Of(at(c.Loss)), c.Values.Loss)
	j.compare("gradient", c.Gradient, run.Of(at(c.Gradient)), c.Values.Gradient)
	j.compare("product", c.HVP, run.Of(at(c.HVP)), c.Values.HVP)
}

// samePayloads compares the payloads of sources, which no dump prints.
func (n number[T]) samePayloads(t *testing.T, net *Network[T], nodes []graphNode) {
	t.Helper()
	if net.Len() != len(nodes) {
		t.Fatalf("the tape has %d nodes, want %d", net.Len(), len(nodes))
	}
	for i, x := range nodes {
		payload := net.Payload(net.Nodes()[i].Symbol())
		if payload != nil && n.unequalLanes(payload, n.payload(x.goldenTensor, x.Selected)) > 0 {
			t.Errorf("source %d holds %v, want %s%s", i, payload, x.Bits, x.Constant)
		}
	}
}

// reopenedCase is a tape that was sealed, lowered, reopened and recorded upon,
// with its parameters carried across.
type reopenedCase struct {
	Name        string         `json:"name"`
	Element     string         `json:"element"`
	Before      string         `json:"before"`
	Sealed      string         `json:"sealed"`
	SealedNodes int            `json:"sealed_nodes"`
	After       string         `json:"after"`
	Carried     []goldenTensor `json:"carried"`
	Loss        goldenTensor   `json:"loss"`
	Cube        goldenTensor   `json:"cube"`
	OldValue    goldenTensor   `json:"old_plan_value"`
	OldShort    goldenTensor   `json:"old_plan_with_short_table"`
	OldPlan     string         `json:"old_plan_describe"`
	Plan        string         `json:"plan"`
	Gradients   []goldenTensor `json:"gradients"`
	Nodes       []graphNode    `json:"nodes"`
}

func TestGoldenReopened(t *testing.T) {
	rows := goldenFile[goldenDumps](t, "dumps.json").Reopened
	goldenRows(t, "reopened", rows, func(t *testing.T, e tested, c reopenedCase) { e.goldenReopened(t, c) })
}

// target is the node whose derivative was recorded: the plan keeps it, and the
// seed, a scalar leaf, follows it.
func (c reopenedCase) target(t *testing.T) int {
	t.Helper()
	for i, line := range strings.Split(c.Plan, "\n") {
		if strings.HasSuffix(line, " kept") && c.Nodes[i+1].Op == "Leaf" && len(c.Nodes[i+1].Shape) == 0 {
			return i
		}
	}
	t.Fatal("the plan keeps no target: the suite does not understand it")
	return 0
}

func (n number[T]) goldenReopened(t *testing.T, c reopenedCase) {
	tape := New(n.Element)
	for _, x := range c.Nodes[:c.SealedNodes] {
		n.recordNode(t, tape, x)
	}
	same(t, "before", tape.Describe(), c.Before)
	net := tape.Seal()
	same(t, "sealed", net.Describe(), c.Sealed)
	last := net.Nodes()[c.SealedNodes-1].Symbol()
	old := Must(net.Entry(last).Lower())
	same(t, "old plan", old.Describe(), c.OldPlan)
	short := net.Parameters()
	for i, name := range short.Names() {
		short = short.With(name, n.payload(c.Carried[i], oneHot{}))
	}
	tape = net.Reopen()
	target := c.target(t)
	for _, x := range c.Nodes[c.SealedNodes : target+1] {
		n.recordNode(t, tape, x)
	}
	var wrt []Named
	for i, x := range c.Nodes[:target+1] {
		if x.Op == "Parameter" {
			wrt = append(wrt, tape.Value(i))
		}
	}
	adjoints := tape.Differentiate(tape.Value(target), wrt...)
	same(t, "after", tape.Describe(), c.After)
	net = tape.Seal()
	n.samePayloads(t, net, c.Nodes)
	table := Must(net.Carry(short))
	j := newJudge(t, n, net.Nodes(), c.Loss, c.Gradients...)
	for i, name := range table.Names() {
		j.compare("carried parameter", name.Index(), table.Of(name), c.Carried[i])
	}
	j.compare("old plan", last.Index(), Must(old.Forward(table)).Of(last), c.OldValue)
	j.compare("old plan, short table", last.Index(), Must(old.Forward(short)).Of(last), c.OldShort)
	plan := Must(net.Entry(adjoints.Roots()...).Lower())
	same(t, "plan", plan.Describe(), c.Plan)
	run := Must(net.Forward(table))
	first := net.Nodes()[c.SealedNodes].Symbol()
	j.compare("first node recorded after the reopen", first.Index(), run.Of(first), c.Cube)
	j.compare("loss", target, run.Of(adjoints.Target()), c.Loss)
	if len(c.Gradients) != len(wrt) {
		t.Fatalf("%d gradients of %d parameters", len(c.Gradients), len(wrt))
	}
	for i, g := range adjoints.Gradients() {
		j.compare("gradient", g.Index(), Must(plan.Forward(table)).Of(g), c.Gradients[i])
	}
}
