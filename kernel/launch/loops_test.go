package main

import "testing"

func TestHasLoop(t *testing.T) {
	for source, want := range map[string]bool{
		"package main\n\nfunc main() { println(1) }":                       false,
		"package main\n\nfunc main() { for { println(1) } }":               true,
		"package main\n\nfunc main() {\nagain:\n\tgoto again\n}":           true,
		"package main\n\n// for a comment\nfunc main() { print(\"for\") }": false,
		"package main\n\nvar format, before = 1, `\nfor {`":                false,
		"not go at all \x00 for":                                           true,
		"":                                                                 false,
	} {
		if got := hasLoop([]byte(source)); got != want {
			t.Errorf("%q has a loop: %v", source, got)
		}
	}
}
