package gonb

import (
	"context"
	"encoding/json"
	"regexp"
	"strings"
	"sync"

	"github.com/topos-notebook/topos/kernel/wire"
)

// Request is one cell for the child.
type Request struct {
	Code         string
	StoreHistory bool          // the child counts the cell
	AllowStdin   bool          // the child may ask for input
	Settings     bool          // see [Cell.Settles]
	Parent       *wire.Message // the front's request, which comm messages carry as their parent
}

// Reply is how the child says a cell ended. It says ok of many a cell that
// failed: a program's end must be judged from its process.
type Reply struct {
	OK         bool
	Value      string   // the error's text when not OK
	Traceback  []string // its lines, without colours
	ExitStatus string   // "exit status 3" or "signal: killed" when that was the last thing a command reported
}

// Events receives what a cell publishes, in order, from one goroutine.
type Events interface {
	// Stream takes text for "stdout" or "stderr".
	Stream(name, text string)
	// Publish takes any other message of a cell: display_data,
	// update_display_data, clear_output and the like.
	Publish(msgType string, content json.RawMessage, buffers [][]byte)
	// Input is called when the child asks for a line, also for a cell that does
	// not allow it; [Kernel.Input] answers.
	Input(prompt string, password bool)
}

// execution is the cell that the child runs.
type execution struct {
	id      string
	request Request
	events  Events
	held    string // a last message of stderr that may be an exit status

	once    sync.Once
	failed  chan struct{}
	failure error
	replied chan *wire.Message
	idle    chan struct{} // closed at the cell's idle

	mu      sync.Mutex
	barrier string        // id of the request behind the cell, see settle
	passed  chan struct{} // closed at the barrier's idle
	count   int           // messages passed on
}

// owns reports whether a request is the cell's, or stands behind it.
func (e *execution) owns(id string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return id == e.id || id == e.barrier
}

func (e *execution) fail(err error) {
	e.once.Do(func() {
		e.failure = err
		close(e.failed)
	})
}

func (e *execution) reply(m *wire.Message) {
	select {
	case e.replied <- m:
	default: // a second reply to one request
	}
}

// exitText is what GoNB writes to stderr when a command did not end well.
var exitText = regexp.MustCompile(`^(?:\^C\n)?(exit status \d+|signal: .+)\n$`)

// published takes a message from iopub, on the one goroutine that reads it.
func (e *execution) published(m *wire.Message) {
	switch m.Header.MsgType {
	case "status":
		e.status(m)
	case "execute_input", "error": // said by the front itself, once it knows the outcome
	case "stream":
		var c struct{ Name, Text string }
		if json.Unmarshal(m.Content, &c) != nil || c.Name != "stdout" && c.Name != "stderr" {
			return
		}
		e.release()
		if c.Name == "stderr" && exitText.MatchString(c.Text) {
			e.held = c.Text
			return
		}
		e.events.Stream(c.Name, c.Text)
	default:
		e.release()
		e.mu.Lock()
		e.count++
		e.mu.Unlock()
		e.events.Publish(m.Header.MsgType, m.Content, m.Buffers)
	}
}

// release passes on a held message that turned out not to be the last.
func (e *execution) release() {
	if e.held != "" {
		e.events.Stream("stderr", e.held)
		e.held = ""
	}
}

func (e *execution) status(m *wire.Message) {
	var c struct {
		State string `json:"execution_state"`
	}
	if json.Unmarshal(m.Content, &c) != nil || c.State != "idle" {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	closing := e.idle
	if m.ParentID() == e.barrier {
		closing = e.passed
	}
	select {
	case <-closing:
	default:
		close(closing)
	}
}

// Execute runs a cell in the child and returns when both its reply and its idle
// have come, and what it displayed at its very end as well. The context bounds
// only the wait for the child's start; a running cell is ended by [Kernel.Interrupt].
// One cell runs at a time: the caller sees to that.
func (k *Kernel) Execute(ctx context.Context, r Request, events Events) (Reply, error) {
	if _, err := k.wait(ctx); err != nil {
		if r.StoreHistory {
			k.Skip()
		}
		k.retry() // so that a later cell finds a child when the cause has gone
		return Reply{}, err
	}
	e := &execution{request: r, events: events, failed: make(chan struct{}), replied: make(chan *wire.Message, 1),
		idle: make(chan struct{})}
	if err := k.begin(e); err != nil {
		if r.StoreHistory {
			k.Skip()
		}
		return Reply{}, err
	}
	var reply *wire.Message
	idle := e.idle
	for reply == nil || idle != nil {
		select {
		case reply = <-e.replied:
		case <-idle:
			idle = nil
		case <-e.failed:
			return Reply{}, e.failure
		}
	}
	if !r.Settings {
		if err := k.settleDisplays(e); err != nil {
			return Reply{}, err
		}
	}
	k.mu.Lock()
	k.running = nil
	k.deaths = 0
	k.mu.Unlock()
	return e.outcome(reply), nil
}

// settleDisplays waits for what a program displayed right before it ended. GoNB
// reads that in a goroutine that nobody waits for, and publishes it after the
// cell's idle. A request behind the cell gives it the time of a round trip.
// Others follow until a few in a row brought nothing: few for a cell that has
// displayed nothing, more for one that has, and may have more to come.
func (k *Kernel) settleDisplays(e *execution) error {
	const quietRounds, quietRoundsAfterDisplay, mostRounds = 2, 10, 200
	quiet := 0
	for range mostRounds {
		m := wire.New("", "kernel_info_request", nil, struct{}{})
		e.mu.Lock()
		e.barrier, e.passed = m.Header.MsgID, make(chan struct{})
		before, passed := e.count, e.passed
		e.mu.Unlock()
		k.mu.Lock()
		if k.child != nil {
			k.child.shell.Send(m)
		}
		k.mu.Unlock()
		select {
		case <-passed:
		case <-e.failed:
			return e.failure
		}
		e.mu.Lock()
		now := e.count
		e.mu.Unlock()
		if now > before {
			quiet = 0
			continue
		}
		quiet++
		if quiet >= quietRoundsAfterDisplay || now == 0 && quiet >= quietRounds {
			break
		}
	}
	return nil
}

// begin tells the child of the cells that it did not run, and sends the cell.
func (k *Kernel) begin(e *execution) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	c := k.child
	if c == nil {
		return &DiedError{Reason: errEnded}
	}
	if k.note != "" {
		e.events.Stream("stderr", k.note)
		k.note = ""
	}
	for ; k.owed > 0; k.owed-- {
		c.shell.Send(wire.New(c.session, "execute_request", nil, executeContent("", true, false)))
	}
	if e.request.StoreHistory {
		k.counted++
	}
	m := wire.New(c.session, "execute_request", nil, executeContent(e.request.Code, e.request.StoreHistory, e.request.AllowStdin))
	e.id = m.Header.MsgID
	k.running = e
	c.shell.Send(m)
	return nil
}

func executeContent(code string, store, stdin bool) map[string]any {
	return map[string]any{"code": code, "silent": true, "store_history": store, "allow_stdin": stdin,
		"stop_on_error": false, "user_expressions": struct{}{}}
}

var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

func (e *execution) outcome(m *wire.Message) Reply {
	var c struct {
		Status    string   `json:"status"`
		Value     string   `json:"evalue"`
		Traceback []string `json:"traceback"`
	}
	if err := json.Unmarshal(m.Content, &c); err != nil {
		return Reply{Value: "GoNB's reply cannot be read: " + err.Error()}
	}
	r := Reply{OK: c.Status == "ok", Value: colours.ReplaceAllString(c.Value, "")}
	for _, t := range c.Traceback {
		r.Traceback = append(r.Traceback, colours.ReplaceAllString(t, ""))
	}
	if found := exitText.FindStringSubmatch(e.held); found != nil {
		r.ExitStatus = strings.TrimSpace(found[1])
	}
	return r
}
