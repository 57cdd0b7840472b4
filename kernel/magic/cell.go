package magic

import (
	"fmt"
	"slices"
	"strings"

	"github.com/topos-notebook/topos/topos/language"
)

// Cell is a cell taken apart.
type Cell struct {
	// Tape says that the cell is a tape cell: all of it is in Steps.
	Tape bool
	// Steps are the lines of a tape cell, in order.
	Steps []Step
	// Before and After are the magics above and below the Go code.
	Before, After []Magic
	// Go is what GoNB is to run, with the kernel's own lines blanked so that line
	// numbers agree; "" where nothing is left to run.
	Go string
}

// Step is one line of a tape cell: a magic, or an assignment.
type Step struct {
	language.Line
	Magic *Magic // nil for an assignment
}

const (
	tapeCell = "%%tape"
	hidden   = "//gonb:" // GoNB takes what follows for a magic
)

// Split takes a cell apart. A cell without anything of the kernel's own is
// forwarded untouched. Line numbers of the parts are those of the cell. The
// error is a [*language.Error]; it names the line.
func Split(code string) (Cell, error) {
	code = plain(code)
	lines := strings.Split(code, "\n")
	if i := slices.IndexFunc(lines, isTape); i >= 0 && i == slices.IndexFunc(lines, isWritten) {
		steps, err := Steps(code)
		return Cell{Tape: true, Steps: steps}, err
	}
	if isOther(lines[0]) {
		return Cell{Go: code}, nil
	}
	return splitGo(code, lines)
}

// writesFile is the magic whose cell is the text of a file, to the byte.
const writesFile = "%%writefile"

// plain is a cell without what editors of other systems leave: a byte order mark,
// and lines that end in CRLF. GoNB knows no magic that a carriage return follows.
func plain(code string) string {
	code = strings.TrimPrefix(code, "\uFEFF")
	first, rest, more := strings.Cut(code, "\n")
	if strings.HasPrefix(code, writesFile) && more {
		return strings.TrimSuffix(first, "\r") + "\n" + rest
	}
	return strings.ReplaceAll(code, "\r\n", "\n")
}

func whole(number int, source, format string, args ...any) *language.Error {
	return language.Line{Number: number, Source: source}.Fault(fmt.Errorf(format, args...))
}

// Steps reads a program of the tape language with its magics: the text of a tape
// cell, whose first line may be left out. The error is a [*language.Error].
func Steps(text string) ([]Step, error) {
	lines := strings.Split(text, "\n")
	if i := slices.IndexFunc(lines, isWritten); i >= 0 && isTape(lines[i]) {
		rest := strings.TrimSpace(strings.TrimSpace(lines[i])[len(tapeCell):])
		if rest != "" && rest[0] != '#' {
			return nil, whole(i+1, lines[i], "%s takes no options", tapeCell)
		}
		lines[i] = ""
	}
	program, err := language.Parse(strings.Join(lines, "\n"))
	if err != nil {
		return nil, err
	}
	var steps []Step
	for _, l := range program.Lines() {
		step := Step{Line: l}
		if l.Reading != "" {
			m, err := Parse(l.Number, l.Source)
			if err != nil {
				return nil, err
			}
			step.Magic = &m
		}
		steps = append(steps, step)
	}
	return steps, nil
}

func isWritten(l string) bool { return strings.TrimSpace(l) != "" }

// isTape says whether a line makes its cell a tape cell.
func isTape(l string) bool {
	word := strings.Fields(l)
	return len(word) > 0 && word[0] == tapeCell
}

// isOther says whether the first line makes the cell one of another language,
// which GoNB runs.
func isOther(first string) bool {
	word, _, _ := strings.Cut(strings.TrimPrefix(first, hidden), " ")
	return len(word) > 2 && strings.HasPrefix(word, "%%")
}

// lineKind is what a line of a Go cell is.
type lineKind uint8

const (
	blankLine lineKind = iota // or a comment of Go
	ownLine                   // a magic of the kernel
	otherLine                 // a magic of GoNB or a shell command
	goLine
)

// splitGo parts the kernel's own magics from the rest. They may stand above the
// first or below the last line of Go; in a cell without Go, above the first or
// below the last of what GoNB runs.
func splitGo(code string, lines []string) (Cell, error) {
	kinds := make([]lineKind, len(lines))
	own, center := false, otherLine
	for i := 0; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], tapeCell) && isTape(lines[i]) {
			return Cell{}, whole(i+1, lines[i], "%s must be the first line of its cell", tapeCell)
		}
		kinds[i] = kindOf(lines[i])
		own = own || kinds[i] == ownLine
		if kinds[i] == goLine {
			center = goLine
		}
		for kinds[i] == otherLine && strings.HasSuffix(lines[i], `\`) && i+1 < len(lines) {
			i++ // the command goes on
			kinds[i] = otherLine
		}
	}
	if !own {
		return Cell{Go: code}, nil
	}
	first, last := len(lines), -1
	rest := false
	for i, k := range kinds {
		rest = rest || k == goLine || k == otherLine
		if k == center {
			first, last = min(first, i), i
		}
	}
	var c Cell
	for i, k := range kinds {
		if k != ownLine {
			continue
		}
		m, err := Parse(i+1, lines[i])
		if err != nil {
			return Cell{}, err
		}
		switch {
		case i < first:
			c.Before = append(c.Before, m)
		case i > last:
			c.After = append(c.After, m)
		default:
			return Cell{}, whole(i+1, lines[i], "%%%s stands between lines of Go: move it above line %d or below line %d", m.Name, first+1, last+1)
		}
		lines[i] = ""
	}
	if rest {
		c.Go = strings.Join(lines, "\n")
	}
	return c, nil
}

func kindOf(l string) lineKind {
	bare := strings.TrimPrefix(l, hidden)
	switch {
	case strings.TrimSpace(l) == "" || isComment(l):
		return blankLine
	case bare != "" && bare[0] == '%':
		name, _, _ := strings.Cut(strings.TrimRight(bare[1:], " \t\r"), " ")
		if name, _, _ = strings.Cut(name, "\t"); Known(name) {
			return ownLine
		}
		return otherLine
	case bare != "" && bare[0] == '!':
		return otherLine
	default:
		return goLine
	}
}

// isComment says whether a line is nothing but a comment of Go.
func isComment(l string) bool {
	return strings.HasPrefix(strings.TrimSpace(l), "//") && !strings.HasPrefix(l, hidden)
}
