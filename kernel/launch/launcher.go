package main

import (
	"fmt"
	"os"

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
	files := c.files()
	pipe := openDisplays()
	process, err := os.StartProcess(program, argv, &os.ProcAttr{
		Env: os.Environ(), Files: files, Sys: ownGroup(),
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
	pipe.shown()
	if err != nil {
		c.note(protocol.Note{Ended: true, Exit: 127, Failure: reason(err).Error()})
		return 127
	}
	note, code := status(state)
	c.note(note)
	return code
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
