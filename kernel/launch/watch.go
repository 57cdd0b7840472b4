package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// watch is one step of a cell under supervision: the commands run in it can be
// ended by an interrupt, and their end is reported.
type watch struct {
	talk  *conversation
	child *child
}

// begin starts a step. It returns nil, after saying so, when the supervisor
// wants nothing to start.
func begin(step protocol.Step, work string) *watch {
	dieWithParent()
	w := &watch{child: &child{}}
	w.child.forward()
	w.talk = converse(step, work)
	if w.talk.declined() {
		return nil
	}
	go w.talk.obey(w.child)
	return w
}

// supervise runs a go command as one step and returns its exit code. Its output is
// passed on.
func supervise(step protocol.Step, work string, cmd *exec.Cmd) int {
	w := begin(step, work)
	if w == nil {
		return 1
	}
	note, code := w.passing(cmd, os.Stderr)
	w.talk.note(note)
	return code
}

// passing runs a command whose output is passed on as it comes, what it complains of
// to stderr, and reads how it ended: with these complaints, if it failed.
func (w *watch) passing(cmd *exec.Cmd, stderr io.Writer) (protocol.Note, int) {
	text := &bounded{limit: protocol.MaxText}
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, io.MultiWriter(stderr, text)
	note, code, err := w.run(cmd)
	if err != nil {
		fmt.Fprintf(stderr, "%s cannot be run: %v\n", filepath.Base(cmd.Path), reason(err))
	}
	if code != 0 {
		note.Text = text.String()
	}
	return note, code
}

// run runs a command in its own process group. The error is of one that could
// not be run at all.
func (w *watch) run(cmd *exec.Cmd) (protocol.Note, int, error) {
	cmd.SysProcAttr = ownGroup()
	cmd.WaitDelay = time.Second
	err := cmd.Start()
	if err == nil {
		w.talk.note(protocol.Note{Started: cmd.Process.Pid})
		w.child.started(cmd.Process.Pid)
		err = cmd.Wait()
		w.child.ended()
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) && !errors.Is(err, exec.ErrWaitDelay) {
		return protocol.Note{Ended: true, Exit: 127, Failure: reason(err).Error()}, 127, err
	}
	note, code := status(cmd.ProcessState)
	return note, code, nil
}

// bounded keeps the first limit bytes written to it.
type bounded struct {
	bytes.Buffer
	limit int
}

func (b *bounded) Write(p []byte) (int, error) {
	if room := b.limit - b.Len(); room > 0 {
		b.Buffer.Write(p[:min(room, len(p))])
	}
	return len(p), nil
}
