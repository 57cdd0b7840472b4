package gonb

import (
	"go/parser"
	"go/scanner"
	"go/token"
	"strings"
	"unicode/utf8"
)

// IsComplete tells whether a cell is ready to run, as is_complete_reply words
// it: "complete", "incomplete" with the indent of the next line, or "invalid".
func IsComplete(code string) (status, indent string) {
	if strings.TrimSpace(code) == "" {
		return "complete", ""
	}
	outline := Outline(code)
	if outline.Magic != "" { // a script may go on: an empty line ends it
		lines := strings.Split(code, "\n")
		if len(lines) > 1 && strings.TrimSpace(lines[len(lines)-1]) == "" {
			return "complete", ""
		}
		return "incomplete", ""
	}
	if !outline.HasGo {
		if strings.HasSuffix(strings.TrimRight(code, " \t"), `\`) {
			return "incomplete", ""
		}
		if n := len(outline.Lines); n > 0 && outline.Lines[n-1].Opens() {
			return "incomplete", "" // the program is still to come
		}
		return "complete", ""
	}
	declarations, body, hasMain := split(code, outline)
	for _, part := range []string{declarations, body} {
		depth, open := scan(part)
		switch {
		case depth < 0:
			return "invalid", ""
		case depth > 0 || open:
			return "incomplete", strings.Repeat("\t", depth)
		}
	}
	source := declarations
	if hasMain {
		source += "\nfunc main() {\n" + body + "\n}\n"
	}
	source = "package cell\n" + source
	_, err := parser.ParseFile(token.NewFileSet(), "", source, parser.SkipObjectResolution)
	if err == nil {
		return "complete", ""
	}
	if unfinished(body + declarations) {
		return "incomplete", ""
	}
	return "invalid", ""
}

// GoParts returns the Go of a cell: its declarations, and the main program that
// follows a %% line. Joined by a line break they are the cell, with what is not Go
// blanked, so that every code point stands where it stood. It returns false for a
// cell that is something else.
func GoParts(code string) (declarations, body string, ok bool) {
	outline := Outline(code)
	if outline.Magic != "" || !outline.HasGo {
		return "", "", false
	}
	declarations, body, _ = split(code, outline)
	return declarations, body, true
}

// split separates declarations from the main program that follows a %% line,
// and blanks the lines that are not Go.
func split(code string, outline Cell) (declarations, body string, hasMain bool) {
	lines := strings.Split(code, "\n")
	start := len(lines)
	for _, l := range outline.Lines {
		if !hasMain && l.Opens() {
			hasMain, start = true, l.Number
		}
		for i := l.Number - 1; i < len(lines); i++ {
			more := strings.HasSuffix(lines[i], `\`)
			lines[i] = strings.Repeat(" ", utf8.RuneCountInString(lines[i]))
			if !more {
				break
			}
		}
	}
	return strings.Join(lines[:start], "\n"), strings.Join(lines[start:], "\n"), hasMain
}

// scan counts brackets: the depth at the end, -1 where they do not match. Open
// says that a raw string or a comment has no end.
func scan(code string) (depth int, open bool) {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(file, []byte(code), func(_ token.Position, msg string) {
		open = open || strings.Contains(msg, "raw string literal not terminated") || strings.Contains(msg, "comment not terminated")
	}, 0)
	closing := map[token.Token]token.Token{token.LPAREN: token.RPAREN, token.LBRACK: token.RBRACK, token.LBRACE: token.RBRACE}
	var expected []token.Token
	for {
		_, tok, _ := s.Scan()
		switch tok {
		case token.EOF:
			return len(expected), open
		case token.LPAREN, token.LBRACK, token.LBRACE:
			expected = append(expected, closing[tok])
		case token.RPAREN, token.RBRACK, token.RBRACE:
			if len(expected) == 0 || expected[len(expected)-1] != tok {
				return -1, open
			}
			expected = expected[:len(expected)-1]
		}
	}
}

// unfinished reports whether the last token asks for something to follow.
func unfinished(code string) bool {
	fset := token.NewFileSet()
	file := fset.AddFile("", -1, len(code))
	var s scanner.Scanner
	s.Init(file, []byte(code), nil, 0)
	last := token.EOF
	for {
		_, tok, text := s.Scan()
		if tok == token.EOF {
			break
		}
		if tok == token.SEMICOLON && text == "\n" {
			continue
		}
		last = tok
	}
	switch last {
	case token.RPAREN, token.RBRACK, token.RBRACE, token.INC, token.DEC, token.SEMICOLON, token.EOF,
		token.RETURN, token.BREAK, token.CONTINUE, token.FALLTHROUGH:
		return false
	}
	return last.IsOperator() || last.IsKeyword()
}
