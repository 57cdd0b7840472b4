package topos_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// coverage counts what random programs are made of: kinds, and classes of
// shapes and attributes.
type coverage struct {
	nodes  int
	counts map[string]int
}

// required are the classes besides the kinds.
var required = []string{
	"rank 0", "rank 1", "rank 2", "rank 3", "rank 4", "extent 1",
	"axis first", "axis middle", "axis last", "start > 0", "step > 1", "dilation > 1",
	"batched product", "axes reordered", "scalar broadcast", "operand twice",
	"payload of one number",
}

func (c *coverage) add(n Node, uniform bool) {
	c.nodes++
	c.counts[n.Opcode().Kind.String()]++
	note := func(class string, holds bool) {
		if holds {
			c.counts[class]++
		}
	}
	shape, op, operands := n.Shape(), n.Opcode(), n.Operands()
	note(fmt.Sprintf("rank %d", len(shape)), true)
	one := false
	for _, x := range shape {
		one = one || x == 1
	}
	note("extent 1", one)
	note("payload of one number", uniform && shape.Volume() > 1)
	note("operand twice", len(operands) == 2 && operands[0] == operands[1])
	note("batched product", op.Kind == OpMatMul && len(shape) > 2)
	note("scalar broadcast", op.Kind == OpBroadcast && len(shape) > 0)
	note("start > 0", op.Start > 0)
	note("step > 1", op.Step > 1)
	note("dilation > 1", op.Dilation > 1)
	for i, x := range op.Dims {
		if op.Kind == OpPermute && x != i {
			note("axes reordered", true)
			break
		}
	}
	if last, ok := lastAxis(op, len(shape)); ok && last > 0 {
		note("axis first", op.Axis == 0)
		note("axis middle", 0 < op.Axis && op.Axis < last)
		note("axis last", op.Axis == last)
	}
}

// lastAxis is the last axis that an operation could have named, of the operand
// or, for BroadcastAlong, of the answer.
func lastAxis(op Opcode, rank int) (last int, ok bool) {
	switch op.Kind {
	case OpSumAlong, OpLogSumExp:
		return rank, true
	case OpLogSoftmax, OpNarrow, OpPad, OpBroadcastAlong:
		return rank - 1, true
	case OpUnfold:
		return rank - 2, true
	case OpFold:
		return rank - 1, true // the axis of counts, which the sizes follow
	}
	return 0, false
}

// report prints the counts, and complains of whatever is less than a hundredth.
func (c *coverage) report(t *testing.T, judge bool) {
	classes := append([]string(nil), required...)
	for _, k := range Kinds() {
		classes = append(classes, k.String())
	}
	line := ""
	for i, class := range classes {
		n := c.counts[class]
		line += fmt.Sprintf("%-22s %7d %5.1f%%   ", class, n, 100*float64(n)/float64(c.nodes))
		if i%3 == 2 || i == len(classes)-1 {
			t.Log(strings.TrimSpace(line))
			line = ""
		}
		if judge && n*100 < c.nodes {
			t.Errorf("%s is less than 1%% of what is generated: %d of %d", class, n, c.nodes)
		}
	}
}
