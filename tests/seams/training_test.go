package seams

import (
	"fmt"

	. "github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/checkpoint"
	"github.com/topos-notebook/topos/topos/initial"
	"github.com/topos-notebook/topos/topos/nn"
	"github.com/topos-notebook/topos/topos/optim"
)

// An ordinary program trains a perceptron on the exclusive or: layers record,
// the plan runs, the optimizer steps a table that the program owns, and a
// checkpoint keeps it. The bits printed are the same on every platform.
func Example_training() {
	tape := New(F32)
	perceptron := nn.NewMlp(nn.Drawn(tape, initial.Xavier(F32, 3)), nn.Tanh, 2, 8, 2)
	x := tape.Input(Shape{4, 2}, 0, 0, 0, 1, 1, 0, 1, 1)
	classes := tape.InputOf(F32.Selection(2, 0, 1, 1, 0))
	logits := perceptron.Express(x)
	loss, answers := nn.CrossEntropy(logits, classes), logits.Softmax(1)

	var weights []Named
	for _, symbol := range perceptron.Parameters() {
		weights = append(weights, symbol)
	}
	adjoints := tape.Differentiate(loss, weights...)
	network := tape.Seal()
	training := Must(network.Entry(adjoints.Roots()...).Numerics(Exact).Lower())

	parameters, adam := network.Parameters(), optim.DefaultAdam(F32)
	for step := range 201 {
		run := Must(training.Forward(parameters))
		if step%50 == 0 {
			fmt.Printf("step %3d  loss %v  bits %08x\n", step, run.Of(loss), F32.Bits(run.Of(loss).Scalar()))
		}
		parameters = adam.Step(parameters, run.RecordedGradients(adjoints), 0.05)
	}

	file := Must(Must(checkpoint.SnapshotPaths(parameters, perceptron.Parameters())).Encode())
	restored := Must(checkpoint.RestorePaths(Must(checkpoint.Decode(file)), network.Parameters(), perceptron.Parameters()))
	run := Must(Must(network.Entry(answers).Numerics(Exact).Lower()).Forward(restored))
	for i, p := range run.Of(answers).Data() {
		if i%2 == 1 {
			fmt.Printf("%v xor %v: %.3f\n", i/4, i/2%2, p)
		}
	}
	fmt.Println("restored", restored.Equal(parameters))
	// Output:
	// step   0  loss 0.7126316  bits 3f366f06
	// step  50  loss 0.00615716  bits 3bc9c200
	// step 100  loss 0.0012674332  bits 3aa62000
	// step 150  loss 0.0007286072  bits 3a3f0000
	// step 200  loss 0.00048041344  bits 39fbe000
	// 0 xor 0: 0.000
	// 0 xor 1: 1.000
	// 1 xor 0: 0.999
	// 1 xor 1: 0.001
	// restored true
}
