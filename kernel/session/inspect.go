package session

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/topos-notebook/topos/kernel/magic"
	"github.com/topos-notebook/topos/topos/language"
)

// Inspect implements [server.Engine]: of a line that is a magic's, what the magic does
// and the nodes of the names among its words; in tape cells, the node of a name and the
// signature of a function, also with the cursor among the function's arguments.
func (e *Engine) Inspect(code string, cursor, _ int) (data map[string]any, ok bool) {
	w, tape := wordAt(code, cursor), isTape(code)
	text := ""
	if d, name, is := magicAt(w); is {
		if !name {
			text = e.node(w.whole)
		}
		if text == "" {
			text = strings.TrimSpace(d.Usage + "\n" + d.Doc)
		}
	} else if !tape {
		return nil, false
	}
	if text == "" {
		text = e.explain(w.whole)
	}
	if text == "" {
		text = lineOf(code, cursor, w.whole)
	}
	if text == "" && w.whole == "" {
		text = e.explain(called(w.line))
	}
	if text == "" {
		return nil, true
	}
	return map[string]any{"text/plain": text}, true
}

// magicAt returns the magic that the cursor's line calls, and whether the cursor is at
// its name; false where the line calls none that is known.
func magicAt(w word) (d magic.Description, name, ok bool) {
	line := w.line + w.rest
	call, is := strings.CutPrefix(strings.TrimLeft(line, " \t"), "%")
	if !is {
		return d, false, false
	}
	if end := strings.IndexFunc(call, unicode.IsSpace); end >= 0 {
		call = call[:end]
	}
	end := strings.Index(line, "%"+call) + len("%"+call)
	d, ok = magic.Describe(call)
	return d, len(w.line) <= end, ok
}

// lineOf returns the line above the cursor that binds a name at last, "" for none.
func lineOf(code string, cursor int, word string) string {
	for name, line := range linesAbove(code, cursor) {
		if name == word {
			return line
		}
	}
	return ""
}

// node says which node a name stands for, "" when it is no name.
func (e *Engine) node(word string) string {
	for _, s := range slices.Backward(e.scene.Load().names) {
		if s.name == word {
			return fmt.Sprintf("%s: %s", s.name, s.node)
		}
	}
	return ""
}

// explain says what a word of the tape language is, "" when it is nothing.
func (e *Engine) explain(word string) string {
	if text := e.node(word); text != "" {
		return text
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
