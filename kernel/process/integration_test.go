package process_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/topos-notebook/topos/kernel/internal/built"
	"github.com/topos-notebook/topos/kernel/process"
)

// recorder is a sink that remembers.
type recorder struct {
	mu    sync.Mutex
	texts map[string]string
	calls int
	order []string
	heard chan struct{}
}

func newRecorder() *recorder {
	return &recorder{texts: map[string]string{}, heard: make(chan struct{}, 1)}
}

func (r *recorder) Stream(name, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.texts[name] += text
	r.calls++
	r.order = append(r.order, name+": "+text)
	select {
	case r.heard <- struct{}{}:
	default:
	}
}

func (r *recorder) text(name string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.texts[name]
}

func TestMain(m *testing.M) { os.Exit(built.Main(m, toolsFolder)) }

func newSupervisor(t testing.TB) *process.Supervisor {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "session")
	s, err := process.New(folder, built.Launcher(t), built.Go(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		s.Close()
		if _, err := os.Stat(folder); !os.IsNotExist(err) {
			t.Errorf("the folder is left: %v", err)
		}
	})
	return s
}

// environ is this process's environment with entries replaced.
func environ(entries []string) []string {
	var out []string
next:
	for _, old := range os.Environ() {
		for _, entry := range entries {
			name, _, _ := strings.Cut(entry, "=")
			if strings.HasPrefix(old, name+"=") {
				continue next
			}
		}
		out = append(out, old)
	}
	return append(out, entries...)
}

// notebook is a supervised GoNB.
type notebook struct {
	t          testing.TB
	supervisor *process.Supervisor
	gonb       *gonb
	count      int
}

func newNotebook(t testing.TB) *notebook {
	t.Helper()
	s := newSupervisor(t)
	env := environ(append(s.Env(), "TOPOS_SOURCE="+standIn(t), "TMPDIR="+t.TempDir()))
	return &notebook{t: t, supervisor: s, gonb: startGonb(t, env)}
}

// standIn makes a module with the path and the requirements of this one, and
// two packages: topos, and cells, which needs a package of another module.
func standIn(t testing.TB) string {
	t.Helper()
	folder := t.TempDir()
	files := map[string]string{
		"topos/topos.go": "package topos\n\nconst MaxCells = 144\n",
		"cells/cells.go": "package cells\n\nimport \"github.com/pkg/errors\"\n\nvar Nothing = errors.New(\"nothing\")\n",
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		files[name] = string(text)
	}
	for name, text := range files {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// result is how a cell of a notebook went.
type result struct {
	process.Outcome
	sink *recorder
	gonb []heard // what GoNB published itself
}

func (n *notebook) run(code string) result {
	n.t.Helper()
	n.count++
	sink := newRecorder()
	job := n.supervisor.Begin(process.Cell{Number: n.count, Code: code}, sink)
	published := n.gonb.await(n.gonb.request(code))
	return result{job.End(), sink, published}
}

func TestGonbCells(t *testing.T) {
	n := newNotebook(t)
	r := n.run("%%\nfmt.Println(\"hello\")\nfmt.Fprintln(os.Stderr, \"there\")")
	if !r.Built || !r.Ran || r.Exit != 0 || r.Failed() {
		t.Errorf("outcome %+v; gonb published %v", r.Outcome, r.gonb)
	}
	if r.sink.text("stdout") != "hello\n" || r.sink.text("stderr") != "there\n" {
		t.Errorf("output %q", r.sink.texts)
	}
	r = n.run("import \"github.com/topos-notebook/topos/topos\"\n\n%%\nfmt.Println(topos.MaxCells)")
	if r.Failed() || r.sink.text("stdout") != "144\n" {
		t.Errorf("topos is not importable: %+v %q; gonb published %v", r.Outcome, r.sink.texts, r.gonb)
	}
	r = n.run("func divide(a, b int) int {\n\treturn a / b\n}\n")
	if r.Failed() {
		t.Errorf("declarations: %+v", r.Outcome)
	}
	r = n.run("%%\nfmt.Println(\"before\")\nzero := 0\nfmt.Println(divide(1, zero))")
	if r.Exit != 2 || r.Crash == nil || !r.Failed() {
		t.Fatalf("panic: %+v %q", r.Outcome, r.sink.texts)
	}
	if want := "runtime error: integer divide by zero"; r.Crash.Message != want {
		t.Errorf("message %q, want %q", r.Crash.Message, want)
	}
	if got, want := frames(r.Crash), "divide cell 3 line 2 | main cell 4 line 4"; got != want {
		t.Errorf("frames %q, want %q\n%s", got, want, r.Crash.Text)
	}
	if r.sink.text("stdout") != "before\n" || r.sink.text("stderr") != "" {
		t.Errorf("output %q", r.sink.texts)
	}
	r = n.run("%%\nfmt.Println(\"half\")\nos.Exit(3)")
	if !r.Ran || r.Exit != 3 || !r.Failed() || r.Crash != nil {
		t.Errorf("os.Exit(3): %+v", r.Outcome)
	}
	r = n.run("%%\nx := 1\nfmt.Println(undefinedThing)")
	want := "cell 6 line 2: declared and not used: x\n    x := 1\n    ^\n" +
		"cell 6 line 3: undefined: undefinedThing\n    fmt.Println(undefinedThing)\n                ^"
	if r.Built || r.Ran || r.BuildErrors != want {
		t.Errorf("compile error: %+v, want errors\n%s", r.Outcome, want)
	}
	r = n.run("%%\nfmt.Println(\"fine again\")")
	if r.Failed() || r.sink.text("stdout") != "fine again\n" {
		t.Errorf("after failures: %+v %q", r.Outcome, r.sink.texts)
	}
}

func frames(c *process.Crash) string {
	var all []string
	for _, f := range c.Frames {
		all = append(all, fmt.Sprintf("%s cell %d line %d", f.Func, f.Cell, f.Line))
	}
	return strings.Join(all, " | ")
}

// published joins what GoNB itself sent on a stream.
func (r result) published(stream string) string {
	var b strings.Builder
	for _, h := range r.gonb {
		if h.kind == "stream" && h.content["name"] == stream {
			fmt.Fprint(&b, h.content["text"])
		}
	}
	return b.String()
}

// failure is GoNB's own error message, if it sent one.
func (r result) failure() string {
	for _, h := range r.gonb {
		if h.kind == "error" {
			return fmt.Sprint(h.content["evalue"])
		}
	}
	return ""
}

func TestGonbTests(t *testing.T) {
	n := newNotebook(t)
	r := n.run("func half(x int) int { return x / 2 }\n\nfunc TestHalf(t *testing.T) {\n\tif half(4) != 2 {\n\t\tt.Error(\"no\")\n\t}\n}\n\n%test")
	if r.Failed() || !r.Built || !r.Ran || !strings.Contains(r.sink.text("stdout"), "PASS") {
		t.Errorf("a test that passes: %+v %q; gonb %v", r.Outcome, r.sink.texts, r.gonb)
	}
	r = n.run("func TestHalf(t *testing.T) {\n\tt.Error(\"no\")\n}\n\n%test")
	if !r.Failed() || r.Exit != 1 || !strings.Contains(r.sink.text("stdout"), "FAIL: TestHalf") {
		t.Errorf("a test that fails: %+v %q; gonb %v", r.Outcome, r.sink.texts, r.gonb)
	}
	r = n.run("func TestHalf(t *testing.T) {\n\tpanic(\"no\")\n}\n\n%test")
	if r.Crash == nil || r.Crash.Message != "no" || frames(r.Crash) != "TestHalf cell 3 line 2" {
		t.Errorf("a test that panics: %+v %q %+v; gonb %v", r.Outcome, r.sink.texts, r.Crash, r.gonb)
	}
	r = n.run("%%\nfmt.Println(half(6))")
	if r.Failed() || r.sink.text("stdout") != "3\n" {
		t.Errorf("a cell after tests: %+v %q", r.Outcome, r.sink.texts)
	}
}

func TestGonbModule(t *testing.T) {
	n := newNotebook(t)
	const importing = "import \"github.com/topos-notebook/topos/topos\"\n%%\nfmt.Println(topos.MaxCells)"
	if r := n.run("%reset"); r.Failed() || r.Built || r.Ran {
		t.Errorf("%%reset: %+v %v", r.Outcome, r.gonb)
	}
	if r := n.run(importing); r.Failed() || r.sink.text("stdout") != "144\n" {
		t.Errorf("after %%reset: %+v %q; gonb %v", r.Outcome, r.sink.texts, r.gonb)
	}
	r := n.run("import \"github.com/topos-notebook/topos/cells\"\n%%\nfmt.Println(cells.Nothing)")
	if r.Failed() || r.sink.text("stdout") != "nothing\n" {
		t.Errorf("a package with a requirement: %+v %q; gonb %v", r.Outcome, r.sink.texts, r.gonb)
	}
	// A module that topos itself requires is at hand without a network.
	r = n.run("import \"github.com/janpfeifer/gonb/gonbui\"\n%%\nfmt.Println(gonbui.IsNotebook)")
	if r.Failed() || r.sink.text("stdout") != "true\n" {
		t.Errorf("gonbui: %+v %q; gonb %v", r.Outcome, r.sink.texts, r.gonb)
	}
	r = n.run("import \"example.org/not/there\"\n%%\nthere.Be()")
	want := "cell 5 line 1: package example.org/not/there is in none of the modules at hand: " +
		"fetch its module with %get example.org/not/there@latest\n    \"example.org/not/there\"\n    ^"
	if !r.Failed() || r.BuildErrors != want {
		t.Errorf("a missing module: %+v\nwant %s\ngonb %v", r.Outcome, want, r.gonb)
	}
	if r := n.run(importing); r.Failed() || r.sink.text("stdout") != "144\n" {
		t.Errorf("after a failure: %+v %q", r.Outcome, r.sink.texts)
	}
	r = n.run("!*go version && go env GOPROXY && go list -m")
	if text := r.published("stdout"); !strings.Contains(text, "go version go") || !strings.Contains(text, "off\ngonb_") {
		t.Errorf("go in a shell line: %q %q", text, r.published("stderr"))
	}
}

// TestGonbParseError has GoNB's own parser refuse a cell, before the go
// command is asked: its message can be mapped too.
func TestGonbParseError(t *testing.T) {
	n := newNotebook(t)
	r := n.run("%%\nx := := 3")
	if r.Built || r.Ran {
		t.Errorf("%+v", r.Outcome)
	}
	got := n.supervisor.CompileErrors(r.failure())
	if !strings.HasPrefix(got, "cell 1 line 2: expected ") || strings.Contains(got, "gonb_") {
		t.Errorf("%q became %q", r.failure(), got)
	}
}

func TestGonbCapture(t *testing.T) {
	n := newNotebook(t)
	file := filepath.Join(t.TempDir(), "captured")
	n.count++
	code := "%capture " + file + "\n%%\nfmt.Println(\"caught\")\nos.Exit(5)"
	sink := newRecorder()
	job := n.supervisor.Begin(process.Cell{Number: n.count, Code: code, Raw: true}, sink)
	n.gonb.await(n.gonb.request(code))
	outcome := job.End()
	text, err := os.ReadFile(file)
	if err != nil || !strings.HasPrefix(string(text), "caught\n") || len(sink.order) != 0 || outcome.Exit != 5 {
		t.Errorf("%v %q %q %+v", err, text, sink.order, outcome)
	}
}
