package main

import (
	"os"
	"os/exec"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// buildFlags make a cell's link short and its panics free of folder names.
// They come before the user's own flags, which therefore win.
var buildFlags = []string{"-trimpath", "-buildvcs=false", "-ldflags=-s -w"}

// buildEnvironment keeps the collector out of a build that ends soon anyway;
// the limit keeps a large cold build from taking the machine's memory.
var buildEnvironment = []string{"GOGC=off", "GOMEMLIMIT=1GiB"}

// build builds a cell's program beside the path GoNB asked for and puts the
// launcher at that path.
func build(real string, args []string, work string) int {
	binary := binaryPath(work)
	program := binary + protocol.CellSuffix
	// The old ones go first: a stale program must not run after a failure, and
	// go build would write through the link, into the launcher itself.
	os.Remove(binary)
	os.Remove(program)
	cmd := exec.Command(real, buildArguments(args, program)...)
	cmd.Env = append(without(os.Environ(), "GOGC", "GOMEMLIMIT"), buildEnvironment...)
	code := supervise(protocol.BuildStep, work, cmd)
	if code != 0 {
		forgetSatisfied()
		return code
	}
	if _, err := os.Stat(program); err != nil {
		return 0 // nothing to build, so nothing to launch
	}
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, binary)
	}
	if err != nil {
		// Without the launcher the cell still runs, only unsupervised.
		os.Rename(program, binary)
	}
	return 0
}

// buildArguments puts program for the path after -o, and our flags after it.
func buildArguments(args []string, program string) []string {
	var out []string
	for i, a := range args {
		if i > 0 && args[i-1] == "-o" {
			out = append(append(out, program), buildFlags...)
			out = append(out, args[i+1:]...)
			return out
		}
		out = append(out, a)
	}
	return out
}
