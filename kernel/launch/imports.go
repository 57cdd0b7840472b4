package main

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"

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
	if work := workFolder(); work != "" && !announce(protocol.ImportsStep, work) {
		return 1
	}
	return become(protocol.ImportsName, protocol.ImportsName, real, args, pastShim(os.Environ()))
}

// announce tells the supervisor of a step whose real program is to take our place,
// and leaves it what it signals, which is our group, and what tells it of the end,
// which is the connection. It is false, after saying so, when nothing shall start.
func announce(step protocol.Step, work string) bool {
	dieWithParent()
	syscall.Setpgid(0, 0)
	talk := converse(step, work)
	if talk.declined() {
		return false
	}
	talk.outlive()
	return true
}

// pastShim has the real go command found first, which is asked for settings alone:
// the shim would pass that on, after a start of its own.
func pastShim(environ []string) []string {
	if real := os.Getenv(protocol.GoVariable); filepath.Base(real) == "go" && filepath.IsAbs(real) {
		path := filepath.Dir(real) + string(filepath.ListSeparator) + os.Getenv("PATH")
		return append(without(environ, "PATH"), "PATH="+path)
	}
	return environ
}
