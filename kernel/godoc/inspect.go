package godoc

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"
)

// Learn notes what a cell that ended well has imported and declared: later cells
// see it.
func (l *Library) Learn(code string) {
	t, ok := readCell(code)
	if !ok {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.heard.note(t)
}

// known is what earlier cells and this one have imported and declared.
func (l *Library) known(t *text) cellNames {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heard.with(t)
}

// Inspect says what stands at the cursor of a cell (in code points): the
// declaration and its documentation, also with the cursor among a function's
// arguments. It returns false when that is not known.
func (l *Library) Inspect(code string, cursor int) (Answer, bool) {
	t, ok := readCell(code)
	if !ok {
		return Answer{}, false
	}
	at := t.offset(cursor)
	i := t.under(at)
	if i >= 0 && t.lexemes[i].Token == token.COMMENT {
		return Answer{}, false
	}
	if i >= 0 && t.lexemes[i].Token == token.STRING {
		for _, one := range t.imports() {
			if one.lexeme == i {
				return l.ofPackage(l.open(one.path))
			}
		}
	}
	if i < 0 || !t.lexemes[i].isWord() {
		if i = t.called(at); i < 0 {
			return Answer{}, false
		}
	}
	if t.lexemes[i].IsKeyword() {
		k, ok := keywords[t.lexemes[i].text]
		return k.answer(), ok
	}
	return l.resolve(t, t.chain(i), t.follows(i))
}

// resolve finds a chain of names, from the nearest scope outwards. Selected says
// that more follows: that the last name may be a package's.
func (l *Library) resolve(t *text, names []string, selected bool) (Answer, bool) {
	if len(names) == 0 || t.locals()[names[0]] {
		return Answer{}, false
	}
	known := l.known(t)
	if a, ok := known.declared[strings.Join(names, ".")]; ok {
		return a, true
	}
	if _, ours := known.declared[names[0]]; ours {
		return Answer{}, false
	}
	if at, ok := known.imports[names[0]]; ok {
		return l.in(at, names[1:])
	}
	for _, at := range append(known.dots, builtin) {
		if a, ok := l.of(at, names); ok {
			return a, true
		}
	}
	if len(names) == 1 && !selected {
		return Answer{}, false
	}
	for _, at := range l.standard()[names[0]] {
		if a, ok := l.in(at, names[1:]); ok {
			return a, true
		}
	}
	return Answer{}, false
}

// in answers about a name of a package, or about the package itself.
func (l *Library) in(at string, names []string) (Answer, bool) {
	if len(names) == 0 {
		return l.ofPackage(l.open(at))
	}
	return l.of(at, names)
}

func (l *Library) ofPackage(b *book) (Answer, bool) {
	if b == nil {
		return Answer{}, false
	}
	return b.words(b.clause(), b.Doc), true
}

// of answers about a name of a package.
func (l *Library) of(at string, names []string) (Answer, bool) {
	b := l.open(at)
	if b == nil || b.hides(names[0]) {
		return Answer{}, false
	}
	d, ok := find(b.Package, names)
	if !ok {
		return Answer{}, false
	}
	return b.answer(d)
}

// names returns the names that a package declares, sorted.
func (b *book) names() (all []string) {
	for s := range symbols(b.Package) {
		all = append(all, s.names...)
	}
	slices.Sort(all)
	return slices.DeleteFunc(slices.Compact(all), b.hides)
}

// hides reports whether a name is there for documentation alone: types of any
// kind have stand-ins in the package that documents predeclared identifiers.
func (b *book) hides(name string) bool { return b.path == builtin && ast.IsExported(name) }
