package main

import (
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// repeatTime is how long a second interrupt counts as the same one: a kernel
// that interrupts both through GoNB and through the supervisor means one.
const repeatTime = 300 * time.Millisecond

// child is a process that leads a process group of its own, or several such
// processes, one after the other.
type child struct {
	mu          sync.Mutex
	pid         int // 0 while none runs
	interrupted time.Time
	signalled   bool
	early       []syscall.Signal // what came while none ran
}

// signal sends sig to the whole group, once the process has started.
func (p *child) signal(sig syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.signalled = true
	switch {
	case p.pid == 0:
		p.early = append(p.early, sig)
	case sig == syscall.SIGINT && time.Since(p.interrupted) < repeatTime:
	default:
		if sig == syscall.SIGINT {
			p.interrupted = time.Now()
		}
		syscall.Kill(-p.pid, sig)
	}
}

func (p *child) started(pid int) {
	p.mu.Lock()
	p.pid = pid
	early := p.early
	p.early = nil
	p.mu.Unlock()
	for _, sig := range early {
		p.signal(sig)
	}
}

func (p *child) ended() {
	p.mu.Lock()
	p.pid = 0
	p.mu.Unlock()
}

// wasSignalled says whether anything asked the child to end.
func (p *child) wasSignalled() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.signalled
}

// forward passes the signals that end or interrupt us on to the child.
func (p *child) forward() {
	signals := make(chan os.Signal, 8)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		for s := range signals {
			p.signal(s.(syscall.Signal))
		}
	}()
}

// status reads how a process ended, as a report and as our own exit code.
func status(state *os.ProcessState) (protocol.Note, int) {
	note := protocol.Note{Ended: true, Exit: state.ExitCode()}
	if wait, ok := state.Sys().(syscall.WaitStatus); ok && wait.Signaled() {
		note.Exit, note.Signal = -1, int(wait.Signal())
		return note, 128 + note.Signal
	}
	return note, note.Exit
}
