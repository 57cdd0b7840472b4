package topos_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// opCase is one recorded program with what it printed and computed.
type opCase struct {
	ID      string `json:"id"`
	Element string `json:"element"`
	Program struct {
		Sources []struct {
			goldenTensor
			oneHot
			Kind string `json:"kind"`
		} `json:"sources"`
		Calls []opCall `json:"calls"`
	} `json:"program"`
	Describe  string         `json:"describe"`
	Weighted  bool           `json:"weighted"`
	Appended  string         `json:"appended"`
	LossNode  int            `json:"loss_node"`
	Gradients []goldenTensor `json:"gradients"`
	Output    goldenTensor   `json:"output"`
	Loss      goldenTensor   `json:"loss"`
}

type opCall struct {
	Fn   string `json:"fn"`
	Args []int  `json:"args"`
	Ints []int  `json:"ints"`
}

type goldenTensor struct {
	Shape    []int  `json:"shape"`
	Bits     string `json:"bits"`
	Constant string `json:"constant"`
}

// oneHot is a selection given by the index of each row's one.
type oneHot struct {
	Indices    []int `json:"indices"`
	Vocabulary int   `json:"vocab"`
}

func payloadOf[T float32 | float64](e Element[T], g goldenTensor, s oneHot, width int) *Tensor[T] {
	if s.Indices == nil {
		return e.Tensor(g.Shape, numbersOf[T](g, width)...)
	}
	data := make([]T, len(s.Indices)*s.Vocabulary)
	for row, i := range s.Indices {
		data[row*s.Vocabulary+i] = 1
	}
	return e.Tensor(Shape{len(s.Indices), s.Vocabulary}, data...)
}

// facades are calls of the layers above the vocabulary.
var facades = map[string]bool{"cross_entropy": true, "scaled_dot_product": true, "conv2d": true, "max_pool": true}

// maximumDiffers lists the cases whose golden maximum drops NaN or takes -0
// for +0, where ours is IEEE 754-2019 maximum.
var maximumDiffers = map[string]bool{
	"abs/specials": true, "maximum/specials": true, "maximum/ties": true,
	"softplus/specials": true, "relu/specials": true,
}

func TestGoldenOps(t *testing.T) {
	b, err := os.ReadFile("testdata/ops.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Cases []json.RawMessage `json:"cases"`
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	ran := 0
	for _, raw := range all.Cases {
		var c opCase
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatal(err)
		}
		if c.usesFacade() {
			continue
		}
		switch c.Element {
		case "f32":
			t.Run(c.ID, func(t *testing.T) { runOp(t, c, F32, 32) })
		case "f64":
			t.Run(c.ID, func(t *testing.T) { runOp(t, c, F64, 64) })
		default:
			continue
		}
		ran++
	}
	if ran < 500 {
		t.Errorf("only %d cases ran", ran)
	}
}

func (c opCase) usesFacade() bool {
	for _, call := range c.Program.Calls {
		if facades[call.Fn] {
			return true
		}
	}
	return false
}

func runOp[T float32 | float64](t *testing.T, c opCase, e Element[T], width int) {
	tape := New(e)
	values := sources(tape, e, c, width)
	var wrt []Named
	for i, s := range c.Program.Sources {
		if s.Kind == "parameter" {
			wrt = append(wrt, values[i])
		}
	}
	for _, call := range c.Program.Calls {
		values = append(values, perform(t, call, values))
	}
	y := values[len(values)-1]
	loss := y
	describe := tape.Describe()
	if c.Weighted {
		weights := make([]T, y.Shape().Volume())
		for i := range weights {
			weights[i] = T(float64(i*7%11)/4 - 1.25)
		}
		loss = y.Mul(tape.Leaf(y.Shape(), weights...)).Sum()
	}
	same(t, "describe", describe, c.Describe)
	from := tape.Len()
	adj := tape.Differentiate(loss, wrt...)
	all := strings.SplitAfter(tape.Describe(), "\n")
	same(t, "appended", strings.Join(all[from:], ""), c.Appended)
	net := tape.View()
	run := Must(net.Forward(net.Parameters()))
	engine := Must(run.Backward(loss))
	if maximumDiffers[c.ID[:strings.LastIndex(c.ID, "/")]] {
		return
	}
	scale := 1.0
	for _, g := range append(c.Gradients, c.Loss) {
		for _, x := range numbersOf[T](g, width) {
			if m := math.Abs(float64(x)); m > scale && !math.IsInf(m, 0) {
				scale = m
			}
		}
	}
	near(t, "output", run.Of(y).Data(), numbersOf[T](c.Output, width), scale, width)
	near(t, "loss", run.Of(loss).Data(), numbersOf[T](c.Loss, width), scale, width)
	for i, w := range wrt {
		recorded := run.Of(adj.Of(w))
		if !recorded.Equal(engine.Of(w)) {
			t.Errorf("gradient %d: recorded %v, engine %v", i, recorded, engine.Of(w))
		}
		near(t, fmt.Sprintf("gradient %d", i), recorded.Data(), numbersOf[T](c.Gradients[i], width), scale, width)
	}
}

// sources records the sources of a program.
func sources[T float32 | float64](tape *Tape[T], e Element[T], c opCase, width int) []Value[T] {
	var values []Value[T]
	for _, s := range c.Program.Sources {
		x := payloadOf(e, s.goldenTensor, s.oneHot, width)
		switch s.Kind {
		case "parameter":
			values = append(values, tape.ParameterOf(x))
		case "input":
			values = append(values, tape.InputOf(x))
		default:
			values = append(values, tape.LeafOf(x))
		}
	}
	return values
}

// near allows 16 eps of the run's scale or 4 units in the last place: maps may
// lie upstream. NaN compares as a class.
func near[T float32 | float64](t *testing.T, what string, got, want []T, scale float64, width int) {
	t.Helper()
	eps := 0x1p-23
	if width == 64 {
		eps = 0x1p-52
	}
	for i := range got {
		w := want[min(i, len(want)-1)]
		g := got[i]
		switch {
		case g != g && w != w, g == w:
		case math.Abs(float64(g)-float64(w)) <= max(16*eps*scale, 4*eps*math.Abs(float64(w))):
		default:
			t.Errorf("%s at %d: %v, want %v", what, i, g, w)
			return
		}
	}
}

func numbersOf[T float32 | float64](g goldenTensor, width int) (xs []T) {
	text := g.Bits
	if text == "" {
		text = g.Constant
	}
	for _, f := range strings.Fields(text) {
		b, err := strconv.ParseUint(f, 16, 64)
		if err != nil {
			panic(err)
		}
		if width == 32 {
			xs = append(xs, T(math.Float32frombits(uint32(b))))
		} else {
			xs = append(xs, T(math.Float64frombits(b)))
		}
	}
	return xs
}

func perform(t *testing.T, c opCall, values []Trace) Trace {
	t.Helper()
	a, n := values[c.Args[0]], c.Ints
	literal := func() Trace { return a.Filled(float64(n[0]) / 8) }
	switch c.Fn {
	case "add_literal":
		return a.Add(literal())
	case "sub_literal":
		return a.Sub(literal())
	case "literal_add":
		return literal().Add(a)
	case "relu":
		return a.Relu()
	case "abs":
		return a.Abs()
	case "softplus":
		return a.Softplus()
	case "gelu":
		return a.Gelu()
	case "softmax":
		return a.Softmax(n[0])
	case "mean_along":
		return a.MeanAlong(n[0])
	case "transpose":
		return a.Transpose()
	case "squeeze":
		return a.Squeeze(n[0])
	case "unsqueeze":
		return a.Unsqueeze(n[0])
	case "broadcast_to":
		return a.BroadcastTo(n)
	case "broadcast_like":
		return a.BroadcastLike(values[c.Args[1]])
	case "broadcast_along_like":
		return a.BroadcastAlongLike(n[0], values[c.Args[1]])
	case "concat", "stack":
		var rest []Trace
		for _, i := range c.Args[1:] {
			rest = append(rest, values[i])
		}
		if c.Fn == "concat" {
			return a.Concat(n[0], rest...)
		}
		return a.Stack(n[0], rest...)
	}
	for _, k := range Kinds() {
		if k.Spelling() != c.Fn {
			continue
		}
		op := Opcode{Kind: k}
		switch c.Fn {
		case "sum_along", "log_softmax", "logsumexp":
			op.Axis = n[0]
		case "broadcast", "reshape", "permute":
			op.Dims = n
		case "broadcast_along":
			op.Axis, op.Extent = n[0], n[1]
		case "narrow":
			op.Axis, op.Start, op.Length = n[0], n[1], n[2]
		case "pad":
			op.Axis, op.Start, op.Extent = n[0], n[1], n[2]
		case "unfold":
			op.Axis, op.Size, op.Step, op.Dilation = n[0], n[1], n[2], n[3]
		case "fold":
			op.Axis, op.Size, op.Step, op.Dilation, op.Extent = n[0], n[1], n[2], n[3], n[4]
		}
		xs := []Trace{a}
		if k.Arity() == 2 {
			xs = append(xs, values[c.Args[1]])
		}
		return Express(op, xs...)
	}
	t.Fatalf("unknown call %s", c.Fn)
	return a
}
