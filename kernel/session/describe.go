package session

import (
	"fmt"
	"strings"
	"unicode"

	"github.com/topos-notebook/topos/kernel/journal"
)

// Describe is a session as text: its cells, its names and its tape, as the
// command line shows it. It fails for a session that this kernel could not open.
func Describe(o *journal.Opened) (string, error) {
	n, err := restored(o.Image)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", contents(o.Image))
	if o.Tear != nil {
		fmt.Fprintf(&b, "%v\n", o.Tear)
	}
	for _, s := range o.Image.Segments {
		fmt.Fprintf(&b, "\nsegment %d, cell %d, %s", s.Number, s.Count, counted(s.To-s.From, "node"))
		if s.Superseded > 0 {
			fmt.Fprintf(&b, ", superseded by %d", s.Superseded)
		}
		b.WriteString("\n")
		for line := range strings.Lines(strings.TrimRight(s.Text, "\n") + "\n") {
			b.WriteString("  " + strings.Map(shown, line))
		}
	}
	fmt.Fprintf(&b, "\n%s", n.describe())
	return b.String(), nil
}

// shown replaces what a terminal would obey.
func shown(r rune) rune {
	if unicode.IsControl(r) && r != '\n' && r != '\t' {
		return '?'
	}
	return r
}

// describe is the tape's text, and the names below it.
func (s *state[T]) describe() string {
	var b strings.Builder
	b.WriteString(s.tape.Describe())
	for name, at := range s.names.All() {
		fmt.Fprintf(&b, "%s = %d\n", name, at.Index())
	}
	return b.String()
}
