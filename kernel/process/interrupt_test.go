package process_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/topos-notebook/topos/kernel/process"
	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// within fails the test when f does not end in time.
func within(t testing.TB, what string, f func()) {
	t.Helper()
	done := make(chan struct{})
	go func() { defer close(done); f() }()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatalf("%s does not end", what)
	}
}

// stage is a folder as GoNB's, in which the tests play GoNB themselves.
type stage struct {
	t          testing.TB
	supervisor *process.Supervisor
	work       string
	env        []string
}

func newStage(t testing.TB) *stage {
	t.Helper()
	s := newSupervisor(t)
	work := filepath.Join(t.TempDir(), "gonb_0123abcd")
	if err := os.Mkdir(work, 0o700); err != nil {
		t.Fatal(err)
	}
	p := &stage{t, s, work, append(environ(s.Env()), "GONB_TMP_DIR="+work)}
	if out, err := p.command("go", "mod", "init", "gonb_0123abcd").CombinedOutput(); err != nil {
		t.Fatalf("go mod init: %v: %s", err, out)
	}
	return p
}

// command is a command as GoNB starts it: looked up in the supervised PATH.
func (p *stage) command(name string, args ...string) *exec.Cmd {
	path := name
	shimmed := name == "go" || name == protocol.ImportsName
	if shimmed {
		for _, entry := range p.supervisor.Env() {
			if list, ok := strings.CutPrefix(entry, "PATH="); ok {
				first, _, _ := strings.Cut(list, ":")
				path = filepath.Join(first, name)
			}
		}
	}
	cmd := exec.Command(path, args...)
	if shimmed {
		cmd.Args[0] = name
	}
	cmd.Dir, cmd.Env = p.work, p.env
	return cmd
}

func (p *stage) binary() string { return filepath.Join(p.work, filepath.Base(p.work)) }

// program builds what GoNB would have made of a cell.
func (p *stage) program(source string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.work, "main.go"), []byte(source), 0o600); err != nil {
		p.t.Fatal(err)
	}
	if out, err := p.command("go", "build", "-o", p.binary()).CombinedOutput(); err != nil {
		p.t.Fatalf("go build: %v: %s", err, out)
	}
}

// script puts a shell script in the place of a built program.
func (p *stage) script(text string) {
	p.t.Helper()
	p.program("package main\n\nfunc main() {}\n")
	if err := os.WriteFile(p.binary()+".cell", []byte("#!/bin/sh\n"+text), 0o700); err != nil {
		p.t.Fatal(err)
	}
}

func (p *stage) begin(number int) (*process.Job, *recorder) {
	sink := newRecorder()
	return p.supervisor.Begin(process.Cell{Number: number}, sink), sink
}

func TestInterruptProgram(t *testing.T) {
	p := newStage(t)
	for _, test := range []struct {
		name, script, signal string
		times                int
	}{
		{"ends by itself", "echo ready\nexec sleep 1000\n", "interrupt", 1},
		// The child says that it is there: while a shell makes one, it may miss the signal.
		{"child ends too", "sh -c 'echo ready; exec sleep 1000'\nsleep 1000\n", "interrupt", 1},
		{"ignores it", "trap '' INT\necho ready\nexec sleep 1000\n", "killed", 1},
		{"twice", "trap '' INT\necho ready\nexec sleep 1000\n", "killed", 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			p.script(test.script)
			job, sink := p.begin(1)
			cmd := p.command(p.binary())
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			within(t, "the wait for output", func() { <-sink.heard })
			for range test.times {
				job.Interrupt()
			}
			within(t, "the program", func() { cmd.Wait() })
			outcome := job.End()
			if !outcome.Interrupted || !outcome.Ran || outcome.Signal != test.signal || outcome.Exit != -1 {
				t.Errorf("%+v", outcome)
			}
			if code := cmd.ProcessState.ExitCode(); code < 128 {
				t.Errorf("the launcher ended with %d", code)
			}
		})
	}
}

func TestInterruptBeforeAnythingRuns(t *testing.T) {
	p := newStage(t)
	p.program("package main\n\nfunc main() { println(\"ran\") }\n")
	job, sink := p.begin(1)
	job.Interrupt()
	for _, cmd := range []*exec.Cmd{p.command("go", "build", "-o", p.binary()), p.command(p.binary())} {
		if err := cmd.Run(); err == nil {
			t.Errorf("%v ran", cmd.Args)
		}
	}
	if outcome := job.End(); !outcome.Interrupted || outcome.Ran || outcome.Built || outcome.BuildErrors != "" {
		t.Errorf("%+v", outcome)
	}
	if len(sink.order) != 0 {
		t.Errorf("output %q", sink.order)
	}
	// The next cell is a new one.
	p.program("package main\n\nfunc main() { println(\"ran\") }\n")
	job, sink = p.begin(2)
	if err := p.command(p.binary()).Run(); err != nil {
		t.Error(err)
	}
	if outcome := job.End(); outcome.Failed() || sink.text("stderr") != "ran\n" {
		t.Errorf("%+v %q", outcome, sink.order)
	}
}

// TestInterruptBuild interrupts a build that cannot end by itself: its
// compiler is a script that waits.
func TestInterruptBuild(t *testing.T) {
	p := newStage(t)
	fifo := filepath.Join(t.TempDir(), "started")
	if out, err := exec.Command("mkfifo", fifo).CombinedOutput(); err != nil {
		t.Skipf("no mkfifo: %v: %s", err, out)
	}
	slow := filepath.Join(t.TempDir(), "slow")
	script := "#!/bin/sh\ncase \"$2\" in -V*) exec \"$@\";; esac\necho started > '" + fifo + "'\nexec sleep 1000\n"
	if err := os.WriteFile(slow, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	source := "package main\n\nfunc main() { println(" + time.Now().Format("150405000000") + ") }\n"
	if err := os.WriteFile(filepath.Join(p.work, "main.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	job, _ := p.begin(1)
	cmd := p.command("go", "build", "-o", p.binary(), "-toolexec="+slow)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	within(t, "the wait for the compiler", func() { os.ReadFile(fifo) })
	job.Interrupt()
	within(t, "the build", func() { cmd.Wait() })
	if outcome := job.End(); !outcome.Interrupted || outcome.Built || outcome.BuildErrors != "" {
		t.Errorf("%+v", outcome)
	}
	if cmd.ProcessState.ExitCode() == 0 {
		t.Error("an interrupted build succeeded")
	}
}

func TestInterruptGonbCell(t *testing.T) {
	n := newNotebook(t)
	n.run("%%\nfmt.Println(\"warm\")")
	n.count++
	code := "%%\nfmt.Println(\"ready\")\nselect {\ncase <-time.After(time.Hour):\n}"
	sink := newRecorder()
	job := n.supervisor.Begin(process.Cell{Number: n.count, Code: code}, sink)
	id := n.gonb.request(code)
	within(t, "the wait for output", func() { <-sink.heard })
	job.Interrupt()
	n.gonb.await(id)
	if outcome := job.End(); !outcome.Interrupted || outcome.Signal != "interrupt" {
		t.Errorf("%+v", outcome)
	}
	if r := n.run("%%\nfmt.Println(\"next\")"); r.Failed() || r.sink.text("stdout") != "next\n" {
		t.Errorf("the next cell: %+v %q", r.Outcome, r.sink.texts)
	}
}
