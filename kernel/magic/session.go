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
		first, last := l.words[l.at], l.words[len(l.words)-1]
		what = l.Source[first.from : last.from+len(last.text)]
		l.at = len(l.words)
	}
	return w.text, what
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
