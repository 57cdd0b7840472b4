package language_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
)

// FuzzParse records whatever parses: no program may panic, a fault has a place
// and one line, and a refused program leaves nothing.
func FuzzParse(f *testing.F) {
	f.Add(walkthrough)
	programs, _ := filepath.Glob("testdata/programs/*.tape")
	for _, path := range programs {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text))
	}
	for _, r := range refused {
		f.Add(r.program)
	}
	f.Fuzz(func(t *testing.T, text string) {
		program, err := language.Parse(text)
		if err != nil {
			checkFault(t, err)
			return
		}
		if len(program.Lines()) == 0 {
			t.Fatal("a program of no lines")
		}
		// Large sources would only measure the machine's memory.
		if program.Drawn() > 10_000 {
			return
		}
		tape, names := topos.New(topos.F32), &language.Names{}
		bindings, err := language.Record(program, tape, names)
		if err != nil {
			checkFault(t, err)
			if tape.Len() != 0 || names.Len() != 0 {
				t.Fatalf("%d nodes and %d names are left", tape.Len(), names.Len())
			}
			return
		}
		for _, b := range bindings {
			if !language.IsName(b.Name) {
				t.Fatalf("bound %q", b.Name)
			}
			tape.Resolve(b.Symbol)
		}
		again := topos.New(topos.F32)
		if _, err := language.Record(program, again, &language.Names{}); err != nil || again.Describe() != tape.Describe() {
			t.Fatalf("a second time: %v\n%s", err, again.Describe())
		}
	})
}

func checkFault(t *testing.T, err error) {
	t.Helper()
	var fault *language.Error
	if !errors.As(err, &fault) {
		t.Fatalf("a %T: %v", err, err)
	}
	if said := err.Error(); strings.ContainsAny(said, "\n\r") || len(said) > 2000 || !utf8.ValidString(said) {
		t.Fatalf("said %q", said)
	}
	caret := fault.Caret()
	if fault.Line == 0 != (caret == "") {
		t.Fatalf("line %d with %q", fault.Line, caret)
	}
	if caret != "" && (strings.Count(caret, "\n") != 1 || !strings.HasSuffix(caret, "^") || !utf8.ValidString(caret)) {
		t.Fatalf("showed %q", caret)
	}
}
