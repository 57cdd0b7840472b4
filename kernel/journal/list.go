package journal

import (
	"os"
	"path/filepath"
	"syscall"
)

// Entry is a session in a list.
type Entry struct {
	Number int
	Held   bool // by a running kernel
	Size   int64
	Summary
	Problem string // why it cannot be opened, or what of it is torn; "" for nothing
}

// List lists the sessions, in the order of their numbers. Their contents are not
// checked.
func (s *Store) List() []Entry {
	var all []Entry
	for _, n := range s.numbers() {
		e := Entry{Number: n, Size: s.size(n)}
		lock, err := s.hold(n, syscall.LOCK_SH, false)
		if err == nil {
			lock.Close()
		}
		e.Held = err != nil
		f, err := os.Open(filepath.Join(s.path(n), logName))
		if err != nil {
			continue // being made, or what is left of a removal
		}
		summary, tear, err := summarise(f)
		f.Close()
		e.Summary = summary
		if err != nil {
			e.Problem = err.Error()
		} else if tear != nil && !e.Held {
			e.Problem = tear.String()
		}
		all = append(all, e)
	}
	return all
}

// summaryBytes is as much of a record as a summary takes at most.
const summaryBytes = 64 << 10

// summarise reads the summary of a log's last change.
func summarise(f *os.File) (Summary, *Tear, error) {
	info, err := f.Stat()
	if err != nil {
		return Summary{}, nil, plain(err)
	}
	s, err := newScanner(f, info.Size())
	if err != nil {
		return Summary{}, nil, err
	}
	var last *record
	for {
		r, _, tear, err := s.next(0)
		if err != nil {
			return Summary{}, nil, err
		}
		if r != nil {
			if r.kind == changeRecord {
				last = r
			}
			continue
		}
		if last == nil {
			return Summary{}, tear, nil
		}
		b := make([]byte, min(last.length, summaryBytes))
		if _, err := f.ReadAt(b, last.at+recordSize); err != nil {
			return Summary{}, nil, plain(err)
		}
		d := &body{b: b}
		summary := d.summary()
		return summary, tear, d.err
	}
}
