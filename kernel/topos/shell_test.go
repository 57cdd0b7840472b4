package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestShellGoesThroughTheLauncher starts bash as GoNB does, and as programs do:
// only the former is to become the launcher.
func TestShellGoesThroughTheLauncher(t *testing.T) {
	if _, err := exec.LookPath("/bin/bash"); err != nil {
		t.Skip("there is no /bin/bash")
	}
	base := t.TempDir()
	launcher := filepath.Join(base, "launcher")
	if err := os.WriteFile(launcher, []byte("#!/bin/sh\necho launched\ncat\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, err := newShell(&privateFolder{path: base}, launcher)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name    string
		gonb    int // pid
		args    []string
		stdin   string
		printed string
	}{
		{"a command", os.Getpid(), []string{"/bin/bash", "-c", "echo run"}, "", "launched\n"},
		{"a bash cell", os.Getpid(), []string{"bash"}, "echo run\n", "launched\necho run\n"},
		{"a program's command", 1, []string{"/bin/bash", "-c", "echo run"}, "", "run\n"},
		{"a program's script", 1, []string{"bash"}, "echo run\n", "run\n"},
		{"with arguments", os.Getpid(), []string{"/bin/bash", "-c", "echo $1", "x", "run"}, "", "run\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			s.started(test.gonb)
			cmd := exec.Command("/bin/bash")
			cmd.Args = test.args
			cmd.Env = append(os.Environ(), s.env()...)
			cmd.Stdin = strings.NewReader(test.stdin)
			if out, err := cmd.CombinedOutput(); err != nil || string(out) != test.printed {
				t.Errorf("%v, printed %q, want %q", err, out, test.printed)
			}
		})
	}
}
