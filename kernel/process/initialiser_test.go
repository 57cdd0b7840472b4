package process

import (
	"slices"
	"strings"
	"testing"
)

func TestDeclaredAt(t *testing.T) {
	const cell = `import "fmt"
%autoget
var one = first()

var (
	two, three = second(
		1,
	)
	four int
)
const five = 5

func init_tables() {
	fill()
}

func (t table) init_more() { fill() }

func ordinary() { var six = fill() }

%% --flag
var seven = first()
`
	for line, want := range map[int]string{1: "", 3: "one", 4: "", 6: "two three", 7: "two three", 9: "four", 11: "",
		14: "init_tables", 17: "", 19: "", 22: "", 99: ""} {
		if got := strings.Join(declaredAt(strings.Split(cell, "\n"), line), " "); got != want {
			t.Errorf("line %d declares %q, want %q", line, got, want)
		}
	}
	if got := declaredAt([]string{"func {", "var a = 1"}, 9); got != nil {
		t.Errorf("a cell that is no Go declares %q", got)
	}
}

func TestBlame(t *testing.T) {
	const first = "var a = f()\n\nfunc f() int {\n\tpanic(1)\n}\n"
	s := known(t, "package main\n\nvar (\n\ta = f()\n)\n\nfunc f() int {\n\tpanic(1)\n}\n\nfunc main() {\n}\n", first, "%%\n")
	for _, test := range []struct {
		name, stack string
		cell        int
		declared    []string
	}{
		{"in an initialiser", "main.f(...)\n\tgonb_0123abcd/main.go:8\nmain.init()\n\tgonb_0123abcd/main.go:4 +0x1d\n", 1, []string{"a"}},
		{"in a goroutine that it started", "main.f(...)\n\tgonb_0123abcd/main.go:8\ncreated by main.init in goroutine 1\n\tgonb_0123abcd/main.go:4 +0x1d\n", 1, []string{"a"}},
		{"in main", "main.f(...)\n\tgonb_0123abcd/main.go:8\nmain.main()\n\tgonb_0123abcd/main.go:11 +0x1d\n", 0, nil},
	} {
		crash := &Crash{Frames: crashFrames(test.stack)}
		s.locateFrames(crash)
		if crash.Initialiser.Cell != test.cell || !slices.Equal(crash.Declared, test.declared) {
			t.Errorf("%s: %+v declares %q", test.name, crash.Initialiser, crash.Declared)
		}
	}
}
