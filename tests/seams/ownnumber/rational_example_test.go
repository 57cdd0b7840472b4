package ownnumber

import (
	"fmt"
	"math/big"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/render"
	. "github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
)

// line is a straight line fitted to three points, as a tape program. The text is
// the same whatever the element.
const line = `
w = parameter 0.5
b = parameter 0
x = input [3] {1, 2, 3}
y = input [3] {1.1, 1.9, 3.2}
error = x * w + broadcast(b, [3]) - y
loss = sum(error * error) / 3
`

// Gradient descent over fractions: the loss, its gradients and every weight are
// exact, and so is the agreement between the recorded derivative and the engine.
func Example_exactGradients() {
	tape, names := New(rationals), &language.Names{}
	Must(language.Record(Must(language.Parse(line)), tape, names))
	named := func(name string) Symbol { s, _ := names.Lookup(name); return s }
	loss, w, b := named("loss"), named("w"), named("b")
	adjoints := tape.Differentiate(loss, w, b)
	network := tape.Seal()
	plan := Must(network.Entry(adjoints.Roots()...).Lower())

	table := network.Parameters()
	rate := rationals.Tensor(nil, Must(rationals.Parse("1/10")))
	for step := range 3 {
		run := Must(plan.Forward(table))
		fmt.Printf("%d: w %v, b %v, loss %v\n", step, table.Of(w), table.Of(b), run.Of(loss))
		gradients := run.RecordedGradients(adjoints)
		engine := Must(Must(network.Forward(table)).Backward(loss))
		if !engine.Parameters(table).Equal(gradients) {
			fmt.Println("the engine and the recorded derivative differ")
		}
		table = table.Step(gradients, func(weight, gradient *Tensor[rational]) *Tensor[rational] {
			return weight.Sub(gradient.Mul(rate))
		})
	}
	_, err := plan.StableHLO()
	fmt.Println(err)
	fmt.Println(Refused(func() { network.Reopen().Resolve(loss).Tanh() }))
	// Output:
	// 0: w 1/2, b 0, loss 203/150
	// 1: w 1, b 16/75, loss 139/3750
	// 2: w 237/250, b 23/125, loss 1969/93750
	// stablehlo has no type for the element rational: element
	// tanh over [] cannot be done with rational: the number has no method Tanh
}

// At the exact minimum both gradients are zero, not nearly so.
func TestGradientIsZeroAtTheMinimum(t *testing.T) {
	tape, names := New(rationals), &language.Names{}
	Must(language.Record(Must(language.Parse(line)), tape, names))
	loss, _ := names.Lookup("loss")
	w, _ := names.Lookup("w")
	b, _ := names.Lookup("b")
	network := tape.Seal()
	// Least squares of 1.1, 1.9, 3.2 at 1, 2, 3.
	table := network.Parameters().
		With(w, rationals.Tensor(nil, rational{big.NewRat(21, 20)})).
		With(b, rationals.Tensor(nil, rational{big.NewRat(-1, 30)}))
	gradients := Must(Must(network.Forward(table)).Backward(loss))
	for _, at := range []Symbol{w, b} {
		if got := gradients.Of(at).String(); got != "0" {
			t.Errorf("the gradient of node %d is %s", at.Index(), got)
		}
	}
}

// A card shows fractions as the number prints them, with the smallest and the
// largest, and no norm: there is no float64 to take one of.
func TestFractionsOnACard(t *testing.T) {
	x := rationals.Tensor(Shape{3}, rational{big.NewRat(1, 3)}, rational{big.NewRat(-22, 7)}, rational{})
	r := x.Reading()
	p := r.Payloads[0]
	if r.Element != "rational" || p.Text != "[1/3, -22/7, 0]" || p.Min != "-22/7" || p.Max != "1/3" || p.Norm != "" || p.NonFinite != 0 {
		t.Errorf("the reading is %+v", p)
	}
	bundle, err := render.Bundle(r, render.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if html := fmt.Sprint(bundle["text/html"]); !strings.Contains(html, "-22/7") || !strings.Contains(html, "rational") {
		t.Errorf("the card is\n%s", html)
	}
}
