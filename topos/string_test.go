package topos_test

import (
	"fmt"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// What fmt prints of anything that has a reading is the reading's text: the same in
// two runs, which an address is not.
func TestPrintedReadersHoldNoAddress(t *testing.T) {
	tape := New(F32)
	w, x := tape.Parameter(Shape{2}, 1, 2), tape.Input(Shape{2}, 3, 4)
	loss := w.Mul(x).Sum()
	network := tape.View()
	plan := Must(network.Entry(loss).Retain().Lower())
	run := Must(plan.Forward(network.Parameters()))
	gradients := Must(run.Backward(loss))
	for what, c := range map[string]struct {
		value Reader
		want  string
	}{
		"tape":       {tape, "tape: 4 nodes, 1 parameter, 1 input"},
		"network":    {network, "network: 4 nodes, 1 parameter, 1 input"},
		"parameters": {network.Parameters(), "#0 [2] [1, 2]"},
		"entry":      {network.Entry(loss), "entry: roots 3"},
		"plan":       {plan, "plan: retain; 4 of 4 nodes evaluated, 1 readable"},
		"run":        {run, "#3 11"},
		"gradients":  {gradients, "0 Parameter [3, 4]"},
		"tensor":     {network.Parameters().Slot(0), "[1, 2]"},
	} {
		got := fmt.Sprint(c.value)
		if got != strings.TrimSuffix(c.value.Reading().Text, "\n") || !strings.Contains(got, c.want) || strings.Contains(got, "0x") {
			t.Errorf("%s prints\n%s\nwant the reading\n%s\nwith %s", what, got, c.value.Reading().Text, c.want)
		}
	}
}
