package seams

import (
	"fmt"

	. "github.com/topos-notebook/topos/topos"
)

// A replay over values records the spec again, node for node, on another tape:
// even one that a derivative was appended to.
func Example_replay() {
	tape := New(F32)
	loss, weights := walkthrough(tape)
	tape.Differentiate(loss, weights)
	network := tape.Seal()

	again := New(F32)
	replay(network, func(n Node) Value[float32] {
		payload := network.Payload(n.Symbol())
		switch n.Opcode().Kind {
		case OpParameter:
			return again.ParameterOf(payload)
		case OpInput:
			return again.InputOf(payload)
		}
		return again.LeafOf(payload)
	})
	copied := again.Seal()
	fmt.Println(copied.Len(), "nodes, same dump:", copied.Describe() == network.Describe())
	// Output: 29 nodes, same dump: true
}

// A replay over tensors is the interpreter, written outside.
func Example_interpreter() {
	network, names := Record(F32, func(tape *Tape[float32]) []Symbol {
		loss, _ := walkthrough(tape)
		return Detach(loss)
	})
	made := replay(network, func(n Node) *Tensor[float32] { return network.Payload(n.Symbol()) })
	byHand := made[names[0].Index()]
	run := Must(network.Forward(network.Parameters()))
	fmt.Println(byHand, "same bits:", byHand.Equal(run.Of(names[0])))
	// Output: 0.83054614 same bits: true
}
