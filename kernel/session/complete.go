package session

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/topos-notebook/topos/kernel/magic"
	"github.com/topos-notebook/topos/topos/language"
)

// isTape says whether a cell is in the tape language.
func isTape(code string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(code, " \t\r\n"), "\n")
	first = strings.TrimSpace(first)
	return first == "%%tape" || strings.HasPrefix(first, "%%tape ")
}

// word is what stands at a cursor: the line up to it, and the code points of
// the word around it.
type word struct {
	line       string // up to the cursor
	text       string // the word, up to the cursor
	whole      string // the word, beyond the cursor too
	start, end int    // of text, in code points of the code
}

func wordAt(code string, cursor int) word {
	points := []rune(code)
	cursor = min(max(cursor, 0), len(points))
	part := func(c rune) bool { return c == '_' || unicode.IsLetter(c) || unicode.IsDigit(c) }
	start, end := cursor, cursor
	for start > 0 && part(points[start-1]) {
		start--
	}
	for end < len(points) && part(points[end]) {
		end++
	}
	line := cursor
	for line > 0 && points[line-1] != '\n' {
		line--
	}
	return word{string(points[line:cursor]), string(points[start:cursor]), string(points[start:end]), start, cursor}
}

// Complete implements [server.Engine]: names of the session, functions and
// sources in tape cells.
func (e *Engine) Complete(code string, cursor int) (matches []string, start, end int, ok bool) {
	w := wordAt(code, cursor)
	if request, is := strings.CutPrefix(strings.TrimLeft(w.line, " \t"), "%"); is && !strings.Contains(request, " ") {
		return e.completeMagic(w, request, isTape(code))
	}
	if !isTape(code) || strings.Contains(w.line, "#") {
		return nil, w.start, w.end, isTape(code)
	}
	view := e.scene.Load()
	for _, s := range slices.Backward(view.names) {
		matches = prefixed(matches, s.name, w.text)
	}
	if !strings.HasPrefix(strings.TrimLeft(w.line, " \t"), "%") {
		for _, f := range language.Functions() {
			matches = prefixed(matches, f.Name, w.text)
		}
		for _, source := range []string{"parameter", "input", "leaf"} {
			matches = prefixed(matches, source, w.text)
		}
	}
	return matches, w.start, w.end, true
}

func prefixed(matches []string, candidate, prefix string) []string {
	if strings.HasPrefix(candidate, prefix) && !slices.Contains(matches, candidate) {
		return append(matches, candidate)
	}
	return matches
}

// Inspect implements [server.Engine]: the usage of a magic and, in tape cells,
// the node of a name and the signature of a function.
func (e *Engine) Inspect(code string, cursor, _ int) (data map[string]any, ok bool) {
	w, text := wordAt(code, cursor), ""
	for _, d := range magic.Table() {
		if w.whole == d.Name && strings.TrimSpace(strings.TrimSuffix(w.line, w.text)) == "%" {
			text = d.Usage + "\n" + d.Doc
		}
	}
	if text == "" && !isTape(code) {
		return nil, false
	}
	for _, s := range slices.Backward(e.scene.Load().names) {
		if text == "" && s.name == w.whole {
			text = fmt.Sprintf("%s: %s", s.name, s.node)
		}
	}
	for _, f := range language.Functions() {
		if text == "" && f.Name == w.whole {
			text = f.Signature() + "\n" + f.Doc
		}
	}
	if text == "" {
		return nil, true
	}
	return map[string]any{"text/plain": text}, true
}

// IsComplete implements [server.Engine]. A line of the tape language is whole in
// itself, so that an empty line at the end of the cell ends it.
func (e *Engine) IsComplete(code string) (status, indent string, ok bool) {
	if !isTape(code) {
		return "", "", false
	}
	lines := strings.Split(strings.TrimRight(code, " \t"), "\n")
	if last := lines[len(lines)-1]; len(lines) > 1 && strings.TrimSpace(last) == "" {
		return "complete", "", true
	}
	return "incomplete", "", true
}

// completeMagic completes the name of a magic. In a Go cell GoNB has its own, so
// it is asked where none of ours begins so.
func (e *Engine) completeMagic(w word, request string, tape bool) (matches []string, start, end int, ok bool) {
	for _, d := range magic.Table() {
		matches = prefixed(matches, d.Name, request)
	}
	return matches, w.start, w.end, tape || len(matches) > 0
}
