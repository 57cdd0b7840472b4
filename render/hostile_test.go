package render

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/topos-notebook/topos/topos"
)

// What a name or a label holds is shown and never acts: neither as markup, nor
// on a terminal, nor on the direction of what follows.
func TestHostileStrings(t *testing.T) {
	const evil = "</td><script>alert(1)</script>\" \x00\x1b[31m\u009b\u202ereversed\u2066\xff"
	tape := topos.New(topos.F32)
	w := tape.Parameter(nil, 1)
	a := tape.Differentiate(w.Mul(w), w)
	label := func(topos.Symbol) string { return evil }
	name := func(int) string { return evil }
	plan := topos.Must(tape.View().Entry(a.Roots()...).Lower())
	run := topos.Must(plan.Forward(tape.InitialParameters()))
	for what, r := range map[string]*topos.Reading{
		"gradient": tape.ReadGradient(a, label).Named(name), "plan": plan.Reading().Named(name), "values": run.ReadValues(label),
		"picture": tape.Picture().Named(name), "node": w.Reading().Named(name), "text": {Kind: topos.TextReading, Text: evil},
		"plot":   topos.ReadPlot(topos.Plot{Title: evil, XLabel: evil, YLabel: evil, Values: []float64{1, 2}}),
		"module": {Kind: topos.ModuleReading, Text: evil},
	} {
		for _, o := range []Options{{}, {Static: true}, {RawSVG: true, Whole: evil}} {
			for kind, part := range topos.Must(Bundle(r, o)) {
				text, ok := part.(string)
				if !ok {
					continue
				}
				if !utf8.ValidString(text) || strings.ContainsAny(text, "\x00\x1b\u009b") {
					t.Errorf("%s: %s holds control characters: %q", what, kind, text)
				}
				if kind == HTMLType && (strings.Contains(text, "<script>") || strings.ContainsAny(text, "\u202e\u2066")) {
					t.Errorf("%s: %s holds what was given: %q", what, kind, text)
				}
			}
		}
	}
}
