package process

import "bytes"

// crashMarks begin a line that begins a crash dump.
var crashMarks = [][]byte{
	[]byte("panic: "),
	[]byte("fatal error: "),
	// What the runtime writes in front of some fatal errors, with addresses.
	[]byte("runtime: goroutine stack exceeds "),
	[]byte("unexpected fault address "),
	// Signals from outside that the program asked for no notice of.
	[]byte("SIGQUIT: quit\n"),
	[]byte("SIGILL: illegal instruction\n"),
	[]byte("SIGTRAP: trace trap\n"),
	[]byte("SIGABRT: abort\n"),
	[]byte("SIGBUS: bus error\n"),
	[]byte("SIGFPE: floating-point exception\n"),
	[]byte("SIGSEGV: segmentation violation\n"),
	[]byte("SIGSTKFLT: stack fault\n"),
	[]byte("SIGSYS: bad system call\n"),
}

// signalled says whether a dump is of a program that such a signal ended.
func signalled(dump []byte) bool {
	return bytes.HasPrefix(dump, []byte("SIG")) && mark(dump) == isMark
}

// withhold keeps back stderr from a line on that may begin a crash dump, and
// returns what may pass now. The mutex is held.
func (o *output) withhold(p []byte) []byte {
	if o.held != nil {
		o.keep(p)
		return nil
	}
	// What the current line has so far, if that may still become a mark, goes
	// in front of the new bytes.
	text := append(o.line, p...)
	fresh := !o.amid
	for start := 0; start < len(text); {
		line := text[start:]
		end := bytes.IndexByte(line, '\n')
		if end >= 0 {
			line = line[:end+1]
		}
		if fresh {
			switch mark(line) {
			case isMark:
				o.line, o.amid = nil, false
				o.held = NewCapped(heldLimit)
				o.keep(text[start:])
				return text[:start]
			case mayBecomeMark:
				o.line, o.amid = bytes.Clone(line), false
				return text[:start]
			}
		}
		start += len(line)
		fresh = end >= 0
	}
	o.line, o.amid = nil, !fresh
	return text
}

// heldLimit bounds a crash dump, in bytes: the cause is at its beginning.
const heldLimit = 512 << 10

type likeness int

const (
	noMark likeness = iota
	mayBecomeMark
	isMark
)

// mark compares the beginning of a line with the marks.
func mark(line []byte) likeness {
	for _, m := range crashMarks {
		if bytes.HasPrefix(line, m) {
			return isMark
		}
		if bytes.HasPrefix(m, line) {
			return mayBecomeMark
		}
	}
	return noMark
}

func (o *output) keep(p []byte) {
	o.heldHead = append(o.heldHead, o.held.Add(p)...)
}

// withheld returns what has been kept back.
func (o *output) withheld() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.held == nil {
		return ""
	}
	return string(o.heldHead) + string(o.held.Rest())
}

// settle says that what has been kept back was a crash dump, but for text in
// front of it, which passes.
func (o *output) settle(before string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.held, o.heldHead = nil, nil
	o.queue("stderr", []byte(before))
}

// release lets pass what was kept back: it was no crash. The mutex is held.
func (o *output) release() {
	text := o.line
	if o.held != nil {
		text = append(o.heldHead, o.held.Rest()...)
	}
	o.held, o.heldHead, o.line, o.amid = nil, nil, nil, false
	o.queue("stderr", text)
}
