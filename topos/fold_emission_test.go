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
