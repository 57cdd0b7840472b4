// Package ownpattern is a pattern of a program's own, over the public surface
// alone: a matcher for dense layers, discovery that checks its matches are
// closed, an election, and a run that computes each layer by one formula.
package ownpattern

import (
	"fmt"
	"math"
	"strings"

	. "github.com/topos-notebook/topos/topos"
)

// Dense is the kind of tanh(x @ w + bias along the rows).
const Dense PatternKind = "Dense"

// operand is a node that another reads, and whether it is of a kind.
func operand(s Schedule, n Node, at int, kind Kind) (Node, bool) {
	x := s.Node(n.Operands()[at])
	return x, x.Opcode().Kind == kind
}

// dense matches a dense layer from its root. Whether the layer may be taken as
// one, discovery decides.
func dense(s Schedule) func(root Node) (Pattern, bool) {
	return func(root Node) (p Pattern, ok bool) {
		if root.Opcode().Kind != OpTanh {
			return
		}
		sum, isSum := operand(s, root, 0, OpAdd)
		if !isSum {
			return
		}
		product, isProduct := operand(s, sum, 0, OpMatMul)
		spread, isSpread := operand(s, sum, 1, OpBroadcastAlong)
		if !isProduct || !isSpread || spread.Opcode().Axis != 0 {
			return
		}
		return Pattern{
			Kind:     Dense,
			Nodes:    []Symbol{product.Symbol(), spread.Symbol(), sum.Symbol()},
			Operands: append(product.Operands(), spread.Operands()...),
		}, true
	}
}

// layer computes a dense layer without making its interiors. Products are added
// in the order that the interpreter adds them, so the bits are its bits; a
// conversion keeps the compiler from fusing the two.
func layer(x, w, bias *Tensor[float32]) *Tensor[float32] {
	rows, inner, columns := x.Shape()[0], w.Shape()[0], w.Shape()[1]
	a, b, c := x.Data(), w.Data(), bias.Data()
	sums := make([]float32, rows*columns)
	for r := range rows {
		for k := range columns {
			total := float32(a[r*inner] * b[k])
			for i := 1; i < inner; i++ {
				total += float32(a[r*inner+i] * b[i*columns+k])
			}
			sums[r*columns+k] = total + c[k]
		}
	}
	return F32.Tensor(Shape{rows, columns}, sums...).Tanh()
}

// run walks a plan's schedule: elected layers by their one formula, everything
// else by its opcode.
func run(plan *Plan[float32]) (made map[Symbol]*Tensor[float32], formulas int) {
	made = map[Symbol]*Tensor[float32]{}
	fused, roots := map[Symbol]bool{}, map[Symbol]Pattern{}
	for _, p := range plan.Patterns() {
		roots[p.Root] = p
		for _, n := range p.Interiors() {
			fused[n] = true
		}
	}
	for _, n := range plan.Schedule().Nodes() {
		at := n.Symbol()
		p, elected := roots[at]
		switch {
		case fused[at]:
		case elected:
			made[at] = layer(made[p.Operands[0]], made[p.Operands[1]], made[p.Operands[2]])
			formulas++
		case n.IsSource():
			made[at] = plan.Payload(at)
		default:
			var xs []*Tensor[float32]
			for _, x := range n.Operands() {
				xs = append(xs, made[x])
			}
			made[at] = Express(n.Opcode(), xs...)
		}
	}
	return made, formulas
}

// perceptron records two dense layers and the sum of squares above them.
func perceptron(tape *Tape[float32]) (loss, hidden, sum Value[float32]) {
	draw := func(shape Shape) []float32 {
		data := make([]float32, shape.Volume())
		for i := range data {
			data[i] = float32(math.Sin(float64(i + len(data))))
		}
		return data
	}
	source := func(shape Shape) Value[float32] { return tape.Parameter(shape, draw(shape)...) }
	x := tape.Input(Shape{4, 3}, draw(Shape{4, 3})...)
	hidden = x.MatMul(source(Shape{3, 5})).Add(source(Shape{5}).BroadcastAlong(0, 4)).Tanh()
	sum = hidden.MatMul(source(Shape{5, 2})).Add(source(Shape{2}).BroadcastAlong(0, 4))
	y := sum.Tanh()
	return y.Mul(y).Sum(), hidden, sum
}

// A matcher sees nodes one by one; discovery keeps what is closed, and a plan
// under the election says what is never made.
func Example() {
	tape := New(F32)
	loss, _, _ := perceptron(tape)
	plan := Must(tape.View().Entry(loss).Lower())
	s := plan.Schedule()
	layers := s.Discover(dense(s))
	fused := Must(plan.Electing(Elect(layers...)...))
	for _, p := range fused.Patterns() {
		fmt.Println(p, "of", p.Operands)
	}
	for _, line := range strings.Split(fused.Describe(), "\n")[3:6] {
		fmt.Println(line)
	}
	before, _ := plan.Peak()
	after, _ := fused.Peak()
	fmt.Println("peak", before, "becomes", after)

	made, formulas := run(fused)
	interpreter := Must(tape.View().Forward(tape.InitialParameters()))
	fmt.Println(formulas, "formulas,", len(made), "values made of", tape.Len(), "nodes; same bits:", made[loss.Symbol()].Equal(interpreter.Of(loss)))
	// Output:
	// Dense #6: 2, 4, 5, 6 of [#0 #1 #3]
	// Dense #12: 8, 10, 11, 12 of [#6 #7 #9]
	//    3  Parameter                         [5]          freed after 6
	//    4  BroadcastAlong 3  axis=0 extent=4 [4, 5]       fused
	//    5  Add            2, 4               [4, 5]       fused
	// peak 60 becomes 52
	// 2 formulas, 9 values made of 15 nodes; same bits: true
}

// A readable interior is a barrier: the layer it lies in is no match, the other
// one still is. A root may be read.
func Example_barrier() {
	tape := New(F32)
	loss, hidden, sum := perceptron(tape)
	for _, observed := range []Value[float32]{hidden, sum} {
		s := Must(tape.View().Entry(loss).Observe(observed).Lower()).Schedule()
		fmt.Println("observing", observed.Symbol(), "leaves", s.Discover(dense(s)))
	}
	// Output:
	// observing #6 leaves [Dense #6: 2, 4, 5, 6 Dense #12: 8, 10, 11, 12]
	// observing #11 leaves [Dense #6: 2, 4, 5, 6]
}

// Kinds may compete for a member: the first come takes it, so that a program
// chooses by the order of its candidates.
func Example_election() {
	tape := New(F32)
	loss, _, _ := perceptron(tape)
	s := Must(tape.View().Entry(loss).Lower()).Schedule()
	sums := s.Discover(func(root Node) (Pattern, bool) {
		if root.Opcode().Kind != OpAdd {
			return Pattern{}, false
		}
		_, ok := operand(s, root, 1, OpBroadcastAlong)
		return Pattern{Kind: "Biased", Nodes: root.Operands()[1:]}, ok
	})
	layers := s.Discover(dense(s))
	fmt.Println(Elect(append(layers, sums...)...))
	fmt.Println(Elect(append(sums, layers...)...))
	// Output:
	// [Dense #6: 2, 4, 5, 6 Dense #12: 8, 10, 11, 12]
	// [Biased #5: 4, 5 Biased #11: 10, 11]
}
