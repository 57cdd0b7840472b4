package process

import (
	"sync"
	"syscall"
	"time"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// reportTime bounds how long End waits for a process that GoNB has already
// seen end. What is still there then is killed.
const reportTime = 5 * time.Second

// Outcome is how a cell went.
type Outcome struct {
	Built       bool   // the program was compiled
	Ran         bool   // the program was started
	Exit        int    // its exit code; -1 when a signal ended it
	Signal      string // the signal in words, such as "interrupt" or "killed"; empty without
	Interrupted bool   // Interrupt was called before the cell had ended
	Crash       *Crash // the panic or fatal error that ended the program, if one did
	BuildErrors string // what go get or the compiler complained of, in terms of cells
}

// Failed says whether the cell counts as failed. A cell in which nothing was
// built, such as one of magics alone, has not.
func (o Outcome) Failed() bool {
	return o.Interrupted || o.BuildErrors != "" || o.Ran && (o.Exit != 0 || o.Signal != "")
}

// Job is a cell from before it is sent to GoNB until GoNB is idle again.
type Job struct {
	supervisor *Supervisor
	cell       Cell
	output     *output

	mu          sync.Mutex
	running     map[*client]bool
	pipes       []*pipes
	answers     *answers // of the program that runs, when it may read
	interrupted bool
	over        bool
	outcome     Outcome
	idle        chan struct{} // receives when running becomes empty
	ending      sync.Once
}

// admit says whether a process of the cell may start. After an interrupt none
// may: what comes next would be the step after the interrupted one.
func (j *Job) admit(c *client) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.interrupted && c.step != protocol.InitStep {
		return false
	}
	j.running[c] = true
	return true
}

func (j *Job) dismiss(c *client) {
	j.mu.Lock()
	defer j.mu.Unlock()
	delete(j.running, c)
	if len(j.running) == 0 {
		select {
		case j.idle <- struct{}{}:
		default:
		}
	}
}

func (j *Job) adopt(p *pipes) {
	j.mu.Lock()
	j.pipes = append(j.pipes, p)
	j.mu.Unlock()
	j.supervisor.keep(p)
}

// listen makes in what Answer writes to.
func (j *Job) listen(in *answers) {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.over {
		in.close()
		return
	}
	j.answers.close()
	j.answers = in
}

// Answer gives the cell's program a line to read from stdin. It says no when no
// program of the cell runs that might read it.
func (j *Job) Answer(line string) bool {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.answers == nil {
		return false
	}
	j.answers.give(line)
	return true
}

// deafen closes the program's stdin. The mutex is held.
func (j *Job) deafen() {
	j.answers.close()
	j.answers = nil
}

// ended judges a process that has ended.
func (j *Job) ended(c *client, note protocol.Note, p *pipes) {
	p.drain()
	p.mute()
	failed := note.Exit != 0 || note.Signal != 0
	j.mu.Lock()
	defer j.mu.Unlock()
	switch c.step {
	case protocol.BuildStep:
		j.outcome.Built = !failed
		j.complain(failed, note)
	case protocol.GetStep:
		j.complain(failed, note)
	case protocol.RunStep:
		j.deafen()
		j.outcome.Ran = note.Failure == ""
		j.outcome.Exit = note.Exit
		if note.Signal != 0 {
			j.outcome.Signal = syscall.Signal(note.Signal).String()
		}
		// A program that panics exits with 2; GOTRACEBACK=crash makes it abort.
		if note.Exit == 2 || note.Signal == int(syscall.SIGABRT) {
			j.outcome.Crash = j.crash()
		}
	}
}

func (j *Job) complain(failed bool, note protocol.Note) {
	if !failed || j.interrupted {
		return
	}
	text := note.Text
	if text == "" {
		text = note.Failure
	}
	if text == "" {
		text = "the go command was killed"
	}
	j.outcome.BuildErrors = j.supervisor.CompileErrors(text)
}

// crash takes the dump out of the output, if there is one.
func (j *Job) crash() *Crash {
	text := j.output.withheld()
	before, crash, ok := parseCrash(text)
	if !ok {
		return nil
	}
	j.supervisor.locateFrames(crash)
	j.output.settle(before)
	return crash
}

// Drain brings everything the program has written up to now to the sink before
// it returns, but for a crash dump in the making. It is called before a
// display, so that text and display keep their order.
func (j *Job) Drain() {
	j.mu.Lock()
	all := j.pipes
	j.mu.Unlock()
	for _, p := range all {
		p.drain()
	}
	j.output.flush()
}

// Interrupt ends what the cell is doing, at any time. A go command is ended; a
// program's group gets SIGINT, and SIGKILL when it is still there after
// ProgramGrace; when nothing runs, nothing will be started. A second interrupt
// kills at once.
func (j *Job) Interrupt() {
	j.mu.Lock()
	again := j.interrupted
	if !j.over {
		j.interrupted = true
	}
	running := j.clients()
	j.mu.Unlock()
	for _, c := range running {
		if again {
			c.kill()
		} else {
			c.interrupt()
		}
	}
}

// clients lists the running ones. The mutex is held.
func (j *Job) clients() []*client {
	var all []*client
	for c := range j.running {
		all = append(all, c)
	}
	return all
}

// End waits until the cell's processes have been judged, brings the rest of
// the output to the sink and returns the outcome. It is called after GoNB has
// said that it is idle. Called again it returns the same.
func (j *Job) End() Outcome {
	j.ending.Do(func() {
		if !j.await(reportTime) {
			j.mu.Lock()
			left := j.clients()
			j.mu.Unlock()
			for _, c := range left {
				c.kill()
			}
			j.await(reportTime)
		}
		s := j.supervisor
		s.mu.Lock()
		if s.job == j {
			s.job = nil
		}
		s.mu.Unlock()
		j.mu.Lock()
		j.over = true
		j.deafen()
		j.outcome.Interrupted = j.interrupted
		all := j.pipes
		j.mu.Unlock()
		for _, p := range all {
			p.mute()
		}
		j.output.finish()
	})
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.outcome
}

// await waits until nothing runs, at most for limit.
func (j *Job) await(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	for {
		j.mu.Lock()
		left := len(j.running)
		j.mu.Unlock()
		if left == 0 {
			return true
		}
		select {
		case <-j.idle:
		case <-timer.C:
			return false
		}
	}
}
