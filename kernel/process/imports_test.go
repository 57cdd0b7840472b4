package process_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// newImportsStage is a stage whose goimports is a shell script.
func newImportsStage(t *testing.T, script string) *stage {
	t.Helper()
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "goimports"), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", folder+":"+os.Getenv("PATH"))
	return newStage(t)
}

// TestImports runs what stands in for goimports to its end: it is the real one, with
// the real go command in front of it.
func TestImports(t *testing.T) {
	p := newImportsStage(t, "echo \"$*\"; command -v go; cat; exit 3\n")
	golang, err := exec.LookPath("go")
	if err != nil {
		t.Fatal(err)
	}
	job, sink := p.begin(1)
	cmd := p.command(protocol.ImportsName, "-w", "main.go")
	cmd.Stdin = strings.NewReader("read\n")
	out, _ := cmd.CombinedOutput()
	if want := "-w main.go\n" + golang + "\nread\n"; string(out) != want || cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("%q and %v, want %q", out, cmd.ProcessState, want)
	}
	if outcome := job.End(); outcome.Failed() || len(sink.order) != 0 {
		t.Errorf("%+v %q", outcome, sink.order)
	}
}

// TestInterruptImports ends a goimports that would not end, with what it has started.
func TestInterruptImports(t *testing.T) {
	started := filepath.Join(t.TempDir(), "started")
	if out, err := exec.Command("mkfifo", started).CombinedOutput(); err != nil {
		t.Skipf("no mkfifo: %v: %s", err, out)
	}
	waits := "echo started > '" + started + "'; exec sleep 1000"
	for _, test := range []struct {
		name, script string
		times        int
		closes       bool
	}{
		{"ends by itself", waits, 1, false},
		{"child ends too", "sh -c \"" + waits + "\"; sleep 1000", 1, false},
		{"ignores it", "trap '' INT; " + waits, 1, false},
		{"twice", "trap '' INT; " + waits, 2, false},
		{"the kernel closes", "trap '' INT; " + waits, 0, true},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newImportsStage(t, test.script+"\n")
			job, _ := p.begin(1)
			cmd := p.command(protocol.ImportsName, "-w", "main.go")
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			within(t, "the wait for goimports", func() { os.ReadFile(started) })
			for range test.times {
				job.Interrupt()
			}
			if test.closes {
				within(t, "the supervisor", p.supervisor.Close)
			}
			within(t, "goimports", func() { cmd.Wait() })
			if !test.closes && p.command(protocol.ImportsName).Run() == nil {
				t.Error("goimports runs in an interrupted cell")
			}
			if outcome := job.End(); outcome.Interrupted == test.closes || cmd.ProcessState.Success() {
				t.Errorf("%+v, %v", outcome, cmd.ProcessState)
			}
		})
	}
}
