package godoc

import (
	"go/token"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const ours = "github.com/topos-notebook/topos"

// goroot asks the go command, as the kernel does.
func goroot(t testing.TB) string {
	t.Helper()
	text, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(text))
}

func library(t testing.TB) *Library {
	t.Helper()
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return New(goroot(t), ours, source)
}

// marked takes the cursor, a bar, out of a cell.
func marked(t testing.TB, code string) (string, int) {
	t.Helper()
	before, after, ok := strings.Cut(code, "|")
	if !ok {
		t.Fatalf("no cursor in %q", code)
	}
	return before + after, len([]rune(before))
}

func TestInspect(t *testing.T) {
	l := library(t)
	for _, c := range inspections {
		t.Run(c.name, func(t *testing.T) {
			a, found := l.Inspect(marked(t, c.code))
			if found != (c.want != nil) {
				t.Fatalf("found %v: %s", found, a.Plain)
			}
			for i, want := range c.want {
				if at := strings.Index(a.Plain, want); at < 0 || i == 0 && at > 0 {
					t.Errorf("%q is not where it should be in\n%s", want, a.Plain)
				}
			}
			if found && (!strings.HasPrefix(a.Markdown, "```go\n") || strings.Count(a.Markdown, "```") < 2) {
				t.Errorf("Markdown without its signature: %s", a.Markdown)
			}
		})
	}
}

// What earlier cells imported and declared is known in later ones, the last word
// counting.
func TestLearn(t *testing.T) {
	l := library(t)
	for _, cell := range []string{
		"import (\n\t\"math/rand\"\n\t. \"" + ours + "/topos\"\n\t_ \"embed\"\n)",
		"// Twice was wrong.\nfunc Twice(x int) int { return x }",
		"%env A=b\n// Twice is right.\nfunc Twice(x int) int { return 2 * x }\n\n%%\nlocal := Twice(1)\n_ = local",
		"// Point is a place.\ntype Point struct{ X int } \n\n// Norm is its size.\nfunc (p *Point) Norm() int { return p.X }\n\nvar origin, list = Point{}, 1",
		"%%bash\nnot Go {{",
	} {
		l.Learn(cell)
	}
	for code, want := range map[string]string{
		"%%\n_ = Twice|(1)":          "func Twice(x int) int\n\nTwice is right.",
		"%%\n_ = rand.Int|()":        "package rand // import \"math/rand\"",
		"%%\nvar p Point|":           "type Point struct",
		"%%\n_ = (*Point).Norm|":     "",
		"%%\n_ = Point.Norm|":        "func (p *Point) Norm() int\n\nNorm is its size.",
		"%%\n_ = origin|":            "var origin, list = Point{}, 1",
		"%%\nlist.New|()":            "",
		"%%\n_ = local|":             "",
		"%%\n_ = New|(F32)":          "package topos // import \"" + ours + "/topos\"",
		"%%\nTwice := 1\n_ = Twice|": "",
	} {
		a, found := l.Inspect(marked(t, code))
		if found != (want != "") || !strings.HasPrefix(a.Plain, want) {
			t.Errorf("%q: %v %s, want %s", code, found, a.Plain, want)
		}
	}
}

func TestComplete(t *testing.T) {
	l := library(t)
	l.Learn("import (\n\tr \"math/rand\"\n\t. \"strings\"\n)\n\nfunc VeryOwnName() int { return 1 }")
	for _, c := range []struct {
		code    string
		matches string // joined by blanks; a beginning and … where there are many
		length  int    // of what is replaced
	}{
		{"%%\nfmt.Printl|", "Println", 6},
		{"%%\n_ = \"🐹世\"; fmt.Printl|", "Println", 6},
		{"!echo 🐹世\n%%\nfmt.Printl|", "Println", 6},
		{"%%\nfmt.Pri|(1)", "Print Printf Println", 3},
		{"%%\nos.|", "Args …", 0},
		{"%%\nrand.Intn|", "Intn", 4},
		{"%%\nr.IntN|", "", 0},
		{"%%\nr.Int3|", "Int31 Int31n", 4},
		{"%%\n_ = VeryOwn|", "VeryOwnName", 7},
		{"%%\nveryLocal := 1\n_ = veryL|", "veryLocal", 5},
		{"%%\nToUpper|", "ToUpper ToUpperSpecial", 7},
		{"%%\nappen|", "append", 5},
		{"%%\nfallth|", "fallthrough", 6},
		{"%%\nfmt := 1\nfmt.Pri|", "", 0},
		{"%%\n// fmt.Pri|", "", 0},
		{"%%\n_ = \"fmt.Pri|", "", 0},
		{"%%\n_ = \"fmt.Pri|\"", "", 0},
		{"%%\nf().Pri|", "", 0},
		{"%%\n_ = 1.|", "", 0},
		{"%%\n|", "", 0},
		{"%%bash\nfmt.Pri|", "", 0},
	} {
		code, cursor := marked(t, c.code)
		got := l.Complete(code, cursor)
		matches := strings.Join(got.Matches, " ")
		beginning, many := strings.CutSuffix(c.matches, "…")
		if matches != c.matches && !(many && strings.HasPrefix(matches, beginning)) || got.End != cursor || got.End-got.Start != c.length {
			t.Errorf("%q: %+v, want %s for %d code points", c.code, got, c.matches, c.length)
		}
	}
}

// Markdown is read in a page that is none of the documentation's.
func TestLinksAreWhole(t *testing.T) {
	a, _ := library(t).Inspect("%%\nfmt.Println", 8)
	b, _ := library(t).Inspect("%%\nfmt.Fprintf", 8)
	c, _ := library(t).Inspect("%%\nerrors.Is", 9)
	all := a.Markdown + b.Markdown + c.Markdown
	if strings.Contains(all, "](#") || strings.Contains(all, "](/") || strings.Contains(all, "{#") {
		t.Error(all)
	}
	p, _ := library(t).Inspect("%%\nstrings.Builder", 15)
	if !strings.Contains(p.Markdown, "](https://pkg.go.dev/strings#Builder.") {
		t.Error(p.Markdown)
	}
}

func TestEveryKeywordIsExplained(t *testing.T) {
	l := library(t)
	for tok := range 128 {
		name := tokenName(tok)
		if name == "" {
			continue
		}
		if a, ok := l.Inspect("%%\n"+name, 4); !ok || len(a.Plain) < 20 {
			t.Errorf("%s: %q", name, a.Plain)
		}
	}
	if len(keywords) != 25 {
		t.Errorf("%d keywords", len(keywords))
	}
}

func TestALibraryOfNothing(t *testing.T) {
	l := New("", "", "")
	for _, code := range []string{"%%\nfmt.Println", "%%\nappend", "import \"../../etc\"\n"} {
		if a, ok := l.Inspect(code, 9); ok {
			t.Errorf("%q: %s", code, a.Plain)
		}
		if c := l.Complete(code, 9); len(c.Matches) > 0 {
			t.Errorf("%q: %v", code, c.Matches)
		}
	}
}

// The kernel answers each request on a goroutine of its own.
func TestManyAskAtOnce(t *testing.T) {
	l := library(t)
	var all sync.WaitGroup
	for _, code := range []string{"%%\nfmt.Println|", "%%\nos.Exi|", "%%\nstrings.Builder.Len|", "%%\nappend|", "var x = 1\n%%\nfmt.Fprin|", "%%\nfmt.Println|"} {
		cell, cursor := marked(t, code)
		all.Go(func() {
			for range 5 {
				l.Inspect(cell, cursor)
				l.Complete(cell, cursor)
				l.Learn(cell)
			}
		})
	}
	all.Wait()
}

func TestTheShelfIsSmall(t *testing.T) {
	l := library(t)
	for _, at := range []string{"fmt", "os", "fmt", "strings", "errors", "fmt", "io"} {
		if b := l.open(at); b == nil || l.shelf[0] != b || len(l.shelf) > shelfSize {
			t.Fatalf("%s: %v", at, l.shelf)
		}
	}
	if !slices.ContainsFunc(l.shelf, func(b *book) bool { return b.path == "fmt" }) {
		t.Error("what is used is put away")
	}
}

// FuzzCell: whatever is typed, there is an answer or none, within the cell.
func FuzzCell(f *testing.F) {
	for _, seed := range []string{"%%\nfmt.Println(1)", "import (\n\t. \"strings\"\n\tx \"os\"\n)\nfunc (p *T[K]) F(x int) (y int) { return x }\ntype T[K any] struct{ a, b int }\n%%\nfor i := range 3 { x.Exit(i) }",
		"import", "import (", "func (", "type T = interface{ M(); ~int }\nvar x, y = 1", "%%\n\"", "`", "%%\nfmt.", "const (\n\tA = iota\n\tB\n)\n%%\nswitch x := y.(type) {"} {
		f.Add(seed, 5)
	}
	l := library(f)
	f.Fuzz(func(t *testing.T, code string, cursor int) {
		n := len([]rune(code))
		cursor = min(max(cursor, 0), n)
		l.Inspect(code, cursor)
		if c := l.Complete(code, cursor); c.Start < 0 || c.Start > c.End || c.End > n {
			t.Fatalf("%q at %d: %+v", code, cursor, c)
		}
	})
}

func BenchmarkInspectCold(b *testing.B) {
	for _, name := range []string{"fmt.Println", "http.Get", "syscall.Kill", "topos.New"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				code := "import \"" + ours + "/topos\"\n%%\n" + name
				if _, ok := library(b).Inspect(code, len(code)); !ok {
					b.Fatal("not found")
				}
			}
		})
	}
}

func tokenName(number int) string {
	if tok := token.Token(number); tok.IsKeyword() {
		return tok.String()
	}
	return ""
}
