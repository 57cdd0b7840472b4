package server

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/topos-notebook/topos/kernel/gonb"
	"github.com/topos-notebook/topos/kernel/process"
	"github.com/topos-notebook/topos/kernel/wire"
)

// runGo has GoNB run code, and judges how it ended: by the process where one
// was watched, by what GoNB says otherwise.
func (c *cell) runGo(code string) error {
	outline := gonb.Outline(code)
	name := "UnknownMagic"
	line, err := outline.Unknown(c.server.engine.Meant)
	if err == nil {
		name = "GoNBError"
		code, line, err = gonb.Expand(code)
	}
	if err != nil {
		c.skip()
		return &CellError{Name: name, Value: err.Error(),
			Traceback: []string{fmt.Sprintf("cell %d line %d: %v", c.count, line.Number, err)}}
	}
	outline = gonb.Outline(code)
	job := c.server.processes.Begin(process.Cell{Number: c.count, Code: c.wants.Code, Raw: outline.Captures(), Mute: !outline.Reads()}, c.out)
	c.begin(job, outline)
	if c.ctx.Err() != nil { // an interrupt of before, for which there was nothing to end
		c.end()
		job.End()
		c.skip()
		return errInterrupt
	}
	events := &goEvents{output: c.out, cell: c, limits: map[string]*process.Capped{}}
	reply, err := c.server.golang.Execute(c.ctx, gonb.Request{Code: code, StoreHistory: c.wants.StoreHistory,
		AllowStdin: c.wants.AllowStdin, Settings: outline.Settles(), Parent: c.request.Message}, events)
	c.end()
	events.rest()
	outcome := job.End()
	if err == nil && reply.OK && outcome.BuildErrors == "" {
		c.server.documentation.Learn(code)
	}
	var died error
	if err != nil {
		died = c.lost(err)
	}
	switch {
	case c.ctx.Err() != nil || outcome.Interrupted:
		return errInterrupt
	case died != nil:
		return died
	default:
		return c.forget(outcome.Crash, c.judge(outcome, reply))
	}
}

// begin makes the job what an interrupt ends.
func (c *cell) begin(job Job, outline gonb.Cell) {
	_, own := c.server.processes.(unsupervised)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.job, c.commands = job, own || outline.RunsCommands()
}

func (c *cell) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.rescue != nil {
		c.rescue.Stop()
	}
	c.job = nil
}

// lost words the failure to run a cell at all.
func (c *cell) lost(err error) error {
	var died *gonb.DiedError
	if !errors.As(err, &died) {
		return &CellError{Name: "GoNBError", Value: "Go cells cannot run: " + err.Error()}
	}
	for _, id := range c.server.comms.forget() {
		c.server.closeComm(c.request.Message, id)
	}
	c.out.Stream("stderr", "GoNB ended and is started again: Go declarations of earlier cells are gone, the session is kept.\n")
	return &CellError{Name: "GoNBError", Value: died.Error()}
}

// judge turns the end of a cell into its error, nil when it ended well.
func (c *cell) judge(o process.Outcome, r gonb.Reply) error {
	count := c.count
	switch {
	case o.BuildErrors != "":
		return uncompiled(o.BuildErrors)
	case !r.OK:
		return c.refused(r)
	case o.Crash != nil:
		return crashed(count, o.Crash)
	case o.Ran && o.Signal != "":
		return exit(count, "signal: "+o.Signal)
	case o.Ran && o.Exit != 0:
		return exit(count, fmt.Sprintf("exit status %d", o.Exit))
	case !o.Ran && r.ExitStatus != "":
		return exit(count, r.ExitStatus)
	}
	return nil
}

func exit(count int, how string) error {
	return &CellError{Name: "ExitError", Value: how, Traceback: []string{fmt.Sprintf("cell %d: %s", count, how)}}
}

func uncompiled(text string) error {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return &CellError{Name: "CompileError", Value: lines[0], Traceback: lines}
}

// aboutCells finds a place in a cell.
var aboutCells = regexp.MustCompile(`(?m)^cell \d+ line \d+: `)

// refused is a cell that GoNB did not accept: its parser, goimports or one of
// its magics complained.
func (c *cell) refused(r gonb.Reply) error {
	text := strings.TrimSpace(c.server.processes.CompileErrors(r.Value))
	if text == "" {
		text = strings.TrimSpace(r.Value)
	}
	if at := aboutCells.FindStringIndex(text); at != nil {
		return uncompiled(text[at[0]:])
	}
	lines := strings.Split(text, "\n")
	return &CellError{Name: "GoNBError", Value: lines[0], Traceback: lines}
}

// crashed is a panic or a fatal error, with the frames that are in cells.
func crashed(count int, crash *process.Crash) error {
	e := &CellError{Name: "panic", Value: crash.Message}
	frames := slices.DeleteFunc(slices.Clone(crash.Frames), func(f process.Frame) bool { return f.Cell == 0 })
	first := fmt.Sprintf("cell %d: %s", count, crash.Message)
	if len(frames) > 0 {
		first = fmt.Sprintf("cell %d line %d: %s", frames[0].Cell, frames[0].Line, crash.Message)
	}
	e.Traceback = strings.Split(first, "\n")
	for _, f := range frames {
		where := f.Func
		if f.Starts {
			where += ", which started the goroutine"
		}
		e.Traceback = append(e.Traceback, fmt.Sprintf("  cell %d line %d in %s: %s", f.Cell, f.Line, where, strings.TrimSpace(f.Source)))
	}
	return e
}

// goEvents receives what GoNB publishes for the cell.
type goEvents struct {
	*output
	cell *cell

	mu     sync.Mutex
	limits map[string]*process.Capped // of each stream
}

// Stream implements [gonb.Events], for what GoNB's own commands print.
func (e *goEvents) Stream(name, text string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.limits[name] == nil {
		e.limits[name] = process.NewCapped(process.OutputLimit)
	}
	e.output.Stream(name, string(e.limits[name].Add([]byte(text))))
}

// rest publishes the ends of what was too long.
func (e *goEvents) rest() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, name := range []string{"stdout", "stderr"} {
		if e.limits[name] != nil {
			e.output.Stream(name, string(e.limits[name].Rest()))
		}
	}
}

// Input asks the client that sent the cell, and no other. Where nobody can be
// asked, an empty line lets the program go on.
func (e *goEvents) Input(prompt string, password bool) {
	c := e.cell
	if !c.wants.AllowStdin {
		c.answer("")
		return
	}
	c.asked.Store(true)
	m := wire.New(c.server.session, "input_request", c.request.Message,
		map[string]any{"prompt": prompt, "password": password})
	m.Identities = c.request.Identities
	c.out.settle()
	c.server.stdin.Send(m)
}

// answer gives what runs for the cell a line to read: a program through the
// supervisor, a command of GoNB's through GoNB.
func (c *cell) answer(line string) {
	c.mu.Lock()
	job := c.job
	c.mu.Unlock()
	if job == nil || !job.Answer(line) {
		c.server.golang.Input(line)
	}
}

// isFrom reports whether a message comes from the client that sent the cell: a
// client has one identity on all its sockets.
func (c *cell) isFrom(m *wire.Message) bool {
	return slices.EqualFunc(c.request.Identities, m.Identities, bytes.Equal)
}

var _ gonb.Events = (*goEvents)(nil)
var _ Output = (*output)(nil)
var _ Go = (*gonb.Kernel)(nil)
