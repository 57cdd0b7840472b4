package gonb

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/topos-notebook/topos/kernel/wire"
)

// Errors of requests that the child did not answer.
var (
	// ErrBusy says that a cell is running, or a question that was given up not yet
	// answered: behind these the child would queue the request.
	ErrBusy = errors.New("gonb is running a cell, or still at an earlier question")
	// ErrClosed says that the kernel was closed.
	ErrClosed = errors.New("gonb was closed")
)

// DiedError says that the child ended while it had a request.
type DiedError struct{ Reason error }

// Error returns one line with the reason.
func (e *DiedError) Error() string { return fmt.Sprintf("GoNB ended: %v", e.Reason) }

// Unwrap returns the reason.
func (e *DiedError) Unwrap() error { return e.Reason }

// startTimeout bounds one start of the child.
const startTimeout = 60 * time.Second

// maxDeaths is how often the child may die without a cell in between that
// ended well before it is left alone.
const maxDeaths = 3

// Kernel is GoNB kept running. Its methods may be called from any goroutine.
type Kernel struct {
	options Options
	onComm  func(parent, message *wire.Message)
	cancel  context.CancelFunc
	context context.Context
	stopped sync.WaitGroup

	mu      sync.Mutex
	child   *child
	settled chan struct{} // closed when child or err is set
	err     error         // why there is no child
	deaths  int           // in a row
	number  int           // of starts
	note    string        // what the next cell should be told
	counted int           // cells that the front has counted
	owed    int           // cells that the child has not counted
	running *execution
	asked   time.Time                     // when the child last asked for a line
	waiting map[string]chan *wire.Message // replies to complete and inspect, by id
	late    map[string]time.Time          // when those were given up that the child still owes
	parents *parents
}

// Start returns at once; the child starts in the background. OnComm is called
// for each comm message that the child publishes, with the front's message that
// led to it (nil when there is none).
func Start(o Options, onComm func(parent, message *wire.Message)) *Kernel {
	k := &Kernel{options: o, onComm: onComm, settled: make(chan struct{}),
		waiting: map[string]chan *wire.Message{}, late: map[string]time.Time{}, parents: newParents()}
	k.context, k.cancel = context.WithCancel(context.Background())
	k.stopped.Add(1)
	go k.keep()
	return k
}

// keep starts the child, waits for its end, and starts it again.
func (k *Kernel) keep() {
	defer k.stopped.Done()
	for {
		ctx, cancel := context.WithTimeoutCause(k.context, startTimeout, errors.New("gonb did not answer in time"))
		k.mu.Lock()
		k.number++
		number := k.number
		k.mu.Unlock()
		c, err := start(ctx, k.options, number)
		cancel()
		if err == nil {
			var readers sync.WaitGroup
			readers.Go(func() { k.readShell(c) })
			readers.Go(func() { k.readPublished(c) })
			readers.Go(func() { k.readInput(c) })
			readers.Go(func() { k.drain(c.control) }) // nothing is expected there
			k.settle(c, nil)
			select {
			case <-c.ended:
				c.kill() // what is left of its group
				err = c.err
				if err == nil {
					err = errors.New("exit status 0")
				}
			case <-k.context.Done():
				quit, done := context.WithTimeout(context.Background(), 1500*time.Millisecond)
				c.quit(quit)
				done()
			}
			readers.Wait()
		}
		if !k.died(err) {
			return
		}
	}
}

// settle sets the child, or the reason why there is none.
func (k *Kernel) settle(c *child, err error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.child, k.err = c, err
	k.owed = k.counted
	close(k.settled)
}

// died fails what waits for the child, and reports whether to start another.
func (k *Kernel) died(err error) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.child != nil {
		defer close(k.child.gone)
		k.child = nil
		k.settled = make(chan struct{})
	}
	failure := &DiedError{Reason: err}
	for id, ch := range k.waiting {
		close(ch)
		delete(k.waiting, id)
	}
	clear(k.late)
	if k.context.Err() != nil {
		failure.Reason = ErrClosed
	}
	k.deaths++
	again := k.context.Err() == nil && k.deaths <= maxDeaths
	if k.running != nil {
		k.running.fail(failure)
		k.running = nil
	} else if again {
		k.note = fmt.Sprintf("GoNB ended (%v) and was started again: Go declarations of earlier cells are gone, the session is kept.\n", err)
	}
	if !again {
		k.err = failure
		if k.context.Err() != nil {
			k.err = ErrClosed
		}
		close(k.settled)
	}
	return again
}

// Close ends the child and waits for its end.
func (k *Kernel) Close() {
	k.mu.Lock()
	k.cancel()
	k.mu.Unlock()
	k.stopped.Wait()
}

// Kill ends the child at once; another is started. It is for a child that no
// longer answers.
func (k *Kernel) Kill() {
	k.mu.Lock()
	c := k.child
	k.mu.Unlock()
	if c != nil {
		killGroup(c.cmd.Process.Pid)
	}
}

// retry starts a child again that was given up.
func (k *Kernel) retry() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.err == nil || k.context.Err() != nil {
		return
	}
	k.err, k.deaths, k.settled = nil, 0, make(chan struct{})
	k.stopped.Add(1)
	go k.keep()
}

// Ready waits until the child answers. It returns the reason when it does not,
// or when the context ends first.
func (k *Kernel) Ready(ctx context.Context) error {
	_, err := k.wait(ctx)
	return err
}

func (k *Kernel) wait(ctx context.Context) (*child, error) {
	for {
		k.mu.Lock()
		c, err, settled := k.child, k.err, k.settled
		k.mu.Unlock()
		if c != nil {
			select {
			case <-c.ended:
				<-c.gone // another follows, or the reason why none does
				continue
			default:
				return c, nil
			}
		}
		if err != nil {
			return nil, err
		}
		select {
		case <-settled:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// Skip says that the front counted a cell that the child does not run. The
// child is told together with its next cell.
func (k *Kernel) Skip() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.counted++
	k.owed++
}

// Interrupt asks the child to interrupt what it runs.
func (k *Kernel) Interrupt() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.child != nil {
		k.child.control.Send(wire.New(k.child.session, "interrupt_request", nil, struct{}{}))
	}
}

// readyToHear is how long after its question the child is left alone: it asks
// first, and only then notes who is to be told the answer.
const readyToHear = 50 * time.Millisecond

// Input answers the question that a command of the running cell has asked.
func (k *Kernel) Input(value string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	asker := k.running
	time.AfterFunc(readyToHear-time.Since(k.asked), func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.child != nil && asker == k.running {
			k.child.stdin.Send(wire.New(k.child.session, "input_reply", nil, map[string]string{"value": value}))
		}
	})
}

// CommTarget is the one target that GoNB knows comms for.
const CommTarget = "gonb_comm"

// Comm forwards a comm message of the front, also while a cell runs.
func (k *Kernel) Comm(m *wire.Message) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.child == nil {
		return
	}
	forward := wire.New(k.child.session, m.Header.MsgType, nil, m.Content)
	forward.Metadata, forward.Buffers = m.Metadata, m.Buffers
	k.parents.add(forward.Header.MsgID, m)
	k.child.shell.Send(forward)
}

// readShell takes the child's replies, which it sends on shell also for
// requests that came on control.
func (k *Kernel) readShell(c *child) {
	for {
		m, err := c.shell.Receive()
		if err != nil {
			return
		}
		id := m.ParentID()
		k.mu.Lock()
		run, ch := k.running, k.waiting[id]
		delete(k.waiting, id)
		delete(k.late, id)
		k.mu.Unlock()
		switch {
		case run != nil && run.id == id:
			run.reply(m)
		case ch != nil:
			ch <- m
		}
	}
}

func (k *Kernel) readPublished(c *child) {
	for {
		m, err := c.iopub.Receive()
		if err != nil {
			return
		}
		id := m.ParentID()
		k.mu.Lock()
		run := k.running
		parent := k.parents.get(id)
		k.mu.Unlock()
		mine := run != nil && run.owns(id)
		if mine {
			parent = run.request.Parent
		}
		switch m.Header.MsgType {
		case "comm_open", "comm_msg", "comm_close":
			if k.onComm != nil {
				k.onComm(parent, m)
			}
		default:
			if mine {
				run.published(m)
			}
		}
	}
}

func (k *Kernel) readInput(c *child) {
	for {
		m, err := c.stdin.Receive()
		if err != nil {
			return
		}
		k.mu.Lock()
		run := k.running
		k.asked = time.Now()
		k.mu.Unlock()
		var ask struct {
			Prompt   string `json:"prompt"`
			Password bool   `json:"password"`
		}
		if m.Header.MsgType != "input_request" || json.Unmarshal(m.Content, &ask) != nil {
			continue
		}
		if run != nil && run.id == m.ParentID() {
			run.events.Input(ask.Prompt, ask.Password)
		}
	}
}

func (k *Kernel) drain(s *wire.Socket) {
	for {
		if _, err := s.Receive(); err != nil {
			return
		}
	}
}

// parents remembers which message of the front a forwarded comm message was,
// for the last few of them.
type parents struct {
	byID  map[string]*wire.Message
	order []string
}

const maxParents = 1024

func newParents() *parents { return &parents{byID: map[string]*wire.Message{}} }

func (p *parents) add(id string, m *wire.Message) {
	if len(p.order) == maxParents {
		delete(p.byID, p.order[0])
		p.order = p.order[1:]
	}
	p.byID[id] = m
	p.order = append(p.order, id)
}

func (p *parents) get(id string) *wire.Message { return p.byID[id] }
