package journal

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Store is the folder that sessions are kept in.
type Store struct {
	folder   string
	notebook string // of the kernel that uses it, "" where that is not known
}

// Of tells for which notebook the store is used from now on: by it a kernel of another
// key finds the sessions of the same notebook.
func (s *Store) Of(notebook string) { s.notebook = notebook }

// What is kept of closed sessions: the newest of them, up to so many, as long as
// together they take no more than so many bytes. The newest is kept anyhow.
const (
	MostClosed = 20
	MostBytes  = 2 << 30
)

// OpenStore uses a folder as a store; it is made where it is not there, private
// to the user.
func OpenStore(folder string) (*Store, error) {
	s := &Store{folder: filepath.Join(folder, "sessions")}
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return nil, err
	}
	probe, err := os.CreateTemp(s.folder, ".probe-*")
	if err != nil {
		return nil, err
	}
	probe.Close()
	return s, os.Remove(probe.Name())
}

func (s *Store) path(number int) string { return filepath.Join(s.folder, strconv.Itoa(number)) }

// numbers lists the sessions there are, in order.
func (s *Store) numbers() []int {
	var all []int
	entries, _ := os.ReadDir(s.folder)
	for _, e := range entries {
		if n, err := strconv.Atoi(e.Name()); err == nil && n > 0 && e.IsDir() && strconv.Itoa(n) == e.Name() {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	return all
}

// Create makes a new session with its first change. The key says whose it is: the
// kernel's, that is, which keeps its key when it is restarted. Of the closed
// sessions the oldest go where there are too many.
func (s *Store) Create(key string, x *Change) (*Log, error) {
	l, err := s.claim(key)
	if err != nil {
		return nil, plain(err)
	}
	if err := l.start(x); err != nil {
		os.RemoveAll(l.folder)
		l.lock.Close()
		return nil, plain(err)
	}
	syncFolder(s.folder)
	s.Prune()
	return l, nil
}

// claim makes the folder of a new session and takes its lock.
func (s *Store) claim(key string) (*Log, error) {
	if err := os.MkdirAll(s.folder, 0o700); err != nil { // it may have been removed
		return nil, err
	}
	number := 1
	if all := s.numbers(); len(all) > 0 {
		number = all[len(all)-1] + 1
	}
	for {
		err := os.Mkdir(s.path(number), 0o700)
		if err == nil {
			break
		}
		if !os.IsExist(err) {
			return nil, err
		}
		number++
	}
	l := &Log{number: number, folder: s.path(number), notebook: s.notebook, content: *newContent()}
	// The lock gets its name when it is held, so that nobody takes the session
	// for one that was left.
	unnamed := l.path(lockName + ".new")
	lock, err := os.OpenFile(unnamed, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err == nil {
		l.lock = lock
		if err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err == nil {
			err = l.own(s.turn(), key)
		}
		if err == nil {
			err = os.Rename(unnamed, l.path(lockName))
		}
	}
	if err != nil {
		os.RemoveAll(l.folder)
		if lock != nil {
			lock.Close()
		}
		return nil, err
	}
	return l, nil
}

// hold takes the lock of a session that is there. How is syscall.LOCK_EX to write
// it, and LOCK_SH to read it alone. The patient wait a tenth of a second.
func (s *Store) hold(number, how int, patient bool) (*os.File, error) {
	mode := os.O_RDWR
	if how == syscall.LOCK_SH {
		mode = os.O_RDONLY
	}
	lock, err := os.OpenFile(filepath.Join(s.path(number), lockName), mode, 0)
	if os.IsNotExist(err) {
		return nil, refused(ErrUnknown, "there is no session %d", number)
	}
	if err != nil {
		return nil, fmt.Errorf("session %d: %w", number, plain(err))
	}
	err = syscall.Flock(int(lock.Fd()), how|syscall.LOCK_NB)
	// Who lists sessions holds each for a moment.
	for range 20 {
		if !patient || !errors.Is(err, syscall.EWOULDBLOCK) {
			break
		}
		time.Sleep(5 * time.Millisecond)
		err = syscall.Flock(int(lock.Fd()), how|syscall.LOCK_NB)
	}
	if err != nil {
		lock.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, refused(ErrHeld, "session %d is open in a running kernel: close it there first", number)
		}
		return nil, fmt.Errorf("session %d: %w", number, err)
	}
	return lock, nil
}

// Closed lists the sessions that no running kernel holds, in order.
func (s *Store) Closed() []int {
	var all []int
	for _, n := range s.numbers() {
		if lock, err := s.hold(n, syscall.LOCK_SH, false); err == nil {
			lock.Close()
			all = append(all, n)
		}
	}
	return all
}

// Read reads a session that no running kernel holds, and leaves it as it is.
func (s *Store) Read(number int) (*Opened, error) {
	lock, err := s.hold(number, syscall.LOCK_SH, true)
	if err != nil {
		return nil, err
	}
	defer lock.Close()
	return s.read(number)
}

func (s *Store) read(number int) (*Opened, error) {
	f, err := os.Open(filepath.Join(s.path(number), logName))
	if os.IsNotExist(err) {
		return nil, refused(ErrUnknown, "session %d holds nothing", number)
	}
	if err != nil {
		return nil, fmt.Errorf("session %d: %w", number, plain(err))
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("session %d: %w", number, plain(err))
	}
	o, err := read(f, info.Size(), func(f file) ([]byte, error) { return readPayload(s.path(number), f) })
	if err != nil {
		return nil, &refusal{fmt.Sprintf("session %d: %v", number, err), err}
	}
	return o, nil
}

// readPayload reads a payload file and checks it.
func readPayload(folder string, f file) ([]byte, error) {
	name := payloadName(f.number)
	path := filepath.Join(folder, name)
	info, err := os.Lstat(path)
	if err != nil || !info.Mode().IsRegular() {
		return nil, refused(ErrDamaged, "its %s is missing", name)
	}
	if info.Size() != f.length {
		return nil, refused(ErrDamaged, "its %s has %d bytes of %d", name, info.Size(), f.length)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, plain(err)
	}
	if int64(len(b)) != f.length || checksum(b) != f.sum {
		return nil, refused(ErrDamaged, "its %s is damaged", name)
	}
	return b, nil
}

// Open takes a session over, to be gone on with under another key. Until it is
// written to, it is as it was.
func (s *Store) Open(number int, key string) (*Opened, *Log, error) {
	lock, err := s.hold(number, syscall.LOCK_EX, true)
	if err != nil {
		return nil, nil, err
	}
	o, err := s.read(number)
	if err != nil {
		lock.Close()
		return nil, nil, err
	}
	return o, &Log{number: number, folder: s.path(number), lock: lock, opened: o, turn: s.turn(), key: key, notebook: s.notebook, content: *newContent()}, nil
}

// Previous is the session that the kernel of a key took up last, 0 for none: one that
// holds something, if there is any. One number is left out: that of the session that
// the kernel has open. A kernel that has none of its own is answered the last one of
// its notebook that no running kernel holds.
func (s *Store) Previous(key string, except int) int {
	full, empty := s.latest(except, func(_ int, o owner) bool { return o.key == key })
	if own := cmp.Or(full, empty); own > 0 || s.notebook == "" {
		return own
	}
	full, _ = s.latest(except, func(n int, o owner) bool {
		if o.notebook != s.notebook {
			return false
		}
		lock, err := s.hold(n, syscall.LOCK_SH, false)
		if err == nil {
			lock.Close()
		}
		return err == nil
	})
	return full
}

// latest is the session taken up last of some, but for one, 0 for none: of those that
// hold something, and of those that hold nothing.
func (s *Store) latest(except int, wanted func(number int, o owner) bool) (full, empty int) {
	var last, latest [2]int
	for _, n := range s.numbers() {
		o, ok := s.owner(n)
		if !ok || n == except || !wanted(n, o) {
			continue
		}
		kind := 0
		if e, ok := s.entry(n); ok && e.Empty() {
			kind = 1
		}
		if o.turn >= latest[kind] {
			last[kind], latest[kind] = n, o.turn
		}
	}
	return last[0], last[1]
}

// owner is whose a session is, and at which turn it was taken up. Turns are counted
// over all sessions, since clocks are set and too coarse.
type owner struct {
	turn     int
	key      string
	notebook string // "" where it is not known
}

// line is an owner as it stands in a session's lock: a turn, a key, and where it is
// known, after a tab, a quoted notebook.
func (o owner) line() string {
	line := strconv.Itoa(o.turn) + " " + o.key
	if o.notebook != "" {
		line += "\t" + strconv.Quote(o.notebook)
	}
	return line + "\n"
}

// owner reads a session's lock.
func (s *Store) owner(number int) (o owner, ok bool) {
	b, err := os.ReadFile(filepath.Join(s.path(number), lockName))
	if err != nil {
		return o, false
	}
	line, _, _ := strings.Cut(string(b), "\n")
	digits, rest, _ := strings.Cut(line, " ")
	key, quoted, _ := strings.Cut(rest, "\t")
	o.key = key
	o.notebook, _ = strconv.Unquote(quoted)
	o.turn, err = strconv.Atoi(digits)
	return o, err == nil
}

// turn is the next turn.
func (s *Store) turn() int {
	next := 1
	for _, n := range s.numbers() {
		o, _ := s.owner(n)
		next = max(next, o.turn+1)
	}
	return next
}

// Remove removes a session that no running kernel holds.
func (s *Store) Remove(number int) error {
	lock, err := s.hold(number, syscall.LOCK_EX, true)
	if err != nil {
		return err
	}
	defer lock.Close()
	return s.remove(number)
}

// remove removes a session whose lock is held.
func (s *Store) remove(number int) error {
	// The log first: what is left without one is nobody's.
	if err := os.Remove(filepath.Join(s.path(number), logName)); err != nil && !os.IsNotExist(err) {
		return plain(err)
	}
	return os.RemoveAll(s.path(number))
}

// Prune removes the oldest closed sessions where there are too many, and those that
// hold nothing anyhow: they are to take no other's place.
func (s *Store) Prune() { s.prune(MostClosed, MostBytes) }

func (s *Store) prune(most int, bytes int64) {
	type closed struct {
		number, turn int
		size         int64
	}
	var all []closed
	for _, n := range s.numbers() {
		lock, err := s.hold(n, syscall.LOCK_EX, false)
		if err != nil {
			continue // held, or being made
		}
		if e, ok := s.entry(n); ok && e.Empty() {
			s.remove(n)
		} else {
			o, _ := s.owner(n)
			all = append(all, closed{n, o.turn, e.Size})
		}
		lock.Close()
	}
	slices.SortFunc(all, func(a, b closed) int { return cmp.Or(b.turn-a.turn, b.number-a.number) })
	var total int64
	for i, c := range all {
		total += c.size
		if i > 0 && (i >= most || total > bytes) {
			s.Remove(c.number)
		}
	}
}

// size is how many bytes a session takes on disk.
func (s *Store) size(number int) (n int64) {
	entries, _ := os.ReadDir(s.path(number))
	for _, e := range entries {
		if info, err := e.Info(); err == nil && !strings.HasPrefix(e.Name(), lockName) {
			n += info.Size()
		}
	}
	return n
}
