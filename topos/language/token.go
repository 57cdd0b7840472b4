package language

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

type tokenKind uint8

const (
	endToken    tokenKind = iota // the end of the line
	nameToken                    // a name, a function or a word of a source
	numberToken                  // an unsigned number
	markToken                    // one of the marks
)

const marks = "=()[]{},+-*/@"

type token struct {
	kind tokenKind
	text string
	span
}

func (t token) is(mark string) bool { return t.kind == markToken && t.text == mark }

// String is the token as a message shows it.
func (t token) String() string {
	if t.kind == endToken {
		return "the end of the line"
	}
	return quoted(t.text)
}

// scan splits a line into tokens, the last of which is its end.
func (p *parser) scan() {
	for at := 0; ; {
		rest := p.line[at:]
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case rest == "" || r == '#':
			end := len(strings.TrimRightFunc(p.line[:at], unicode.IsSpace))
			p.tokens = append(p.tokens, token{endToken, "", span{end, end}})
			return
		case unicode.IsSpace(r):
			at += size
			continue
		case isFirst(r):
			size = nameLength(rest)
			p.add(nameToken, at, size)
		case isDigit(r) || r == '.' && len(rest) > 1 && isDigit(rune(rest[1])):
			size = p.numeral(rest, at)
			p.add(numberToken, at, size)
		case r < utf8.RuneSelf && strings.ContainsRune(marks, r):
			p.add(markToken, at, size)
		default:
			p.fail(span{at, at + size}, "unexpected character %s", character(r))
		}
		at += size
	}
}

func (p *parser) add(kind tokenKind, at, size int) {
	p.tokens = append(p.tokens, token{kind, p.line[at : at+size], span{at, at + size}})
}

func character(r rune) string {
	if unicode.IsPrint(r) {
		return fmt.Sprintf("%c", r)
	}
	return fmt.Sprintf("U+%04X", r)
}

func isDigit(r rune) bool { return '0' <= r && r <= '9' }
func isFirst(r rune) bool { return r == '_' || unicode.IsLetter(r) }

// InName says whether a character may stand in a name, behind the first: also a mark
// that combines with the letter before it.
func InName(r rune) bool {
	return isFirst(r) || unicode.IsDigit(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Mc, r)
}

// nameLength is how many bytes of s are a name; 0 where s does not begin with one.
func nameLength(s string) int {
	for i, r := range s {
		if i == 0 && !isFirst(r) || !InName(r) {
			return i
		}
	}
	return len(s)
}

// IsName says whether a word can be bound to a node: a letter or underscore,
// then letters, digits and underscores.
func IsName(s string) bool {
	return s != "" && utf8.ValidString(s) && nameLength(s) == len(s)
}

// numeral is how many bytes of rest are a number: digits with at most one point,
// then perhaps an exponent.
func (p *parser) numeral(rest string, at int) int {
	n := digits(rest)
	if n < len(rest) && rest[n] == '.' {
		n++
		n += digits(rest[n:])
	}
	if n < len(rest) && (rest[n] == 'e' || rest[n] == 'E') {
		m := n + 1
		if m < len(rest) && (rest[m] == '+' || rest[m] == '-') {
			m++
		}
		if d := digits(rest[m:]); d > 0 {
			n = m + d
		}
	}
	if r, _ := utf8.DecodeRuneInString(rest[n:]); n < len(rest) && (r == '.' || InName(r)) {
		end := n + strings.IndexFunc(rest[n:]+" ", func(r rune) bool { return r != '.' && !InName(r) })
		p.fail(span{at, at + end}, "%s is neither a number nor a name", quoted(rest[:end]))
	}
	return n
}

func digits(s string) int {
	n := 0
	for n < len(s) && isDigit(rune(s[n])) {
		n++
	}
	return n
}
