package session

import (
	"iter"
	"slices"
	"strings"

	"github.com/topos-notebook/topos/kernel/magic"
	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/topos/language"
)

// isTape says whether a cell is in the tape language.
func isTape(code string) bool {
	first, _, _ := strings.Cut(strings.TrimLeft(code, " \t\r\n"), "\n")
	first = strings.TrimSpace(first)
	return first == "%%tape" || strings.HasPrefix(first, "%%tape ")
}

// word is what stands at a cursor: the line around it, and the code points of
// the word.
type word struct {
	line       string // up to the cursor
	rest       string // of the line, behind the cursor
	text       string // the word, up to the cursor
	whole      string // the word, beyond the cursor too
	start, end int    // of text, in code points of the code
}

func wordAt(code string, cursor int) word {
	points := []rune(code)
	cursor = min(max(cursor, 0), len(points))
	start, end := cursor, cursor
	for start > 0 && language.InName(points[start-1]) {
		start--
	}
	for end < len(points) && language.InName(points[end]) {
		end++
	}
	line := cursor
	for line > 0 && points[line-1] != '\n' {
		line--
	}
	rest, _, _ := strings.Cut(string(points[cursor:]), "\n")
	return word{string(points[line:cursor]), rest, string(points[start:cursor]), string(points[start:end]), start, cursor}
}

// completion gathers the candidates that begin as the word does.
type completion struct {
	server.Completion
	prefix string
}

func (c *completion) offer(text, kind, detail string) {
	if strings.HasPrefix(text, c.prefix) && !slices.ContainsFunc(c.Matches, func(m server.Match) bool { return m.Text == text }) {
		c.Matches = append(c.Matches, server.Match{Text: text, Kind: kind, Detail: detail})
	}
}

// Meant implements [server.Engine].
func (e *Engine) Meant(name string) string { return magic.Meant(name) }

// Complete implements [server.Engine]: names of the session, functions and
// sources in tape cells, and magics with their options in every cell. Nothing is
// run for it.
func (e *Engine) Complete(code string, cursor int) (server.Completion, bool) {
	w, tape := wordAt(code, cursor), isTape(code)
	c := &completion{server.Completion{Start: w.start, End: w.end}, w.text}
	if request, is := strings.CutPrefix(strings.TrimLeft(w.line, " \t"), "%"); is {
		name, _, arguments := strings.Cut(request, " ")
		if !arguments {
			c.prefix = "%" + request
			c.Start = c.End - len([]rune(c.prefix))
			offerMagics(c, tape, c.Start == len([]rune(code))-len([]rune(strings.TrimLeft(code, " \t\r\n"))))
			return c.Completion, true
		}
		return c.Completion, e.completeArguments(c, w, name) || tape
	}
	if !tape || strings.Contains(w.line, "#") {
		return c.Completion, tape
	}
	e.offerNames(c)
	for name, line := range linesAbove(code, cursor) {
		c.offer(name, "instance", line)
	}
	for _, f := range language.Functions() {
		c.offer(f.Name, "function", f.Signature())
	}
	for _, s := range magic.Sources() {
		c.offer(s.Name, "keyword", s.Usage)
	}
	return c.Completion, true
}

// linesAbove goes through the names that the lines of a tape cell above the cursor bind,
// nearest first, each with its line: they may not have been recorded yet.
func linesAbove(code string, cursor int) iter.Seq2[string, string] {
	points := []rune(code)
	lines := strings.Split(string(points[:min(max(cursor, 0), len(points))]), "\n")
	return func(yield func(name, line string) bool) {
		for _, line := range slices.Backward(lines[:len(lines)-1]) {
			name, _, binds := strings.Cut(line, "=")
			name = strings.TrimSpace(name)
			if binds && language.IsName(name) && !yield(name, strings.TrimSpace(line)) {
				return
			}
		}
	}
}

func (e *Engine) offerNames(c *completion) {
	for _, s := range slices.Backward(e.scene.Load().names) {
		c.offer(s.name, "instance", s.node)
	}
}

// offerMagics offers the names of magics, percent signs included: ours, in a Go
// cell GoNB's as well, and those of whole cells where the cell begins.
func offerMagics(c *completion, tape, first bool) {
	own, lines, cells := magic.All()
	for _, d := range own {
		c.offer("%"+d.Name, "magic", d.Usage)
	}
	if !tape {
		for _, d := range lines {
			c.offer("%"+d.Name, "magic", d.Usage)
		}
	}
	if first {
		for _, d := range cells {
			c.offer("%"+d.Name, "magic", d.Usage)
		}
	}
	slices.SortFunc(c.Matches, func(a, b server.Match) int { return strings.Compare(a.Text, b.Text) })
}

// completeArguments completes behind the name of one of our magics: what its
// usage spells, and names of the session.
func (e *Engine) completeArguments(c *completion, w word, name string) bool {
	for _, d := range magic.Table() {
		if d.Name != name {
			continue
		}
		before := strings.TrimSuffix(w.line, w.text)
		option := strings.HasSuffix(before, "-")
		if option {
			dashes := len(before) - len(strings.TrimRight(before, "-"))
			c.Start, c.prefix = c.Start-dashes, strings.Repeat("-", dashes)+c.prefix
		}
		for _, word := range d.Words() {
			c.offer(word, "keyword", d.Usage)
		}
		switch {
		case name == "session":
			e.offerSessions(c, before)
		case !option && name != "checkpoint":
			e.offerNames(c)
		}
		return true
	}
	return false
}

// offerSessions offers the sessions that can be opened, behind the word that opens
// one, and only those.
func (e *Engine) offerSessions(c *completion, before string) {
	if words := strings.Fields(before); len(words) != 2 || words[1] != "open" {
		return
	}
	c.Matches = nil
	for _, candidate := range e.keeper.candidates() {
		c.offer(candidate, "instance", "a session that is kept")
	}
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
