// Package owntarget is an emission target of a program's own, over the public
// surface alone: a plan written as a NumPy function, from its schedule, its
// opcodes and its recorded constants.
package owntarget

import (
	"fmt"
	"strings"

	. "github.com/topos-notebook/topos/topos"
)

// spellings are the operations that are one expression of their operands. A
// target may lack some: it says so rather than writing something else.
var spellings = map[Kind]string{
	OpAdd: "%s + %s", OpSub: "%s - %s", OpMul: "%s * %s", OpDiv: "%s / %s", OpNeg: "-%s", OpMatMul: "%s @ %s",
	OpExp: "np.exp(%s)", OpLn: "np.log(%s)", OpSqrt: "np.sqrt(%s)", OpTanh: "np.tanh(%s)", OpSin: "np.sin(%s)", OpCos: "np.cos(%s)",
	OpLog1p: "np.log1p(%s)", OpExpm1: "np.expm1(%s)", OpPowf: "np.power(%s, %s)", OpMaximum: "np.maximum(%s, %s)",
	OpStep: "(%s >= %s).astype(np.float32)", OpSum: "np.sum(%s)",
}

// attributed writes an operation with attributes.
func attributed(op Opcode, x string) (text string, ok bool) {
	switch op.Kind {
	case OpSumAlong:
		return fmt.Sprintf("np.sum(%s, axis=%d)", x, op.Axis), true
	case OpBroadcast:
		return fmt.Sprintf("np.full(%v, np.reshape(%s, []))", op.Dims, x), true
	case OpBroadcastAlong:
		return fmt.Sprintf("np.repeat(np.expand_dims(%s, %d), %d, axis=%d)", x, op.Axis, op.Extent, op.Axis), true
	case OpReshape:
		return fmt.Sprintf("np.reshape(%s, %v)", x, op.Dims), true
	case OpPermute:
		return fmt.Sprintf("np.transpose(%s, %v)", x, op.Dims), true
	case OpNarrow:
		return fmt.Sprintf("np.take(%s, range(%d, %d), axis=%d)", x, op.Start, op.Start+op.Length, op.Axis), true
	}
	return "", false
}

// numpy writes a plan as a function of its parameters, then its inputs, that
// answers the readable values. Its errors name the operation that NumPy has no
// expression for.
func numpy(plan *Plan[float32]) (string, error) {
	s := plan.Schedule()
	name := func(x Symbol) string { return fmt.Sprintf("v%d", x.Index()) }
	list := func(names []Symbol) string {
		texts := make([]string, len(names))
		for i, x := range names {
			texts[i] = name(x)
		}
		return strings.Join(texts, ", ")
	}
	var body strings.Builder
	var parameters, inputs []Symbol
	for _, n := range s.Nodes() {
		op, at := n.Opcode(), n.Symbol()
		var operands []any
		for _, x := range n.Operands() {
			operands = append(operands, name(x))
		}
		text, ok := "", true
		switch spelling, short := spellings[op.Kind]; {
		case op.Kind == OpParameter:
			parameters = append(parameters, at)
			continue
		case op.Kind == OpInput:
			inputs = append(inputs, at)
			continue
		case op.Kind == OpLeaf:
			text = fmt.Sprintf("np.array(%v, np.float32)", plan.Payload(at))
		case short:
			text = fmt.Sprintf(spelling, operands...)
		default:
			text, ok = attributed(op, operands[0].(string))
		}
		if !ok {
			return "", fmt.Errorf("numpy has no expression for node %d, %v", at.Index(), op)
		}
		fmt.Fprintf(&body, "    %s = %s\n", name(at), text)
	}
	return fmt.Sprintf("import numpy as np\n\ndef main(%s):\n%s    return %s\n", list(append(parameters, inputs...)), body.String(), list(s.Results())), nil
}

// The walkthrough's training entry as a NumPy function: loss, gradient, hidden.
func Example() {
	tape := New(F32)
	w := tape.Parameter(Shape{2, 2}, 0.5, -0.25, 0.25, 0.4)
	x := tape.Input(Shape{1, 2}, 1, 2)
	hidden := x.MatMul(w).Tanh()
	loss := hidden.Mul(hidden).Sum()
	adjoints := tape.Differentiate(loss, w)
	plan := Must(tape.View().Entry(adjoints.Roots()...).Observe(hidden).Lower())
	fmt.Print(Must(numpy(plan)))
	// Output:
	// import numpy as np
	//
	// def main(v0, v1):
	//     v2 = v1 @ v0
	//     v3 = np.tanh(v2)
	//     v4 = v3 * v3
	//     v5 = np.sum(v4)
	//     v6 = np.array(1, np.float32)
	//     v7 = np.full([1, 2], np.reshape(v6, []))
	//     v8 = np.array([[0, 0]], np.float32)
	//     v9 = v8 + v7
	//     v10 = v9 * v3
	//     v11 = v9 * v3
	//     v12 = np.array([[0, 0]], np.float32)
	//     v13 = v12 + v10
	//     v14 = v13 + v11
	//     v15 = np.array([[1, 1]], np.float32)
	//     v16 = v3 * v3
	//     v17 = v15 - v16
	//     v18 = v14 * v17
	//     v19 = np.array([[0, 0]], np.float32)
	//     v20 = v19 + v18
	//     v23 = np.transpose(v1, [1, 0])
	//     v24 = v23 @ v20
	//     v27 = np.array([[0, 0], [0, 0]], np.float32)
	//     v28 = v27 + v24
	//     return v5, v28, v3
}

// What a target lacks is an error that names the node.
func Example_lacking() {
	tape := New(F32)
	y := tape.Input(Shape{4}, 1).Unfold(0, 2, 1, 1).Sum()
	_, err := numpy(Must(tape.View().Entry(y).Lower()))
	fmt.Println(err)
	// Output:
	// numpy has no expression for node 1, Unfold
}
