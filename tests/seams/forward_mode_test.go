package seams

import (
	"fmt"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// walkthrough records the network of the documents and its derivative.
func walkthrough(tape *Tape[float32]) (loss, weights Value[float32]) {
	weights = tape.Parameter(Shape{2, 2}, 0.5, -0.25, 0.25, 0.4)
	hidden := tape.Input(Shape{1, 2}, 1, 2).MatMul(weights).Tanh()
	return hidden.Mul(hidden).Sum(), weights
}

// replay walks a network over payloads of one's own: sources take what source
// answers, every other node expresses its opcode over payloads made earlier.
func replay[R Recordable[R]](net *Network[float32], source func(Node) R) []R {
	var made []R
	for _, node := range net.Nodes() {
		if node.IsSource() {
			made = append(made, source(node))
			continue
		}
		made = append(made, Express(node.Opcode(), Pick(made, node.Operands())...))
	}
	return made
}

// forwardGradient is the gradient by forward mode: one replay per element of
// the parameter, each with a tangent of one there.
func forwardGradient(net *Network[float32], loss, wrt Symbol) *Tensor[float32] {
	shape := net.Node(wrt).Shape()
	var slopes []float32
	for element := range shape.Volume() {
		direction := make([]float32, shape.Volume())
		direction[element] = 1
		made := replay(net, func(n Node) dual {
			value := net.Payload(n.Symbol())
			if n.Symbol() == wrt {
				return dual{value, F32.Tensor(shape, direction...)}
			}
			return dual{value, value.Filled(0)}
		})
		slopes = append(slopes, made[loss.Index()].tangent.Scalar())
	}
	return F32.Tensor(shape, slopes...)
}

// Forward mode is not a feature of the library: it is a payload of one's own.
// The inputs here are powers of two, so that both modes round alike and the
// bits may be compared.
func Example_forwardMode() {
	net, names := Record(F32, func(tape *Tape[float32]) []Symbol {
		return Detach(walkthrough(tape))
	})
	loss, weights := names[0], names[1]
	forward := forwardGradient(net, loss, weights)
	run := Must(net.Forward(net.Parameters()))
	reverse := Must(run.Backward(loss)).Of(weights)
	fmt.Println("forward", forward)
	fmt.Println("reverse", reverse)
	fmt.Println("same bits:", forward.Equal(reverse))
	// Output:
	// forward [[0.6397, 0.75025934], [1.2794, 1.5005187]]
	// reverse [[0.6397, 0.75025934], [1.2794, 1.5005187]]
	// same bits: true
}

// Every operation of the vocabulary, each in a small program whose numbers are
// small dyadic fractions: where the arithmetic is exact the modes must agree to
// the bit, where a map or a quotient rounds they must agree closely.
func TestForwardModeAgreesWithReverse(t *testing.T) {
	selection := []float32{0, 1, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1}
	tests := []struct {
		name  string
		exact bool
		f     func(tape *Tape[float32], x Value[float32]) Value[float32] // x is [4, 3]
	}{
		{"add sub mul neg", true, func(_ *Tape[float32], x Value[float32]) Value[float32] {
			return x.Mul(x).Sub(x.Add(x).Neg())
		}},
		{"div", false, func(_ *Tape[float32], x Value[float32]) Value[float32] { return x.Div(x.Add(x.Filled(8))) }},
		{"exp", false, func(_ *Tape[float32], x Value[float32]) Value[float32] { return x.Exp() }},
		{"ln sqrt", false, func(_ *Tape[float32], x Value[float32]) Value[float32] {
			y := x.Add(x.Filled(8))
			return y.Ln().Mul(y.Sqrt())
		}},
		{"sin cos", false, func(_ *Tape[float32], x Value[float32]) Value[float32] { return x.Sin().Mul(x.Cos()) }},
		{"log1p expm1", false, func(_ *Tape[float32], x Value[float32]) Value[float32] {
			return x.Mul(x).Log1p().Add(x.Expm1())
		}},
		{"erf and its derivative", false, func(_ *Tape[float32], x Value[float32]) Value[float32] {
			return x.Erf().Mul(x.ErfDerivative())
		}},
		{"powf", false, func(_ *Tape[float32], x Value[float32]) Value[float32] { return x.Add(x.Filled(8)).Powf(x) }},
		{"maximum step", true, func(_ *Tape[float32], x Value[float32]) Value[float32] {
			return x.Maximum(x.Neg()).Mul(x.StepAt(x.Filled(0)))
		}},
		{"matmul permute", true, func(_ *Tape[float32], x Value[float32]) Value[float32] {
			return x.MatMul(x.Permute(1, 0))
		}},
		{"sum broadcast", true, func(_ *Tape[float32], x Value[float32]) Value[float32] {
			return x.Mul(x).Sum().Broadcast(Shape{4, 3}).Mul(x)
		}},
		{"sum_along broadcast_along", true, func(_ *Tape[float32], x Value[float32]) Value[float32] {
			return x.SumAlong(0).BroadcastAlong(0, 4).Mul(x)
		}},
		{"reshape narrow pad", true, func(_ *Tape[float32], x Value[float32]) Value[float32] {
			return x.Reshape(Shape{3, 4}).Narrow(1, 1, 2).Pad(1, 1, 4).Reshape(Shape{4, 3}).Mul(x)
		}},
		{"unfold fold", true, func(_ *Tape[float32], x Value[float32]) Value[float32] {
			return x.Unfold(0, 2, 1, 2).Fold(0, 2, 1, 2, 4).Mul(x)
		}},
		{"gather", true, func(tape *Tape[float32], x Value[float32]) Value[float32] {
			return x.Gather(tape.Leaf(Shape{3, 4}, selection...))
		}},
		{"scatter", true, func(tape *Tape[float32], x Value[float32]) Value[float32] {
			return x.Scatter(tape.Leaf(Shape{4, 3}, selection...))
		}},
		{"log_softmax", false, func(_ *Tape[float32], x Value[float32]) Value[float32] { return x.LogSoftmax(1) }},
		{"logsumexp", false, func(_ *Tape[float32], x Value[float32]) Value[float32] { return x.LogSumExp(0) }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tape := New(F32)
			x := tape.Parameter(Shape{4, 3}, 0.5, -1, 0.25, 2, -0.5, 1.5, -2, 0.75, 1, -0.25, 3, -1.5)
			y := test.f(tape, x)
			loss := y.Mul(y).Sum()
			names := Detach(loss, x)
			net := tape.Seal()
			forward := forwardGradient(net, names[0], names[1])
			reverse := Must(Must(net.Forward(net.Parameters())).Backward(names[0])).Of(names[1])
			if test.exact && !forward.Equal(reverse) {
				t.Errorf("forward %v\nreverse %v", forward, reverse)
			}
			for i, f := range forward.Data() {
				r := reverse.Data()[i]
				if d := f - r; d > 1e-4*max(1, r, -r) || d < -1e-4*max(1, r, -r) {
					t.Errorf("element %d: forward %v, reverse %v", i, f, r)
				}
			}
		})
	}
}
