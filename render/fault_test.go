package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/topos"
)

// Of a thousand values, all observed, the card names the node where NaN began,
// what it computes and of what; of gradients, the last node, where the sweep
// came by first.
func TestC39C40FirstFault(t *testing.T) {
	for _, k := range []int{3, 500, 998} {
		tape := topos.New(topos.F32)
		x := tape.Parameter(nil, -1)
		for tape.Len() < k {
			x = x.Neg()
		}
		negative := x
		if k%2 == 0 {
			negative = tape.Value(k - 2) // the even ones hold -1
		}
		x = negative.Ln()
		for tape.Len() < 1000 {
			x = x.Neg()
		}
		var observed []topos.Named
		for i := range tape.Len() {
			observed = append(observed, tape.Value(i))
		}
		plan := topos.Must(tape.View().Entry(x).Observe(observed...).Lower())
		run := topos.Must(plan.Forward(tape.InitialParameters()))
		page := plainText(show(t, run.ReadValues(nil), Options{}, HTMLType))
		want := fmt.Sprintf("%d non-finite, first in #%d Ln of %d", 1000-k, k, negative.Symbol().Index())
		if !strings.Contains(page, want) {
			t.Errorf("the card of a NaN at %d does not say %q:\n%.300s", k, want, page)
		}
	}
	r := &topos.Reading{Kind: topos.FieldReading, Payloads: []topos.PayloadReading{
		{Node: 3, NonFinite: 1, Shape: []int{}}, {Node: 8, NonFinite: 1, Shape: []int{}}, {Node: 9, Shape: []int{}},
	}}
	if page := plainText(show(t, r, Options{}, HTMLType)); !strings.Contains(page, "2 non-finite, first in #8") {
		t.Errorf("the card of gradients says\n%.300s", page)
	}
}

// plainText is a card without its tags.
func plainText(page string) string {
	var b strings.Builder
	for page != "" {
		text, rest, _ := strings.Cut(page, "<")
		b.WriteString(text)
		_, page, _ = strings.Cut(rest, ">")
	}
	return b.String()
}
