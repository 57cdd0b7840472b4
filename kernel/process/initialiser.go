package process

import (
	"go/ast"
	"go/parser"
	"go/token"
	"regexp"
	"strings"
)

// GoNB keeps the declarations of a cell once it is compiled, whatever becomes of
// its program. An initialiser that panics would then end every later cell too.

// initialiserCall is how a dump names a call of an initialiser in generated code.
var initialiserCall = regexp.MustCompile(`^init(?:\.\d+)?$`)

// blame finds the package-level declaration whose initialiser crashed.
func (s *Supervisor) blame(crash *Crash) {
	for _, f := range crash.Frames {
		if !initialiserCall.MatchString(f.Func) || f.Cell == 0 {
			continue
		}
		s.mu.Lock()
		cell := s.cells[f.Cell]
		s.mu.Unlock()
		if cell != nil {
			crash.Initialiser = f
			crash.Declared = declaredAt(cell.lines, f.Line)
		}
		return
	}
}

// declaredAt gives the variables, or the function called init_something, that
// stand at a line of a cell, counted from 1; none where anything else stands.
func declaredAt(lines []string, line int) (names []string) {
	// A cell is not a file: its magics are none of Go's, and what follows the
	// main line is statements.
	text := make([]string, 0, len(lines))
	for _, l := range lines {
		if mainLine(l) {
			break
		}
		if strings.HasPrefix(l, "%") || strings.HasPrefix(l, "!") {
			l = ""
		}
		text = append(text, l)
	}
	files := token.NewFileSet()
	file, _ := parser.ParseFile(files, "", "package main;"+strings.Join(text, "\n"), parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Recv == nil && strings.HasPrefix(d.Name.Name, "init_") && spans(files, d, line) {
				names = append(names, d.Name.Name)
			}
		case *ast.GenDecl:
			for _, spec := range d.Specs {
				v, ok := spec.(*ast.ValueSpec)
				if !ok || d.Tok != token.VAR || !spans(files, v, line) {
					continue
				}
				for _, name := range v.Names {
					names = append(names, name.Name)
				}
			}
		}
	}
	return names
}

// mainLine says whether a line begins the statements of a cell.
func mainLine(l string) bool {
	word, _, _ := strings.Cut(strings.TrimRight(strings.TrimPrefix(l, "//gonb:"), "\r"), " ")
	return word == "%%" || word == "%main"
}

func spans(files *token.FileSet, n ast.Node, line int) bool {
	return files.Position(n.Pos()).Line <= line && line <= files.Position(n.End()).Line
}
