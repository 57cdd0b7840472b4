package magic

import (
	"slices"
	"strings"
)

// verb takes one of the words that say what a magic is to do, and a file or another
// object after it, which may hold blanks.
func (l *line) verb(verbs ...string) (verb, what string) {
	w, ok := l.next()
	if !ok && l.at == len(l.words) {
		return "", ""
	}
	if !ok {
		w = l.words[l.at]
	}
	if !slices.Contains(verbs, w.text) {
		l.fail(w, "unknown %s: %%%s is followed by %s", short(w.text), l.Name, alternatives(verbs))
	}
	if l.at < len(l.words) {
		what = l.file()
	}
	return w.text, what
}

// file takes the rest of the line for the name of a file, which may hold blanks, or
// stand in quotes of either kind, as a shell has it.
func (l *line) file() string {
	first, last := l.words[l.at], l.words[len(l.words)-1]
	l.at = len(l.words)
	quote := first.text[:1]
	if quote != `"` && quote != "'" {
		return l.Source[first.from : last.from+len(last.text)]
	}
	name, rest, closed := strings.Cut(l.Source[first.from+1:], quote)
	rest = strings.TrimLeft(rest, " \t\r")
	at := len(l.Source) - len(rest)
	rest = strings.TrimRight(rest, " \t\r")
	switch {
	case !closed:
		l.fail(first, "the quote is not closed")
	case rest != "" && rest[0] != '#':
		l.fail(word{rest, at}, "unexpected %s behind the quote", short(rest))
	case name == "":
		l.fail(first, "the name of a file is empty")
	}
	return name
}

func alternatives(words []string) string {
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

func session(l *line) {
	verb, what := l.verb("list", "open", "save", "close")
	if verb == "" {
		verb = "list"
	}
	l.Session = Session{verb, what}
	switch {
	case what == "" && verb == "open":
		l.fail(l.name(), "which one? %%session open NUMBER, open previous, or open FILE")
	case what == "" && verb == "save":
		l.fail(l.name(), "where to? %%session save FILE")
	case what != "" && (verb == "list" || verb == "close"):
		l.fail(l.words[2], "%%session %s is followed by nothing", verb)
	}
}

func checkpoint(l *line) {
	verb, what := l.verb("save", "load")
	switch {
	case verb == "":
		l.fail(l.name(), "%%checkpoint needs a word: save FILE or load FILE")
	case what == "":
		l.fail(l.name(), "which file? %%checkpoint %s FILE", verb)
	}
	l.Checkpoint = Checkpoint{verb == "save", what}
}
