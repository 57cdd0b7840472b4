package language

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Error is a fault of a program, with its place.
type Error struct {
	Line    int    // counted from 1; 0 where the fault is the whole program's
	Column  int    // code points from the start of the line, counted from 1; 0 for the whole line
	Width   int    // code points at fault, at least 1 where Column is set
	Message string // one sentence without the place
	Source  string // the line itself
	Err     error  // the *topos.Refusal behind it, or nil
}

// Error is one line: the line's number and the message.
func (e *Error) Error() string {
	if e.Line == 0 {
		return e.Message
	}
	return fmt.Sprintf("line %d: %s", e.Line, e.Message)
}

// Unwrap gives the refusal of the core, or nil.
func (e *Error) Unwrap() error { return e.Err }

// Caret is the source line and, below it, carets under the code points at fault.
// Tabs stay tabs in both, so that the carets stand where they belong; a long
// line is cut around the fault. It is "" where no column is known. There is no
// line break at its end.
func (e *Error) Caret() string {
	if e.Line == 0 || e.Column == 0 {
		return ""
	}
	source := []rune(strings.ToValidUTF8(e.Source, "\uFFFD"))
	from := min(max(e.Column-1, 0), len(source))
	to := min(from+max(e.Width, 1), len(source))
	first, last := window(len(source), from, to)
	var above, below strings.Builder
	if first > 0 {
		above.WriteString("...")
		below.WriteString("   ")
	}
	for i, r := range source[first:last] {
		blank := ' '
		switch {
		case r == '\t':
			blank = '\t'
		case !unicode.IsPrint(r):
			r = '\uFFFD'
		}
		above.WriteRune(r)
		switch at := first + i; {
		case at < from:
			below.WriteRune(blank)
		case at < to:
			below.WriteByte('^')
		}
	}
	if last < len(source) {
		above.WriteString("...")
	}
	if to == from {
		below.WriteByte('^')
	}
	return above.String() + "\n" + below.String()
}

// widest is how much of a source line is shown, in code points.
const widest = 100

// window chooses what part of a line of n code points is shown around a fault.
func window(n, from, to int) (first, last int) {
	if n <= widest {
		return 0, n
	}
	first = max(0, min(from-widest/3, n-widest))
	if to <= widest {
		first = 0
	}
	return first, first + widest
}

// A span is a range of bytes of one line.
type span struct{ from, to int }

func (s span) through(o span) span { return span{s.from, o.to} }

// fault makes the error of a span of a line.
func fault(number int, line string, at span, format string, args ...any) *Error {
	return &Error{
		Line:    number,
		Column:  utf8.RuneCountInString(line[:at.from]) + 1,
		Width:   max(1, utf8.RuneCountInString(line[at.from:at.to])),
		Message: fmt.Sprintf(format, args...),
		Source:  line,
	}
}

// quoted is a piece of a program as a message shows it, cut when long.
func quoted(s string) string {
	const most = 40
	if r := []rune(s); len(r) > most {
		s = string(r[:most]) + "..."
	}
	return s
}
