package topos_test

import (
	"math"
	"slices"

	. "github.com/topos-notebook/topos/topos"
)

// differences counts derivatives that were compared with central differences,
// and programs that lie too near a kink for that.
type differences struct{ compared, passedOver, kinked int }

// differencesTolerance is how far, relative to 1 + |gradient|, a recorded
// derivative may lie from the differences of its smooth program.
const differencesTolerance = 1e-6

// againstDifferences holds the gradient of a smooth program over f64, element by
// element of every parameter, to differences of two widths, extrapolated to none
// (Richardson 1911). Where the two widths disagree the element is passed over.
func (s *randomSuite) againstDifferences(seed uint64) {
	p := newFlavoured(double, seed, smooth)
	n := p.tape.View()
	if p.nearKink() {
		s.kinked++
		return
	}
	table := n.Parameters()
	plan := Must(n.Entry(p.loss).Numerics(Exact).Lower())
	gradients := Must(Must(n.Entry(p.loss).Interpret(table)).Backward(p.loss))
	for _, name := range table.Names() {
		at := func(i int, by float64) float64 {
			data := slices.Clone(table.Of(name).Data())
			data[i] += by
			moved := table.With(name, F64.Tensor(table.Of(name).Shape(), data...))
			return Must(plan.Forward(moved)).Of(p.loss).Scalar()
		}
		for i, got := range gradients.Of(name).Data() {
			const h = 1e-5
			wide, narrow := (at(i, 2*h)-at(i, -2*h))/(4*h), (at(i, h)-at(i, -h))/(2*h)
			scale := 1 + math.Abs(got)
			if math.Abs(wide-narrow) > differencesTolerance*scale {
				s.differences.passedOver++
				continue
			}
			s.differences.compared++
			if want := (4*narrow - wide) / 3; !(math.Abs(got-want) <= differencesTolerance*scale) {
				s.Errorf("program %d: d loss / d #%d at %d is %v, differences say %v\n%s", seed, name.Index(), i, got, want, p.tape.Describe())
				return
			}
		}
	}
}

// nearKink says whether a maximum or a step that the target depends on compares
// two values that nearly tie. A node compared with itself ties wherever it moves.
func (p *randomProgram[T]) nearKink() bool {
	nodes := p.tape.Nodes()
	wanted := ancestors(nodes, []Symbol{p.loss.Symbol()})
	for i, n := range nodes {
		if k := n.Opcode().Kind; !wanted[i] || k != OpMaximum && k != OpStep || n.Operands()[0] == n.Operands()[1] {
			continue
		}
		operands := Pick(p.tensors, n.Operands())
		b := operands[1].Data()
		for j, a := range operands[0].Data() {
			if math.Abs(p.real(a)-p.real(b[j])) < 3e-3 {
				return true
			}
		}
	}
	return false
}
