package godoc

import (
	"go/scanner"
	"go/token"
	"strconv"
	"strings"

	"github.com/topos-notebook/topos/kernel/gonb"
)

// text is the Go of a cell, with everything else blanked so that places stay
// where they are.
type text struct {
	declarations, body string
	source             string // both; as many code points as the cell, perhaps fewer bytes
	lexemes            []lexeme
}

// lexeme is one token, and the bytes that it takes.
type lexeme struct {
	token.Token
	text       string
	start, end int
}

// readCell returns the Go of a cell, false when it has none.
func readCell(code string) (*text, bool) {
	declarations, body, ok := gonb.GoParts(code)
	if !ok {
		return nil, false
	}
	t := &text{declarations: declarations, body: body, source: declarations + "\n" + body}
	file := token.NewFileSet().AddFile("", -1, len(t.source))
	var s scanner.Scanner
	s.Init(file, []byte(t.source), func(token.Position, string) {}, scanner.ScanComments)
	for {
		pos, tok, literal := s.Scan()
		if tok == token.EOF {
			return t, true
		}
		l := lexeme{Token: tok, text: literal, start: file.Offset(pos)}
		if literal == "" || tok.IsOperator() && tok != token.SEMICOLON {
			l.text = tok.String()
		}
		l.end = l.start + len(l.text)
		if tok == token.SEMICOLON && literal == "\n" {
			l.end = l.start // the scanner's own
		}
		t.lexemes = append(t.lexemes, l)
	}
}

// offset is where a cursor in code points stands in bytes.
func (t *text) offset(cursor int) int {
	for at := range t.source {
		if cursor <= 0 {
			return at
		}
		cursor--
	}
	return len(t.source)
}

// quoted reports whether a byte lies in a comment or a string, or behind one that
// has no end on its line.
func (t *text) quoted(at int) bool {
	for _, l := range t.lexemes {
		if l.start >= at || l.end < at {
			continue
		}
		switch l.Token {
		case token.COMMENT:
			return at < l.end || strings.HasPrefix(l.text, "//")
		case token.STRING, token.CHAR:
			return at < l.end || len(l.text) == 1 || l.text[0] != l.text[len(l.text)-1]
		}
	}
	return false
}

// under returns the number of the lexeme that holds a byte, of the one that ends
// there where that is a word; -1 for none.
func (t *text) under(at int) int {
	found := -1
	for i, l := range t.lexemes {
		if l.start <= at && at < l.end {
			if found >= 0 && !l.isWord() {
				return found
			}
			return i
		}
		if l.end == at && l.isWord() {
			found = i
		}
	}
	return found
}

func (l lexeme) isWord() bool { return l.Token == token.IDENT || l.IsKeyword() }

// before returns the number of the last lexeme that ends at a byte or before it.
func (t *text) before(at int) int {
	last := -1
	for i, l := range t.lexemes {
		if l.start < at && l.end <= at && l.Token != token.COMMENT {
			last = i
		}
	}
	return last
}

// chain returns the names up to lexeme i that dots join: for the last of a.b.c
// all three. It is nil when what stands before a dot is no name.
func (t *text) chain(i int) []string {
	names := []string{t.lexemes[i].text}
	for i >= 1 && t.lexemes[i-1].Token == token.PERIOD {
		if i -= 2; i < 0 || t.lexemes[i].Token != token.IDENT {
			return nil
		}
		names = append([]string{t.lexemes[i].text}, names...)
	}
	return names
}

// called returns the number of the function among whose arguments a byte lies, -1
// for none.
func (t *text) called(at int) int {
	depth := 0
	for i := t.before(at); i > 0; i-- {
		switch t.lexemes[i].Token {
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth++
		case token.LBRACE, token.LBRACK, token.LPAREN:
			if depth--; depth >= 0 {
				continue
			}
			if t.lexemes[i].Token == token.LPAREN && t.lexemes[i-1].Token == token.IDENT {
				return i - 1
			}
			if t.lexemes[i].Token == token.LBRACE {
				return -1 // a block, or a literal: no arguments
			}
			depth = 0
		case token.SEMICOLON:
			if depth == 0 {
				return -1
			}
		}
	}
	return -1
}

// follows reports whether lexeme i is followed by a dot.
func (t *text) follows(i int) bool {
	return i+1 < len(t.lexemes) && t.lexemes[i+1].Token == token.PERIOD
}

// imports returns what the cell imports, and at which lexemes: read from the
// tokens, so that what else stands in the cell may be broken.
func (t *text) imports() (all []imported) {
	one := func(i int) int {
		name := ""
		if i < len(t.lexemes) && (t.lexemes[i].Token == token.IDENT || t.lexemes[i].Token == token.PERIOD) {
			name = t.lexemes[i].text
			i++
		}
		if i < len(t.lexemes) && t.lexemes[i].Token == token.STRING {
			if at, err := strconv.Unquote(t.lexemes[i].text); err == nil {
				if name == "" {
					name = baseName(at)
				}
				all = append(all, imported{name, at, i})
			}
		}
		return i
	}
	for i := 0; i < len(t.lexemes); i++ {
		if t.lexemes[i].Token != token.IMPORT {
			continue
		}
		if i+1 >= len(t.lexemes) || t.lexemes[i+1].Token != token.LPAREN {
			i = one(i + 1)
			continue
		}
		for i += 2; i < len(t.lexemes) && t.lexemes[i].Token != token.RPAREN && !t.lexemes[i].IsKeyword(); i++ {
			i = one(i)
		}
	}
	return all
}

// imported is one import: "." for a name where none is needed.
type imported struct {
	name, path string
	lexeme     int
}

// typed is the part of a name that stands before a byte.
func (t *text) typed(at int) string {
	rest := strings.TrimRightFunc(t.source[:at], gonb.InName)
	return t.source[len(rest):at]
}
