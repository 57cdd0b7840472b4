package seams

import (
	"fmt"

	. "github.com/topos-notebook/topos/topos"
)

// A table of parameters is data: a what-if is a copy with one tensor replaced,
// and the network, the plan and the weights themselves stay as they are.
func Example_whatIf() {
	network, names := Record(F32, func(tape *Tape[float32]) []Symbol {
		loss, weights := walkthrough(tape)
		return Detach(loss, weights)
	})
	loss, weights := names[0], names[1]
	plan := Must(network.Entry(loss).Lower())
	now := network.Parameters()

	pruned := now.With(weights, F32.Tensor(Shape{2, 2}, 0.5, 0, 0, 0.4))
	doubled := now.Map(func(w *Tensor[float32]) *Tensor[float32] { return w.Add(w) })
	for _, world := range []struct {
		name string
		p    *Parameters[float32]
	}{{"now", now}, {"pruned", pruned}, {"doubled", doubled}, {"now, again", now}} {
		fmt.Println(world.name, Must(plan.Forward(world.p)).Of(loss))
	}
	// Output:
	// now 0.83054614
	// pruned 0.6544971
	// doubled 1.5701479
	// now, again 0.83054614
}
