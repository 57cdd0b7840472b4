package gonb

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/topos-notebook/topos/kernel/internal/built"
)

// bound is how long anything may take before a test calls it hung.
const bound = 60 * time.Second

// program returns the pinned gonb, or skips the test.
func program(t *testing.T) (gonb string, env []string) {
	t.Helper()
	bin := built.Tools(t, "gonb")
	return filepath.Join(bin, "gonb"), append(os.Environ(), "PATH="+bin+":"+os.Getenv("PATH"), "TMPDIR="+t.TempDir())
}

func startKernel(t *testing.T) *Kernel {
	t.Helper()
	gonb, env := program(t)
	folder, err := os.MkdirTemp("", "gonb-test-") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	k := Start(Options{Program: gonb, Folder: folder, Name: "kernel-1234.json", Env: env}, nil)
	t.Cleanup(func() {
		k.Close()
		left, err := filepath.Glob(filepath.Join(folder, "*"))
		if err != nil || len(left) > 0 {
			t.Errorf("left in the folder: %v %v", left, err)
		}
		os.RemoveAll(folder)
	})
	return k
}

// recorder keeps what a cell publishes.
type recorder struct {
	mu     sync.Mutex
	text   map[string]string
	types  []string
	asked  chan string
	stream chan string // each stream text, when not nil
}

func (r *recorder) Stream(name, text string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.text == nil {
		r.text = map[string]string{}
	}
	r.text[name] += text
	if r.stream != nil {
		r.stream <- text
	}
}

func (r *recorder) Publish(msgType string, _ json.RawMessage, _ [][]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.types = append(r.types, msgType)
}

func (r *recorder) Input(prompt string, _ bool) {
	if r.asked != nil {
		r.asked <- prompt
	}
}

func run(t *testing.T, k *Kernel, code string) (Reply, *recorder) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	r := &recorder{}
	reply, err := k.Execute(ctx, Request{Code: code, StoreHistory: true}, r)
	if err != nil {
		t.Fatalf("%q: %v", code, err)
	}
	return reply, r
}

func TestExecute(t *testing.T) {
	k := startKernel(t)
	for _, c := range []struct {
		name, code, stdout string
		ok                 bool
		exit               string
	}{
		{"Go", "%%\nfmt.Println(1)", "1\n", true, ""},
		{"shell", "!echo a; echo b", "a\nb\n", true, ""},
		{"shell that fails", "!exit 3", "", true, "exit status 3"},
		{"script that fails", "%%bash\nexit 4", "", true, "exit status 4"},
		{"a failure that is not the last", "!exit 3\n!echo on", "on\n", true, ""},
		{"nothing", "", "", true, ""},
		{"no Go", "func (", "", false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			reply, r := run(t, k, c.code)
			if reply.OK != c.ok || reply.ExitStatus != c.exit {
				t.Errorf("reply %+v", reply)
			}
			if r.text["stdout"] != c.stdout {
				t.Errorf("stdout %q, want %q", r.text["stdout"], c.stdout)
			}
			if strings.Contains(reply.Value, "\x1b") {
				t.Errorf("colours in %q", reply.Value)
			}
		})
	}
}

func TestCountsStayEqual(t *testing.T) {
	k := startKernel(t)
	k.Skip()
	k.Skip()
	run(t, k, "!true")
	k.Skip()
	// GoNB names the cell in the trace of a panic, the fifth, unless the trace
	// reaches it in pieces: then the next cell's may do.
	for cell := 5; cell < 15; cell++ {
		_, r := run(t, k, "%%\npanic(1)")
		_, rest, named := strings.Cut(r.text["stderr"], "Cell [")
		if !named {
			continue
		}
		if number, _, _ := strings.Cut(rest, "]"); number != strconv.Itoa(cell) {
			t.Errorf("the trace of cell %d: %q", cell, r.text["stderr"])
		}
		return
	}
	t.Error("no trace names its cell")
}

func TestRestart(t *testing.T) {
	k := startKernel(t)
	run(t, k, "!true")
	r := &recorder{stream: make(chan string, 10)}
	done := make(chan error, 1)
	go func() {
		_, err := k.Execute(context.Background(), Request{Code: "!echo go; sleep 100", StoreHistory: true}, r)
		done <- err
	}()
	await(t, r.stream)
	k.Kill()
	err := await(t, done)
	if _, died := err.(*DiedError); !died {
		t.Fatalf("got %v, want a DiedError", err)
	}
	if _, r := run(t, k, "!echo again"); r.text["stdout"] != "again\n" {
		t.Errorf("after the restart: %q", r.text)
	}
	k.mu.Lock()
	ended := k.child.ended
	k.mu.Unlock()
	k.Kill() // while no cell runs
	await(t, ended)
	if _, r := run(t, k, "!echo more"); r.text["stdout"] != "more\n" || !strings.Contains(r.text["stderr"], "started again") {
		t.Errorf("after the second restart: %q", r.text)
	}
}

func await[T any](t *testing.T, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(bound):
		t.Fatal("nothing came")
		panic("unreachable")
	}
}

// TestNothingOutlivesTheChild kills GoNB: what it started in a group of its own,
// as it does with gopls, ends too.
func TestNothingOutlivesTheChild(t *testing.T) {
	k := startKernel(t)
	run(t, k, "!setsid sleep 1000 > /dev/null 2>&1 &")
	k.mu.Lock()
	mark, ended := k.child.mark(), k.child.ended
	k.mu.Unlock()
	if left(t, mark) == 0 {
		t.Error("nothing runs: the test looks in the wrong place")
	}
	k.Kill()
	await(t, ended)
	run(t, k, "!true") // by the next
	for end := time.Now().Add(bound); left(t, mark) > 0; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d processes are left", left(t, mark))
		}
	}
}

// left counts the processes that carry a mark.
func left(t *testing.T, mark string) int {
	t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(files) == 0 {
		t.Skip("this system does not show the environments of processes")
	}
	n := 0
	for _, f := range files {
		if environ, err := os.ReadFile(f); err == nil && strings.Contains(string(environ)+"\x00", mark+"\x00") {
			n++
		}
	}
	return n
}

func TestMissingProgram(t *testing.T) {
	folder := t.TempDir()
	k := Start(Options{Program: filepath.Join(folder, "none"), Folder: folder, Name: "kernel-1.json"}, nil)
	defer k.Close()
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	if _, err := k.Execute(ctx, Request{Code: "!true"}, &recorder{}); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("got %v", err)
	}
}

func TestInterruptAndInput(t *testing.T) {
	k := startKernel(t)
	r := &recorder{stream: make(chan string, 10)}
	done := make(chan error, 1)
	go func() {
		_, err := k.Execute(context.Background(), Request{Code: "!echo go; sleep 100"}, r)
		done <- err
	}()
	await(t, r.stream)
	k.Interrupt()
	if err := await(t, done); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		allow          bool
		answer, output string
	}{{true, "me", "got me\n"}, {false, "", "got\n"}} {
		r := &recorder{asked: make(chan string, 10)}
		done := make(chan error, 1)
		go func() {
			_, err := k.Execute(context.Background(), Request{Code: "%with_inputs\n!read x; echo got $x", AllowStdin: c.allow}, r)
			done <- err
		}()
		await(t, r.asked)
		k.Input(c.answer)
		if err := await(t, done); err != nil {
			t.Fatal(err)
		}
		if r.text["stdout"] != c.output {
			t.Errorf("allow %v: %q", c.allow, r.text)
		}
	}
}

// TestAQuestionGivenUp: the child answers one after the other. While it owes an
// answer that nobody waits for any more, it is asked nothing else.
func TestAQuestionGivenUp(t *testing.T) {
	k := startKernel(t)
	run(t, k, "!true")
	k.mu.Lock()
	child := k.child.cmd.Process
	k.mu.Unlock()
	if err := child.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	defer child.Signal(syscall.SIGCONT)
	short, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	if _, _, err := k.Inspect(short, "%%\nfmt.Println(1)", 6, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a child that stands still: %v", err)
	}
	long, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	if _, err := k.Complete(long, "%%\nfmt.Pri", 10); !errors.Is(err, ErrBusy) {
		t.Fatalf("asked again: %v", err)
	}
	child.Signal(syscall.SIGCONT)
	for {
		_, err := k.Complete(long, "%%\nfmt.Pri", 10)
		if err == nil {
			break
		}
		if !errors.Is(err, ErrBusy) {
			t.Fatal(err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestCompleteAndInspect(t *testing.T) {
	k := startKernel(t)
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	for _, code := range []string{"%%\nfmt.Printl", "%%\n_ = \"é世\"; fmt.Printl", "%%\n_ = \"🐹\"; fmt.Printl"} {
		n := len([]rune(code))
		c, err := k.Complete(ctx, code, n)
		if err != nil {
			t.Fatal(err)
		}
		if len(c.Matches) == 0 || c.Start != n-len("Printl") || c.End != n {
			t.Errorf("%q: got %+v, want the six code points before %d", code, c, n)
		}
	}
	text, found, err := k.Inspect(ctx, "%%\nfmt.Println(1)", len("%%\nfmt.Pri"), 0)
	if err != nil || !found || !strings.Contains(text, "Println") {
		t.Errorf("inspect: %q %v %v", text, found, err)
	}
	if text, found, err := k.Inspect(ctx, "%%\nnosuchthing", 6, 0); err != nil || found {
		t.Errorf("inspect of nothing: %q %v %v", text, found, err)
	}
}
