package language

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Program is a parsed program: its lines in order, without blank lines and
// comments.
type Program struct {
	lines []Line
}

// Line is one line of a program: an assignment, or a request for a reading.
type Line struct {
	Number int    // counted from 1
	Source string // the line as it was written
	// Reading is the request, from its percent sign on, or "" for an assignment.
	Reading string
	// Name is what an assignment binds.
	Name string

	source *source // a source as the right-hand side, or
	steps  []step  // an expression in postfix order
}

// Lines lists the lines of the program.
func (p *Program) Lines() []Line { return p.lines }

// Fault makes an error of the whole line, for whoever runs a reading.
func (l Line) Fault(err error) *Error {
	indent := len(l.Source) - len(strings.TrimLeft(l.Source, " \t"))
	f := fault(l.Number, l.Source, span{indent, len(strings.TrimRight(l.Source, " \t"))}, "%s", err)
	f.Err = err
	return f
}

// Parse reads a program. It checks everything that does not depend on what is
// recorded: spelling, functions and their arguments. The error is an [*Error].
//
// Lines end with \n or \r\n, the last one also without; a byte order mark is
// skipped. A program without any assignment or reading is an error.
func Parse(text string) (*Program, error) {
	if err := checkUTF8(text); err != nil {
		return nil, err
	}
	text = strings.TrimPrefix(text, "\uFEFF")
	program := &Program{}
	number := 0
	for line := range strings.SplitSeq(text, "\n") {
		number++
		line = strings.TrimSuffix(line, "\r")
		switch trimmed := strings.TrimSpace(line); {
		case trimmed == "" || trimmed[0] == '#':
		case trimmed[0] == '%':
			program.lines = append(program.lines, Line{Number: number, Source: line, Reading: trimmed})
		default:
			parsed, err := parseLine(number, line)
			if err != nil {
				return nil, err
			}
			program.lines = append(program.lines, parsed)
		}
	}
	if len(program.lines) == 0 {
		return nil, &Error{Message: "the program is empty: write an assignment, such as x = input [1, 2]"}
	}
	return program, nil
}

// checkUTF8 finds the first byte that is no part of a code point.
func checkUTF8(text string) error {
	if utf8.ValidString(text) {
		return nil
	}
	at := 0
	for {
		r, size := utf8.DecodeRuneInString(text[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	start := strings.LastIndexByte(text[:at], '\n') + 1
	end := len(text)
	if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
		end = at + i
	}
	return fault(1+strings.Count(text[:at], "\n"), strings.TrimSuffix(text[start:end], "\r"), span{at - start, at - start + 1},
		"the program is not UTF-8: byte 0x%02x at offset %d", text[at], at)
}

// parseLine reads one assignment.
func parseLine(number int, line string) (parsed Line, err error) {
	p := &parser{lineNumber: number, line: line}
	defer func() {
		switch f := recover().(type) {
		case nil:
		case *Error:
			err = f
		default:
			panic(f)
		}
	}()
	p.scan()
	p.assignment()
	return Line{Number: number, Source: line, Name: p.name, source: p.source, steps: p.steps}, nil
}

// fail ends the parse of a line; parseLine recovers it.
func (p *parser) fail(at span, format string, args ...any) {
	panic(fault(p.lineNumber, p.line, at, "%s", fmt.Sprintf(format, args...)))
}
