package checkpoint_test

import (
	"fmt"

	. "github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/checkpoint"
	"github.com/topos-notebook/topos/topos/nn"
)

func Example() {
	tape := New(F32)
	layer := nn.NewLinear(tape.Parameter(Shape{2, 1}, 0.5, -0.25), tape.Parameter(Shape{1}, 0))
	parameters := tape.InitialParameters()

	kept := Must(checkpoint.SnapshotPaths(parameters, layer.Parameters()))
	file := Must(kept.Encode()) // to be written wherever the program likes

	trained := parameters.Scale(2)
	restored := Must(checkpoint.RestorePaths(Must(checkpoint.Decode(file)), trained, layer.Parameters()))
	fmt.Println(restored.Equal(parameters))

	_, err := checkpoint.RestorePaths(kept[:1], trained, layer.Parameters())
	fmt.Println(err)
	// Output:
	// true
	// the checkpoint has no entry "bias", which is a parameter of [1]
}
