package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// imports runs the real goimports and returns its exit code. GoNB waits for it
// before each build, and it may search every module at hand for a name: where it
// works for a cell it is a step, which an interrupt ends.
func imports(args []string) int {
	real := os.Getenv(protocol.ImportsVariable)
	if !filepath.IsAbs(real) {
		fmt.Fprintf(os.Stderr, "goimports: %s does not name the real goimports\n", protocol.ImportsVariable)
		return 127
	}
	if work := workFolder(); work != "" {
		return supervise(protocol.ImportsStep, work, exec.Command(real, args...))
	}
	return become(protocol.ImportsName, protocol.ImportsName, real, args, os.Environ())
}
