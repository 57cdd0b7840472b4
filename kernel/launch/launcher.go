package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// launch runs a cell's program and returns the exit code to end with: the
// program's own, or 128 plus the number of the signal that ended it.
func launch(program string, argv []string) int {
	dieWithParent()
	p := &child{}
	p.forward()
	c := converse(protocol.RunStep, os.Getenv(protocol.WorkVariable))
	if c.refused() {
		return 130
	}
	files := []*os.File{os.Stdin, os.Stdout, os.Stderr}
	if c != nil && c.order.Pipes {
		files = []*os.File{os.Stdin, c.pipes[0], c.pipes[1]}
	}
	process, err := os.StartProcess(program, argv, &os.ProcAttr{
		Env: programEnvironment(os.Environ()), Files: files, Sys: ownGroup(),
	})
	if err != nil {
		fmt.Fprintf(os.Stderr, "the cell's program cannot be started: %v\n", reason(err))
		c.note(protocol.Note{Ended: true, Exit: 127, Failure: reason(err).Error()})
		return 127
	}
	if c != nil {
		for _, f := range c.pipes {
			f.Close() // the program has its own copies: ours would keep the pipe open
		}
	}
	c.note(protocol.Note{Started: process.Pid})
	p.started(process.Pid)
	go c.obey(p)
	state, err := process.Wait()
	p.ended()
	if err != nil {
		c.note(protocol.Note{Ended: true, Exit: 127, Failure: reason(err).Error()})
		return 127
	}
	note, code := status(state)
	c.note(note)
	return code
}

// programEnvironment puts back what was changed for the build's sake alone.
func programEnvironment(environ []string) []string {
	var original string
	var changed bool
	for _, entry := range environ {
		if v, ok := strings.CutPrefix(entry, protocol.TemporaryVariable+"="); ok {
			original, changed = v, true
		}
	}
	if !changed {
		return environ
	}
	var kept []string
	for _, entry := range environ {
		name, _, _ := strings.Cut(entry, "=")
		if name != "TMPDIR" && name != protocol.TemporaryVariable {
			kept = append(kept, entry)
		}
	}
	if original != "" {
		kept = append(kept, "TMPDIR="+original)
	}
	return kept
}

// reason strips an error of the path it is about, which means nothing to a
// reader of a notebook.
func reason(err error) error {
	for {
		inner, ok := err.(interface{ Unwrap() error })
		if !ok || inner.Unwrap() == nil {
			return err
		}
		err = inner.Unwrap()
	}
}
