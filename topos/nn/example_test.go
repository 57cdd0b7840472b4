package nn_test

import (
	"fmt"
	"math"

	. "github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/initial"
	"github.com/topos-notebook/topos/topos/nn"
)

// A perceptron records what a program could record by hand.
func ExampleMlp() {
	tape := New(F32)
	mlp := nn.NewMlp(nn.Drawn(tape, initial.Xavier(F32, 1)), nn.Tanh, 2, 4, 1)
	mlp.Express(tape.Input(Shape{3, 2}, 1))
	fmt.Print(tape.Describe())
	for path, symbol := range mlp.Parameters() {
		fmt.Println(path, symbol)
	}
	// Output:
	//    0  Parameter                         [2, 4]
	//    1  Parameter                         [4]
	//    2  Parameter                         [4, 1]
	//    3  Parameter                         [1]
	//    4  Input                             [3, 2]
	//    5  MatMul         4, 0               [3, 4]
	//    6  BroadcastAlong 1  axis=0 extent=3 [3, 4]
	//    7  Add            5, 6               [3, 4]
	//    8  Tanh           7                  [3, 4]
	//    9  MatMul         8, 2               [3, 1]
	//   10  BroadcastAlong 3  axis=0 extent=3 [3, 1]
	//   11  Add            9, 10              [3, 1]
	// tape: 12 nodes, 4 parameters, 1 input
	// 0.weights #0
	// 0.bias #1
	// 1.weights #2
	// 1.bias #3
}

// Modules in a row, one of them a function; a misfit names the place.
func ExampleSequential() {
	tape := New(F32)
	draw := initial.Uniform(F32, 1, 0.1)
	conv := nn.NewConv2d(tape.ParameterOf(draw(Shape{2, 1, 3, 3})), tape.Parameter(Shape{2}, 0), 1, 1)
	pool := nn.Stage("pool", func(x Trace) Trace { return nn.MaxPool(x, 2, 2) })
	classifier := nn.NewLinear(tape.ParameterOf(draw(Shape{32, 10})), tape.Parameter(Shape{10}, 0))
	row := nn.Sequential{conv, nn.Relu, pool, nn.Stage("flatten", nn.Flatten), classifier}
	fmt.Println(row.Over(Shape{5, 1, 8, 8}))
	fmt.Println(Refused(func() { row.Express(tape.Input(Shape{5, 1, 6, 6}, 0)) }))
	// Output:
	// [5, 10]
	// sequential cannot take input [5, 1, 6, 6]: at 4, linear cannot take input [5, 18], weights [32, 10] and bias [10]: the input must be [rows, 32]
}

// Training answers the statistics, of which the program keeps running
// estimates; inference takes them.
func ExampleBatchNorm() {
	tape := New(F64)
	norm := nn.NewBatchNorm(tape.Parameter(Shape{2}, 1), tape.Parameter(Shape{2}, 0), tape.Leaf(nil, 0))
	x := tape.Input(Shape{2, 2}, 1, 10, 3, 30)
	output, mean, variance := norm.Training(x)
	known := norm.Inference(x, tape.Input(Shape{2}, 0), tape.Input(Shape{2}, 4, 100))
	run := Must(tape.View().Forward(tape.InitialParameters()))
	fmt.Println(run.Of(output), run.Of(mean), run.Of(variance))
	fmt.Println(run.Of(known))
	// Output:
	// [[-1, -1], [1, 1]] [2, 20] [1, 100]
	// [[0.5, 1], [1.5, 3]]
}

// An embedding takes one-hot rows, which a run is fed; tying reads its table.
func ExampleEmbedding() {
	tape := New(F32)
	words := nn.NewEmbedding(tape.Parameter(Shape{3, 2}, 10, 11, 20, 21, 30, 31))
	selection := tape.InputOf(F32.Selection(3, 0))
	rows := words.Express(selection)
	scores := rows.MatMul(tape.Resolve(words.Table()).Transpose())
	network := tape.Seal()
	for _, i := range []int{2, 0} {
		run := Must(network.Forward(network.Parameters(), With(selection, F32.Selection(3, i))))
		fmt.Println(run.Of(rows), run.Of(scores))
	}
	// Output:
	// [[30, 31]] [[641, 1251, 1861]]
	// [[10, 11]] [[221, 431, 641]]
}

// A causal mask keeps each row from the rows after it.
func ExampleScaledDotProduct() {
	tape := New(F32)
	x := tape.Input(Shape{3, 1}, 0)
	values := tape.Input(Shape{3, 1}, 6, 12, 24)
	mask := tape.LeafOf(nn.CausalMask(F32, 3, float32(math.Inf(-1))))
	attended := nn.ScaledDotProduct(x, x, values, tape.Leaf(nil, 1), mask)
	fmt.Println(Must(tape.View().Forward(tape.InitialParameters())).Of(attended))
	// Output: [[6], [9], [13.999999]]
}

// A mask is drawn outside and fed; where none is, nothing is dropped.
func ExampleDropout() {
	tape := New(F32)
	dropout := nn.NewDropout(tape.Input(Shape{1, 4}, 1))
	y := dropout.Express(tape.Input(Shape{1, 4}, 1, 2, 3, 4))
	network := tape.Seal()
	draw := initial.Dropout(F32, 3, 0.5)
	fmt.Println(Must(network.Forward(network.Parameters())).Of(y))
	for range 2 {
		run := Must(network.Forward(network.Parameters(), With(dropout.Mask(), draw(Shape{1, 4}))))
		fmt.Println(run.Of(y))
	}
	// Output:
	// [[1, 2, 3, 4]]
	// [[2, 0, 0, 8]]
	// [[2, 0, 6, 0]]
}

func ExampleCrossEntropy() {
	tape := New(F32)
	logits := tape.Input(Shape{2, 2}, 0, 0, 100, 0)
	targets := tape.InputOf(F32.Selection(2, 1, 1))
	loss := nn.CrossEntropy(logits, targets)
	fmt.Println(Must(tape.View().Forward(tape.InitialParameters())).Of(loss))
	// Output: 50.346573
}

func ExampleConvolve2d() {
	tape := New(F32)
	image := tape.Input(Shape{1, 1, 3, 3}, 1, 2, 3, 4, 5, 6, 7, 8, 9)
	edges := nn.Convolve2d(image, tape.Leaf(Shape{1, 1, 1, 2}, -1, 1), tape.Leaf(Shape{1}, 0), 1, 0)
	fmt.Println(Must(tape.View().Forward(tape.InitialParameters())).Of(edges))
	// Output: [[[[1, 1], [1, 1], [1, 1]]]]
}
