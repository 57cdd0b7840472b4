package topos_test

import (
	"math"
	"slices"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// Gradients agree with central differences wherever two step widths agree with
// each other, that is away from kinks.
func TestRandomGradientsAgainstDifferences(t *testing.T) {
	compared, skipped := 0, 0
	for seed := range uint64(*randomPrograms) {
		p := newFlavoured(double, seed, smooth)
		n := p.tape.View()
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
				if math.Abs(wide-narrow) > 1e-6*scale {
					skipped++
					continue
				}
				compared++
				if want := (4*narrow - wide) / 3; !(math.Abs(got-want) <= 1e-6*scale) {
					t.Errorf("program %d: d loss / d #%d at %d is %v, differences say %v\n%s", seed, name.Index(), i, got, want, p.tape.Describe())
				}
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d compared, %d next to kinks", compared, skipped)
	if compared < 20*skipped || compared < *randomPrograms {
		t.Errorf("only %d gradients were compared, %d passed over", compared, skipped)
	}
}
