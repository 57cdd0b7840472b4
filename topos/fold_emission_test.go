package topos_test

import (
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// Where three windows meet, the order of a sum shows in its bits: under Exact
// the module contracts positions before windows, as Fold adds.
func TestFoldEmissionKeepsTheOrder(t *testing.T) {
	for _, c := range []struct {
		name        string
		count, size int
		step        int
		numerics    Numerics
		want        string
	}{
		{"three meet", 3, 3, 1, Exact, "[2, 1] x [1, 0]"},
		{"three meet, fast", 3, 3, 1, Fast, "[1, 2] x [0, 1]"},
		{"two windows", 2, 3, 1, Exact, "[1, 2] x [0, 1]"},
		{"two positions", 3, 2, 1, Exact, "[1, 2] x [0, 1]"},
		{"two meet", 3, 3, 2, Exact, "[1, 2] x [0, 1]"},
		{"three of five meet", 4, 5, 2, Exact, "[2, 1] x [1, 0]"},
	} {
		tape := New(F32)
		windows := tape.Input(nil, 1).Broadcast(Shape{2, c.count, c.size})
		y := windows.Fold(1, c.size, c.step, 1, (c.count-1)*c.step+c.size)
		module := Must(Must(tape.View().Entry(y).Numerics(c.numerics).Lower()).StableHLO()).String()
		if !strings.Contains(module, "contracting_dims = "+c.want) {
			t.Errorf("%s: no %s in\n%s", c.name, c.want, module)
		}
	}
}

// The weights of a fold grow with the square of its axis; above a size it is
// spelled by position, in a text that grows with the window alone.
func TestLongFoldEmission(t *testing.T) {
	tape := New(F32)
	x := tape.Parameter(nil, 1).Broadcast(Shape{2, 1_000_000})
	loss := x.Unfold(1, 3, 2, 2).Sum()
	adjoints := tape.Differentiate(loss, x)
	module := Must(Must(tape.View().Entry(adjoints.Of(x)).Lower()).StableHLO()).String()
	for _, want := range []string{
		"[0:2, 0:499998, 2:3] : (tensor<2x499998x3xf32>) -> tensor<2x499998x1xf32>",
		"low = [0, 4], high = [0, 1], interior = [0, 1] : (tensor<2x499998xf32>, tensor<f32>) -> tensor<2x1000000xf32>",
	} {
		if !strings.Contains(module, want) {
			t.Errorf("no %s in\n%.4000s", want, module)
		}
	}
	if len(module) > 10_000 {
		t.Errorf("the module has %d bytes", len(module))
	}
}

// A long fold of 16 bits adds in float32 and is converted back once.
func TestLongFoldEmissionAccumulates(t *testing.T) {
	brain.longFoldAccumulates(t)
	half.longFoldAccumulates(t)
}

func (n number[T]) longFoldAccumulates(t *testing.T) {
	tape := New(n.Element)
	y := tape.Parameter(Shape{298, 3, 2}, n.FromFloat64(1)).Fold(0, 3, 1, 1, 300)
	module := Must(Must(tape.View().Entry(y).Lower()).StableHLO()).String()
	for want, count := range map[string]int{
		"stablehlo.add %v1_1, %v1_2_promoted : tensor<300x2xf32>":                                           1,
		"_promoted = stablehlo.convert":                                                                     3,
		"%v1 = stablehlo.convert %v1_accumulated : (tensor<300x2xf32>) -> tensor<300x2x" + n.Name() + ">\n": 1,
		"stablehlo.add": 3,
	} {
		if got := strings.Count(module, want); got != count {
			t.Errorf("%s: %d of %q, want %d, in\n%s", n.Name(), got, want, count, module)
		}
	}
}
