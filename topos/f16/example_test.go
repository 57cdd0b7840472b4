package f16_test

import (
	"fmt"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/f16"
)

// A sum of 16 bits accumulates in float32 and is rounded once: one by one the
// ones would stall at 2048.
func Example() {
	tape := topos.New(f16.F16)
	x := tape.Parameter(topos.Shape{3000}, f16.Of(1))
	loss := x.Sum()
	a := tape.Differentiate(loss, x)
	network := tape.Seal()
	plan := topos.Must(network.Entry(a.Roots()...).Lower())
	run := topos.Must(plan.Forward(network.Parameters()))
	fmt.Println(run.Of(loss), run.Of(a.Of(x)).Data()[2999])

	network = topos.New(f16.F16).Seal()
	fmt.Println(network.Element(), f16.Of(65519.99), f16.Of(65520), f16.Of(1+0x1p-11+0x1p-40))
	// Output:
	// 3000 1
	// f16 65504 +Inf 1.0009766
}
