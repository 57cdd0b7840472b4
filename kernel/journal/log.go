package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// Log is a session that this process holds and writes. Its methods may be called
// from one goroutine at a time.
type Log struct {
	number   int
	folder   string
	notebook string // of its owner
	lock     *os.File

	// Of a session that was taken over and not yet written to.
	opened *Opened
	turn   int
	key    string // the new owner's

	content content // without the bits of payloads, and with the nodes' lengths alone
	payload int     // number of the last payload file
	beside  int64   // bytes in payload files
	tried   int64   // bytes on disk when the last snapshot failed

	mu      sync.Mutex // the rest is shared with the goroutine that syncs
	file    *os.File
	size    int64      // bytes of whole records
	synced  int64      // of those, on the disk
	dirty   []*os.File // payload files to sync
	stale   []file     // payload files that nothing names once the log is synced
	owned   bool       // the lock is to be synced too
	last    time.Time  // of the last sync
	timer   *time.Timer
	syncing sync.WaitGroup
	failure error // of a sync that nobody was told of
}

// syncEvery is how often the log is synced at most.
const syncEvery = time.Second

// inlined is how many bytes of a payload lie in the log itself at most.
const inlined = 32 << 10

// slack is how much larger than twice its content a session may be on disk.
const slack = 1 << 20

const (
	logName       = "log"
	freshName     = "log.new"
	lockName      = "lock"
	tornName      = "torn"
	payloadPrefix = "payload-"
)

// Number is the session's number, which lists show and commands take.
func (l *Log) Number() int { return l.number }

func (l *Log) path(name string) string { return filepath.Join(l.folder, name) }

func payloadName(n int) string { return payloadPrefix + strconv.Itoa(n) }

// start writes the session's first change: the log appears with it, whole.
func (l *Log) start(x *Change) error {
	s, files, err := l.prepare(x)
	if err != nil {
		return err
	}
	if err := l.replace(s, files); err != nil {
		discard(files)
		return err
	}
	l.content.files(func(f file) { l.beside += f.length })
	return nil
}

// Take makes a session that was opened this kernel's own, which writing to it does
// too: it goes on where what is whole ends, and what was torn off is kept aside.
func (l *Log) Take() error {
	if l.opened == nil {
		return nil
	}
	return plain(l.resume())
}

func (l *Log) resume() error {
	o := l.opened
	f, err := os.OpenFile(l.path(logName), os.O_RDWR, 0)
	if err != nil {
		return err
	}
	l.file = f
	info, err := f.Stat()
	if err == nil {
		l.size = info.Size()
	}
	if err == nil && o.Tear != nil {
		err = l.cut(o.Tear)
	}
	if err == nil {
		err = l.own(l.turn, l.key)
	}
	if err != nil {
		f.Close()
		l.file = nil
		return err
	}
	l.opened = nil
	l.outline(o.content)
	os.Remove(l.path(freshName))
	entries, _ := os.ReadDir(l.folder)
	for _, e := range entries {
		if n, ok := payloadNumber(e.Name()); ok {
			l.payload = max(l.payload, n)
			if info, err := e.Info(); err == nil {
				l.beside += info.Size()
			}
		}
	}
	return nil
}

// own says in the lock whose the session is, and since when. A line is written over
// the former one, whose end counts no more, so that there is one at any moment.
func (l *Log) own(turn int, key string) error {
	line := owner{turn, key, l.notebook}.line()
	_, err := l.lock.WriteAt([]byte(line), 0)
	if err == nil {
		l.lock.Truncate(int64(len(line))) // where that fails the rest is not read
		l.mu.Lock()
		l.owned = true
		l.mu.Unlock()
	}
	return err
}

func payloadNumber(name string) (int, bool) {
	digits, ok := strings.CutPrefix(name, payloadPrefix)
	n, err := strconv.Atoi(digits)
	return n, ok && err == nil && n > 0
}

// cut takes off what was torn, after it was copied aside.
func (l *Log) cut(t *Tear) error {
	b := make([]byte, l.size-t.At)
	if _, err := l.file.ReadAt(b, t.At); err != nil {
		return err
	}
	if err := os.WriteFile(l.path(tornName), b, 0o600); err != nil {
		return err
	}
	if err := l.file.Truncate(t.At); err != nil {
		return err
	}
	l.size = t.At
	return nil
}

// outline remembers what a content holds, without holding it.
func (l *Log) outline(c *content) {
	l.content = content{element: c.element, payloads: map[int]slotPayload{}, tables: map[string]slotPayload{}}
	for _, s := range c.segments {
		l.content.segments = append(l.content.segments, outlined(s))
	}
	for slot, p := range c.payloads {
		l.content.payloads[slot] = p
	}
	for name, p := range c.tables {
		l.content.tables[name] = p
	}
}

// outlined is a segment of which only the size counts.
func outlined(s Segment) Segment {
	size := len(s.Nodes) + len(s.Text)
	aside := slices.Clone(s.aside)
	for i := range aside {
		size += len(aside[i].bits)
		aside[i].bits = nil
	}
	return Segment{From: s.From, To: s.To, size: size, aside: aside}
}

// Append writes a change. Where it fails nothing is written, and the next change
// must hold this one's too.
func (l *Log) Append(x *Change) error {
	if err := l.Take(); err != nil {
		return err
	}
	s, files, err := l.prepare(x)
	if err != nil {
		return plain(err)
	}
	if err := l.append(changeRecord, s.encode(), files, l.content.replaced(s)); err != nil {
		discard(files)
		return plain(err)
	}
	l.written(s)
	return nil
}

// written brings the outline up to date.
func (l *Log) written(s *stored) {
	segments := s.segments
	s.segments = make([]Segment, len(segments))
	for i := range segments {
		s.segments[i] = outlined(segments[i])
	}
	if err := l.content.apply(s); err != nil {
		panic("journal: a change does not continue what was written: " + err.Error())
	}
}

// prepare writes the large payloads and tables of a change, and answers the change as a
// record holds it.
func (l *Log) prepare(x *Change) (s *stored, files []*os.File, err error) {
	last := l.payload
	defer func() {
		if err != nil {
			discard(files)
			l.payload = last
		}
	}()
	store := func(p Payload) (slotPayload, error) {
		at, f, err := l.store(p)
		if f != nil {
			files = append(files, f)
		}
		return at, err
	}
	s = x.stored()
	for i := range s.segments {
		g := &s.segments[i]
		for _, p := range g.Aside[len(g.aside):] { // a snapshot has its files already
			at, err := store(p)
			if err != nil {
				return nil, files, err
			}
			g.aside = append(g.aside, at)
		}
	}
	for _, p := range x.Payloads {
		at, err := store(p)
		if err != nil {
			return nil, files, err
		}
		s.payloads = append(s.payloads, at)
	}
	for _, t := range x.Tables {
		at, err := store(t.payload())
		if err != nil {
			return nil, files, err
		}
		s.tables = append(s.tables, namedPayload{t.Name, at})
	}
	return s, files, nil
}

// payload is the table's bits as those of a payload of no slot.
func (t *Table) payload() Payload {
	if t.Bits == nil {
		return Payload{Content: t.Content}
	}
	return Payload{Bits: func() []byte { return t.Bits }}
}

// store writes a payload's file where it is large.
func (l *Log) store(p Payload) (at slotPayload, f *os.File, err error) {
	at.slot = p.Slot
	content := p.Content
	if p.Bits != nil && (content == nil || content.Bytes() <= inlined) {
		at.bits = p.Bits()
		content = loose(at.bits)
	}
	if content == nil {
		return at, nil, nil
	}
	if content.Bytes() <= inlined {
		at.bits = p.bytes()
		return at, nil, nil
	}
	l.payload++
	f, sum, err := l.besides(l.payload, content)
	at.file, at.bits = file{l.payload, int64(content.Bytes()), sum}, nil
	return at, f, err
}

// stored is the change without its payloads and tables.
func (x *Change) stored() *stored {
	s := &stored{fresh: x.Fresh, kept: x.Kept, superseded: x.Superseded, segments: slices.Clone(x.Segments), slots: x.Slots}
	s.summary = Summary{Element: x.Element, Segments: x.Kept + len(x.Segments), Nodes: x.Nodes}
	for _, name := range x.Names[:min(len(x.Names), summarised)] {
		if len(name) <= longestName {
			s.summary.Names = append(s.summary.Names, name)
		}
	}
	return s
}

// discard removes payload files that no record will name.
func discard(files []*os.File) {
	for _, f := range files {
		os.Remove(f.Name())
		f.Close()
	}
}

// append writes a record by one write, so that a crash leaves it whole or torn
// at the end of the file. Of its payload files, some are new, and some replaced.
func (l *Log) append(k kind, body []byte, files []*os.File, replaced []file) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if err := l.there(); err != nil {
		return err
	}
	b := appendRecord(make([]byte, 0, recordSize+len(body)), k, body, l.synced)
	if _, err := l.file.WriteAt(b, l.size); err != nil {
		l.file.Truncate(l.size) // where that fails too, the next record goes over it
		return err
	}
	l.size += int64(len(b))
	l.dirty = append(l.dirty, files...)
	l.stale = append(l.stale, replaced...)
	for _, f := range files {
		if info, err := f.Stat(); err == nil {
			l.beside += info.Size()
		}
	}
	l.later()
	return nil
}

// there refuses to write to a log that another program has removed, replaced or cut
// off: what was written to it before is not there, and so would be a torn end.
func (l *Log) there() error {
	info, err := l.file.Stat()
	if err != nil {
		return err
	}
	named, err := os.Stat(l.path(logName))
	if err != nil || !os.SameFile(info, named) || info.Size() < l.size {
		return refused(ErrLost, "session %d was removed or changed by another program", l.number)
	}
	return nil
}

// later has the log synced in the background. The lock is held.
func (l *Log) later() {
	if l.timer != nil {
		return
	}
	l.syncing.Add(1)
	l.timer = time.AfterFunc(max(0, syncEvery-time.Since(l.last)), func() {
		defer l.syncing.Done()
		err := l.sync()
		l.mu.Lock()
		defer l.mu.Unlock()
		if err != nil {
			l.failure = err
		}
	})
}

// sync brings to the disk what has been appended, but for payloads that were
// replaced since: their files go, as those of replaced ones that are there.
func (l *Log) sync() error {
	l.mu.Lock()
	f, size, dirty, stale, owned := l.file, l.size, l.dirty, l.stale, l.owned
	l.dirty, l.stale, l.owned, l.timer, l.last = nil, nil, false, nil, time.Now()
	l.mu.Unlock()
	replaced := map[string]bool{}
	for _, p := range stale {
		replaced[l.path(payloadName(p.number))] = true
	}
	var failure error
	note := func(err error) {
		if failure == nil {
			failure = err
		}
	}
	for _, p := range dirty {
		if !replaced[p.Name()] {
			note(p.Sync())
		}
		p.Close()
	}
	if len(dirty) > 0 {
		syncFolder(l.folder)
	}
	if owned {
		l.lock.Sync() // of use to lists alone
	}
	note(f.Sync())
	l.mu.Lock()
	defer l.mu.Unlock()
	switch {
	case f != l.file: // what took its place names what is to stay
	case failure != nil:
		l.stale = append(stale, l.stale...)
	default:
		l.synced = max(l.synced, size)
		for _, p := range stale {
			if os.Remove(l.path(payloadName(p.number))) == nil {
				l.beside -= p.length
			}
		}
	}
	return failure
}

// Failure is why what was appended earlier may not be on the disk, nil for
// nothing; it is answered once.
func (l *Log) Failure() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.failure
	l.failure = nil
	return err
}

// idle waits for a sync that is under way or planned, and leaves none.
func (l *Log) idle() {
	l.mu.Lock()
	if l.timer != nil && l.timer.Stop() {
		l.timer = nil
		l.syncing.Done()
	}
	l.mu.Unlock()
	l.syncing.Wait()
}

// Close syncs the session, says in it that nothing is missing, and lets it go.
// One that was not written to is let go as it is.
func (l *Log) Close() error {
	if l.file == nil {
		return l.lock.Close()
	}
	l.idle()
	err := l.sync()
	if err == nil {
		err = l.append(endRecord, nil, nil, nil)
		l.idle()
	}
	if failure := l.sync(); err == nil {
		err = failure
	}
	if closing := l.file.Close(); err == nil {
		err = closing
	}
	l.lock.Close()
	if err != nil {
		return fmt.Errorf("session %d may not be whole on the disk: %w", l.number, plain(err))
	}
	return nil
}

// Abandon lets the session go as the death of the process would: nothing is synced
// or said in it.
func (l *Log) Abandon() {
	l.idle()
	for _, f := range l.dirty {
		f.Close()
	}
	if l.file != nil {
		l.file.Close()
	}
	l.lock.Close()
}

// plain is an error of a file without the file's path.
func plain(err error) error {
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		return path.Err
	case errors.As(err, &link):
		return link.Err
	}
	return err
}
