package training

import (
	"fmt"

	"github.com/topos-notebook/topos/cells/bounds"
	"github.com/topos-notebook/topos/topos"
)

// Fault is a step that was not taken, since numbers in it are not finite.
type Fault struct {
	Step    int        // the step that was not taken, counted from 1
	Node    topos.Node // where it begins
	Stepped bool       // Node is a parameter, which only the step itself would spoil
}

// Error names the step and the node.
func (f *Fault) Error() string {
	if f.Stepped {
		return fmt.Sprintf("step %d would make #%d %v not finite: the rate is too large for its gradient", f.Step, f.Node.Symbol().Index(), f.Node.Opcode())
	}
	return fmt.Sprintf("step %d is not finite, first at #%d %v", f.Step, f.Node.Symbol().Index(), f.Node.Opcode())
}

// locate finds where a step ceases to be finite: the first node that is made of
// finite numbers and is not, or a source of NaN. Masks of infinities are no
// fault by themselves.
func (t *Training[T]) locate(at *Reached[T]) error {
	f := &Fault{Step: at.Step + 1, Node: t.Network.Node(t.Adjoints.Target())}
	if t.plan.RetainAll() > bounds.Run {
		return f // to keep every value would take too much
	}
	run, err := t.Network.Entry(t.Adjoints.Roots()...).Interpret(at.Parameters)
	if err != nil {
		return err
	}
	wrong := map[topos.Symbol]bool{}
	first := -1 // the best that was seen where no node qualifies
	nodes := t.plan.Schedule().Nodes()
	for i, n := range nodes {
		x := run.Of(n)
		if x.Finite() {
			continue
		}
		wrong[n.Symbol()] = true
		born := !n.IsSource() || holdsNaN(x)
		for _, o := range n.Operands() {
			born = born && !wrong[o]
		}
		if born {
			f.Node = n
			return f
		}
		if first < 0 || holdsNaN(x) && !holdsNaN(run.Of(nodes[first])) {
			first = i
		}
	}
	if first >= 0 {
		f.Node = nodes[first]
	}
	return f
}

// holdsNaN says whether some element is NaN: the only number that is not equal to
// itself.
func holdsNaN[T any](x *topos.Tensor[T]) bool {
	e := x.Element()
	for _, v := range x.Data() {
		if f := e.Float64(v); f != f {
			return true
		}
	}
	return false
}
