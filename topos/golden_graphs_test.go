package topos_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// graphCase is a whole graph with its derivative and the entries lowered of it.
type graphCase struct {
	Name           string `json:"name"`
	Element        string `json:"element"`
	SpecNodes      int    `json:"spec_nodes"`
	Spec           string `json:"describe_spec"`
	Differentiated string `json:"describe_differentiated"`
	Target         int    `json:"target"`
	Pairs          [][2]int
	Nodes          []graphNode
	Entries        []struct {
		Name      string          `json:"name"`
		Roots     []int           `json:"roots"`
		Observe   []int           `json:"observe"`
		Backward  bool            `json:"backward"`
		Numerics  string          `json:"numerics"`
		Describe  string          `json:"describe"`
		Live      []int           `json:"live_series"`
		Results   []int           `json:"results"`
		Patterns  []goldenPattern `json:"patterns"`
		Offers    []goldenPattern `json:"candidates"`
		StableHLO string          `json:"stablehlo"`
	} `json:"entries"`
}

type graphNode struct {
	goldenTensor
	Selected oneHot `json:"selection"`
	Op       string `json:"op"`
	Args     []int  `json:"args"`
	Attrs    struct {
		Axis, Start, Len, Extent, Size, Step, Dilation int
		FullExtent                                     int `json:"full_extent"`
		Shape, Order                                   []int
	} `json:"attrs"`
}

func TestGoldenGraphs(t *testing.T) {
	b, err := os.ReadFile("testdata/graphs.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct{ Cases []graphCase }
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Cases {
		switch c.Element {
		case "f32":
			t.Run(c.Name+"/f32", func(t *testing.T) { runGraph(t, c, F32, 32) })
		case "f64":
			t.Run(c.Name+"/f64", func(t *testing.T) { runGraph(t, c, F64, 64) })
		}
	}
}

func runGraph[T float32 | float64](t *testing.T, c graphCase, e Element[T], width int) {
	tape := New(e)
	for _, n := range c.Nodes[:c.SpecNodes] {
		recordNode(t, tape, e, n, width)
	}
	same(t, "spec", tape.Describe(), c.Spec)
	var wrt []Named
	for _, p := range c.Pairs {
		wrt = append(wrt, tape.Value(p[0]))
	}
	adj := tape.Differentiate(tape.Value(c.Target), wrt...)
	same(t, "differentiated", tape.Describe(), c.Differentiated)
	for i, p := range c.Pairs {
		if at := adj.Gradients()[i].Index(); at != p[1] {
			t.Errorf("gradient %d is node %d, want %d", i, at, p[1])
		}
	}
	net := tape.Seal()
	named := func(at []int) (names []Named) {
		for _, i := range at {
			names = append(names, net.Nodes()[i].Symbol())
		}
		return names
	}
	for _, entry := range c.Entries {
		declared := net.Entry(named(entry.Roots)...).Observe(named(entry.Observe)...)
		if entry.Backward {
			declared = declared.Retain()
		}
		if entry.Numerics == "Exact" {
			declared = declared.Numerics(Exact)
		}
		plan := Must(declared.Lower())
		same(t, entry.Name, plan.Describe(), entry.Describe)
		same(t, entry.Name+" live", fmt.Sprint(plan.LiveSeries()), fmt.Sprint(entry.Live))
		same(t, entry.Name+" patterns", listed(plan.Patterns()), joined(entry.Patterns))
		same(t, entry.Name+" candidates", listed(plan.Schedule().Candidates()), joined(entry.Offers))
		if text := Must(plan.StableHLO()).String(); entry.Numerics == "Exact" && len(entry.Offers) > 0 {
			spelled(t, text, plan.Schedule())
		} else if entry.StableHLO != "" {
			same(t, entry.Name+" stablehlo", text, entry.StableHLO)
		}
	}
}

func recordNode[T float32 | float64](t *testing.T, tape *Tape[T], e Element[T], n graphNode, width int) {
	t.Helper()
	payload := func() *Tensor[T] { return payloadOf(e, n.goldenTensor, n.Selected, width) }
	switch n.Op {
	case "Leaf":
		tape.LeafOf(payload())
		return
	case "Parameter":
		tape.ParameterOf(payload())
		return
	case "Input":
		tape.InputOf(payload())
		return
	}
	for _, k := range Kinds() {
		if k.String() != n.Op {
			continue
		}
		a := n.Attrs
		op := Opcode{Kind: k, Axis: a.Axis, Start: a.Start, Length: a.Len, Extent: a.Extent + a.FullExtent, Size: a.Size, Step: a.Step, Dilation: a.Dilation, Dims: a.Shape}
		if k == OpPermute {
			op.Dims = a.Order
		}
		var xs []Value[T]
		for _, i := range n.Args {
			xs = append(xs, tape.Value(i))
		}
		Express(op, xs...)
		return
	}
	t.Fatalf("unknown operation %s", n.Op)
}
