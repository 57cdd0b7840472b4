package journal

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestRead has what was committed read again after each commit, through
// snapshots, deaths of the process and closing.
func TestRead(t *testing.T) {
	for seed := range uint64(6) {
		s, w := newStore(t), newWriting(seed)
		l, err := s.Create("key", w.change())
		if err != nil {
			t.Fatal(err)
		}
		for step := range 40 {
			switch w.IntN(8) {
			case 0:
				err = l.Snapshot(w.whole())
			case 3:
				err = l.Compact()
				named := 0
				l.content.files(func(file) { named++ })
				if files, _ := filepath.Glob(l.path(payloadPrefix + "*")); err == nil && len(files) != named {
					t.Errorf("seed %d step %d: %d payload files, of which %d are named", seed, step, len(files), named)
				}
			case 1:
				l.Abandon()
				_, l, err = s.Open(1, "key")
			case 2:
				if err = l.Close(); err == nil {
					_, l, err = s.Open(1, "key")
				}
			default:
				err = l.Append(w.change())
			}
			if err == nil {
				err = l.Take()
			}
			if err != nil {
				t.Fatalf("seed %d step %d: %v", seed, step, err)
			}
			o, err := s.read(1)
			if err != nil || o.Tear != nil {
				t.Fatalf("seed %d step %d: %v, %v", seed, step, err, o)
			}
			if got, want := sight(o.Image), sight(&w.x); got != want {
				t.Fatalf("seed %d step %d:\n%s\nwant\n%s", seed, step, got, want)
			}
		}
		l.Close()
	}
}

// history is a session of several commits, with what it held after each.
type history struct {
	store *Store
	log   *Log
	ends  []int64 // sizes of the log after each
	sight []string
}

func newHistory(t *testing.T, commits int) *history {
	t.Helper()
	w := newWriting(7)
	h := &history{store: newStore(t)}
	for i := range commits {
		x := w.change()
		var err error
		if i == 0 {
			h.log, err = h.store.Create("key", x)
			holdSync(h.log)
		} else {
			err = h.log.Append(x)
		}
		if err != nil {
			t.Fatal(err)
		}
		h.ends, h.sight = append(h.ends, h.log.size), append(h.sight, sight(&w.x))
	}
	t.Cleanup(h.log.Abandon)
	return h
}

// holdSync has a log not synced by itself.
func holdSync(l *Log) {
	l.idle()
	l.last = time.Now().Add(time.Hour)
}

// at is what was committed within a log of a size, "" for nothing.
func (h *history) at(size int64) string {
	last := ""
	for i, end := range h.ends {
		if end <= size {
			last = h.sight[i]
		}
	}
	return last
}

// near says whether an offset lies in the header of a record, or shortly before one.
func (h *history) near(at int64) bool {
	for _, end := range h.ends {
		if at >= end-3 && at <= end+recordSize+3 {
			return true
		}
	}
	return false
}

// TestTornAnywhere ends the log at the bytes around every boundary and at many
// between them, as the death of its writer may: it opens as what was committed before, and goes on from there.
func TestTornAnywhere(t *testing.T) {
	h := newHistory(t, 12)
	whole := h.store.log(t, 1)
	c := copied(t, h.store, 1)
	nothing := sight(&Image{})
	for size := headerSize; size <= len(whole); size++ {
		if !h.near(int64(size)) && size%11 != 0 {
			continue
		}
		c.setLog(t, 1, whole[:size])
		o := reread(t, c, 1)
		want := h.at(int64(size))
		if want == "" {
			want = nothing
		}
		if got := sight(o.Image); got != want {
			t.Fatalf("cut at %d of %d:\n%s\nwant\n%s", size, len(whole), got, want)
		}
		at := int64(headerSize)
		for _, end := range h.ends {
			if end <= int64(size) {
				at = end
			}
		}
		if torn := at != int64(size); (o.Tear != nil) != torn || torn && *o.Tear != (Tear{at, int64(size) - at}) {
			t.Fatalf("cut at %d: tear %v, want one at %d", size, o.Tear, at)
		}
		if size%23 != 0 && size < len(whole)-3 {
			continue
		}
		on := copied(t, c, 1)
		_, l, err := on.Open(1, "other")
		if err != nil {
			t.Fatal(err)
		}
		if err := l.Append(&Change{Element: "f64", Fresh: true}); err != nil {
			t.Fatal(err)
		}
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if o := reread(t, on, 1); o.Tear != nil || sight(o.Image) != "f64\n" {
			t.Fatalf("cut at %d and gone on with: %v, %s", size, o.Tear, sight(o.Image))
		}
	}
}

// TestTornIsKeptAside has the bytes that are cut off still there.
func TestTornIsKeptAside(t *testing.T) {
	h := newHistory(t, 4)
	whole := h.store.log(t, 1)
	c := copied(t, h.store, 1)
	c.setLog(t, 1, whole[:len(whole)-5])
	reread(t, c, 1)
	if after := c.log(t, 1); len(after) != len(whole)-5 {
		t.Errorf("reading changed the log: %d bytes of %d", len(after), len(whole)-5)
	}
	_, l, err := c.Open(1, "key")
	if err != nil {
		t.Fatal(err)
	}
	if after := c.log(t, 1); len(after) != len(whole)-5 {
		t.Errorf("opening changed the log: %d bytes of %d", len(after), len(whole)-5)
	}
	if err := l.Take(); err != nil {
		t.Fatal(err)
	}
	l.Abandon()
	aside, err := os.ReadFile(filepath.Join(c.path(1), tornName))
	if want := whole[h.ends[2] : len(whole)-5]; err != nil || string(aside) != string(want) {
		t.Errorf("%d bytes are kept aside, want %d (%v)", len(aside), len(want), err)
	}
	if after := c.log(t, 1); int64(len(after)) != h.ends[2] {
		t.Errorf("the log has %d bytes, want %d", len(after), h.ends[2])
	}
}

// TestDamageIsRefused changes bytes of a log that was closed: no crash does
// that, so none is taken for a tear, but what follows the end of the last sync.
func TestDamageIsRefused(t *testing.T) {
	h := newHistory(t, 5)
	h.log.idle()
	if err := h.log.sync(); err != nil {
		t.Fatal(err)
	}
	if err := h.log.append(endRecord, nil, nil, nil); err != nil {
		t.Fatal(err)
	}
	whole := h.store.log(t, 1)
	c := copied(t, h.store, 1)
	synced := len(whole) - recordSize
	for at := range whole {
		if at >= headerSize && !h.near(int64(at)) && at%17 != 0 {
			continue
		}
		b := append([]byte{}, whole...)
		b[at] ^= 0x20
		c.setLog(t, 1, b)
		o, err := c.Read(1)
		switch {
		case at >= synced && (err != nil || sight(o.Image) != h.sight[4]):
			t.Fatalf("byte %d, of the end: %v", at, err)
		case at < synced && err == nil:
			t.Fatalf("byte %d of %d is damaged, and nobody notices: %v", at, len(b), o.Tear)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Fatalf("byte %d: %q is no line", at, err)
		}
		if after := c.log(t, 1); string(after) != string(b) {
			t.Fatalf("byte %d: reading changed the log", at)
		}
		_, l, err := c.Open(1, "key")
		if at < synced && err == nil {
			l.Close()
			t.Fatalf("byte %d of %d is damaged, and it is opened to be written", at, len(b))
		} else if err == nil {
			l.Close()
		}
		if after := c.log(t, 1); string(after) != string(b) {
			t.Fatalf("byte %d: opening changed the log", at)
		}
	}
}

// TestReplacedPayloadsGo has the files of payloads that were replaced stay until what
// replaced them is on the disk, and no longer.
func TestReplacedPayloadsGo(t *testing.T) {
	s := newStore(t)
	payload := func(slot int, fill byte) Payload {
		bits := bytes.Repeat([]byte{fill}, inlined+1)
		return Payload{Slot: slot, Bits: func() []byte { return bits }}
	}
	table := Table{Name: "adam", Bits: bytes.Repeat([]byte{9}, inlined+1)}
	segment := Segment{Number: 1, To: 1, Aside: []Payload{payload(0, 8)}}
	l, err := s.Create("key", &Change{Element: "f32", Fresh: true, Slots: 3, Segments: []Segment{segment}, Tables: []Table{table},
		Payloads: []Payload{payload(0, 1), payload(1, 2), payload(2, 3)}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Abandon()
	files := func() string {
		names, _ := filepath.Glob(filepath.Join(s.path(1), payloadPrefix+"*"))
		for i := range names {
			names[i] = strings.TrimPrefix(filepath.Base(names[i]), payloadPrefix)
		}
		return strings.Join(names, " ")
	}
	sync := func() {
		t.Helper()
		l.idle()
		if err := l.sync(); err != nil {
			t.Fatal(err)
		}
		holdSync(l)
	}
	holdSync(l)
	for _, c := range []struct {
		what          string
		change        Change
		before, after string // the sync
	}{
		{"a slot again", Change{Kept: 1, Slots: 3, Payloads: []Payload{payload(1, 4)}}, "1 2 3 4 5 6", "1 2 4 5 6"},
		{"a small one", Change{Kept: 1, Slots: 3, Payloads: []Payload{{Slot: 0, Bits: func() []byte { return []byte{1} }}}}, "1 2 4 5 6", "1 4 5 6"},
		{"fewer slots", Change{Kept: 1, Slots: 2}, "1 4 5 6", "1 5 6"},
		{"another table", Change{Kept: 1, Slots: 2, Tables: []Table{table}}, "1 5 6 7", "1 6 7"},
		{"no table", Change{Kept: 1, Slots: 2, Tables: []Table{{Name: "adam"}}}, "1 6 7", "1 6"},
		{"another segment", Change{Slots: 2, Segments: []Segment{segment}}, "1 6 8", "6 8"},
		{"all anew", Change{Fresh: true, Slots: 2, Payloads: []Payload{payload(1, 5)}}, "6 8 9", "9"},
	} {
		c.change.Element = "f32"
		if err := l.Append(&c.change); err != nil {
			t.Fatal(err)
		}
		if got := files(); got != c.before {
			t.Errorf("%s: files %s, want %s", c.what, got, c.before)
		}
		want := sight(reread(t, copied(t, s, 1), 1).Image)
		sync()
		if got := files(); got != c.after {
			t.Errorf("%s, synced: files %s, want %s", c.what, got, c.after)
		}
		if got := sight(reread(t, copied(t, s, 1), 1).Image); got != want {
			t.Errorf("%s, synced:\n%s\nwant\n%s", c.what, got, want)
		}
		if n := len(strings.Fields(c.after)); l.beside != int64(n)*(inlined+1) {
			t.Errorf("%s: %d bytes beside, in %d files", c.what, l.beside, n)
		}
	}
	for fill := range byte(3) {
		if err := l.Append(&Change{Element: "f32", Slots: 2, Payloads: []Payload{payload(1, fill)}}); err != nil {
			t.Fatal(err)
		}
	}
	sync()
	if got := files(); got != "12" || reread(t, copied(t, s, 1), 1).Image.Payloads[1][0] != 2 {
		t.Errorf("the last of three stays, not %s", got)
	}
}

// TestZeroedTail has a power loss leave zeros where records were written since the
// last sync, with a whole record after them.
func TestZeroedTail(t *testing.T) {
	h := newHistory(t, 5)
	whole := h.store.log(t, 1)
	c := copied(t, h.store, 1)
	clear(whole[h.ends[2]+3 : h.ends[3]])
	c.setLog(t, 1, whole)
	o := reread(t, c, 1)
	if got := sight(o.Image); got != h.sight[2] || o.Tear == nil {
		t.Errorf("tear %v\n%s\nwant\n%s", o.Tear, got, h.sight[2])
	}
}

func TestRefusals(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.session")
	w := newWriting(3)
	w.change()
	if err := Save(file, w.whole()); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	newer := append([]byte{}, whole...)
	newer[atVersion] = Version + 1
	copy(newer[atWriter:], "topos 9.9.9\x00")
	sum := headerSum(newer)
	for i := range 4 {
		newer[atSum+i] = byte(sum >> (8 * i))
	}
	unknown := appendRecord(header(), 9, nil, 0)
	for _, c := range []struct {
		name string
		b    []byte
		err  error
		says string
	}{
		{"empty", nil, ErrForeign, "not a session"},
		{"foreign", []byte("PK\x03\x04 and so on, for as long as a header is"), ErrForeign, "not a session"},
		{"header torn", whole[:20], ErrDamaged, "header"},
		{"header alone", whole[:headerSize], ErrDamaged, "torn"},
		{"newer", newer, ErrVersion, fmt.Sprintf("version %d of the session format, written by topos 9.9.9; this is %s, which reads version %d", Version+1, writer, Version)},
		{"end missing", whole[:len(whole)-recordSize], ErrDamaged, "torn"},
		{"torn", whole[:len(whole)-1], ErrDamaged, "torn"},
		{"torn early", whole[:len(whole)-recordSize-1], ErrDamaged, "torn"},
		{"unknown record", unknown, ErrDamaged, "kind 9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "other.session")
			if err := os.WriteFile(path, c.b, 0o600); err != nil {
				t.Fatal(err)
			}
			_, err := Read(path)
			if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.says) || !strings.HasPrefix(err.Error(), "other.session: ") || strings.Contains(err.Error(), "\n") {
				t.Errorf("%v, want %v, %q", err, c.err, c.says)
			}
			if _, err := readWhole(bytes.NewReader(c.b), int64(len(c.b))); !errors.Is(err, c.err) {
				t.Errorf("from memory: %v", err)
			}
			if after, err := os.ReadFile(path); err != nil || string(after) != string(c.b) {
				t.Error("the file was changed")
			}
		})
	}
}

func TestSavedFile(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "a b.session")
	w := newWriting(11)
	for range 6 {
		w.change()
	}
	for range 2 { // over itself too
		if err := Save(path, w.whole()); err != nil {
			t.Fatal(err)
		}
	}
	o, err := Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sight(o.Image), sight(&w.x); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	other := filepath.Join(folder, "thesis.txt")
	os.WriteFile(other, []byte("years of work"), 0o644)
	if err := Save(other, w.whole()); !errors.Is(err, ErrForeign) {
		t.Errorf("saved over another file: %v", err)
	}
	if b, _ := os.ReadFile(other); string(b) != "years of work" {
		t.Errorf("%q", b)
	}
	if err := Save(filepath.Join(folder, "none", "a.session"), w.whole()); err == nil || strings.Contains(err.Error(), folder) {
		t.Errorf("%v", err)
	}
	if left, _ := filepath.Glob(filepath.Join(folder, ".*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
}

// TestPayloadsOfAPowerLoss has payload files that did not reach the disk: before
// they were synced, the session is as it was before them; afterwards it is
// damaged.
func TestPayloadsOfAPowerLoss(t *testing.T) {
	large := func(fill byte) Payload {
		bits := make([]byte, inlined+1)
		bits[0] = fill
		return Payload{Slot: 0, Bits: func() []byte { return bits }}
	}
	s := newStore(t)
	l, err := s.Create("key", &Change{Element: "f32", Fresh: true, Slots: 1, Payloads: []Payload{large(1)}})
	if err != nil {
		t.Fatal(err)
	}
	defer l.Abandon()
	l.idle()
	if err := l.sync(); err != nil {
		t.Fatal(err)
	}
	for _, fill := range []byte{2, 3} {
		if err := l.Append(&Change{Element: "f32", Slots: 1, Payloads: []Payload{large(fill)}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		lost string
		fill byte // of the payload that is found, 0 for a refusal
	}{{"payload-1", 3}, {"payload-2", 3}, {"payload-3", 2}} {
		for _, how := range []string{"missing", "short", "zeros"} {
			c1 := copied(t, s, 1)
			path := filepath.Join(c1.path(1), c.lost)
			switch how {
			case "missing":
				os.Remove(path)
			case "short":
				os.Truncate(path, 100)
			default:
				os.WriteFile(path, make([]byte, inlined+1), 0o600)
			}
			o, err := c1.Read(1)
			if err != nil {
				t.Errorf("%s %s: %v", c.lost, how, err)
			} else if got := o.Image.Payloads[0][0]; got != c.fill || (o.Tear != nil) != (c.fill != 3) {
				t.Errorf("%s %s: payload %d, want %d (tear %v)", c.lost, how, got, c.fill, o.Tear)
			}
		}
	}
	l.idle()
	l.sync()
	if err := l.Append(&Change{Element: "f32", Slots: 1}); err != nil {
		t.Fatal(err)
	}
	os.Remove(filepath.Join(s.path(1), "payload-3"))
	if _, err := s.read(1); !errors.Is(err, ErrDamaged) || err.Error() != "session 1: its payload-3 is missing" {
		t.Errorf("%v", err)
	}
}
