package topos_test

import (
	"fmt"

	. "github.com/topos-notebook/topos/topos"
)

func ExampleTape() {
	tape := New(F32)
	weights := tape.Parameter(Shape{2, 2}, 0.5, -0.25, 0.25, 0.4)
	input := tape.Input(Shape{1, 2}, 1, 2)
	hidden := input.MatMul(weights).Tanh()
	loss := hidden.Mul(hidden).Sum()
	fmt.Print(tape.Describe())
	adjoints := tape.Differentiate(loss, weights)
	fmt.Println(tape.Node(adjoints.Of(weights)))
	// Output:
	//    0  Parameter                         [2, 2]
	//    1  Input                             [1, 2]
	//    2  MatMul         1, 0               [1, 2]
	//    3  Tanh           2                  [1, 2]
	//    4  Mul            3, 3               [1, 2]
	//    5  Sum            4                  []
	// tape: 6 nodes, 1 parameter, 1 input
	//   28  Add            27, 24             [2, 2]
}

func ExampleRecord() {
	network, names := Record(F64, func(tape *Tape[float64]) []Symbol {
		w := tape.Parameter(nil, 3)
		return Detach(w, w.Mul(w))
	})
	run := Must(network.Forward(network.Parameters()))
	fmt.Println(run.Of(names[1]))
	// Output: 9
}

func ExamplePlan() {
	tape := New(F32)
	w, x := tape.Parameter(nil, 2), tape.Input(nil, 3)
	loss := w.Mul(x)
	adjoints := tape.Differentiate(loss, w)
	network := tape.Seal()
	plan := Must(network.Entry(adjoints.Roots()...).Numerics(Exact).Lower())
	run := Must(plan.Forward(network.Parameters(), With(x, F32.Tensor(nil, 5))))
	fmt.Println(run.Of(loss), run.RecordedGradients(adjoints).Of(w))
	// Output: 10 5
}

func ExampleRefused() {
	tape := New(F32)
	left, right := tape.Input(Shape{3, 2}, 0), tape.Input(Shape{4, 5}, 0)
	fmt.Println(Refused(func() { left.MatMul(right) }))
	// Output: matmul cannot multiply [3, 2] by [4, 5]
}
