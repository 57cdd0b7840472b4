package server

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/topos-notebook/topos/kernel/wire"
)

// Options say what a server is made of.
type Options struct {
	Connection wire.Connection
	Engine     Engine
	Version    string // of this program, for kernel_info
	GoVersion  string // of the Go toolchain, for kernel_info

	// Go starts what runs Go cells. It is given where to hand in comm messages.
	Go func(onComm func(parent, message *wire.Message)) Go
	// Processes watches Go cells; nil when nobody does.
	Processes Processes
	// Documentation is of Go; nil where there is none.
	Documentation Documentation
}

// Server serves one Jupyter connection.
type Server struct {
	options       Options
	session       string
	engine        Engine
	golang        Go
	processes     Processes
	documentation Documentation
	queue         *queue
	comms         *comms
	history       history

	shell, control, stdin, iopub, heartbeat *wire.Socket

	finish context.CancelFunc
	done   context.Context // ends when the server is to end
	work   sync.WaitGroup

	mu      sync.Mutex // also orders status messages, see settle
	current *cell      // the cell that runs
	count   int        // cells counted
}

// New binds the five sockets and starts to answer. [Server.Serve] waits for the end.
func New(o Options) (*Server, error) {
	s := &Server{options: o, session: wire.NewID(), engine: o.Engine, processes: o.Processes, documentation: o.Documentation,
		queue: newQueue(), comms: newComms()}
	if s.processes == nil {
		s.processes = unsupervised{}
	}
	if s.documentation == nil {
		s.documentation = undocumented{}
	}
	s.done, s.finish = context.WithCancel(context.Background())
	if err := s.bind(); err != nil {
		s.closeSockets()
		return nil, err
	}
	s.publish(nil, "status", map[string]string{"execution_state": "starting"})
	s.golang = o.Go(s.fromGo)
	go s.heartbeat.Echo()
	go s.receive(s.shell)
	go s.receive(s.control)
	go s.receiveInput()
	s.work.Go(s.runCells)
	return s, nil
}

func (s *Server) bind() (err error) {
	if s.iopub, err = wire.ListenPub(s.options.Connection, s.welcome); err != nil {
		return err
	}
	for _, b := range []struct {
		at   **wire.Socket
		kind wire.Kind
		ch   wire.Channel
	}{{&s.shell, wire.Router, wire.Shell}, {&s.control, wire.Router, wire.Control},
		{&s.stdin, wire.Router, wire.Stdin}, {&s.heartbeat, wire.Rep, wire.Heartbeat}} {
		socket, err := wire.Listen(b.kind, s.options.Connection, b.ch)
		if err != nil {
			return err
		}
		*b.at = socket
	}
	return nil
}

// welcome greets a new subscriber, who waits for it before the first request:
// the message comes when nothing is lost any more.
func (s *Server) welcome(topic string) *wire.Message {
	m := wire.New(s.session, "iopub_welcome", nil, map[string]string{"subscription": topic})
	if m.Identities = [][]byte{[]byte("iopub_welcome")}; topic != "" {
		m.Identities[0] = []byte(topic)
	}
	return m
}

// linger is how long the last messages on iopub get to leave: the library
// queues them out of our sight, and drops them when the socket closes.
const linger = 50 * time.Millisecond

// Serve waits until a client asks for shutdown or the context ends, then ends
// the running cell and closes the sockets and the engine.
func (s *Server) Serve(ctx context.Context) error {
	select {
	case <-ctx.Done():
	case <-s.done.Done():
	}
	s.finish()
	s.queue.close()
	s.Interrupt()
	ended := make(chan struct{})
	go func() {
		s.work.Wait()
		close(ended)
	}()
	stuck := false
	select {
	case <-ended:
	case <-time.After(time.Second):
		s.golang.Kill() // a cell that does not end is no reason to stay
		select {
		case <-ended:
		case <-time.After(time.Second):
			stuck = true
		}
	}
	flush, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, socket := range []*wire.Socket{s.shell, s.control, s.iopub} {
		socket.Flush(flush)
	}
	time.Sleep(linger)
	s.closeSockets()
	if stuck {
		return errors.New("a cell did not end: the session was left as its last committed cell made it")
	}
	return s.engine.Close()
}

// Shutdown makes Serve return.
func (s *Server) Shutdown() { s.finish() }

// Dropped returns how many messages were dropped as invalid.
func (s *Server) Dropped() int64 {
	return s.shell.Dropped() + s.control.Dropped() + s.stdin.Dropped()
}

func (s *Server) closeSockets() {
	for _, socket := range []*wire.Socket{s.shell, s.control, s.stdin, s.iopub, s.heartbeat} {
		if socket != nil {
			socket.Close()
		}
	}
}

// publish sends a message to all clients.
func (s *Server) publish(parent *wire.Message, msgType string, content any, buffers ...[]byte) {
	m := wire.New(s.session, msgType, parent, content)
	m.Identities = [][]byte{[]byte(msgType)}
	m.Buffers = buffers
	s.iopub.Send(m)
}

func (s *Server) status(parent *wire.Message, state string) {
	s.publish(parent, "status", map[string]string{"execution_state": state})
}

// receiveInput takes the lines that users type.
func (s *Server) receiveInput() {
	for {
		m, err := s.stdin.Receive()
		if err != nil {
			return
		}
		input, err := m.Input()
		if m.Header.MsgType != "input_reply" || err != nil {
			continue
		}
		s.mu.Lock()
		c := s.current
		s.mu.Unlock()
		if c != nil && c.isFrom(m) && c.asked.CompareAndSwap(true, false) {
			c.answer(input.Value)
		}
	}
}

// Interrupt ends the running cell; without one it does nothing. It may be
// called again for a cell that does not end.
func (s *Server) Interrupt() {
	s.mu.Lock()
	c := s.current
	s.mu.Unlock()
	if c != nil {
		c.interrupt()
	}
}

// errInterrupt is the cause of the end of an interrupted cell's context.
var errInterrupt = errors.New("interrupted")
