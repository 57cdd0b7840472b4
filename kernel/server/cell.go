package server

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"
	"unicode"

	"github.com/topos-notebook/topos/kernel/wire"
)

// cell is one request to execute while it runs.
type cell struct {
	server  *Server
	request request
	wants   wire.ExecuteRequest
	count   int
	out     *output
	ctx     context.Context
	cancel  context.CancelCauseFunc
	asked   atomic.Bool // the user was asked for input and has not answered

	mu       sync.Mutex
	job      Job  // while GoNB runs it
	commands bool // GoNB itself runs commands for it
	rescue   *time.Timer
}

// runCells runs queued cells, one at a time, until the queue is closed.
func (s *Server) runCells() {
	for {
		q, ok := s.queue.pop()
		if !ok {
			return
		}
		if q.aborted {
			s.status(q.Message, "busy")
			s.reply(q.request, "execute_reply", map[string]any{"status": "aborted"})
			s.settle(q.Message)
			continue
		}
		s.runCell(q.request)
	}
}

// runCell runs one cell from its busy to its idle.
func (s *Server) runCell(r request) {
	c := &cell{server: s, request: r}
	c.ctx, c.cancel = context.WithCancelCause(s.done)
	defer c.cancel(nil)
	wants, err := r.Execute()
	c.wants = wants
	c.out = newOutput(s, r.Message, wants.Silent, c.drain)
	s.mu.Lock()
	s.current = c
	s.status(r.Message, "busy")
	if err == nil && wants.StoreHistory {
		s.count++
	}
	c.count = s.count
	s.mu.Unlock()
	if err == nil && wants.StoreHistory {
		s.history.add(c.count, wants.Code)
	}
	if err == nil {
		if !wants.Silent {
			s.publish(r.Message, "execute_input", map[string]any{"code": wants.Code, "execution_count": c.count})
		}
		err = c.run()
	} else {
		err = &CellError{Name: "ProtocolError", Value: err.Error()}
	}
	c.out.close()
	content := map[string]any{"status": "ok", "execution_count": c.count, "payload": []any{},
		"user_expressions": unevaluated(wants.UserExpressions)}
	if err != nil {
		e := c.describe(err)
		content["status"], content["ename"], content["evalue"], content["traceback"] = "error", e.Name, e.Value, e.Traceback
		if !wants.Silent {
			s.publish(r.Message, "error", map[string]any{"ename": e.Name, "evalue": e.Value, "traceback": e.Traceback})
		}
		if wants.StopOnError {
			s.queue.burst(s.done)
			s.queue.abort()
		}
	}
	s.reply(r, "execute_reply", content)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.current = nil
	s.status(r.Message, "idle")
}

// unevaluated answers user expressions, which are Python's.
func unevaluated(expressions map[string]string) map[string]any {
	results := map[string]any{}
	for name := range expressions {
		results[name] = failure("NotImplemented", "expressions are not evaluated: run a cell")
	}
	return results
}

// run takes the cell through its transaction.
func (c *cell) run() (err error) {
	var transaction Transaction
	err = c.guard(func() (err error) {
		transaction, err = c.server.engine.Begin(Cell{ID: c.wants.CellID, Count: c.count, Code: c.wants.Code,
			Silent: c.wants.Silent, StoreHistory: c.wants.StoreHistory})
		return err
	})
	if err != nil {
		c.skip()
		return err
	}
	err = c.guard(func() error { return c.steps(transaction) })
	if err == nil && c.ctx.Err() != nil {
		err = errInterrupt
	}
	if err == nil {
		err = c.guard(func() error { return transaction.Commit(c.out) })
		if err == nil {
			return nil
		}
	}
	c.guard(func() error { transaction.Rollback(); return nil })
	return err
}

// steps runs the parts of the cell in order.
func (c *cell) steps(t Transaction) error {
	if err := t.Before(c.ctx, c.out); err != nil {
		c.skip()
		return err
	}
	code := t.Forward()
	if code == "" || c.ctx.Err() != nil {
		c.skip()
	} else if err := c.runGo(code); err != nil {
		return err
	}
	if c.ctx.Err() != nil {
		return errInterrupt
	}
	return t.After(c.ctx, c.out)
}

// skip keeps GoNB's count equal for a cell that it did not run.
func (c *cell) skip() {
	if c.wants.StoreHistory {
		c.server.golang.Skip()
	}
}

// guard turns a panic of the engine into an error of the cell: the kernel, and
// what it holds, outlive a fault in answering one cell.
func (c *cell) guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = &CellError{Name: "InternalError", Value: fmt.Sprintf("the kernel failed: %v", p),
				Traceback: internalTrace(p)}
		}
	}()
	return f()
}

// internalTrace words a panic of the kernel itself. Addresses and arguments are
// left out: outputs are the same in every run.
func internalTrace(p any) []string {
	lines := []string{fmt.Sprintf("the kernel failed: %v", p), "This is a fault of the kernel, not of the cell; the cell was undone."}
	for _, l := range strings.Split(string(debug.Stack()), "\n") {
		if name, _, ok := strings.Cut(l, "("); ok && strings.Contains(name, "topos-notebook") && !strings.HasPrefix(l, "\t") {
			lines = append(lines, "in "+name)
		}
	}
	return lines
}

// drain brings what the program has written so far.
func (c *cell) drain() {
	c.mu.Lock()
	job := c.job
	c.mu.Unlock()
	if job != nil {
		job.Drain()
	}
}

// rescueAfter is how long an interrupted cell may take to end before GoNB is
// killed and started again.
const rescueAfter = 10 * time.Second

// interrupt ends whatever the cell is doing.
func (c *cell) interrupt() {
	c.cancel(errInterrupt)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.job == nil {
		return
	}
	go c.job.Interrupt()
	if c.commands {
		c.server.golang.Interrupt()
	}
	if c.rescue == nil {
		c.rescue = time.AfterFunc(rescueAfter, c.server.golang.Kill)
	}
}

// describe words the cell's failure for clients, in plain text: what a cell or
// its program said may hold a terminal's orders, which consoles obey and
// notebooks take for colours.
func (c *cell) describe(err error) CellError {
	e := c.words(err)
	e.Name, e.Value = inert(e.Name), inert(e.Value)
	e.Traceback = slices.Clone(e.Traceback)
	for i := range e.Traceback {
		e.Traceback[i] = inert(e.Traceback[i])
	}
	e.Value = strings.Join(shortened(strings.Split(e.Value, "\n")), "\n")
	e.Traceback = shortened(e.Traceback)
	return e
}

// inert shows control characters as the pictures that Unicode has of them, one
// for one, so that a caret below stays where it is.
func inert(text string) string {
	return strings.Map(func(r rune) rune {
		const pictures, delete = '\u2400', '\u007f'
		switch {
		case r == '\n' || r == '\t' || !unicode.IsControl(r):
			return r
		case r < ' ':
			return pictures + r
		case r == delete:
			return '\u2421'
		default:
			return unicode.ReplacementChar
		}
	}, text)
}

func (c *cell) words(err error) CellError {
	var e *CellError
	switch {
	case errors.Is(err, errInterrupt) || c.ctx.Err() != nil && errors.Is(err, context.Canceled):
		return CellError{Name: "KeyboardInterrupt", Value: "interrupted",
			Traceback: []string{fmt.Sprintf("cell %d: interrupted", c.count)}}
	case errors.As(err, &e):
		described := *e
		if len(described.Traceback) == 0 {
			described.Traceback = strings.Split(described.Value, "\n")
		}
		return described
	default:
		return CellError{Name: "Error", Value: err.Error(), Traceback: strings.Split(err.Error(), "\n")}
	}
}
