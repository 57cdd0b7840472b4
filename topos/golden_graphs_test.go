package topos_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// graphCase is a whole graph with its derivative, the entries lowered of it,
// and what it computes.
type graphCase struct {
	Name           string       `json:"name"`
	Element        string       `json:"element"`
	About          string       `json:"about"`
	SpecNodes      int          `json:"spec_nodes"`
	Spec           string       `json:"describe_spec"`
	Differentiated string       `json:"describe_differentiated"`
	Tail           string       `json:"network_describe_tail"`
	Target         int          `json:"target"`
	Pairs          [][2]int     `json:"pairs"`
	Nodes          []graphNode  `json:"nodes"`
	Loss           goldenTensor `json:"loss"`
	Outputs        []valueAt    `json:"outputs"`
	Gradients      []valueAt    `json:"gradients"`
	EngineEqual    bool         `json:"recorded_equals_engine"`
	Entries        []graphEntry `json:"entries"`
}

// valueAt is what a node computes.
type valueAt struct {
	Node  int          `json:"node"`
	Value goldenTensor `json:"value"`
}

type graphEntry struct {
	Name        string          `json:"name"`
	Roots       []int           `json:"roots"`
	Observe     []int           `json:"observe"`
	Backward    bool            `json:"backward"`
	CanBackward bool            `json:"can_backward"`
	Numerics    string          `json:"numerics"`
	Describe    string          `json:"describe"`
	Live        []int           `json:"live_series"`
	Results     []int           `json:"results"`
	Patterns    []goldenPattern `json:"patterns"`
	Offers      []goldenPattern `json:"candidates"`
	BitsEqual   bool            `json:"plan_bits_equal_interpreter"`
	StableHLO   string          `json:"stablehlo"`
}

// graphNode is a node to record: its printed name, operands and attributes, and
// a source's payload.
type graphNode struct {
	goldenTensor
	Selected oneHot     `json:"selection"`
	Op       string     `json:"op"`
	Args     []int      `json:"args"`
	Attrs    attributes `json:"attrs"`
}

type attributes struct {
	Axis       int   `json:"axis"`
	Start      int   `json:"start"`
	Len        int   `json:"len"`
	Extent     int   `json:"extent"`
	FullExtent int   `json:"full_extent"`
	Size       int   `json:"size"`
	Step       int   `json:"step"`
	Dilation   int   `json:"dilation"`
	Shape      []int `json:"shape"`
	Order      []int `json:"order"`
}

func TestGoldenGraphs(t *testing.T) {
	rows := goldenFile[goldenDumps](t, "dumps.json").Graphs
	goldenRows(t, "graphs", rows, func(t *testing.T, e tested, c graphCase) { e.goldenGraph(t, c) })
}

func (n number[T]) goldenGraph(t *testing.T, c graphCase) {
	tape := New(n.Element)
	for _, x := range c.Nodes[:c.SpecNodes] {
		n.recordNode(t, tape, x)
	}
	same(t, "spec", tape.Describe(), c.Spec)
	var wrt []Named
	for _, p := range c.Pairs {
		wrt = append(wrt, tape.Value(p[0]))
	}
	adjoints := tape.Differentiate(tape.Value(c.Target), wrt...)
	same(t, "differentiated", tape.Describe(), c.Differentiated)
	for i, p := range c.Pairs {
		if at := adjoints.Gradients()[i].Index(); at != p[1] {
			t.Errorf("gradient %d is node %d, want %d", i, at, p[1])
		}
	}
	net := tape.Seal()
	n.samePayloads(t, net, c.Nodes)
	if text := net.Describe(); !strings.HasSuffix(text, "\n"+c.Tail+"\n") {
		t.Errorf("the network ends with %q, want %q", text[strings.LastIndex(text[:len(text)-1], "\n")+1:], c.Tail)
	}
	n.goldenGraphValues(t, c, net, adjoints)
	spelledOut := 0
	for _, entry := range c.Entries {
		spelledOut += n.goldenEntry(t, c, entry, net)
	}
	differs(t, "exact text of "+c.Name, spelledOut)
}

// goldenGraphValues compares what the graph computes.
func (n number[T]) goldenGraphValues(t *testing.T, c graphCase, net *Network[T], adjoints Adjoints) {
	run := Must(net.Forward(net.Parameters()))
	engine := Must(run.Backward(adjoints.Target()))
	var gradients []goldenTensor
	for i, g := range c.Gradients {
		gradients = append(gradients, g.Value)
		if i >= len(c.Pairs) || g.Node != c.Pairs[i][0] {
			t.Errorf("gradient %d is of node %d, which is not the pair's", i, g.Node)
		}
	}
	if len(gradients) != len(c.Pairs) {
		t.Fatalf("%d gradients for %d pairs", len(gradients), len(c.Pairs))
	}
	for i, w := range adjoints.Wrt() {
		if recorded := run.Of(adjoints.Gradients()[i]); c.EngineEqual && !recorded.Equal(engine.Of(w)) {
			t.Errorf("gradient %d: recorded %v, engine %v", i, recorded, engine.Of(w))
		}
	}
	values := n.goldenValues(net)
	j := newJudge(t, n, net.Nodes(), c.Loss, gradients...)
	lanes := 0
	for _, o := range c.Outputs {
		lanes += n.unequalLanes(run.Of(net.Nodes()[o.Node].Symbol()), values[o.Node])
		j.compare("output", o.Node, values[o.Node], o.Value)
	}
	differs(t, "graphs "+c.Name, lanes)
	j.compare("loss", c.Target, values[c.Target], c.Loss)
	for i, p := range c.Pairs {
		j.compare("gradient", p[1], values[p[1]], gradients[i])
	}
}

// declared is an entry of the data over a network.
func (n number[T]) declared(t *testing.T, net *Network[T], entry graphEntry) Entry[T] {
	t.Helper()
	named := func(at []int) (names []Named) {
		for _, i := range at {
			names = append(names, net.Nodes()[i].Symbol())
		}
		return names
	}
	declared := net.Entry(named(entry.Roots)...).Observe(named(entry.Observe)...)
	if entry.Backward {
		declared = declared.Retain()
	}
	switch entry.Numerics {
	case "Exact":
		declared = declared.Numerics(Exact)
	case "Fast":
	default:
		t.Fatalf("%s: the suite does not know the numerics %q", entry.Name, entry.Numerics)
	}
	return declared
}

// goldenEntry compares a lowered entry, and answers 1 where its exact text is
// spelled out on purpose.
func (n number[T]) goldenEntry(t *testing.T, c graphCase, entry graphEntry, net *Network[T]) (spelledOut int) {
	plan := Must(n.declared(t, net, entry).Lower())
	same(t, entry.Name, plan.Describe(), entry.Describe)
	same(t, entry.Name+" live", fmt.Sprint(plan.LiveSeries()), fmt.Sprint(entry.Live))
	same(t, entry.Name+" results", fmt.Sprint(indices(plan.Results())), fmt.Sprint(entry.Results))
	same(t, entry.Name+" patterns", listed(plan.Patterns()), joined(entry.Patterns))
	same(t, entry.Name+" candidates", listed(plan.Schedule().Candidates()), joined(entry.Offers))
	if text := Must(plan.StableHLO()).String(); plan.Numerics() == Exact && raises.MatchString(entry.StableHLO) {
		spelled(t, entry, text, plan.Schedule())
		spelledOut = 1
	} else {
		same(t, entry.Name+" stablehlo", text, entry.StableHLO)
	}
	table := net.Parameters()
	oracle, run := Must(net.Forward(table)), Must(plan.Forward(table))
	for _, s := range plan.Results() {
		if entry.BitsEqual && !run.Of(s).Equal(oracle.Of(s)) {
			t.Errorf("%s: node %d is %v by the plan, %v by the interpreter", entry.Name, s.Index(), run.Of(s), oracle.Of(s))
		}
	}
	if _, err := run.Backward(net.Nodes()[c.Target].Symbol()); (err == nil) != entry.CanBackward {
		t.Errorf("%s: a backward scan answers %v, but can_backward is %v", entry.Name, err, entry.CanBackward)
	}
	return spelledOut
}

func indices(symbols []Symbol) []int {
	at := []int{}
	for _, s := range symbols {
		at = append(at, s.Index())
	}
	return at
}

// recordNode records one node of a graph.
func (n number[T]) recordNode(t *testing.T, tape *Tape[T], x graphNode) Value[T] {
	t.Helper()
	payload := func() *Tensor[T] { return n.payload(x.goldenTensor, x.Selected) }
	switch x.Op {
	case "Leaf":
		return tape.LeafOf(payload())
	case "Parameter":
		return tape.ParameterOf(payload())
	case "Input":
		return tape.InputOf(payload())
	}
	for _, k := range Kinds() {
		if k.String() != x.Op {
			continue
		}
		a := x.Attrs
		op := Opcode{Kind: k, Axis: a.Axis, Start: a.Start, Length: a.Len, Extent: a.Extent + a.FullExtent, Size: a.Size, Step: a.Step, Dilation: a.Dilation, Dims: a.Shape}
		if k == OpPermute {
			op.Dims = a.Order
		}
		var operands []Value[T]
		for _, i := range x.Args {
			operands = append(operands, tape.Value(i))
		}
		return Express(op, operands...)
	}
	t.Fatalf("the suite does not know the operation %s", x.Op)
	return Value[T]{}
}
