package cells_test

import (
	"fmt"

	"github.com/topos-notebook/topos/cells"
	. "github.com/topos-notebook/topos/topos"
)

// A cell opens the session, records, and names what later cells go on from.
func Example() {
	s := cells.Open(F32)
	w := s.Parameter(Shape{2, 2}, 0.5, -0.25, 0.25, 0.4)
	x := s.Input(Shape{1, 2}, 1, 2)
	h := x.MatMul(w).Tanh()
	loss := h.Mul(h).Sum()
	s.Name("w", w)
	s.Name("h", h)
	s.Name("loss", loss)
	cells.Show(s)
	cells.Show(s.Get("h"), "six nodes")
	// Output:
	//    0  Parameter                         [2, 2]
	//    1  Input                             [1, 2]
	//    2  MatMul         1, 0               [1, 2]
	//    3  Tanh           2                  [1, 2]
	//    4  Mul            3, 3               [1, 2]
	//    5  Sum            4                  []
	// tape: 6 nodes, 1 parameter, 1 input
	// #3 Tanh [1, 2] f32
	// six nodes
}

// Training steps a table of parameters; Keep makes it the session's.
func ExampleSession_Keep() {
	s := cells.Open(F32)
	w := s.Parameter(nil, 4)
	s.Name("w", w)
	loss := w.Mul(w)
	s.Name("loss", loss)
	a := s.Differentiate(loss, w)
	net := s.Seal() // ends this cell's view: a later cell finds the session open again
	plan := Must(net.Entry(a.Roots()...).Lower())
	p, rate := s.Parameters(), F32.Tensor(nil, 0.25)
	for range 2 {
		gradients := Must(plan.Forward(p)).RecordedGradients(a)
		p = p.Step(gradients, func(w, g *Tensor[float32]) *Tensor[float32] { return w.Sub(g.Mul(rate)) })
	}
	if err := s.Keep(p); err != nil {
		fmt.Println(err)
	}
	cells.Show(s.Parameters(), Must(plan.Forward(s.Parameters())))
	// Output:
	// w [] 1
	// parameters: 1
	// loss 1
	// d loss / d w 2
}

// What anybody may show: a tensor, a curve, a line of text.
func ExampleShow() {
	cells.Show(F64.Tensor(Shape{3}, 1, 2, 3), Plot{Title: "loss", Values: []float64{4, 2, 1}}, "done")
	// Output:
	// [1, 2, 3]
	// loss: 3 values, first 4, last 1
	// done
}
