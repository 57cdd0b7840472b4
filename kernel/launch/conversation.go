package main

import (
	"bufio"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// answerTime bounds the wait for the supervisor's first answer. It is a guard
// against a kernel that hangs, after which the process runs unsupervised.
const answerTime = 5 * time.Second

// conversation is the connection to the supervisor. A nil conversation is one
// that could not be had: its methods do nothing.
type conversation struct {
	conn  *net.UnixConn
	order protocol.Order // the first answer
	pipes []*os.File     // stdout and stderr when order.Pipes, then stdin when order.Input
}

// converse says hello to the supervisor and reads its first order. It returns
// nil when there is none to talk to.
func converse(step protocol.Step, work string) *conversation {
	path := os.Getenv(protocol.SocketVariable)
	if path == "" {
		return nil
	}
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil
	}
	c := &conversation{conn: conn}
	hello := protocol.Hello{Step: step, Pid: os.Getpid(), Work: work,
		Command: step == protocol.RunStep && filepath.Base(os.Args[0]) == protocol.CommandName}
	if c.write(hello) != nil || c.firstOrder() != nil {
		conn.Close()
		return nil
	}
	return c
}

func (c *conversation) write(message any) error {
	line, err := protocol.Encode(message)
	if err != nil {
		return err
	}
	_, err = c.conn.Write(line)
	return err
}

// note reports to the supervisor. A report that cannot be delivered is
// dropped: the kernel is gone, and orders will say so.
func (c *conversation) note(n protocol.Note) {
	if c != nil {
		c.write(n)
	}
}

// firstOrder reads byte by byte up to the end of the line, so that nothing of
// a later order is swallowed, and keeps the descriptors that come with it.
func (c *conversation) firstOrder() error {
	c.conn.SetReadDeadline(time.Now().Add(answerTime))
	defer c.conn.SetReadDeadline(time.Time{})
	var line []byte
	var descriptors []int
	one, control := make([]byte, 1), make([]byte, syscall.CmsgSpace(3*4))
	for len(line) == 0 || line[len(line)-1] != '\n' {
		n, size, _, _, err := c.conn.ReadMsgUnix(one, control)
		if err != nil {
			return err
		}
		line = append(line, one[:n]...)
		if n == 0 || len(line) > protocol.MaxLine {
			return syscall.EPROTO
		}
		messages, _ := syscall.ParseSocketControlMessage(control[:size])
		for i := range messages {
			got, _ := syscall.ParseUnixRights(&messages[i])
			descriptors = append(descriptors, got...)
		}
	}
	for _, d := range descriptors {
		syscall.CloseOnExec(d)
		c.pipes = append(c.pipes, os.NewFile(uintptr(d), "pipe"))
	}
	if err := protocol.Decode(line, &c.order); err != nil {
		return err
	}
	want := 0
	if c.order.Pipes {
		want += 2
	}
	if c.order.Input {
		want++
	}
	if len(c.pipes) != want {
		return syscall.EPROTO
	}
	return nil
}

// files are the program's stdin, stdout and stderr.
func (c *conversation) files() []*os.File {
	files := []*os.File{os.Stdin, os.Stdout, os.Stderr}
	if c == nil {
		return files
	}
	if c.order.Pipes {
		files[1], files[2] = c.pipes[0], c.pipes[1]
	}
	if c.order.Input {
		files[0] = c.pipes[len(c.pipes)-1]
	}
	// GoNB leaves the pipe open that it never writes to: a program that reads
	// from it would wait for ever.
	if c.order.Mute {
		if empty, err := os.Open(os.DevNull); err == nil {
			files[0] = empty
		}
	}
	return files
}

// refused says whether the supervisor wants nothing to start.
func (c *conversation) refused() bool { return c != nil && c.order.Refuse }

// declined is refused, and tells the user of it.
func (c *conversation) declined() bool {
	if c.refused() {
		fmt.Fprintln(os.Stderr, "interrupted")
	}
	return c.refused()
}

// outlive keeps the connection open beyond this program, until the one that takes
// its place has ended.
func (c *conversation) outlive() {
	if c == nil {
		return
	}
	if raw, err := c.conn.SyscallConn(); err == nil {
		// The copy, unlike the original, is not closed on exec.
		raw.Control(func(fd uintptr) { syscall.Dup(int(fd)) })
	}
}

// obey carries out orders until the connection ends. When it ends before the
// process does, the kernel has died, and the process is killed.
func (c *conversation) obey(p *child) {
	if c == nil {
		return
	}
	lines := bufio.NewReader(c.conn)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			p.signal(syscall.SIGKILL)
			return
		}
		var order protocol.Order
		if protocol.Decode(line, &order) == nil && order.Signal > 0 {
			p.signal(syscall.Signal(order.Signal))
		}
	}
}
