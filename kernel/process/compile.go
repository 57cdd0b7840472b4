package process

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

var (
	// complaint is a line of the compiler, go vet, the go command or a parser
	// about generated code: place, line, perhaps column, message.
	complaint = regexp.MustCompile(`^(?:vet: )?((?:\S*/)?main(?:_test)?\.go):(\d+)(?::(\d+))?: (.*)$`)

	// missing are the ways in which the go command says that a package is in
	// no module it may use.
	missing = []*regexp.Regexp{
		regexp.MustCompile(`^no required module provides package (\S+?)(?:; to add it:)?$`),
		regexp.MustCompile(`^cannot find module providing package (\S+?)(?::.*)?$`),
		regexp.MustCompile(`^module lookup disabled by GOPROXY=off: (\S+)$`),
	}
	// undeclared is what the parser says of a statement where declarations belong.
	undeclared = regexp.MustCompile(`^expected declaration, found `)

	notStandard = regexp.MustCompile(`^(package \S+ is not in std) \(.*\)$`)

	// ofImport is a line of go get about a package; importing the line before
	// it, which says what imports the package.
	ofImport  = regexp.MustCompile(`^\t(\S+): (.*)$`)
	importing = regexp.MustCompile(`^(?:go: )?\S+ imports$`)

	// aside are lines that add nothing to a complaint.
	aside = regexp.MustCompile(`^(?:# .*|\tgo get \S+|go: finding module for package .*|)$`)
)

// CompileErrors turns what the go command or GoNB's parser says about
// generated code into lines about cells: "cell 4 line 3: undefined: foo", then
// the source line and a caret under the column. Other lines stay, but for the
// names of temporary folders. A package that is in no module is said together
// with the magic that fetches it.
func (s *Supervisor) CompileErrors(text string) string {
	work := s.workFolder()
	generated := s.generated()
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	var out []string
	for i, line := range lines {
		if aside.MatchString(line) || importing.MatchString(line) {
			continue
		}
		if parts := complaint.FindStringSubmatch(line); parts != nil && ofCell(parts[1], work) {
			at, _ := strconv.Atoi(parts[2])
			column, _ := strconv.Atoi(parts[3])
			out = append(out, s.complain(generated, at, column, scrub(explain(parts[4]), work))...)
			continue
		}
		if parts := ofImport.FindStringSubmatch(line); parts != nil && i > 0 && importing.MatchString(lines[i-1]) {
			at, column := importLine(generated, parts[1])
			out = append(out, s.complain(generated, at, column, scrub(explain(parts[2]), work))...)
			continue
		}
		out = append(out, scrub(explain(line), work))
	}
	return strings.Join(out, "\n")
}

// complain says where a message belongs, and shows it.
func (s *Supervisor) complain(generated *listing, line, column int, message string) []string {
	where := "in the code around the cell"
	if frame, found := s.locate(generated, line); found {
		where = fmt.Sprintf("cell %d line %d", frame.Cell, frame.Line)
		if undeclared.MatchString(message) && !s.opened(frame) {
			message += "; statements stand below a line %%"
		}
	}
	return append([]string{where + ": " + message}, pointAt(generated, line, column)...)
}

// opened says whether the statements of a cell have begun above a place in it.
func (s *Supervisor) opened(at Frame) bool {
	s.mu.Lock()
	cell := s.cells[at.Cell]
	s.mu.Unlock()
	return cell != nil && slices.ContainsFunc(cell.lines[:min(at.Line, len(cell.lines))], mainLine)
}

// importLine finds the first line that imports a package, and the column of
// its path; 0 when there is none.
func importLine(generated *listing, path string) (line, column int) {
	if generated == nil {
		return 0, 0
	}
	for i, text := range generated.lines {
		if at := strings.Index(text, strconv.Quote(path)); at >= 0 {
			return i + 1, at + 1
		}
	}
	return 0, 0
}

// ofCell says whether a path names the generated code: alone, from the
// current folder, or in GoNB's.
func ofCell(path, work string) bool {
	folder := filepath.Base(filepath.Dir(path))
	return folder == "." || work != "" && folder == filepath.Base(work)
}

// explain says some messages in the terms of a notebook.
func explain(message string) string {
	for _, m := range missing {
		if parts := m.FindStringSubmatch(message); parts != nil {
			return fmt.Sprintf("package %s is in none of the modules at hand: fetch its module with %%get %s@latest", parts[1], parts[1])
		}
	}
	if parts := notStandard.FindStringSubmatch(message); parts != nil {
		return parts[1]
	}
	return message
}

// pointAt shows a line of the generated code and a caret under a column, which
// counts bytes from 1; no caret for column 0, nothing for a line that is not
// there.
func pointAt(generated *listing, line, column int) []string {
	source := generated.line(line)
	bare := strings.TrimSpace(source)
	if bare == "" {
		return nil
	}
	shown := []string{"    " + bare}
	indent := strings.Index(source, bare)
	if column < 1 || column-1 < indent || column-1 > len(source) {
		return shown
	}
	before := source[indent : column-1]
	var caret strings.Builder
	for _, r := range before {
		if r == '\t' {
			caret.WriteRune(r) // as wide as the tab above it
		} else {
			caret.WriteByte(' ')
		}
	}
	if !utf8.ValidString(before) {
		return shown
	}
	return append(shown, "    "+caret.String()+"^")
}
