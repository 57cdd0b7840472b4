package topos_test

import (
	"testing"

	. "github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/nn"
)

// opCall is a call by name, over earlier values and whole numbers.
type opCall struct {
	Fn   string `json:"fn"`
	Args []int  `json:"args"`
	Ints []int  `json:"ints"`
}

// anyCount is a number of integers that the call's operand decides.
const anyCount = -1

// compositions are the calls that are not one operation: how many operands and
// integers each takes, and what it records. The data gives attention's mask
// before its scale.
var compositions = map[string]struct {
	operands, integers int
	record             func(x []Trace, n []int) Trace
}{
	"add_literal":          {1, 1, func(x []Trace, n []int) Trace { return x[0].Add(x[0].Filled(float64(n[0]) / 8)) }},
	"sub_literal":          {1, 1, func(x []Trace, n []int) Trace { return x[0].Sub(x[0].Filled(float64(n[0]) / 8)) }},
	"mul_literal":          {1, 1, func(x []Trace, n []int) Trace { return x[0].Mul(x[0].Filled(float64(n[0]) / 8)) }},
	"div_literal":          {1, 1, func(x []Trace, n []int) Trace { return x[0].Div(x[0].Filled(float64(n[0]) / 8)) }},
	"literal_add":          {1, 1, func(x []Trace, n []int) Trace { return x[0].Filled(float64(n[0]) / 8).Add(x[0]) }},
	"literal_sub":          {1, 1, func(x []Trace, n []int) Trace { return x[0].Filled(float64(n[0]) / 8).Sub(x[0]) }},
	"literal_mul":          {1, 1, func(x []Trace, n []int) Trace { return x[0].Filled(float64(n[0]) / 8).Mul(x[0]) }},
	"literal_div":          {1, 1, func(x []Trace, n []int) Trace { return x[0].Filled(float64(n[0]) / 8).Div(x[0]) }},
	"relu":                 {1, 0, func(x []Trace, _ []int) Trace { return x[0].Relu() }},
	"abs":                  {1, 0, func(x []Trace, _ []int) Trace { return x[0].Abs() }},
	"softplus":             {1, 0, func(x []Trace, _ []int) Trace { return x[0].Softplus() }},
	"gelu":                 {1, 0, func(x []Trace, _ []int) Trace { return x[0].Gelu() }},
	"softmax":              {1, 1, func(x []Trace, n []int) Trace { return x[0].Softmax(n[0]) }},
	"mean_along":           {1, 1, func(x []Trace, n []int) Trace { return x[0].MeanAlong(n[0]) }},
	"transpose":            {1, 0, func(x []Trace, _ []int) Trace { return x[0].Transpose() }},
	"squeeze":              {1, 1, func(x []Trace, n []int) Trace { return x[0].Squeeze(n[0]) }},
	"unsqueeze":            {1, 1, func(x []Trace, n []int) Trace { return x[0].Unsqueeze(n[0]) }},
	"broadcast_to":         {1, anyCount, func(x []Trace, n []int) Trace { return x[0].BroadcastTo(n) }},
	"broadcast_like":       {2, 0, func(x []Trace, _ []int) Trace { return x[0].BroadcastLike(x[1]) }},
	"broadcast_along_like": {2, 1, func(x []Trace, n []int) Trace { return x[0].BroadcastAlongLike(n[0], x[1]) }},
	"concat":               {anyCount, 1, func(x []Trace, n []int) Trace { return x[0].Concat(n[0], x[1:]...) }},
	"stack":                {anyCount, 1, func(x []Trace, n []int) Trace { return x[0].Stack(n[0], x[1:]...) }},
	"cross_entropy":        {2, 0, func(x []Trace, _ []int) Trace { return nn.CrossEntropy(x[0], x[1]) }},
	"scaled_dot_product":   {5, 0, func(x []Trace, _ []int) Trace { return nn.ScaledDotProduct(x[0], x[1], x[2], x[4], x[3]) }},
	"conv2d":               {3, 2, func(x []Trace, n []int) Trace { return nn.Convolve2d(x[0], x[1], x[2], n[0], n[1]) }},
	"max_pool":             {1, 2, func(x []Trace, n []int) Trace { return nn.MaxPool(x[0], n[0], n[1]) }},
}

// opcodes are the operations with attributes, made of a call's integers.
var opcodes = map[string]struct {
	integers int
	make     func(n []int) Opcode
}{
	"sum_along":       {1, func(n []int) Opcode { return Opcode{Axis: n[0]} }},
	"log_softmax":     {1, func(n []int) Opcode { return Opcode{Axis: n[0]} }},
	"logsumexp":       {1, func(n []int) Opcode { return Opcode{Axis: n[0]} }},
	"broadcast":       {anyCount, func(n []int) Opcode { return Opcode{Dims: n} }},
	"reshape":         {anyCount, func(n []int) Opcode { return Opcode{Dims: n} }},
	"permute":         {anyCount, func(n []int) Opcode { return Opcode{Dims: n} }},
	"broadcast_along": {2, func(n []int) Opcode { return Opcode{Axis: n[0], Extent: n[1]} }},
	"narrow":          {3, func(n []int) Opcode { return Opcode{Axis: n[0], Start: n[1], Length: n[2]} }},
	"pad":             {3, func(n []int) Opcode { return Opcode{Axis: n[0], Start: n[1], Extent: n[2]} }},
	"unfold":          {4, func(n []int) Opcode { return Opcode{Axis: n[0], Size: n[1], Step: n[2], Dilation: n[3]} }},
	"fold": {5, func(n []int) Opcode {
		return Opcode{Axis: n[0], Size: n[1], Step: n[2], Dilation: n[3], Extent: n[4]}
	}},
}

// perform records a call.
func perform(t *testing.T, c opCall, values []Trace) Trace {
	t.Helper()
	var x []Trace
	for _, i := range c.Args {
		if i < 0 || i >= len(values) {
			t.Fatalf("call of %s names value %d of %d", c.Fn, i, len(values))
		}
		x = append(x, values[i])
	}
	takes := func(operands, integers int) {
		t.Helper()
		if operands != anyCount && len(x) != operands || len(x) == 0 || integers != anyCount && len(c.Ints) != integers {
			t.Fatalf("call of %s has %d operands and %d integers, which the suite does not understand", c.Fn, len(x), len(c.Ints))
		}
	}
	if composed, ok := compositions[c.Fn]; ok {
		takes(composed.operands, composed.integers)
		return composed.record(x, c.Ints)
	}
	for _, k := range Kinds() {
		if k.Spelling() != c.Fn || k.IsSource() {
			continue
		}
		op := Opcode{}
		attributes, ok := opcodes[c.Fn]
		takes(k.Arity(), attributes.integers)
		if ok {
			op = attributes.make(c.Ints)
		}
		op.Kind = k
		return Express(op, x...)
	}
	t.Fatalf("the suite does not know the call %s", c.Fn)
	return Trace{}
}
