package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
)

// TestPrivate looks at the modes of all that is written, under any umask.
func TestPrivate(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	root := filepath.Join(t.TempDir(), "state")
	s, err := OpenStore(root)
	if err != nil {
		t.Fatal(err)
	}
	w := newWriting(5)
	l, err := s.Create("key", w.change())
	for range 10 {
		if err == nil {
			err = l.Append(w.change())
		}
	}
	if err == nil {
		err = l.Snapshot(w.whole())
	}
	if err != nil {
		t.Fatal(err)
	}
	defer l.Abandon()
	files := 0
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		info, err := os.Stat(path)
		want := fs.FileMode(0o600)
		if d.IsDir() {
			want = 0o700
		}
		if err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info.Mode(), err)
		}
		files++
		return nil
	})
	if files < 5 {
		t.Errorf("%d files and folders", files)
	}
}

// TestHeld has a session that is written refused to everybody else.
func TestHeld(t *testing.T) {
	s := newStore(t)
	l, err := s.Create("one", &Change{Element: "f32"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Read(1); !errors.Is(err, ErrHeld) {
		t.Errorf("read: %v", err)
	}
	if _, _, err := s.Open(1, "two"); !errors.Is(err, ErrHeld) {
		t.Errorf("open: %v", err)
	}
	if err := s.Remove(1); !errors.Is(err, ErrHeld) {
		t.Errorf("remove: %v", err)
	}
	s.prune(0, 0)
	if all := s.List(); len(all) != 1 || !all[0].Held {
		t.Errorf("list: %v", all)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if o := reread(t, s, 1); o.Image.Element != "f32" {
			t.Errorf("%v", o.Image)
		}
	}
	if err := s.Remove(1); err != nil || len(s.numbers()) != 0 {
		t.Errorf("%v, %v", err, s.numbers())
	}
	if _, err := s.Read(1); !errors.Is(err, ErrUnknown) {
		t.Errorf("read: %v", err)
	}
}

func TestPrevious(t *testing.T) {
	s := newStore(t)
	if n := s.Previous("a", 0); n != 0 {
		t.Errorf("%d, want none", n)
	}
	for i, key := range []string{"a", "b", "a", "b"} {
		l, err := s.Create(key, &Change{Element: "f32", Nodes: 1})
		if err != nil {
			t.Fatal(err)
		}
		if l.Close(); l.Number() != i+1 {
			t.Fatalf("session %d", l.Number())
		}
	}
	for _, c := range []struct {
		key          string
		except, want int
	}{{"a", 0, 3}, {"a", 3, 1}, {"b", 0, 4}, {"c", 0, 0}} {
		if got := s.Previous(c.key, c.except); got != c.want {
			t.Errorf("previous of %s but %d: %d, want %d", c.key, c.except, got, c.want)
		}
	}
	// Opened by another kernel it is that kernel's, once it is written to.
	_, l, err := s.Open(1, "c")
	if err != nil {
		t.Fatal(err)
	}
	if n := s.Previous("c", 0); n != 0 {
		t.Errorf("%d before", n)
	}
	if err := l.Take(); err != nil {
		t.Fatal(err)
	}
	l.Close()
	if n := s.Previous("c", 0); n != 1 {
		t.Errorf("%d afterwards", n)
	}
	if n := s.Previous("a", 0); n != 3 {
		t.Errorf("%d for the first owner", n)
	}
}

func TestPrune(t *testing.T) {
	s := newStore(t)
	for i := range 8 {
		l, err := s.Create("k", &Change{Element: "f32", Nodes: 1, Tables: []Table{{Name: "t", Bits: make([]byte, 1000)}}})
		if err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			defer l.Abandon() // a kernel holds it
		} else {
			l.Close()
		}
	}
	// Taken up again in another order than that of the numbers: 2 6 4 8 3 7 5.
	for _, n := range []int{5, 7, 3, 8, 4, 6, 2} {
		_, l, err := s.Open(n, "k")
		if err == nil {
			err = l.Take()
		}
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
	}
	left := func() string { return strings.Trim(fmt.Sprint(s.numbers()), "[]") }
	s.prune(5, 1<<30)
	if got := left(); got != "1 2 3 4 6 8" {
		t.Errorf("of seven closed ones five: %s", got)
	}
	s.prune(5, 3000)
	if got := left(); got != "1 2 6" {
		t.Errorf("3000 bytes: %s", got)
	}
	s.prune(0, 0)
	if got := left(); got != "1 2" {
		t.Errorf("the newest stays: %s", got)
	}
}

// TestEmptySessionsTakeNoPlace: they go first, and are not gone back to where there is
// another.
func TestEmptySessionsTakeNoPlace(t *testing.T) {
	s := newStore(t)
	create := func(key string, nodes int) {
		l, err := s.Create(key, &Change{Element: "bf16", Nodes: nodes})
		if err != nil {
			t.Fatal(err)
		}
		l.Close()
	}
	create("k", 7)
	for range MostClosed + 5 {
		create("k", 0)
	}
	if n := s.Previous("k", 0); n != 1 {
		t.Errorf("previous is %d", n)
	}
	if s.Prune(); fmt.Sprint(s.numbers()) != "[1]" {
		t.Errorf("left are %v", s.numbers())
	}
	create("other", 0)
	if n := s.Previous("other", 0); n != 2 {
		t.Errorf("where there is no other: %d", n)
	}
	// One that cannot be read is not one that holds nothing.
	os.WriteFile(filepath.Join(s.path(2), logName), []byte("foreign"), 0o600)
	if s.Prune(); fmt.Sprint(s.numbers()) != "[1 2]" {
		t.Errorf("left are %v", s.numbers())
	}
}

// TestOwnerIsOneLine: a lock that was being written tells the former owner or the new
// one, whatever is behind the line.
func TestOwnerIsOneLine(t *testing.T) {
	s := newStore(t)
	l, err := s.Create("a key that is long", &Change{Element: "f32", Nodes: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Abandon()
	for _, text := range []string{"3 k", "3 k\n", "3 k\nat is long\n"} {
		os.WriteFile(filepath.Join(s.path(1), lockName), []byte(text), 0o600)
		if o, ok := s.owner(1); o != (owner{3, "k", ""}) || !ok {
			t.Errorf("%q: %v %v", text, o, ok)
		}
	}
}

// TestManyAtOnce has kernels make sessions at the same time.
func TestManyAtOnce(t *testing.T) {
	s := newStore(t)
	var work sync.WaitGroup
	var mu sync.Mutex
	numbers := map[int]bool{}
	for i := range 8 {
		work.Go(func() {
			for range 4 {
				l, err := s.Create(fmt.Sprint(i), &Change{Element: "f32", Nodes: 1})
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				if numbers[l.Number()] {
					t.Errorf("session %d twice", l.Number())
				}
				numbers[l.Number()] = true
				mu.Unlock()
				if err := l.Append(&Change{Element: "f32", Fresh: true, Nodes: 1}); err != nil {
					t.Error(err)
				}
				defer l.Close()
			}
		})
	}
	work.Wait()
	if len(numbers) != 32 {
		t.Errorf("%d sessions", len(numbers))
	}
}

// TestFullDisk has writes fail, of a payload's file and in the middle of a record:
// nothing of the change is there, and the next one that can be written brings it.
func TestFullDisk(t *testing.T) {
	for _, size := range []int{inlined + 1, inlined} {
		s := newStore(t)
		l, err := s.Create("k", &Change{Element: "f32"})
		if err != nil {
			t.Fatal(err)
		}
		defer l.Abandon()
		l.idle()
		large := Payload{Slot: 0, Bits: func() []byte { return make([]byte, size) }}
		x := &Change{Element: "f64", Fresh: true, Slots: 1, Payloads: []Payload{large}}
		before := limitFiles(t, uint64(l.size)+1000)
		err = l.Append(x)
		unlimitFiles(t, before)
		if !errors.Is(err, syscall.EFBIG) || err.Error() != "file too large" {
			t.Errorf("%v", err)
		}
		failedWhole(t, s, l, x, size)
	}
}

// limitFiles has files of this process grow no larger; the answer is for
// unlimitFiles.
func limitFiles(t *testing.T, size uint64) syscall.Rlimit {
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: size, Max: before.Max}); err != nil {
		t.Fatal(err)
	}
	return before
}

func unlimitFiles(t *testing.T, before syscall.Rlimit) {
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &before); err != nil {
		t.Fatal(err)
	}
}

// failedWhole looks at a session of f32 after a change failed, and makes it.
func failedWhole(t *testing.T, s *Store, l *Log, x *Change, size int) {
	t.Helper()
	if o, err := s.read(1); err != nil || o.Tear != nil || o.Image.Element != "f32" {
		t.Errorf("%v, %v", o, err)
	}
	if left, _ := filepath.Glob(filepath.Join(s.path(1), "payload-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if err := l.Append(x); err != nil {
		t.Fatal(err)
	}
	if o, err := s.read(1); err != nil || o.Tear != nil || o.Image.Element != "f64" || len(o.Image.Payloads[0]) != size {
		t.Errorf("%v, %v", o, err)
	}
}

// TestOutgrown has a log replaced before it takes much more than it holds, and
// payload files removed that nothing names.
func TestOutgrown(t *testing.T) {
	s := newStore(t)
	l, err := s.Create("k", &Change{Element: "f32"})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Abandon()
	most, snapshots := int64(0), 0
	for i := range 400 {
		size := 200
		if i%4 == 0 {
			size = inlined + 1
		}
		bits := make([]byte, size)
		bits[0] = byte(i)
		x := &Change{Element: "f32", Slots: 2, Payloads: []Payload{{Slot: i % 2, Bits: func() []byte { return bits }}},
			Segments: []Segment{{Number: 1, To: 1, Nodes: make([]byte, 20_000)}}}
		if err := l.Append(x); err != nil {
			t.Fatal(err)
		}
		if l.Outgrown() {
			o, err := s.read(1)
			if err != nil {
				t.Fatal(err)
			}
			whole := &Change{Element: "f32", Slots: 2, Segments: x.Segments}
			for slot := range 2 {
				if b, ok := o.Image.Payloads[slot]; ok {
					whole.Payloads = append(whole.Payloads, Payload{Slot: slot, Bits: func() []byte { return b }})
				}
			}
			if err := l.Snapshot(whole); err != nil {
				t.Fatal(err)
			}
			snapshots++
			after, err := s.read(1)
			if err != nil || sight(after.Image) != sight(o.Image) {
				t.Fatalf("%v\n%s\nwant\n%s", err, sight(after.Image), sight(o.Image))
			}
			if l.Outgrown() {
				t.Fatal("outgrown right after a snapshot")
			}
		}
		most = max(most, s.size(1))
	}
	if most > 2*slack || snapshots < 3 || snapshots > 40 {
		t.Errorf("%d bytes at most, %d snapshots", most, snapshots)
	}
}

// TestListShowsTheLast lists sessions without reading them whole.
func TestListShowsTheLast(t *testing.T) {
	h := newHistory(t, 6)
	all := h.store.List()
	o, err := h.store.read(1)
	if err != nil || len(all) != 1 {
		t.Fatalf("%v, %v", all, err)
	}
	e := all[0]
	if e.Number != 1 || e.Element != o.Image.Element || e.Segments != len(o.Image.Segments) || e.Nodes != o.Image.Nodes() ||
		strings.Join(e.Names, " ") != "loss w" || e.Problem != "" || e.Size != h.store.size(1) {
		t.Errorf("%+v of %s", e, sight(o.Image))
	}
	c := copied(t, h.store, 1)
	c.setLog(t, 1, h.store.log(t, 1)[:h.ends[4]+7])
	if e := c.List()[0]; !strings.Contains(e.Problem, "torn") || e.Held {
		t.Errorf("%+v", e)
	}
	c.setLog(t, 1, []byte("another kind of file altogether, longer than a header"))
	if e := c.List()[0]; !strings.Contains(e.Problem, "not a session") {
		t.Errorf("%+v", e)
	}
}

// TestPreviousOfTheNotebook: a kernel that has no session finds those of its notebook
// that nobody holds and that hold something; others do not find them.
func TestPreviousOfTheNotebook(t *testing.T) {
	s := newStore(t)
	const notebook = "/home/ann/my thesis/\t\n\".ipynb"
	begin := func(notebook, key string, nodes int) *Log {
		s.Of(notebook)
		x := &Change{Element: "f32", Nodes: nodes}
		if nodes > 0 {
			x.Segments = []Segment{{Number: 1, To: nodes, Nodes: []byte{1}}}
		}
		l, err := s.Create(key, x)
		if err != nil {
			t.Fatal(err)
		}
		return l
	}
	begin(notebook, "a", 1).Close()
	begin("/other.ipynb", "b", 1).Close()
	begin("", "c", 1).Close()
	begin(notebook, "d", 0).Close()
	held := begin(notebook, "e", 1)
	for _, c := range []struct {
		notebook, key string
		except, want  int
	}{
		{notebook, "new", 0, 1}, {notebook, "new", 1, 0}, {"/other.ipynb", "new", 0, 2}, {"", "new", 0, 0},
		{"/third.ipynb", "new", 0, 0}, {notebook, "b", 0, 2}, {notebook, "c", 0, 3}, {notebook, "c", 3, 1},
	} {
		if s.Of(c.notebook); s.Previous(c.key, c.except) != c.want {
			t.Errorf("%+v: %d", c, s.Previous(c.key, c.except))
		}
	}
	held.Close()
	s.Of(notebook)
	if n := s.Previous("new", 0); n != 5 {
		t.Errorf("%d, want the newest that is closed, 5", n)
	}
	// Who takes a session over, takes it for its notebook.
	s.Of("/third.ipynb")
	_, l, err := s.Open(1, "f")
	if err == nil {
		err = l.Take()
	}
	if err != nil {
		t.Fatal(err)
	}
	l.Close()
	if n := s.Previous("new", 0); n != 1 {
		t.Errorf("%d, want 1", n)
	}
}
