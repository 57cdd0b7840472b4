package initial_test

import (
	"fmt"

	. "github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/initial"
)

// A closure goes on where it stopped; another of the same seed starts anew.
func ExampleUniform() {
	draw := initial.Uniform(F32, 7, 0.5)
	fmt.Println(draw(Shape{2}))
	fmt.Println(draw(Shape{2}))
	fmt.Println(initial.Uniform(F32, 7, 0.5)(Shape{2, 2}))
	// Output:
	// [-0.11017025, -0.4832117]
	// [0.40076068, 0.0829303]
	// [[-0.11017025, -0.4832117], [0.40076068, 0.0829303]]
}

func ExampleKaiming() {
	tape, draw := New(F64), initial.Kaiming(F64, 1)
	weights, bias := tape.ParameterOf(draw(Shape{2, 2})), tape.ParameterOf(draw(Shape{2}))
	fmt.Println(tape.Payload(weights))
	fmt.Println(tape.Payload(bias))
	// Output:
	// [[-0.034267321791851144, -2.5000674933698677], [0.08772246831488635, -2.0271348479598177]]
	// [0, 0]
}

func ExampleDropout() {
	fmt.Println(initial.Dropout(F32, 3, 0.5)(Shape{2, 4}))
	// Output: [[2, 0, 0, 2], [2, 0, 2, 0]]
}
