package seams

import (
	"fmt"

	. "github.com/topos-notebook/topos/topos"
)

// scan is reverse mode written outside, over any payload: newest to oldest, the
// rule of each node speaks to its operands, and what arrives twice is added.
func scan[R Recordable[R]](net *Network[float32], made []R, target Symbol) map[Symbol]R {
	cotangents := map[Symbol]R{target: made[target.Index()].Filled(1)}
	nodes := net.Nodes()
	for i := target.Index(); i >= 0; i-- {
		node := nodes[i]
		g, reached := cotangents[node.Symbol()]
		if !reached || node.IsSource() {
			continue
		}
		parts, flows := VJP(node.Opcode(), g, made[i], Pick(made, node.Operands())...)
		for k, operand := range node.Operands() {
			if !flows[k] {
				continue
			}
			sum, held := cotangents[operand]
			if !held {
				sum = made[operand.Index()].Filled(0)
			}
			cotangents[operand] = sum.Add(parts[k])
		}
	}
	return cotangents
}

// The engine is the oracle of a scan written by hand: every node's cotangent
// has its bits.
func Example_reverseScan() {
	network, names := Record(F32, func(tape *Tape[float32]) []Symbol {
		loss, weights := walkthrough(tape)
		return Detach(loss, weights)
	})
	loss, weights := names[0], names[1]
	made := replay(network, func(n Node) *Tensor[float32] { return network.Payload(n.Symbol()) })
	byHand := scan(network, made, loss)

	engine := Must(Must(network.Forward(network.Parameters())).Backward(loss))
	same := 0
	for name, cotangent := range byHand {
		if cotangent.Equal(engine.Of(name)) {
			same++
		}
	}
	fmt.Println(byHand[weights])
	fmt.Println(same, "of", len(byHand), "cotangents have the engine's bits")
	// Output:
	// [[0.6397, 0.75025934], [1.2794, 1.5005187]]
	// 6 of 6 cotangents have the engine's bits
}
