package nn_test

import (
	"strings"
	"testing"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/nn"
)

// recorded is the text of what f records over inputs of some shapes.
func recorded(f func(x []topos.Trace), shapes ...topos.Shape) string {
	tape := topos.New(topos.F32)
	var x []topos.Trace
	for _, shape := range shapes {
		x = append(x, tape.Input(shape, 1))
	}
	f(x)
	return tape.Describe()
}

func TestMisfitsAppendNothing(t *testing.T) {
	type shapes = []topos.Shape
	for name, c := range map[string]struct {
		of     shapes
		record func(x []topos.Trace)
		want   string
	}{
		"conv2d of rank 3": {
			shapes{{1, 4, 4}, {1, 1, 2, 2}, {1}}, func(x []topos.Trace) { nn.Convolve2d(x[0], x[1], x[2], 1, 0) },
			"conv2d cannot take input [1, 4, 4], weights [1, 1, 2, 2] and bias [1] with stride 1 and padding 0: the input needs four axes",
		},
		"conv2d that grows too large halfway": {
			shapes{{1, 1, 40000, 40000}, {1, 1, 3, 3}, {1}}, func(x []topos.Trace) { nn.Convolve2d(x[0], x[1], x[2], 1, 0) },
			"conv2d cannot take input [1, 1, 40000, 40000], weights [1, 1, 3, 3] and bias [1] with stride 1 and padding 0: unfold of",
		},
		"max_pool of a large window": {
			shapes{{1, 1, 4, 4}}, func(x []topos.Trace) { nn.MaxPool(x[0], 5, 1) },
			"max_pool cannot take input [1, 1, 4, 4] with windows of 5 and steps of 1: the window is larger",
		},
		"average_pool without a step": {
			shapes{{1, 1, 4, 4}}, func(x []topos.Trace) { nn.AveragePool(x[0], 2, 0) }, "average_pool cannot take input [1, 1, 4, 4]",
		},
		"cross_entropy": {
			shapes{{2, 3}, {3, 2}}, func(x []topos.Trace) { nn.CrossEntropy(x[0], x[1]) },
			"cross_entropy cannot take logits [2, 3] and targets [3, 2]: their shapes must be equal",
		},
		"scaled_dot_product": {
			shapes{{4, 3}, {4, 3}, {4, 2}, {}, {4, 3}},
			func(x []topos.Trace) { nn.ScaledDotProduct(x[0], x[1], x[2], x[3], x[4]) },
			"scaled_dot_product cannot take queries [4, 3], keys [4, 3], values [4, 2], scale [] and mask [4, 3]: the mask is",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var refusal *topos.Refusal
			got := recorded(func(x []topos.Trace) { refusal = topos.Refused(func() { c.record(x) }) }, c.of...)
			if refusal == nil || !strings.HasPrefix(refusal.Error(), c.want) || strings.Contains(refusal.Error(), "\n") {
				t.Errorf("refused by %v, want %q", refusal, c.want)
			}
			if refusal != nil && !strings.Contains(refusal.At, "compositions_test.go") {
				t.Errorf("refused at %q", refusal.At)
			}
			if want := recorded(func([]topos.Trace) {}, c.of...); got != want {
				t.Errorf("the tape holds\n%s", got)
			}
		})
	}
}

// An operand of another tape is found before the first node is recorded.
func TestForeignOperandsAppendNothing(t *testing.T) {
	here, there := topos.New(topos.F32), topos.New(topos.F32)
	x, w, b := here.Input(topos.Shape{1, 1, 4, 4}, 1), there.Input(topos.Shape{1, 1, 2, 2}, 1), here.Input(topos.Shape{1}, 1)
	refusal := topos.Refused(func() { nn.Convolve2d(x, w, b, 1, 1) })
	if refusal == nil || refusal.Err != topos.ErrForeign || here.Len() != 2 || there.Len() != 1 {
		t.Errorf("refused by %v; %d and %d nodes", refusal, here.Len(), there.Len())
	}
}
