package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/topos-notebook/topos/kernel/magic"
	"github.com/topos-notebook/topos/topos/language"
)

// Inspect implements [server.Engine]: the usage of a magic and, in tape cells,
// the node of a name and the signature of a function, also with the cursor
// among the function's arguments.
func (e *Engine) Inspect(code string, cursor, _ int) (data map[string]any, ok bool) {
	w, tape := wordAt(code, cursor), isTape(code)
	before := strings.TrimSpace(strings.TrimSuffix(w.line, w.text))
	text := ""
	if before == "%" || before == "%%" {
		if d, known := magic.Describe(before[1:] + w.whole); known {
			text = strings.TrimSpace(d.Usage + "\n" + d.Doc)
		}
	}
	if text == "" && !tape {
		return nil, false
	}
	if text == "" {
		text = e.explain(w.whole)
	}
	if text == "" && w.whole == "" {
		text = e.explain(called(w.line))
	}
	if text == "" {
		return nil, true
	}
	return map[string]any{"text/plain": text}, true
}

// explain says what a word of the tape language is, "" when it is nothing.
func (e *Engine) explain(word string) string {
	for _, s := range slices.Backward(e.scene.Load().names) {
		if s.name == word {
			return fmt.Sprintf("%s: %s", s.name, s.node)
		}
	}
	for _, f := range language.Functions() {
		if f.Name == word {
			return f.Signature() + "\n" + f.Doc
		}
	}
	for _, s := range magic.Sources() {
		if s.Name == word {
			return s.Usage + "\n" + s.Doc
		}
	}
	return ""
}

// called returns the function among whose arguments a line ends, "" for none.
func called(line string) string {
	depth := 0
	points := []rune(line)
	for i, c := range slices.Backward(points) {
		switch c {
		case ')', ']':
			depth++
		case '[':
			depth--
		case '(':
			if depth--; depth < 0 {
				return wordAt(line, i).text
			}
		}
	}
	return ""
}
