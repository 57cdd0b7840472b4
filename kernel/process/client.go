package process

import (
	"bufio"
	"errors"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// goGrace is how long an interrupted go command may take to clean up.
const goGrace = 500 * time.Millisecond

// ProgramGrace is how long an interrupted program may take to end before it is
// killed.
const ProgramGrace = 2 * time.Second

// client is one launcher at the other end of a connection, and its process.
type client struct {
	conn *net.UnixConn
	step protocol.Step

	command bool // a shell command of the cell's, not its program

	mu    sync.Mutex
	group int // process group, once started
	done  bool
	grace *time.Timer
}

// serve holds one conversation.
func (s *Supervisor) serve(conn *net.UnixConn) {
	defer conn.Close()
	lines := bufio.NewReaderSize(conn, 4096)
	var hello protocol.Hello
	if err := read(lines, &hello); err != nil {
		return
	}
	c := &client{conn: conn, step: hello.Step, command: hello.Command}
	if c.step.Replaces() {
		c.group = hello.Pid
	}
	job, ok := s.admit(c, hello.Work)
	defer s.dismiss(c, job)
	if !ok {
		c.send(protocol.Order{Refuse: true})
		return
	}
	pipes, err := c.start(job, !c.command && s.asks())
	if err != nil {
		return
	}
	note := s.follow(c, lines)
	if job != nil {
		job.ended(c, note, pipes)
	} else {
		pipes.abandon()
	}
}

// admit registers a launcher and finds the cell it works for. It says no when
// nothing may start: the kernel is closing, or the cell was interrupted.
func (s *Supervisor) admit(c *client, work string) (*Job, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, false
	}
	s.clients[c] = true
	if work != "" {
		s.work = work
	}
	if s.job == nil {
		return nil, true
	}
	return s.job, s.job.admit(c)
}

func (s *Supervisor) dismiss(c *client, job *Job) {
	s.mu.Lock()
	delete(s.clients, c)
	s.mu.Unlock()
	if job != nil {
		job.dismiss(c)
	}
}

// follow reads what the launcher reports until its process has ended. A
// launcher that goes silent was killed: its process is killed too, where it is
// another.
func (s *Supervisor) follow(c *client, lines *bufio.Reader) protocol.Note {
	for {
		var note protocol.Note
		if err := read(lines, &note); err != nil {
			if c.step.Replaces() {
				c.finish()
			} else {
				c.orphaned()
			}
			return protocol.Note{Ended: true, Exit: -1, Signal: int(syscall.SIGKILL)}
		}
		switch {
		case note.Ended:
			c.finish()
			return note
		case note.Started > 1:
			c.mu.Lock()
			c.group = note.Started
			c.mu.Unlock()
			if c.step == protocol.RunStep {
				s.mu.Lock()
				s.groups[note.Started] = true
				s.mu.Unlock()
			}
		}
	}
}

func read(lines *bufio.Reader, message any) error {
	var line []byte
	for {
		part, err := lines.ReadSlice('\n')
		line = append(line, part...)
		if err == nil || len(line) > protocol.MaxLine {
			break
		}
		if err != bufio.ErrBufferFull {
			return err
		}
	}
	return protocol.Decode(line, message)
}

// start lets the launcher start its process. A cell's program gets pipes of ours for
// its output, where that is ours to bring, and one for its input, where it asks
// for any. What a shell command reads is GoNB's to give.
func (c *client) start(job *Job, asks bool) (*pipes, error) {
	order := protocol.Order{Run: true}
	if c.step != protocol.RunStep || job == nil {
		return nil, c.send(order)
	}
	var p *pipes
	var ends []*os.File
	defer func() {
		for _, f := range ends {
			f.Close()
		}
	}()
	if !job.cell.Raw {
		out, writes, err := newPipes(job.output)
		if err != nil {
			return nil, c.send(order)
		}
		p, ends, order.Pipes = out, writes[:], true
	}
	var in *answers
	order.Mute = !asks && (job.cell.Mute || !c.command)
	if asks {
		if r, w, err := os.Pipe(); err == nil {
			in, ends, order.Input = newAnswers(w), append(ends, r), true
		}
	}
	if err := c.hand(order, ends); err != nil {
		p.abandon()
		in.close()
		return nil, err
	}
	if p != nil {
		job.adopt(p)
	}
	job.listen(in)
	return p, nil
}

// hand sends an order with the ends of pipes that belong to it.
func (c *client) hand(order protocol.Order, ends []*os.File) error {
	line, err := protocol.Encode(order)
	if err != nil || len(ends) == 0 {
		return errors.Join(err, c.send(order))
	}
	var descriptors []int
	for _, f := range ends {
		// The program must not be surprised by a file that cannot wait.
		fd := int(f.Fd())
		syscall.SetNonblock(fd, false)
		descriptors = append(descriptors, fd)
	}
	_, _, err = c.conn.WriteMsgUnix(line, syscall.UnixRights(descriptors...), nil)
	return err
}

func (c *client) send(order protocol.Order) error {
	line, err := protocol.Encode(order)
	if err != nil {
		return err
	}
	_, err = c.conn.Write(line)
	return err
}

// interrupt asks the process to end, and kills it when it does not.
func (c *client) interrupt() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.done {
		return
	}
	grace := ProgramGrace
	if c.step != protocol.RunStep {
		grace = goGrace
	}
	c.signal(syscall.SIGINT)
	if c.grace == nil {
		c.grace = time.AfterFunc(grace, c.kill)
	}
}

// kill ends the process at once.
func (c *client) kill() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.done {
		c.signal(syscall.SIGKILL)
	}
}

// signal reaches the process, through the launcher where there is one. The mutex is
// held, and the process not done.
func (c *client) signal(sig syscall.Signal) {
	if c.step.Replaces() {
		c.strike(sig)
		return
	}
	c.send(protocol.Order{Signal: int(sig)})
}

// strike signals the process group itself. The mutex is held.
func (c *client) strike(sig syscall.Signal) {
	if c.group > 1 && c.group != os.Getpid() {
		syscall.Kill(-c.group, sig)
	}
}

func (c *client) finish() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.done = true
	if c.grace != nil {
		c.grace.Stop()
	}
}

// orphaned kills what a killed launcher has left behind.
func (c *client) orphaned() {
	c.finish()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.strike(syscall.SIGKILL)
}
