package process

import (
	"errors"
	"os"
	"sync"
	"syscall"
)

// drainLimit bounds one drain, in bytes: more than a pipe can hold, so that
// everything written before is read, and a writer that never stops is not
// waited for.
const drainLimit = 1 << 20

// pipes are the read ends of a program's stdout and stderr.
type pipes struct {
	ends    [2]*pipe
	readers sync.WaitGroup
}

// pipe is one read end. Its mutex orders the reader, which waits for data, and
// drain, which does not, so that bytes reach the output in the order written.
type pipe struct {
	name   string
	file   *os.File
	output *output

	mu     sync.Mutex
	buffer []byte
	mute   bool // the cell is over: read and drop
}

// newPipes makes the two pipes and starts to read. The caller closes the write
// ends it gets once they have been handed on.
func newPipes(out *output) (*pipes, [2]*os.File, error) {
	p := &pipes{}
	var writes [2]*os.File
	for i, name := range []string{"stdout", "stderr"} {
		r, w, err := os.Pipe()
		if err != nil {
			if i == 1 {
				p.ends[0].file.Close()
				writes[0].Close()
			}
			return nil, writes, err
		}
		writes[i] = w
		p.ends[i] = &pipe{name: name, file: r, output: out, buffer: make([]byte, 64<<10)}
	}
	for _, e := range p.ends {
		p.readers.Add(1)
		go func() {
			defer p.readers.Done()
			e.follow()
		}()
	}
	return p, writes, nil
}

// follow reads until the last write end is closed or abandon is called.
func (e *pipe) follow() {
	defer e.file.Close()
	raw, err := e.file.SyscallConn()
	if err != nil {
		return
	}
	for {
		var n int
		var failure error
		err := raw.Read(func(fd uintptr) bool {
			e.mu.Lock()
			defer e.mu.Unlock()
			n, failure = e.take(int(fd))
			return !errors.Is(failure, syscall.EAGAIN)
		})
		if err != nil || failure != nil || n == 0 {
			return
		}
	}
}

// take reads once without waiting. The mutex is held.
func (e *pipe) take(fd int) (int, error) {
	for {
		n, err := syscall.Read(fd, e.buffer)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if n > 0 && !e.mute {
			e.output.write(e.name, e.buffer[:n])
		}
		return max(n, 0), err
	}
}

// drain reads what is in both pipes now.
func (p *pipes) drain() {
	if p == nil {
		return
	}
	for _, e := range p.ends {
		raw, err := e.file.SyscallConn()
		if err != nil {
			continue
		}
		raw.Control(func(fd uintptr) {
			e.mu.Lock()
			defer e.mu.Unlock()
			for total := 0; total < drainLimit; {
				n, err := e.take(int(fd))
				if n == 0 || err != nil {
					return
				}
				total += n
			}
		})
	}
}

// mute drops whatever comes from now on. The pipes are still read, so that a
// child left in the background neither blocks nor dies of a broken pipe.
func (p *pipes) mute() {
	if p == nil {
		return
	}
	for _, e := range p.ends {
		e.mu.Lock()
		e.mute = true
		e.mu.Unlock()
	}
}

// abandon closes the read ends and waits for the readers.
func (p *pipes) abandon() {
	if p == nil {
		return
	}
	p.mute()
	for _, e := range p.ends {
		e.file.Close()
	}
	p.readers.Wait()
}
