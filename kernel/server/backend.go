package server

import (
	"context"

	"github.com/topos-notebook/topos/kernel/godoc"
	"github.com/topos-notebook/topos/kernel/gonb"
	"github.com/topos-notebook/topos/kernel/process"
	"github.com/topos-notebook/topos/kernel/wire"
)

// Go runs what is not the engine's: Go cells, shell commands and the magics of
// GoNB. [gonb.Kernel] implements it, and documents the methods.
type Go interface {
	Execute(ctx context.Context, r gonb.Request, events gonb.Events) (gonb.Reply, error)
	Complete(ctx context.Context, code string, cursor int) (gonb.Completion, error)
	Inspect(ctx context.Context, code string, cursor, detail int) (text string, found bool, err error)
	Skip()
	Interrupt()
	Input(value string)
	Comm(m *wire.Message)
	Kill()
}

// Documentation answers what gopls does not, or not soon enough; see [godoc.Library].
type Documentation interface {
	Inspect(code string, cursor int) (godoc.Answer, bool)
	Complete(code string, cursor int) gonb.Completion
	Learn(code string)
}

// undocumented stands in where there is none.
type undocumented struct{}

func (undocumented) Inspect(string, int) (godoc.Answer, bool) { return godoc.Answer{}, false }
func (undocumented) Learn(string)                             { /* nobody will ask */ }
func (undocumented) Complete(_ string, cursor int) gonb.Completion {
	return gonb.Completion{Start: cursor, End: cursor}
}

// Processes watches the processes of Go cells; see [process.Supervisor].
type Processes interface {
	Begin(cell process.Cell, sink process.Sink) Job
	CompileErrors(text string) string
}

// Job is one cell's processes; see [process.Job].
type Job interface {
	Drain()
	Interrupt()
	Answer(line string) bool
	End() process.Outcome
}

// Supervised returns a supervisor as the server uses it.
func Supervised(s *process.Supervisor) Processes { return supervised{s} }

type supervised struct{ *process.Supervisor }

func (s supervised) Begin(cell process.Cell, sink process.Sink) Job {
	return s.Supervisor.Begin(cell, sink)
}

// unsupervised stands in where there is no supervisor: GoNB's word is taken.
type unsupervised struct{}

func (unsupervised) Begin(process.Cell, process.Sink) Job { return unsupervised{} }
func (unsupervised) CompileErrors(text string) string     { return text }
func (unsupervised) Drain()                               {}
func (unsupervised) Interrupt()                           {}
func (unsupervised) Answer(string) bool                   { return false }
func (unsupervised) End() process.Outcome                 { return process.Outcome{} }
