package gonb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"github.com/topos-notebook/topos/kernel/wire"
)

// Options say how to run the child.
type Options struct {
	Program string    // absolute path of gonb
	Folder  string    // private folder for its connection file and sockets; must exist
	Name    string    // base name of the front's connection file: GoNB reads the kernel's id from it
	Dir     string    // working directory, "" for ours
	Env     []string  // whole environment, nil for ours
	Log     io.Writer // the child's log, nil to drop it

	// Started is told the process id of each child, which leads a process
	// group of its own; may be nil.
	Started func(pid int)
}

// arguments of every child. Errors as plain text: GoNB's HTML pages of an error
// need a style sheet and reach neither nbclient nor papermill.
func arguments(file string) []string {
	return []string{"--kernel", file, "--logtostderr", "--raw_error"}
}

// child is one running GoNB process with its four sockets.
type child struct {
	session string
	cmd     *exec.Cmd
	folder  string
	shell   *wire.Socket
	control *wire.Socket
	stdin   *wire.Socket
	iopub   *wire.Socket
	ended   chan struct{} // closed when the process has ended
	err     error         // how it ended; read after ended
	gone    chan struct{} // closed when the kernel has forgotten it
	stop    context.CancelFunc
}

// errEnded is the reason of everything that failed because the child ended.
var errEnded = errors.New("gonb ended")

// start runs a child and returns when its sockets are connected. The context
// bounds the start alone.
func start(ctx context.Context, o Options, number int) (*child, error) {
	folder := filepath.Join(o.Folder, fmt.Sprintf("g%d", number))
	if err := os.Mkdir(folder, 0o700); err != nil {
		return nil, err
	}
	connection, err := wire.LocalConnection(folder)
	if err != nil {
		return nil, err
	}
	file := filepath.Join(folder, o.Name)
	if err := connection.Write(file); err != nil {
		return nil, err
	}
	c := &child{session: wire.NewID(), folder: folder, ended: make(chan struct{}), gone: make(chan struct{})}
	c.cmd = exec.Command(o.Program, arguments(file)...)
	c.cmd.Dir, c.cmd.Env = o.Dir, o.Env
	if o.Env == nil {
		c.cmd.Env = os.Environ()
	}
	c.cmd.Env = append(c.cmd.Env[:len(c.cmd.Env):len(c.cmd.Env)], c.mark())
	c.cmd.Stdout, c.cmd.Stderr = o.Log, o.Log
	// A grandchild that keeps the log's pipe open must not hold up Wait.
	c.cmd.WaitDelay = time.Second
	c.cmd.SysProcAttr = processAttributes()
	if err := startProcess(c.cmd); err != nil {
		return nil, fmt.Errorf("start gonb: %w", err)
	}
	if o.Started != nil {
		o.Started(c.cmd.Process.Pid)
	}
	ctx, c.stop = context.WithCancel(ctx)
	go func() {
		c.err = c.cmd.Wait()
		close(c.ended)
		c.stop()
	}()
	if err := c.dial(ctx, connection); err != nil {
		c.kill()
		return nil, err
	}
	if err := c.shake(ctx); err != nil {
		c.kill()
		return nil, err
	}
	return c, nil
}

// dial connects the sockets. The three dealers share one identity: GoNB asks
// for input on stdin under the identity that asked on shell.
func (c *child) dial(ctx context.Context, connection wire.Connection) error {
	identity := wire.NewID()
	for _, s := range []struct {
		at   **wire.Socket
		kind wire.Kind
		ch   wire.Channel
	}{{&c.shell, wire.Dealer, wire.Shell}, {&c.control, wire.Dealer, wire.Control},
		{&c.stdin, wire.Dealer, wire.Stdin}, {&c.iopub, wire.Sub, wire.IOPub}} {
		id := identity
		if s.kind == wire.Sub {
			id = ""
		}
		socket, err := wire.Dial(ctx, s.kind, connection, s.ch, id)
		if err != nil {
			return c.because(err)
		}
		*s.at = socket
	}
	return nil
}

// because returns the end of the process as the reason when it has ended.
func (c *child) because(err error) error {
	select {
	case <-c.ended:
		return fmt.Errorf("%w while it started: %v", errEnded, c.err)
	default:
		return err
	}
}

// shake asks for kernel_info until an answer has come on shell and something on
// iopub: only then has the child seen our subscription.
func (c *child) shake(ctx context.Context) error {
	published := make(chan struct{})
	failed := make(chan error, 2)
	go func() {
		if _, err := c.iopub.Receive(); err != nil {
			failed <- err
			return
		}
		close(published)
	}()
	answered := make(chan struct{}, 1)
	askAgain := make(chan struct{})
	stop := sync.OnceFunc(func() { close(askAgain) })
	defer stop()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			c.shell.Send(wire.New(c.session, "kernel_info_request", nil, struct{}{}))
			if _, err := c.shell.Receive(); err != nil {
				failed <- err
				return
			}
			answered <- struct{}{}
			if _, more := <-askAgain; !more {
				return
			}
		}
	}()
	for {
		select {
		case <-answered:
		case err := <-failed:
			return c.because(err)
		case <-ctx.Done():
			return c.because(context.Cause(ctx))
		}
		select {
		case <-published:
			stop()
			<-done
			return nil
		case err := <-failed:
			return c.because(err)
		case <-time.After(10 * time.Millisecond): // the subscription came after the answer
			askAgain <- struct{}{}
		}
	}
}

// mark is in the environment of all that the child starts.
func (c *child) mark() string { return "TOPOS_GONB=" + c.folder }

// kill ends the process, its group, what else it started, and the sockets.
func (c *child) kill() {
	killGroup(c.cmd.Process.Pid)
	<-c.ended
	killLeftovers(c.mark())
	c.closeSockets()
	os.RemoveAll(c.folder)
}

// quit asks the process to end, and kills it when it has not done so by the
// end of the context.
func (c *child) quit(ctx context.Context) {
	c.control.Send(wire.New(c.session, "shutdown_request", nil, map[string]bool{"restart": false}))
	select {
	case <-c.ended:
	case <-ctx.Done():
	}
	c.kill()
}

func (c *child) closeSockets() {
	for _, s := range []*wire.Socket{c.shell, c.control, c.stdin, c.iopub} {
		if s != nil {
			s.Close()
		}
	}
}

func killGroup(pid int) {
	syscall.Kill(-pid, syscall.SIGKILL)
}
