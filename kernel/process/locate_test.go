package process

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// known makes a supervisor that has seen cells, of which the last is current,
// and finds generated in GoNB's folder.
func known(t testing.TB, generated string, cells ...string) *Supervisor {
	t.Helper()
	work := filepath.Join(t.TempDir(), "gonb_0123abcd")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(work, "main.go"), []byte(generated), 0o600); err != nil {
		t.Fatal(err)
	}
	s := &Supervisor{work: work, cells: map[int]*listing{}}
	for i, text := range cells {
		s.cells[i+1] = newListing(text)
	}
	return s
}

func TestLocate(t *testing.T) {
	const generated = `package main

import (
	"fmt"
	m "math"
)

var (
	a int = 3
	b = m.Sqrt(2)
)

const Pi2 = 2 * m.Pi

func first(x int) int {
	x++
	x++
	return x
}

func second(x int) int {
	x++
	return x
}

func main() {
	fmt.Println(first(1))
	fmt.Println("same")
	fmt.Println("same")
	x := 0
	x++
	fmt.Println(x)
}
`
	cells := []string{
		"import \"fmt\"\nimport m  \"math\"\nvar a int = 3 // three\nconst Pi2 = 2 * m.Pi\nvar (\n\tb   =  m.Sqrt(2)\n)",
		"func first(x int) int {\n    x++\n    x++\n    return x\n}\n\nfunc second(x int) int {\n\tx++\n\treturn x\n}",
		"%args a b\n%%\nfmt.Println(first(1))\r\nfmt.Println(\"same\")\nfmt.Println(\"same\")\nx := 0\nx++\nfmt.Println(x)",
	}
	s := known(t, generated, cells...)
	want := map[string]string{}
	for _, pair := range []string{
		`1 0:0`, `4 1:1`, `5 1:2`, `9 1:3`, `10 1:6`, `13 1:4`,
		`15 2:1`, `16 2:2`, `17 2:3`, `18 2:4`, `21 2:7`, `22 2:8`, `23 2:9`,
		`27 3:3`, `28 3:4`, `29 3:5`, `30 3:6`, `31 3:7`, `32 3:8`,
		`0 0:0`, `99 0:0`, `-1 0:0`,
	} {
		line, place, _ := strings.Cut(pair, " ")
		want[line] = place
	}
	for line, place := range want {
		var n int
		fmt.Sscan(line, &n)
		frame, found := s.Locate(n)
		if got := fmt.Sprintf("%d:%d", frame.Cell, frame.Line); got != place || found != (place != "0:0") {
			t.Errorf("line %s is at %s (%v), want %s: %q", line, got, found, place, frame.Source)
		}
	}
}

// TestLocateRedefinition has a function defined in two cells: of the lines
// they share, those of the newer cell are meant.
func TestLocateInit(t *testing.T) {
	s := known(t, "package main\n\nfunc init() { f() }\n", "func init_tables() { f() }")
	if f, ok := s.Locate(3); !ok || f.Cell != 1 || f.Line != 1 {
		t.Errorf("found %v: %+v", ok, f)
	}
}

func TestLocateRedefinition(t *testing.T) {
	const old = "func f(x int) int {\n\ty := x\n\treturn y / 2\n}"
	const new = "// again\nfunc f(x int) int {\n\ty := x\n\treturn y / 3\n}"
	s := known(t, "package main\n\nfunc f(x int) int {\n\ty := x\n\treturn y / 3\n}\n\nfunc main() {\n\tf(1)\n}\n", old, new, "%%\nf(1)")
	for line, want := range map[int]string{3: "2:2", 4: "2:3", 5: "2:4", 9: "3:2"} {
		if frame, _ := s.Locate(line); fmt.Sprintf("%d:%d", frame.Cell, frame.Line) != want {
			t.Errorf("line %d is at %+v, want %s", line, frame, want)
		}
	}
}

// TestLocateInLongNotebook has many cells of the same lines: finding a place
// must not take time out of proportion.
func TestLocateInLongNotebook(t *testing.T) {
	body := strings.Repeat("x++\n", 200)
	cells := make([]string, 300)
	for i := range cells {
		cells[i] = "%%\nx := 0\n" + body
	}
	s := known(t, "package main\n\nfunc main() {\n\tx := 0\n"+body+"}\n", cells...)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for _, line := range []int{5, 100, 204} {
			if frame, _ := s.Locate(line); frame.Cell != 300 || frame.Line != line-2 {
				t.Errorf("line %d is at %+v", line, frame)
			}
		}
	}()
	select {
	case <-done:
	case <-time.After(60 * time.Second):
		t.Fatal("takes too long")
	}
}

func TestCompileErrors(t *testing.T) {
	const generated = "package main\n\nimport (\n\t\"example.org/none\"\n)\n\nfunc main() {\n\tx := \"é\"; foo(3)\n\tvar s string = 1\n\t_ = none.X\n}\n"
	const cell = "import \"example.org/none\"\n%%\nx := \"é\"; foo(3)\nvar s string = 1\n_ = none.X"
	s := known(t, generated, "1", "2", cell)
	for _, test := range []struct{ name, text, want string }{
		{"nothing", "", ""},
		{"plain", "# gonb_0123abcd\n./main.go:8:13: undefined: foo\n",
			"cell 3 line 3: undefined: foo\n    x := \"é\"; foo(3)\n              ^"},
		{"absolute", "WORK/main.go:9:17: cannot use 1 (untyped int constant) as string value in variable declaration",
			"cell 3 line 4: cannot use 1 (untyped int constant) as string value in variable declaration\n    var s string = 1\n                   ^"},
		{"by module", "gonb_0123abcd/main.go:8:2: declared and not used: x",
			"cell 3 line 3: declared and not used: x\n    x := \"é\"; foo(3)\n    ^"},
		{"no column", "./main.go:8: vague", "cell 3 line 3: vague\n    x := \"é\"; foo(3)"},
		{"column beyond", "./main.go:8:99: far", "cell 3 line 3: far\n    x := \"é\"; foo(3)"},
		{"continued", "./main.go:8:13: not enough arguments in call to foo\n\thave (number)\n\twant (int, int)",
			"cell 3 line 3: not enough arguments in call to foo\n    x := \"é\"; foo(3)\n              ^\n\thave (number)\n\twant (int, int)"},
		{"missing", "main.go:4:2: no required module provides package example.org/none; to add it:\n\tgo get example.org/none",
			"cell 3 line 1: package example.org/none is in none of the modules at hand: fetch its module with %get example.org/none@latest\n    \"example.org/none\"\n    ^"},
		{"looked for", "go: finding module for package example.org/none\ngo: gonb_0123abcd imports\n\texample.org/none: cannot find module providing package example.org/none: module lookup disabled by GOPROXY=off\ngo: gonb_0123abcd imports\n\texmple: package exmple is not in std (/usr/local/go/src/exmple)",
			"cell 3 line 1: package example.org/none is in none of the modules at hand: fetch its module with %get example.org/none@latest\n    \"example.org/none\"\n    ^\n" +
				"in the code around the cell: package exmple is not in std"},
		{"not standard", "main.go:4:2: package exmple is not in std (/usr/local/go/src/exmple)",
			"cell 3 line 1: package exmple is not in std\n    \"example.org/none\"\n    ^"},
		{"line of nobody", "./main.go:99:1: strange", "in the code around the cell: strange"},
		{"another file", "../elsewhere/main.go:3:1: broken", "../elsewhere/main.go:3:1: broken"},
		{"folder within", "open WORK/data.txt: no such file", "open data.txt: no such file"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := s.CompileErrors(strings.ReplaceAll(test.text, "WORK", s.work))
			if got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
			if strings.Contains(got, "gonb_") || strings.Contains(got, s.work) {
				t.Errorf("names the folder: %s", got)
			}
		})
	}
}

// TestStatementsOutside has the parser refuse what is no declaration: where the
// statements of its cell have not begun, it is said where they may stand.
func TestStatementsOutside(t *testing.T) {
	const hint = "; statements stand below a line %%"
	for _, test := range []struct {
		cell string
		line int
		hint string
	}{
		{"s.Get(1)", 1, hint},
		{"var a = 1\n\ns.Get(1)", 3, hint},
		{"%args 1\ns.Get(1)\n%%\nf()", 2, hint},
		{"%%\n}\ns.Get(1)", 3, ""},
		{"%main\n}\ns.Get(1)", 3, ""},
	} {
		s := known(t, "package main\n\ns.Get(1)\n", test.cell)
		got, _, _ := strings.Cut(s.CompileErrors("main.go:3:1: expected declaration, found s"), "\n")
		if want := fmt.Sprintf("cell 1 line %d: expected declaration, found s%s", test.line, test.hint); got != want {
			t.Errorf("%q: %q, want %q", test.cell, got, want)
		}
	}
}

func FuzzCompileErrors(f *testing.F) {
	const generated = "package main\n\nfunc main() {\n\tfoo(\"é\")\n\n}\n"
	f.Add("./main.go:4:2: undefined: foo")
	f.Add("# gonb_0123abcd\nmain_test.go:4:99999999999999999999: x\n\tgo get x")
	f.Add("vet: ./main.go:5:1: \xff")
	f.Add("main.go:4:8: amid a rune")
	s := known(f, generated, "%%\nfoo(\"é\")\n")
	f.Fuzz(func(t *testing.T, text string) {
		got := s.CompileErrors(text)
		if strings.Contains(got, s.work) {
			t.Errorf("%q names the folder: %q", text, got)
		}
	})
}
