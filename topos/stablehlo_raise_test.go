package topos_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// lineWith is the lines of a module from the one that holds an operation's name
// on, as many as are asked for.
func lineWith(text, operation string, count int) string {
	lines := strings.Split(text, "\n")
	for at, line := range lines {
		if strings.Contains(line, operation) {
			return strings.Join(lines[at:at+count], "\n")
		}
	}
	return "no " + operation
}

// TestRaisedText: what the golden data does not hold, such as dilated windows,
// other ranks and orders of axes. XLA and StableHLO's interpreter accept the
// forms, and answer the recorded values from them.
func TestRaisedText(t *testing.T) {
	tape := New(F64)
	series, kernel := tape.Input(Shape{9, 2}, 1), tape.Parameter(Shape{6, 4}, 1) // [time, channels]
	batch := series.Reshape(Shape{9, 1, 2}).Pad(0, 2, 12)
	rows := batch.Unfold(0, 3, 2, 2).Permute(3, 0, 1, 2).Reshape(Shape{2 * 4, 3})
	product := rows.MatMul(tape.Parameter(Shape{3, 4}, 1))
	channels := batch.Unfold(0, 3, 2, 2).Permute(0, 2, 1, 3).Reshape(Shape{4, 6}).MatMul(kernel)
	lanes := series.Unfold(0, 2, 1, 3)
	pool := lanes.Permute(0, 2, 1)
	pooled := pool.Narrow(2, 0, 1).Maximum(pool.Narrow(2, 1, 1)).Squeeze(2)
	across := normed(tape, 1, series).root
	for _, c := range []struct {
		root      Value[float64]
		operation string
		lines     int
		want      string
	}{
		{product, "convolution", 1, `    %v8_windows = stablehlo.convolution(%v2, %v8_kernel) dim_numbers = [0, f, b]x[0, i, o]->[b, 0, f], window = {stride = [2], pad = [[2, 1]], rhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<9x1x2xf64>, tensor<3x1x4xf64>) -> tensor<2x4x4xf64>`},
		{channels, "convolution", 1, `    %v12_windows = stablehlo.convolution(%v2, %v12_kernel) dim_numbers = [0, b, f]x[0, i, o]->[0, b, f], window = {stride = [2], pad = [[2, 1]], rhs_dilate = [2]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<9x1x2xf64>, tensor<3x2x4xf64>) -> tensor<4x1x4xf64>`},
		{pooled, "reduce_window", 5, `    %v18 = "stablehlo.reduce_window"(%arg0, %v18_seed) ({
    ^bb0(%v18_left: tensor<f64>, %v18_right: tensor<f64>):
      %v18_larger = stablehlo.maximum %v18_left, %v18_right : tensor<f64>
      stablehlo.return %v18_larger : tensor<f64>
    }) {window_dimensions = array<i64: 2, 1>, window_strides = array<i64: 1, 1>, window_dilations = array<i64: 3, 1>} : (tensor<9x2xf64>, tensor<f64>) -> tensor<6x2xf64>`},
		{across, "batch_norm", 1, `    %v39:3 = "stablehlo.batch_norm_training"(%arg2, %arg0, %arg1) {epsilon = 0.125 : f32, feature_index = 0 : i64} : (tensor<9x2xf64>, tensor<9xf64>, tensor<9xf64>) -> (tensor<9x2xf64>, tensor<9xf64>, tensor<9xf64>)`},
	} {
		plan := Must(tape.View().Entry(c.root).Lower())
		same(t, c.operation, lineWith(Must(plan.StableHLO()).String(), c.operation, c.lines), c.want)
	}
}

// TestEpsilonOfWiderElements: the attribute is f32, written with all digits of
// the element; a number that f32 cannot hold is not raised.
func TestEpsilonOfWiderElements(t *testing.T) {
	for _, c := range []struct {
		epsilon float64
		want    string
	}{
		{0.1234567890123456, "epsilon = 0.1234567890123456 : f32"}, {0, "epsilon = 0.0 : f32"}, {1e-60, ""}, {1e60, ""},
	} {
		tape := New(F64)
		one := tape.Leaf(Shape{2}, 1)
		deviation := one.Add(tape.Leaf(nil, c.epsilon).BroadcastTo(Shape{2})).Sqrt()
		y := tape.Input(Shape{3, 2}, 1).Sub(one.BroadcastAlong(0, 3)).Div(deviation.BroadcastAlong(0, 3)).Mul(one.BroadcastAlong(0, 3)).Add(one.BroadcastAlong(0, 3))
		text := Must(Must(tape.View().Entry(y).Lower()).StableHLO()).String()
		if raised := raises.MatchString(text); raised != (c.want != "") || !strings.Contains(text, c.want) {
			t.Errorf("epsilon %v:\n%s", c.epsilon, text)
		}
	}
}

// TestStatisticsInText: mean and variance are further results of the operation,
// for a run and for nodes after it.
func TestStatisticsInText(t *testing.T) {
	tape := New(F64)
	n := normed(tape, 0, tape.Input(Shape{3, 2}, 1))
	after := n.mean.Mul(n.variance)
	text := Must(Must(tape.View().Entry(n.root, after).Observe(n.variance).Lower()).StableHLO()).String()
	root := n.root.Symbol().Index()
	for _, want := range []string{
		fmt.Sprintf("%%v%d = stablehlo.multiply %%v%d#1, %%v%d#2 : tensor<2xf64>", after.Symbol().Index(), root, root),
		fmt.Sprintf("return %%v%d#0, %%v%d, %%v%d#2 : ", root, after.Symbol().Index(), root),
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
