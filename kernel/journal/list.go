package journal

import (
	"errors"
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

	torn bool // the problem is that
}

// Empty says whether a session holds nothing, and nothing is wrong with it.
func (e *Entry) Empty() bool { return e.Problem == "" && e.Segments == 0 && e.Nodes == 0 }

// List lists the sessions, in the order of their numbers. Their contents are not
// checked.
func (s *Store) List() []Entry {
	var all []Entry
	for _, n := range s.numbers() {
		lock, err := s.hold(n, syscall.LOCK_SH, false)
		if err == nil {
			lock.Close()
		}
		if e, ok := s.entry(n); ok {
			if e.Held = errors.Is(err, ErrHeld); e.Held && e.torn {
				e.Problem = "" // being written
			}
			all = append(all, e)
		}
	}
	return all
}

// entry is a session as lists show it; false for one that is being made, and for
// what is left of a removal.
func (s *Store) entry(number int) (e Entry, ok bool) {
	e = Entry{Number: number, Size: s.size(number)}
	f, err := os.Open(filepath.Join(s.path(number), logName))
	if os.IsNotExist(err) {
		return e, false
	}
	if err != nil {
		e.Problem = plain(err).Error()
		return e, true
	}
	defer f.Close()
	summary, tear, err := summarise(f)
	e.Summary = summary
	switch {
	case err != nil:
		e.Problem = err.Error()
	case tear != nil:
		e.Problem, e.torn = tear.String(), true
	}
	return e, true
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
