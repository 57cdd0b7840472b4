package main

import (
	"go/scanner"
	"go/token"
	"os"
	"path/filepath"
)

// quickFlags are further flags for a cell whose own code has no loop. Such code
// runs once, so that inlining it costs more than it saves: it is a quarter of
// what the compiler does. The packages that the cell imports keep it.
func quickFlags(work string) []string {
	if text, err := os.ReadFile(filepath.Join(work, "main.go")); err != nil || hasLoop(text) {
		return nil
	}
	return []string{"-gcflags=-l -dwarf=false"}
}

// hasLoop says whether Go source can repeat itself other than by recursion.
func hasLoop(source []byte) bool {
	var s scanner.Scanner
	files := token.NewFileSet()
	s.Init(files.AddFile("", files.Base(), len(source)), source, nil, 0)
	for {
		switch _, t, _ := s.Scan(); t {
		case token.FOR, token.GOTO:
			return true
		case token.EOF:
			return false
		}
	}
}
