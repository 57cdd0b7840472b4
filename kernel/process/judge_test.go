package process_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/topos-notebook/topos/kernel/internal/built"
	"github.com/topos-notebook/topos/kernel/process"
	"github.com/topos-notebook/topos/kernel/process/protocol"
)

func TestOutcomeOfProgram(t *testing.T) {
	p := newStage(t)
	for _, test := range []struct {
		name, script   string
		exit           int
		signal         string
		code           int // the launcher's own
		stdout, stderr string
	}{
		{"ok", "echo out\necho err >&2\n", 0, "", 0, "out\n", "err\n"},
		{"exit", "echo out\nexit 3\n", 3, "", 3, "out\n", ""},
		{"terminated", "kill -TERM $$\n", -1, "terminated", 143, "", ""},
		{"killed", "kill -KILL $$\n", -1, "killed", 137, "", ""},
		{"two by hand", "echo 'panic: no' >&2\necho more >&2\nexit 2\n", 2, "", 2, "", "panic: no\nmore\n"},
		{"words of panic only", "echo 'panic: no' >&2\n", 0, "", 0, "", "panic: no\n"},
		{"arguments", "echo \"$0 $*\" | sed 's,.*/,,'\n", 0, "", 0, "gonb_0123abcd.cell a b c\n", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p.script(test.script)
			job, sink := p.begin(1)
			cmd := p.command(p.binary(), "a", "b c")
			out, _ := cmd.CombinedOutput()
			outcome := job.End()
			if !outcome.Ran || outcome.Exit != test.exit || outcome.Signal != test.signal || outcome.Crash != nil || outcome.Interrupted {
				t.Errorf("%+v", outcome)
			}
			if outcome.Failed() != (test.exit != 0) {
				t.Errorf("failed: %v", outcome.Failed())
			}
			if code := cmd.ProcessState.ExitCode(); code != test.code {
				t.Errorf("the launcher ended with %d, want %d", code, test.code)
			}
			if sink.text("stdout") != test.stdout || sink.text("stderr") != test.stderr || len(out) != 0 {
				t.Errorf("output %q, and past us %q", sink.texts, out)
			}
			if again := job.End(); again != outcome {
				t.Errorf("ended again: %+v", again)
			}
		})
	}
}

// TestAskingGetsAnswers runs a program that imports what asks through GoNB.
func TestAskingGetsAnswers(t *testing.T) {
	p := newStage(t)
	p.script("echo asks; read one; read two; echo $one, $two\n")
	main := filepath.Join(filepath.Dir(p.binary()), "main.go")
	if err := os.WriteFile(main, []byte("package main\n\nimport \"github.com/janpfeifer/gonb/gonbui\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	sink := newRecorder()
	job := p.supervisor.Begin(process.Cell{Number: 1, Mute: true}, sink)
	if job.Answer("too early") {
		t.Error("an answer without a program was taken")
	}
	cmd := p.command(p.binary())
	cmd.Stdin = strings.NewReader("past us\n")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for sink.text("stdout") != "asks\n" {
		<-sink.heard
	}
	for _, line := range []string{"1st", "2nd", "never read"} {
		if !job.Answer(line) {
			t.Errorf("%q was not taken", line)
		}
	}
	err := cmd.Wait()
	if job.End(); err != nil || sink.text("stdout") != "asks\n1st, 2nd\n" {
		t.Errorf("%v, output %q", err, sink.text("stdout"))
	}
	if job.Answer("too late") {
		t.Error("an answer after the program's end was taken")
	}
}

// TestCommandReadsWhatGoNBGives runs a shell command, which may follow a cell that
// asks: its text or its input comes from GoNB, not from us.
func TestCommandReadsWhatGoNBGives(t *testing.T) {
	p := newStage(t)
	main := filepath.Join(filepath.Dir(p.binary()), "main.go")
	if err := os.WriteFile(main, []byte("package main\n\nimport \"github.com/janpfeifer/gonb/gonbui\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	command := filepath.Join(p.work, protocol.CommandName)
	for target, link := range map[string]string{built.Launcher(t): command, "/bin/sh": command + protocol.CellSuffix} {
		if err := os.Symlink(target, link); err != nil {
			t.Fatal(err)
		}
	}
	for _, test := range []struct {
		mute   bool
		stdout string
	}{{false, "typed\n"}, {true, ""}} {
		sink := newRecorder()
		job := p.supervisor.Begin(process.Cell{Number: 1, Mute: test.mute}, sink)
		cmd := p.command(command, "-c", "cat")
		cmd.Stdin = strings.NewReader("typed\n")
		err := cmd.Run()
		if job.Answer("an answer") {
			t.Error("an answer was taken")
		}
		if job.End(); err != nil || sink.text("stdout") != test.stdout {
			t.Errorf("mute %v: %v, output %q", test.mute, err, sink.text("stdout"))
		}
	}
}

func TestMuteHasNothingToRead(t *testing.T) {
	p := newStage(t)
	p.script("cat\necho end\n")
	for _, raw := range []bool{false, true} {
		sink := newRecorder()
		job := p.supervisor.Begin(process.Cell{Number: 1, Mute: true, Raw: raw}, sink)
		cmd := p.command(p.binary())
		stdin, err := cmd.StdinPipe() // open until the program has ended, as GoNB's
		if err != nil {
			t.Fatal(err)
		}
		var out bytes.Buffer
		cmd.Stdout = &out
		err = cmd.Run()
		stdin.Close()
		if job.End(); err != nil || sink.text("stdout")+out.String() != "end\n" {
			t.Errorf("raw %v: %v, output %q and %q", raw, err, sink.text("stdout"), &out)
		}
	}
}

func TestRawLeavesOutput(t *testing.T) {
	p := newStage(t)
	p.script("echo out\nexit 4\n")
	sink := newRecorder()
	job := p.supervisor.Begin(process.Cell{Number: 1, Raw: true}, sink)
	out, _ := p.command(p.binary()).CombinedOutput()
	if outcome := job.End(); outcome.Exit != 4 || string(out) != "out\n" || len(sink.order) != 0 {
		t.Errorf("%+v, output %q, sink %q", outcome, out, sink.order)
	}
}

func TestWithoutSupervisor(t *testing.T) {
	p := newStage(t)
	p.script("echo out\nexit 4\n")
	p.supervisor.Close()
	cmd := p.command(p.binary())
	out, _ := cmd.CombinedOutput()
	if string(out) != "out\n" || cmd.ProcessState.ExitCode() != 4 {
		t.Errorf("output %q, exit %d", out, cmd.ProcessState.ExitCode())
	}
}

// TestDrain has a program that writes, asks and waits for the answer, as a
// cell does that shows something: what was written must be there by then.
func TestDrain(t *testing.T) {
	p := newStage(t)
	p.script("i=0\nwhile [ $i -lt 20 ]; do echo line $i; echo line $i >&2; echo ask > ask; read answer < answer; i=$((i+1)); done\n")
	ask, answer := filepath.Join(p.work, "ask"), filepath.Join(p.work, "answer")
	for _, path := range []string{ask, answer} {
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Skipf("no fifo: %v", err)
		}
	}
	job, sink := p.begin(1)
	cmd := p.command(p.binary())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	within(t, "the program", func() {
		for i := range 20 {
			os.ReadFile(ask)
			job.Drain()
			last := fmt.Sprintf("line %d\n", i)
			if !strings.HasSuffix(sink.text("stdout"), last) || !strings.HasSuffix(sink.text("stderr"), last) {
				t.Errorf("after %q: %q", last, sink.texts)
			}
			os.WriteFile(answer, []byte("go on\n"), 0)
		}
		cmd.Wait()
	})
	if outcome := job.End(); outcome.Failed() {
		t.Errorf("%+v", outcome)
	}
}

// TestBackgroundChild has a program that leaves a child with its stdout open:
// the cell ends, the child lives on until Close.
func TestBackgroundChild(t *testing.T) {
	p := newStage(t)
	p.script("sleep 1000 &\necho $!\n")
	job, sink := p.begin(1)
	within(t, "the launcher", func() { p.command(p.binary()).Run() })
	var outcome process.Outcome
	within(t, "the cell", func() { outcome = job.End() })
	pid, err := strconv.Atoi(strings.TrimSpace(sink.text("stdout")))
	if outcome.Failed() || err != nil {
		t.Fatalf("%+v %q", outcome, sink.texts)
	}
	if err := syscall.Kill(pid, 0); err != nil {
		t.Errorf("the child is gone: %v", err)
	}
	within(t, "Close", p.supervisor.Close)
	gone(t, pid)
}

// gone waits until a process has ended; a zombie that nobody reaps has.
func gone(t *testing.T, pid int) {
	t.Helper()
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(5 * time.Millisecond) {
		stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil || bytes.Contains(stat, []byte(") Z ")) {
			return
		}
	}
	t.Errorf("process %d is left", pid)
	syscall.Kill(pid, syscall.SIGKILL)
}

// TestKilledLauncher has the launcher killed: neither the program nor its
// children live on, and the cell ends.
func TestKilledLauncher(t *testing.T) {
	p := newStage(t)
	p.script("sleep 1000 &\necho $$ $!\nwait\n")
	job, sink := p.begin(1)
	cmd := p.command(p.binary())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	within(t, "the wait for output", func() { <-sink.heard })
	cmd.Process.Kill()
	cmd.Wait()
	var outcome process.Outcome
	within(t, "the cell", func() { outcome = job.End() })
	if outcome.Signal != "killed" {
		t.Errorf("%+v", outcome)
	}
	for _, word := range strings.Fields(sink.text("stdout")) {
		pid, err := strconv.Atoi(word)
		if err != nil {
			t.Fatal(err)
		}
		gone(t, pid)
	}
}

// TestCloseEndsProgram closes while a program that ignores everything runs.
func TestCloseEndsProgram(t *testing.T) {
	p := newStage(t)
	p.script("trap '' INT TERM HUP\necho $$\nwhile :; do sleep 1000; done\n")
	_, sink := p.begin(1)
	cmd := p.command(p.binary())
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	within(t, "the wait for output", func() { <-sink.heard })
	within(t, "Close", p.supervisor.Close)
	within(t, "the launcher", func() { cmd.Wait() })
	pid, _ := strconv.Atoi(strings.TrimSpace(sink.text("stdout")))
	gone(t, pid)
}

// TestManyLines counts what 200,000 lines become.
func TestManyLines(t *testing.T) {
	p := newStage(t)
	p.script("seq 200000\n")
	job, sink := p.begin(1)
	within(t, "the program", func() { p.command(p.binary()).Run() })
	if outcome := job.End(); outcome.Failed() {
		t.Errorf("%+v", outcome)
	}
	text := sink.text("stdout")
	if !strings.HasPrefix(text, "1\n2\n3\n") || !strings.HasSuffix(text, "\n199999\n200000\n") || len(text) > 1<<20+100 {
		t.Errorf("%d bytes, beginning %.20q", len(text), text)
	}
	if strings.Count(text, "bytes left out]\n") != 1 {
		t.Error("does not say once how much was left out")
	}
	if sink.calls > 100 {
		t.Errorf("%d calls of the sink", sink.calls)
	}
}

func TestBuildFailure(t *testing.T) {
	p := newStage(t)
	p.program("package main\n\nfunc main() {}\n")
	source := "package main\n\nfunc main() { undefined() }\n"
	if err := os.WriteFile(filepath.Join(p.work, "main.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	job := p.supervisor.Begin(process.Cell{Number: 7, Code: "func main() { undefined() }"}, newRecorder())
	out, err := p.command("go", "build", "-o", p.binary()).CombinedOutput()
	outcome := job.End()
	if err == nil || outcome.Built || !outcome.Failed() {
		t.Errorf("%v %+v", err, outcome)
	}
	// GoNB gets what the go command says, unchanged.
	if want := "# gonb_0123abcd\n./main.go:3:15: undefined: undefined\n"; string(out) != want {
		t.Errorf("output %q, want %q", out, want)
	}
	if want := "cell 7 line 1: undefined: undefined\n    func main() { undefined() }\n                  ^"; outcome.BuildErrors != want {
		t.Errorf("errors\n%s\nwant\n%s", outcome.BuildErrors, want)
	}
	if _, err := os.Stat(p.binary() + ".cell"); err == nil {
		t.Error("the program of an earlier cell is left")
	}
}

func TestNewRefuses(t *testing.T) {
	folder := t.TempDir()
	goPath, err := exec.LookPath("go")
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	for _, test := range []struct{ name, folder, launcher, realGo string }{
		{"relative folder", "x", goPath, goPath},
		{"no launcher", folder, filepath.Join(folder, "none"), goPath},
		{"launcher a folder", folder, folder, goPath},
		{"relative go", folder, goPath, "go"},
		{"no go", folder, goPath, "/bin/false"},
	} {
		if s, err := process.New(test.folder, test.launcher, test.realGo); err == nil {
			s.Close()
			t.Errorf("%s: no error", test.name)
		}
	}
}

// TestStrangers has what is not a launcher connect: it is ignored.
func TestStrangers(t *testing.T) {
	p := newStage(t)
	var socket string
	for _, entry := range p.supervisor.Env() {
		if path, ok := strings.CutPrefix(entry, "TOPOS_LAUNCH="); ok {
			socket = path
		}
	}
	job, _ := p.begin(1)
	for _, text := range []string{"", "\n", "{", "{\"step\":\"run\"}\n{\"started\":1}\n{\"started\":-1}\n", strings.Repeat("x", 2<<20)} {
		conn := dial(t, socket)
		io.WriteString(conn, text)
		conn.Close()
	}
	within(t, "the cell", func() { job.End() })
	info, err := os.Stat(filepath.Dir(socket))
	if err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the folder is open to others: %v %v", info.Mode(), err)
	}
}

func dial(t *testing.T, socket string) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	return conn
}
