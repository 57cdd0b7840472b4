package render

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/testdata"
)

// walkthrough is the data of the walkthrough's plates.
type walkthrough struct {
	Spec           string `json:"spec"`
	Differentiated string `json:"differentiated"`
	Plan           string `json:"plan"`
	PlanBackward   string `json:"plan_backward"`
	Live           []int  `json:"live_series"`
	Results        []int  `json:"results"`
	StableHLO      string `json:"stablehlo"`
	Values         map[string]struct {
		Shape []int  `json:"shape"`
		Bits  string `json:"bits"`
		Dec   string `json:"dec"`
	} `json:"values"`
	Losses struct {
		Dec string `json:"dec"`
	} `json:"losses40"`
}

func plates(t testing.TB) walkthrough {
	t.Helper()
	return testdata.Walkthrough[walkthrough](t)
}

var rowLine = regexp.MustCompile(`^ *(\d+)  (\S+) +(.*?) *\[([^]]*)\](?: +(\S.*))?$`)

// rows parses the lines of a dump, as far as they are rows.
func rows(t testing.TB, text string) (list []topos.Row, tail []string) {
	t.Helper()
	for _, line := range strings.Split(strings.TrimSuffix(text, "\n"), "\n") {
		attributes := ""
		plain := line
		if at := regexp.MustCompile(`(shape|order)=\[[^]]*\]`).FindString(line); at != "" {
			attributes, plain = at, strings.Replace(line, at, "", 1)
		}
		m := rowLine.FindStringSubmatch(plain)
		if m == nil {
			tail = append(tail, line)
			continue
		}
		row := topos.Row{Opcode: m[2], Shape: numbers(t, m[4]), Operands: numbers(t, strings.TrimSpace(m[3])), Attributes: attributes, Liveness: m[5]}
		row.Index, _ = strconv.Atoi(m[1])
		list = append(list, row)
	}
	return list, tail
}

func numbers(t testing.TB, text string) []int {
	t.Helper()
	list := []int{}
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' }) {
		n, err := strconv.Atoi(word)
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		list = append(list, n)
	}
	return list
}

// payload makes a payload's reading from printed numbers of f32.
func payload(t testing.TB, label string, node int, shape []int, text string, cells ...string) topos.PayloadReading {
	t.Helper()
	p := topos.PayloadReading{Label: label, Node: node, Shape: shape, Text: text, Count: len(cells), Cells: cells}
	low, high := math.Inf(1), math.Inf(-1)
	var bits []byte
	for _, cell := range cells {
		x, err := strconv.ParseFloat(cell, 32)
		if err != nil {
			t.Fatal(err)
		}
		bits = binary.LittleEndian.AppendUint32(bits, math.Float32bits(float32(x)))
		if math.IsNaN(x) || math.IsInf(x, 0) {
			p.NonFinite++
			continue
		}
		low, high = math.Min(low, x), math.Max(high, x)
	}
	p.Min, p.Max = strconv.FormatFloat(low, 'f', -1, 32), strconv.FormatFloat(high, 'f', -1, 32)
	sum := sha256.Sum256(bits)
	p.Digest = hex.EncodeToString(sum[:])
	return p
}

// readings are the walkthrough's readings, one of each kind, by file name.
func readings(t testing.TB) map[string]*topos.Reading {
	t.Helper()
	w := plates(t)
	spec, specTail := rows(t, w.Spec)
	whole, wholeTail := rows(t, w.Differentiated)
	for i := range whole {
		whole[i].Origin = "segment 1, line " + strconv.Itoa(i/3+1)
	}
	whole[17].Origin = "one - out*out, from the rule of 3 Tanh"
	spec[0].Name, spec[3].Name = "weights", "hidden"
	counts := topos.Counts{Parameters: 1, Inputs: 1}
	divider := []topos.Mark{{Before: 6, Text: "23 nodes appended by differentiate; node 28 is d loss / d weights"}}
	adjoints := []topos.AdjointReading{{Target: 5, Wrt: 0, Gradient: 28, Name: "weights", Shape: []int{2, 2}}}
	planned, planTail := rows(t, w.Plan)
	retained, retainTail := rows(t, w.PlanBackward)
	loss := payload(t, "loss", 5, []int{}, "0.83054614", "0.83054614")
	hidden := payload(t, "hidden", 3, []int{1, 2}, "[[0.7615942, 0.5005202]]", "0.7615942", "0.5005202")
	gradient := payload(t, "d loss / d weights", 28, []int{2, 2}, "[[0.6397, 0.75025934], [1.2794, 1.5005187]]", "0.6397", "0.75025934", "1.2794", "1.5005187")
	weights := payload(t, "weights", 0, []int{2, 2}, "[[0.5, -0.25], [0.25, 0.4]]", "0.5", "-0.25", "0.25", "0.4")
	weights.Norm, gradient.Norm, hidden.Norm = "0.7331439", "2.1986253", "0.911344"
	plan := &topos.PlanReading{
		Evaluated: 25, Of: 29, Readable: w.Results, Skipped: []int{21, 22, 25, 26},
		Schedule: indices(planned), Live: w.Live, Peak: 15, PeakNode: 28, RetainAll: 56,
	}
	var losses []float64
	for _, word := range strings.Fields(w.Losses.Dec) {
		x, err := strconv.ParseFloat(word, 64)
		if err != nil {
			t.Fatal(err)
		}
		losses = append(losses, x)
	}
	return map[string]*topos.Reading{
		"spec":     {Kind: topos.SpecReading, Text: w.Spec, Rows: spec, Tail: specTail, Nodes: 6, Counts: counts},
		"gradient": {Kind: topos.GradientReading, Text: w.Differentiated, Rows: whole, Marks: divider, Tail: wholeTail, Nodes: 29, Counts: counts, Adjoints: adjoints},
		"network":  {Kind: topos.SpecReading, Text: strings.Replace(w.Differentiated, "tape:", "network:", 1), Rows: whole, Nodes: 29, Counts: counts, Sealed: true},
		"plan":     {Kind: topos.ScheduleReading, Text: w.Plan, Rows: planned, Tail: planTail, Nodes: 29, Plan: plan},
		"backward": {Kind: topos.ScheduleReading, Text: w.PlanBackward, Rows: retained, Tail: retainTail, Nodes: 29, Plan: &topos.PlanReading{
			Evaluated: 6, Of: 29, Readable: []int{5}, Schedule: indices(retained), Peak: 11, PeakNode: 5, RetainAll: 13, Backward: true}},
		"fused":      fused(),
		"stablehlo":  {Kind: topos.ModuleReading, Text: w.StableHLO, Rows: planned, Plan: plan},
		"values":     {Kind: topos.ValuesReading, Element: "f32", Text: "loss: 0.83054614\n", Payloads: []topos.PayloadReading{loss, gradient, hidden}, Plan: &topos.PlanReading{Exact: true}},
		"picture":    {Kind: topos.PictureReading, Text: w.Differentiated, Rows: whole, Marks: divider, Nodes: 29, Counts: counts, Plan: plan},
		"node":       {Kind: topos.NodeReading, Element: "f32", Subject: "#3", Text: "   3  Tanh           2                  [1, 2]\n", Rows: spec[2:5], Payloads: []topos.PayloadReading{hidden}},
		"adjoints":   {Kind: topos.AdjointsReading, Text: "d #5 / d #0 = #28 [2, 2]\n", Adjoints: adjoints},
		"entry":      {Kind: topos.EntryReading, Subject: "loss", Text: "entry: roots 5, 28; observes 3\n", Plan: &topos.PlanReading{Readable: w.Results}},
		"field":      {Kind: topos.FieldReading, Subject: "gradients", Element: "f32", Text: "weights: [[0.6397, 0.75025934], [1.2794, 1.5005187]]\n", Payloads: []topos.PayloadReading{gradient, hidden}},
		"parameters": {Kind: topos.ParametersReading, Element: "f32", Text: "0 weights [2, 2]\n", Payloads: []topos.PayloadReading{weights}},
		"tensor":     {Kind: topos.TensorReading, Element: "f32", Text: "[[0.5, -0.25], [0.25, 0.4]]\n", Payloads: []topos.PayloadReading{{Label: "", Node: -1, Shape: weights.Shape, Text: weights.Text, Digest: weights.Digest, Count: 4, Min: "-0.25", Max: "0.5", Cells: weights.Cells}}},
		"plot":       {Kind: topos.PlotReading, Text: "loss: 40 steps\n", Plot: &topos.Plot{Title: "forty steps", XLabel: "step", YLabel: "loss", Values: losses}},
		"logplot":    {Kind: topos.PlotReading, Text: "loss: 40 steps, log\n", Plot: &topos.Plot{Title: "forty steps", XLabel: "step", YLabel: "loss", Log: true, Values: losses}},
		"text":       {Kind: topos.TextReading, Text: "loss by hand 0.83054614\n"},
	}
}

func indices(rows []topos.Row) []int {
	var list []int
	for _, row := range rows {
		list = append(list, row.Index)
	}
	return list
}

// chain is a reading of n nodes in which each reads the two before it.
func chain(kind topos.ReadingKind, n int) *topos.Reading {
	r := &topos.Reading{Kind: kind, Nodes: n}
	var b strings.Builder
	for i := range n {
		row := topos.Row{Index: i, Opcode: "Add", Shape: []int{16, 16}}
		switch {
		case i < 2:
			row.Opcode = "Parameter"
		case i%5 == 4:
			row.Opcode = "Leaf"
		default:
			row.Operands = []int{i - 1, i - 2}
		}
		r.Rows = append(r.Rows, row)
		fmt.Fprintf(&b, "%4d  %-14s %-18s %s\n", i, row.Opcode, joined(row.Operands), shape(row.Shape))
	}
	r.Tail = []string{fmt.Sprintf("tape: %d nodes, 2 parameters, 0 inputs", n)}
	r.Text = b.String() + r.Tail[0] + "\n"
	return r
}

// show is a bundle's text of one type, or the test ends.
func show(t testing.TB, r *topos.Reading, o Options, mime string) string {
	t.Helper()
	bundle, err := Bundle(r, o)
	if err != nil {
		t.Fatal(err)
	}
	switch value := bundle[mime].(type) {
	case string:
		return value
	case json.RawMessage:
		return string(value)
	}
	t.Fatalf("the bundle of a %s has no %s", r.Kind, mime)
	return ""
}

// fused is the plan of windows: a product and a pooled maximum, which it fuses,
// and a norm, which it does not.
func fused() *topos.Reading {
	tape := topos.New(topos.F32)
	x, w := tape.Input(topos.Shape{1, 1, 4, 4}, 0.5), tape.Parameter(topos.Shape{4, 2}, 0.25)
	rows := x.Unfold(2, 2, 1, 1).Unfold(4, 2, 1, 1).Permute(0, 2, 4, 1, 3, 5).Reshape(topos.Shape{9, 4})
	y := rows.MatMul(w)
	pooled := y.Reshape(topos.Shape{1, 3, 3, 2}).Unfold(1, 2, 1, 1).Permute(0, 1, 3, 4, 2)
	largest := pooled.Narrow(4, 0, 1).Maximum(pooled.Narrow(4, 1, 1)).Squeeze(4)
	column := tape.Leaf(topos.Shape{2}, 1)
	batch := largest.Reshape(topos.Shape{6, 2})
	centred := batch.Sub(column.BroadcastAlong(0, 6))
	deviation := column.Add(tape.Leaf(nil, 1e-5).BroadcastTo(topos.Shape{2})).Sqrt()
	norm := centred.Div(deviation.BroadcastAlong(0, 6)).Mul(column.BroadcastAlong(0, 6)).Add(column.BroadcastAlong(0, 6))
	return topos.Must(tape.View().Entry(norm).Lower()).Reading()
}
