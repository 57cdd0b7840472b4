package verify

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"github.com/topos-notebook/topos/kernel/notebook"
	"github.com/topos-notebook/topos/kernel/wire"
)

// startTime and endTime bound how long a kernel may take to answer at first, and
// to end when it is asked to.
const (
	startTime = time.Minute
	endTime   = 10 * time.Second
)

// Kernel is a kernel that runs for one verification, over sockets in a folder of
// its own, with a state folder of its own.
type Kernel struct {
	session string
	folder  string
	cmd     *exec.Cmd
	ended   chan struct{}
	shell   *wire.Socket
	control *wire.Socket
	iopub   *wire.Socket
	heard   chan *wire.Message // from iopub
	replies chan *wire.Message // from shell
}

// Start runs a kernel: program and arguments, to which the path of a connection
// file is added, in the folder dir. It returns when the kernel answers.
func Start(ctx context.Context, dir, program string, arguments ...string) (*Kernel, error) {
	folder, err := os.MkdirTemp("", "topos-verify-")
	if err != nil {
		return nil, err
	}
	k := &Kernel{session: wire.NewID(), folder: folder, ended: make(chan struct{}),
		heard: make(chan *wire.Message, 64), replies: make(chan *wire.Message, 64)}
	if err := k.start(ctx, dir, program, arguments); err != nil {
		k.Close()
		return nil, fmt.Errorf("the kernel does not start: %w", err)
	}
	return k, nil
}

func (k *Kernel) start(ctx context.Context, dir, program string, arguments []string) error {
	connection, err := wire.LocalConnection(k.folder)
	if err != nil {
		return err
	}
	file := filepath.Join(k.folder, "kernel-verify.json")
	if err := connection.Write(file); err != nil {
		return err
	}
	k.cmd = exec.Command(program, append(arguments[:len(arguments):len(arguments)], file)...)
	k.cmd.Dir = dir
	k.cmd.Env = append(os.Environ(), "TOPOS_STATE="+filepath.Join(k.folder, "state"), fmt.Sprintf("JPY_PARENT_PID=%d", os.Getpid()))
	k.cmd.Stderr = os.Stderr
	if err := k.cmd.Start(); err != nil {
		close(k.ended)
		return err
	}
	go func() {
		k.cmd.Wait()
		close(k.ended)
	}()
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	ctx, gone := context.WithCancelCause(ctx)
	defer gone(nil)
	go func() {
		select {
		case <-k.ended:
			gone(errGone)
		case <-ctx.Done():
		}
	}()
	identity := wire.NewID()
	for _, s := range []struct {
		at       **wire.Socket
		kind     wire.Kind
		channel  wire.Channel
		identity string
	}{{&k.shell, wire.Dealer, wire.Shell, identity}, {&k.control, wire.Dealer, wire.Control, identity}, {&k.iopub, wire.Sub, wire.IOPub, ""}} {
		socket, err := wire.Dial(ctx, s.kind, connection, s.channel, s.identity)
		if err != nil {
			return err
		}
		*s.at = socket
	}
	go receive(k.shell, k.replies)
	go receive(k.iopub, k.heard)
	return k.awaitWelcome(ctx)
}

func receive(s *wire.Socket, to chan<- *wire.Message) {
	defer close(to)
	for {
		m, err := s.Receive()
		if err != nil {
			return
		}
		to <- m
	}
}

// awaitWelcome waits for the message with which a kernel says that it has seen
// the subscription: what it publishes from then on arrives.
func (k *Kernel) awaitWelcome(ctx context.Context) error {
	for {
		m, err := k.next(ctx, k.heard)
		if err != nil {
			return err
		}
		if m.Header.MsgType == "iopub_welcome" {
			return nil
		}
	}
}

var errGone = errors.New("the kernel has ended")

// next waits for a message.
func (k *Kernel) next(ctx context.Context, from <-chan *wire.Message) (*wire.Message, error) {
	select {
	case m, ok := <-from:
		if !ok {
			return nil, errGone
		}
		return m, nil
	case <-k.ended:
		return nil, errGone
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

// Run runs a cell to its end, which may be a failure, and returns what it put out.
// Its error says that the kernel could not run it. A cell that asks for input is
// answered by none.
func (k *Kernel) Run(ctx context.Context, cell notebook.Cell) ([]notebook.Output, error) {
	m := wire.New(k.session, "execute_request", nil, map[string]any{"code": cell.Source, "silent": false, "store_history": true,
		"user_expressions": struct{}{}, "allow_stdin": false, "stop_on_error": false})
	if cell.ID != "" {
		m.Metadata, _ = json.Marshal(map[string]string{"cellId": cell.ID})
	}
	k.shell.Send(m)
	var shown shown
	for idle, replied := false, false; !idle || !replied; {
		var got *wire.Message
		var err error
		if idle {
			got, err = k.next(ctx, k.replies)
		} else {
			got, err = k.next(ctx, k.heard)
		}
		if err != nil {
			return nil, err
		}
		switch {
		case got.ParentID() != m.Header.MsgID:
		case idle:
			replied = true
		default:
			idle = shown.take(got)
		}
	}
	return shown.outputs, nil
}

// Close ends the kernel and removes its folder.
func (k *Kernel) Close() {
	if k.control != nil {
		k.control.Send(wire.New(k.session, "shutdown_request", nil, map[string]bool{"restart": false}))
	}
	if k.cmd != nil && k.cmd.Process != nil {
		select {
		case <-k.ended:
		case <-time.After(endTime):
			k.cmd.Process.Kill()
			<-k.ended
		}
	}
	for _, s := range []*wire.Socket{k.shell, k.control, k.iopub} {
		if s != nil {
			s.Close()
		}
	}
	os.RemoveAll(k.folder)
}
