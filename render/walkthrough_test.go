package render

import (
	"testing"

	"github.com/topos-notebook/topos/topos"
)

// recorded are the walkthrough's readings as the compiler gives them.
func recorded(t testing.TB) map[string]*topos.Reading {
	t.Helper()
	tape := topos.New(topos.F32)
	weights := tape.Parameter(topos.Shape{2, 2}, 0.5, -0.25, 0.25, 0.4)
	input := tape.Input(topos.Shape{1, 2}, 1, 2)
	hidden := input.MatMul(weights).Tanh()
	loss := hidden.Mul(hidden).Sum()
	spec, picture, node := tape.Reading(), tape.Picture(), hidden.Reading()
	adjoints := tape.Differentiate(loss, weights)
	gradient := tape.ReadGradient(adjoints, nil)
	network := tape.Seal()
	entry := network.Entry(adjoints.Roots()...).Observe(hidden)
	plan, err := entry.Lower()
	if err != nil {
		t.Fatal(err)
	}
	retained, err := network.Entry(loss.Symbol()).Retain().Lower()
	if err != nil {
		t.Fatal(err)
	}
	module, err := plan.StableHLO()
	if err != nil {
		t.Fatal(err)
	}
	run, err := plan.Forward(network.Parameters())
	if err != nil {
		t.Fatal(err)
	}
	text := module.Reading()
	text.Rows = plan.Reading().Rows
	return map[string]*topos.Reading{
		"spec": spec, "picture": picture, "node": node, "gradient": gradient, "network": network.Reading(),
		"adjoints": adjoints.Reading(), "entry": entry.Reading(), "plan": plan.Reading(), "backward": retained.Reading(),
		"stablehlo": text, "values": run.Reading(), "parameters": network.Parameters().Reading(),
	}
}

// TestWalkthrough: the compiler's own readings of the walkthrough give the plates
// as text/plain and cards that hold every number.
func TestWalkthrough(t *testing.T) {
	w := plates(t)
	want := map[string]string{"spec": w.Spec, "plan": w.Plan, "backward": w.PlanBackward, "stablehlo": w.StableHLO}
	for name, r := range recorded(t) {
		got := show(t, r, Options{}, PlainType)
		if got != r.Text || want[name] != "" && got != want[name] {
			t.Errorf("%s: text/plain is\n%s", name, got)
		}
		page := show(t, r, Options{}, HTMLType)
		text, images, removed := lab.clean(t, page)
		if len(removed) > 0 {
			t.Errorf("%s: the sanitizer removes %v", name, removed)
		}
		holdsNumbers(t, text, r)
		for _, source := range images {
			checkSVG(t, source)
		}
	}
}
