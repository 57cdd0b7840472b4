package godoc

import (
	"go/token"
	"maps"
	"slices"
	"strings"

	"github.com/topos-notebook/topos/kernel/gonb"
)

// Complete returns the names that begin as the word before the cursor (in code
// points) does: behind a package what it exports, elsewhere what cells have
// declared, what is imported without a name, and what Go itself declares.
func (l *Library) Complete(code string, cursor int) gonb.Completion {
	c := gonb.Completion{Start: cursor, End: cursor}
	t, ok := readCell(code)
	if !ok {
		return c
	}
	at := t.offset(cursor)
	prefix := t.typed(at)
	if t.quoted(at) {
		return c
	}
	start := at - len(prefix)
	last := t.before(start)
	var names []string
	switch {
	case start > 0 && t.source[start-1] == '.':
		if last < 1 || t.lexemes[last].Token != token.PERIOD || t.lexemes[last-1].Token != token.IDENT {
			return c
		}
		names = l.exported(t, t.chain(last-1), prefix)
	case prefix != "":
		names = l.visible(t)
	}
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			c.Matches = append(c.Matches, name)
		}
	}
	if len(c.Matches) > 0 {
		c.Start -= len([]rune(prefix))
	}
	return c
}

// exported returns what the package of a name exports.
func (l *Library) exported(t *text, names []string, prefix string) []string {
	if len(names) != 1 || t.locals()[names[0]] {
		return nil
	}
	known := l.known(t)
	if _, ours := known.declared[names[0]]; ours {
		return nil
	}
	paths := l.standard()[names[0]]
	if at, ok := known.imports[names[0]]; ok {
		paths = []string{at}
	}
	for _, at := range paths {
		b := l.open(at)
		if b == nil {
			continue
		}
		all := b.names()
		if slices.ContainsFunc(all, func(name string) bool { return strings.HasPrefix(name, prefix) }) {
			return all
		}
	}
	return nil
}

// visible returns the names that need no package before them.
func (l *Library) visible(t *text) (all []string) {
	known := l.known(t)
	for name := range known.declared {
		if !strings.Contains(name, ".") {
			all = append(all, name)
		}
	}
	all = slices.AppendSeq(all, maps.Keys(t.locals()))
	all = slices.AppendSeq(all, maps.Keys(known.imports))
	all = slices.AppendSeq(all, maps.Keys(keywords))
	for _, at := range append(known.dots, builtin) {
		if b := l.open(at); b != nil {
			all = append(all, b.names()...)
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}
