package server

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/topos-notebook/topos/kernel/godoc"
	"github.com/topos-notebook/topos/kernel/gonb"
	"github.com/topos-notebook/topos/kernel/process"
	"github.com/topos-notebook/topos/kernel/wire"
)

// tinyEngine answers cells whose first line is %%own: each further line is an
// instruction. Other cells are forwarded; lines above and below that begin with
// %own are instructions too.
type tinyEngine struct {
	mu    sync.Mutex
	calls []string
	out   Output // of the open cell
}

func (e *tinyEngine) note(call string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.calls = append(e.calls, call)
}

func (e *tinyEngine) output() Output {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.out
}

func (e *tinyEngine) trace() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	trace := strings.Join(e.calls, " ")
	e.calls = nil
	return trace
}

func (e *tinyEngine) Begin(cell Cell) (Transaction, error) {
	e.note(fmt.Sprintf("begin%d", cell.Count))
	if cell.Code == "refuse" {
		return nil, errors.New("refused")
	}
	return &tinyCell{e, cell}, nil
}

func (e *tinyEngine) Meant(name string) string {
	if name == "ow" {
		return "own"
	}
	return ""
}

func (e *tinyEngine) Complete(code string, cursor int) (Completion, bool) {
	if strings.HasPrefix(code, "%o") {
		return Completion{[]Match{{"%own", "magic", "%own THING"}}, 0, cursor}, true
	}
	return Completion{}, false
}

func (e *tinyEngine) Inspect(code string, _, _ int) (map[string]any, bool) {
	return map[string]any{"text/plain": "own"}, strings.HasPrefix(code, "%own")
}

func (e *tinyEngine) IsComplete(code string) (string, string, bool) {
	return "complete", "", strings.HasPrefix(code, "%own")
}

func (e *tinyEngine) Close() error { e.note("close"); return nil }

type tinyCell struct {
	engine *tinyEngine
	cell   Cell
}

func (c *tinyCell) Before(ctx context.Context, out Output) error {
	c.engine.note("before")
	c.engine.mu.Lock()
	c.engine.out = out
	c.engine.mu.Unlock()
	body, own := strings.CutPrefix(c.cell.Code, "%%own\n")
	if !own {
		return nil
	}
	for line := range strings.SplitSeq(body, "\n") {
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "show":
			out.Display(map[string]any{"text/html": "<b>" + rest + "</b>"}, nil)
		case "update":
			out.Update("id", map[string]any{"text/plain": rest}, nil)
		case "print":
			out.Stream("stdout", rest+"\n")
		case "fail":
			return &CellError{Name: "Fault", Value: rest}
		case "error":
			return errors.New(rest)
		case "panic":
			panic(rest)
		case "wait":
			out.Stream("stdout", "waiting\n")
			<-ctx.Done()
			return ctx.Err()
		}
	}
	return nil
}

func (c *tinyCell) Forward() string {
	if strings.HasPrefix(c.cell.Code, "%%own") {
		return ""
	}
	return c.cell.Code
}

func (c *tinyCell) After(context.Context, Output) error { c.engine.note("after"); return nil }
func (c *tinyCell) Commit(Output) error                 { c.engine.note("commit"); return nil }
func (c *tinyCell) Rollback()                           { c.engine.note("rollback") }

// fakeGo runs cells by a function.
type fakeGo struct {
	run         func(ctx context.Context, r gonb.Request, events gonb.Events) (gonb.Reply, error)
	gopls       func(ctx context.Context) (text string, err error) // nil for one that is busy
	skipped     atomic.Int64
	interrupted chan struct{}
	input       chan string
	comm        chan *wire.Message
}

func newFakeGo() *fakeGo {
	return &fakeGo{interrupted: make(chan struct{}, 10), input: make(chan string, 10), comm: make(chan *wire.Message, 10)}
}

func (g *fakeGo) Execute(ctx context.Context, r gonb.Request, events gonb.Events) (gonb.Reply, error) {
	if g.run == nil {
		return gonb.Reply{OK: true}, nil
	}
	return g.run(ctx, r, events)
}

func (g *fakeGo) Complete(ctx context.Context, _ string, cursor int) (gonb.Completion, error) {
	c := gonb.Completion{Start: cursor, End: cursor}
	if g.gopls == nil {
		return c, gonb.ErrBusy
	}
	text, err := g.gopls(ctx)
	if text != "" {
		c.Matches = []string{text}
	}
	return c, err
}

func (g *fakeGo) Inspect(ctx context.Context, _ string, _, _ int) (string, bool, error) {
	if g.gopls == nil {
		return "", false, gonb.ErrBusy
	}
	text, err := g.gopls(ctx)
	return text, text != "", err
}

func (g *fakeGo) Skip()                { g.skipped.Add(1) }
func (g *fakeGo) Interrupt()           { g.interrupted <- struct{}{} }
func (g *fakeGo) Input(value string)   { g.input <- value }
func (g *fakeGo) Comm(m *wire.Message) { g.comm <- m }
func (g *fakeGo) Kill()                {}

// fakeDocumentation knows what is in cells that contain "known", and notes what it
// is told.
type fakeDocumentation struct {
	mu      sync.Mutex
	learned []string
}

func (d *fakeDocumentation) Learn(code string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.learned = append(d.learned, code)
}

func (d *fakeDocumentation) Inspect(code string, _ int) (godoc.Answer, bool) {
	return godoc.Answer{Markdown: "*documented*", Plain: "documented"}, strings.Contains(code, "known")
}

func (d *fakeDocumentation) Complete(code string, cursor int) gonb.Completion {
	c := gonb.Completion{Start: cursor, End: cursor}
	if strings.Contains(code, "known") {
		c.Matches = []string{"documented"}
	}
	return c
}

// fakeProcesses hands out one job, whose text is brought by Drain and End only.
type fakeProcesses struct {
	mu          sync.Mutex
	sink        process.Sink
	text        string
	outcome     process.Outcome
	interrupted chan struct{}
	answered    chan string // what its program was given; nil when it has none
}

func (p *fakeProcesses) Begin(_ process.Cell, sink process.Sink) Job {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sink = sink
	return p
}

func (p *fakeProcesses) CompileErrors(text string) string { return text }

func (p *fakeProcesses) write(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text += text
}

func (p *fakeProcesses) Drain() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text != "" {
		p.sink.Stream("stdout", p.text)
		p.text = ""
	}
}

func (p *fakeProcesses) Interrupt() {
	if p.interrupted != nil {
		p.interrupted <- struct{}{}
	}
}

func (p *fakeProcesses) Answer(line string) bool {
	if p.answered == nil {
		return false
	}
	p.answered <- line
	return true
}

func (p *fakeProcesses) End() process.Outcome { p.Drain(); return p.outcome }

// started is a server that runs for a test.
type started struct {
	*Server
	engine        *tinyEngine
	golang        *fakeGo
	documentation *fakeDocumentation
	connection    wire.Connection
	ended         chan error
}

func start(t *testing.T, processes Processes) *started {
	t.Helper()
	s := &started{engine: &tinyEngine{}, golang: newFakeGo(), documentation: &fakeDocumentation{}, connection: localConnection(t), ended: make(chan error, 1)}
	server, err := New(Options{Connection: s.connection, Engine: s.engine, Processes: processes, Documentation: s.documentation, Version: "1", GoVersion: "go1.26.0",
		Go: func(func(parent, m *wire.Message)) Go { return s.golang }})
	if err != nil {
		t.Fatal(err)
	}
	s.Server = server
	go func() { s.ended <- server.Serve(context.Background()) }()
	t.Cleanup(func() {
		server.Shutdown()
		if err := <-s.ended; err != nil {
			t.Error(err)
		}
	})
	return s
}
