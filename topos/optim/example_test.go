package optim_test

import (
	"fmt"

	. "github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/optim"
)

// A step is arithmetic on tables; the rate is its argument.
func ExampleSgd() {
	tape := New(F32)
	w := tape.Parameter(nil, 4)
	loss := w.Mul(w)
	adjoints := tape.Differentiate(loss, w)
	network := tape.Seal()
	plan := Must(network.Entry(adjoints.Roots()...).Lower())
	parameters := network.Parameters()
	for _, rate := range []float32{0.25, 0.25, 0.125} {
		run := Must(plan.Forward(parameters))
		fmt.Println(run.Of(loss))
		parameters = optim.Sgd[float32]{}.Step(parameters, run.RecordedGradients(adjoints), rate)
	}
	fmt.Println(parameters.Of(w))
	// Output:
	// 16
	// 4
	// 1
	// 0.75
}

// What Adam remembers are tables, which a program may keep and go on from.
func ExampleAdam_Resume() {
	tape := New(F64)
	w := tape.Parameter(nil, 1)
	parameters := tape.InitialParameters()
	gradients := parameters.Scale(2)

	adam := optim.DefaultAdam(F64)
	parameters = adam.Step(parameters, gradients, 0.125)
	first, second := adam.Moments()

	later := optim.DefaultAdam(F64)
	if err := later.Resume(first, second, adam.Steps()); err != nil {
		fmt.Println(err)
	}
	fmt.Println(adam.Step(parameters, gradients, 0.125).Equal(later.Step(parameters, gradients, 0.125)))
	fmt.Println(first.Of(w))
	// Output:
	// true
	// 0.19999999999999996
}

// Which parameters decay is the program's to say.
func ExampleAdamW() {
	tape := New(F64)
	w, b := tape.Parameter(Shape{1, 2}, 1, 2), tape.Parameter(Shape{2}, 3)
	parameters := tape.InitialParameters()
	optimizer := optim.DefaultAdamW(F64)
	next := optimizer.Step(parameters, parameters.Scale(0), 1)
	fmt.Println(next.Of(w), next.Of(b))

	optimizer = optim.DefaultAdamW(F64)
	optimizer.Decays = func(Symbol, *Tensor[float64]) bool { return true }
	next = optimizer.Step(parameters, parameters.Scale(0), 1)
	fmt.Println(next.Of(w), next.Of(b))
	// Output:
	// [[0.99, 1.98]] [3, 3]
	// [[0.99, 1.98]] [2.97, 2.97]
}
