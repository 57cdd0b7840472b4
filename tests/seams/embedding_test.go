package seams

import (
	"fmt"
	"strings"

	. "github.com/topos-notebook/topos/topos"
)

// thermostat is an ordinary program's type that happens to learn: the compiler
// is a library, and neither a kernel nor a notebook is near.
type thermostat struct {
	plan      *Plan[float64]
	seen      Symbol
	wanted    Symbol
	adjoints  Adjoints
	parameter *Parameters[float64]
}

func newThermostat() *thermostat {
	tape := New(F64)
	gain, offset := tape.Parameter(nil, 0), tape.Parameter(nil, 0)
	seen, wanted := tape.Input(nil, 0), tape.Input(nil, 0)
	miss := seen.Mul(gain).Add(offset).Sub(wanted)
	loss := miss.Mul(miss)
	adjoints := tape.Differentiate(loss, gain, offset)
	network := tape.Seal()
	plan := Must(network.Entry(adjoints.Roots()...).Numerics(Exact).Lower())
	return &thermostat{plan, seen.Symbol(), wanted.Symbol(), adjoints, network.Parameters()}
}

// learn takes one step of gradient descent and answers the loss before it.
func (t *thermostat) learn(seen, wanted float64) (float64, error) {
	run, err := t.plan.Forward(t.parameter, With(t.seen, F64.Tensor(nil, seen)), With(t.wanted, F64.Tensor(nil, wanted)))
	if err != nil {
		return 0, fmt.Errorf("one step: %w", err)
	}
	t.parameter = t.parameter.Step(run.RecordedGradients(t.adjoints), func(w, g *Tensor[float64]) *Tensor[float64] {
		return w.Sub(g.Mul(g.Filled(0.125)))
	})
	return run.Of(t.adjoints.Target()).Scalar(), nil
}

// The compiler embedded in an ordinary program: misuse answers errors that say
// what happened, and the module can be handed to another runtime.
func Example_embedding() {
	t := newThermostat()
	for range 200 {
		for _, day := range [][2]float64{{0, 1}, {1, 3}} {
			if _, err := t.learn(day[0], day[1]); err != nil {
				fmt.Println(err)
				return
			}
		}
	}
	loss, err := t.learn(0.5, 2)
	fmt.Printf("%.3f %v\n", loss, err)
	_, err = t.plan.Forward(t.parameter, With(t.seen, F64.Tensor(Shape{2}, 1, 2)))
	fmt.Println(err)
	module := Must(t.plan.StableHLO())
	fmt.Println(strings.Split(module.String(), "\n")[0])
	// Output:
	// 0.000 <nil>
	// feed of input 2 takes [], not [2]
	// module @topos {
}
