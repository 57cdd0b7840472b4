package process_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

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

// launcher is the launcher, built once for all tests.
var launcher = sync.OnceValues(func() (string, error) {
	folder, err := os.MkdirTemp("", "topos-launch-test-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "topos-launch")
	out, err := exec.Command("go", "build", "-o", path, "github.com/topos-notebook/topos/kernel/launch").CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	code := m.Run()
	if path, err := launcher(); err == nil {
		os.RemoveAll(filepath.Dir(path))
	}
	os.RemoveAll(filepath.Join(os.TempDir(), fmt.Sprintf("topos-tools-%d", os.Getpid())))
	os.Exit(code)
}

func newSupervisor(t testing.TB) *process.Supervisor {
	t.Helper()
	path, err := launcher()
	if err != nil {
		t.Fatal(err)
	}
	realGo, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	folder := filepath.Join(t.TempDir(), "session")
	s, err := process.New(folder, path, realGo)
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
	source, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	s := newSupervisor(t)
	env := environ(append(s.Env(), "TOPOS_SOURCE="+source, "TMPDIR="+t.TempDir()))
	return &notebook{t: t, supervisor: s, gonb: startGonb(t, env)}
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
