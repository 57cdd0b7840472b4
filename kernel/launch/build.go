package main

import (
	"bytes"
	"os"
	"os/exec"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// buildFlags make a cell's compilation and link short and its panics free of
// folder names. The linker drops the debugging information anyway, so the
// compiler need not make it. They come before the user's own flags, which
// therefore win.
var buildFlags = []string{"-trimpath", "-buildvcs=false", "-gcflags=-dwarf=false", "-ldflags=-s -w"}

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
	w := begin(protocol.BuildStep, work)
	if w == nil {
		return 1
	}
	var said bytes.Buffer
	note, code := w.build(real, args, work, program, &said)
	for code != 0 && !w.child.wasSignalled() && dropUnused(work, said.String()) {
		said.Reset()
		note, code = w.build(real, args, work, program, &said)
	}
	os.Stderr.Write(said.Bytes())
	if code != 0 {
		forgetSatisfied()
	} else {
		place(binary, program)
	}
	w.talk.note(note)
	return code
}

// build builds by the recipe of an earlier build if one fits, else by the go
// command. What a recipe cannot build the go command is asked for too, since
// it alone says well what is wrong: said receives it.
func (w *watch) build(real string, args []string, work, program string, said *bytes.Buffer) (protocol.Note, int) {
	quick := quickFlags(work)
	environ := append(without(os.Environ(), "GOGC", "GOMEMLIMIT"), buildEnvironment...)
	r := recipeFor(real, args, work, environ, quick)
	if r != nil && r.known() {
		if r.cook(w, program) {
			return protocol.Note{Ended: true}, 0
		}
		if w.child.wasSignalled() {
			return protocol.Note{Ended: true, Exit: 1}, 1
		}
	} else if r != nil {
		cmd := exec.Command(real, buildArguments(args, program, append(quick, "-x")...)...)
		cmd.Env = environ
		if r.learn(w, cmd) {
			return protocol.Note{Ended: true}, 0
		}
		if w.child.wasSignalled() {
			return protocol.Note{Ended: true, Exit: 1}, 1
		}
	}
	cmd := exec.Command(real, buildArguments(args, program, quick...)...)
	cmd.Env = environ
	return w.passing(cmd, said)
}

// place puts the launcher where GoNB will look for the program.
func place(binary, program string) {
	if _, err := os.Stat(program); err != nil {
		return // nothing was built, so there is nothing to launch
	}
	self, err := os.Executable()
	if err == nil {
		err = os.Symlink(self, binary)
	}
	if err != nil {
		// Without the launcher the cell still runs, only unsupervised.
		os.Rename(program, binary)
	}
}

// buildArguments puts program for the path after -o, and behind it our flags.
func buildArguments(args []string, program string, more ...string) []string {
	var out []string
	for i, a := range args {
		if i > 0 && args[i-1] == "-o" {
			out = append(append(append(out, program), buildFlags...), more...)
			return append(out, args[i+1:]...)
		}
		out = append(out, a)
	}
	return out
}
