package seams

import (
	"fmt"

	. "github.com/topos-notebook/topos/topos"
)

// bucket is one recording of a model for sequences of one length.
type bucket struct {
	network *Network[float32]
	plan    *Plan[float32]
	input   Symbol
	score   Symbol
	weights Symbol
}

// newBucket records the model for a length. Shapes are static and tapes are
// cheap: a longer sequence is another tape, not a more general one.
func newBucket(length int) bucket {
	network, names := Record(F32, func(tape *Tape[float32]) []Symbol {
		weights := tape.Parameter(Shape{2, 1}, 0.5, -0.25)
		input := tape.Input(Shape{length, 2}, 0)
		score := input.MatMul(weights).Tanh().Sum()
		return Detach(input, score, weights)
	})
	return bucket{network, Must(network.Entry(names[1]).Numerics(Exact).Lower()), names[0], names[1], names[2]}
}

// One tape per shape bucket: a batch is padded to the smallest bucket that
// holds it, and the weights move from one tape's table to another's by value.
func Example_shapeBuckets() {
	buckets := []bucket{newBucket(2), newBucket(4), newBucket(8)}
	trained := F32.Tensor(Shape{2, 1}, 1, 0.5)
	score := func(rows ...float32) {
		for _, b := range buckets {
			shape := b.network.Node(b.input).Shape()
			if len(rows) > shape.Volume() {
				continue
			}
			padded := append(rows, make([]float32, shape.Volume()-len(rows))...)
			table := b.network.Parameters().With(b.weights, trained)
			run := Must(b.plan.Forward(table, With(b.input, F32.Tensor(shape, padded...))))
			fmt.Printf("%d rows in the bucket of %d: %v\n", len(rows)/2, shape[0], run.Of(b.score))
			return
		}
		fmt.Printf("%d rows fit no bucket\n", len(rows)/2)
	}
	score(1, 2)
	score(1, 2, 0.5, 0, -1, 1)
	score(make([]float32, 18)...)
	// Output:
	// 1 rows in the bucket of 2: 0.9640276
	// 3 rows in the bucket of 4: 0.9640275
	// 9 rows fit no bucket
}
