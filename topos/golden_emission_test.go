package topos_test

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

type emissionCase struct {
	opCase
	Name      string `json:"name"`
	Plan      string `json:"plan"`
	StableHLO string `json:"stablehlo"`
	Results   []int  `json:"results"`
}

// literalsKept: a dense payload of zeros of both signs keeps its bits, where
// the golden text drops the sign.
const literalsKept = "leaf zeros of both signs"

func TestGoldenEmission(t *testing.T) {
	b, err := os.ReadFile("testdata/emission.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		Cases []emissionCase `json:"cases"`
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	for _, c := range all.Cases {
		if len(c.Program.Sources) == 0 {
			continue // results that are sources: TestSourcesAsResults
		}
		switch c.Element {
		case "f32":
			t.Run(c.Name+"/f32", func(t *testing.T) { emit(t, c, F32, 32) })
		case "f64":
			t.Run(c.Name+"/f64", func(t *testing.T) { emit(t, c, F64, 64) })
		}
	}
}

func emit[T float32 | float64](t *testing.T, c emissionCase, e Element[T], width int) {
	tape := New(e)
	values := sources(tape, e, c.opCase, width)
	for _, call := range c.Program.Calls {
		values = append(values, perform(t, call, values))
	}
	same(t, "describe", tape.Describe(), c.Describe)
	roots := []Named{tape.Value(tape.Len() - 1)}
	if c.Results != nil {
		roots = nil
		for _, i := range c.Results {
			roots = append(roots, tape.Value(i))
		}
	}
	plan := Must(tape.View().Entry(roots...).Lower())
	same(t, "plan", plan.Describe(), c.Plan)
	want := c.StableHLO
	if c.Name == literalsKept {
		want = strings.Replace(want, "dense<0.0>", "dense<[0.0, -0.0]>", 1)
	}
	same(t, "stablehlo", Must(plan.StableHLO()).String(), want)
}

func TestSourcesAsResults(t *testing.T) {
	tape := New(F32)
	p, x := tape.Parameter(nil, 1), tape.Input(nil, 2)
	plan := Must(tape.View().Entry(p, x).Lower())
	same(t, "plan", plan.Describe(), `   0  Parameter                         []           kept
   1  Input                             []           kept
plan: forward; 2 of 2 nodes evaluated, 2 readable
live volume: peak 2 elements at node 1, retain-all 2
`)
	same(t, "stablehlo", Must(plan.StableHLO()).String(), `module @topos {
  func.func @main(%arg0: tensor<f32>, %arg1: tensor<f32>) -> (tensor<f32>, tensor<f32>) {
    return %arg0, %arg1 : tensor<f32>, tensor<f32>
  }
}
`)
}
