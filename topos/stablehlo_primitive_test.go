package topos_test

import (
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// TestC49C50PrimitiveSpellings: on request a module needs no dialect but
// StableHLO's own, whatever the element. That it runs to the same values is for
// `make stablehlo`.
func TestC49C50PrimitiveSpellings(t *testing.T) {
	for _, e := range elements {
		plain, primitive := e.erfTexts()
		if !strings.Contains(plain, "chlo.erf") {
			t.Errorf("%s: erf is\n%s", e.Name(), plain)
		}
		if strings.Contains(primitive, "chlo") || strings.Count(primitive, "%v1 = ") != 1 {
			t.Errorf("%s: erf as a primitive is\n%s", e.Name(), primitive)
		}
		if converts := strings.Count(primitive, "stablehlo.convert"); converts != 2 && e.Name() != "f64" || converts != 0 && e.Name() == "f64" {
			t.Errorf("%s: erf as a primitive converts %d times", e.Name(), converts)
		}
	}
}

// erfTexts are the modules of one erf as it is written, and on request.
func (n number[T]) erfTexts() (plain, primitive string) {
	tape := New(n.Element)
	y := tape.Parameter(Shape{3}, n.FromFloat64(1)).Erf()
	plan := Must(tape.View().Entry(y).Lower())
	return Must(plan.StableHLO()).String(), Must(plan.StableHLO(Primitive)).String()
}
