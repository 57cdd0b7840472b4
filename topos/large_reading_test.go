package topos_test

import (
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// A large reading carries its whole text, its counts and its first rows alone.
func TestLargeReadings(t *testing.T) {
	tape := New(F32)
	x := tape.Parameter(nil, 1)
	for tape.Len() < MaxRows {
		x = x.Neg()
	}
	check := func(nodes, rows int) {
		t.Helper()
		view := tape.View()
		plan := Must(view.Entry(x).Lower())
		for what, c := range map[string]struct {
			*Reading
			text string
		}{
			"tape": {tape.Reading(), tape.Describe()}, "picture": {tape.Picture(), tape.Describe()},
			"network": {view.Reading(), view.Describe()}, "plan": {plan.Reading(), plan.Describe()},
		} {
			if len(c.Rows) != rows || c.Nodes != nodes || c.Text != c.text {
				t.Errorf("%s: %d rows of %d nodes and %d bytes of text, not %d of %d and %d", what, len(c.Rows), c.Nodes, len(c.Text), rows, nodes, len(c.text))
			}
			if c.Plan != nil && (c.Plan.Evaluated != nodes || len(c.Plan.Live) != nodes || c.Rows[rows-1].Liveness == "") {
				t.Errorf("the plan says %d evaluated, %d live", c.Plan.Evaluated, len(c.Plan.Live))
			}
		}
	}
	check(MaxRows, MaxRows)
	x = x.Neg()
	check(MaxRows+1, FewRows)
}
