package session

import (
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/kernel/elements"
	"github.com/topos-notebook/topos/kernel/journal"
	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/topos"
)

// room is where desks keep their sessions, one kernel after another.
type room struct {
	t      testing.TB
	folder string
	store  *journal.Store
}

func newRoom(t testing.TB) *room {
	t.Helper()
	r := &room{t: t, folder: t.TempDir()}
	var err error
	if r.store, err = journal.OpenStore(r.folder); err != nil {
		t.Fatal(err)
	}
	return r
}

// desk is a desk of a kernel with a key.
func (r *room) desk(key string) *desk {
	d := newDesk(r.t)
	d.Journal(r.store, key)
	return d
}

// die lets go of a desk's session as the death of its kernel does.
func (d *desk) die() {
	if d.keeper.log != nil {
		d.keeper.log.Abandon()
		d.keeper.log = nil
	}
	d.keeper.store = nil
}

// entire is all there is to know of a session's state, whatever its element.
func entire(n notebook) string {
	x, _ := n.change(&mark{})
	var b strings.Builder
	fmt.Fprintf(&b, "%s %d %v\n", x.Element, x.Nodes, x.Names)
	for _, s := range x.Segments {
		fmt.Fprintf(&b, "%d %q %d %q %d-%d by %d %v %x\n", s.Number, s.Cell, s.Count, s.Text, s.From, s.To, s.Superseded, s.Bound, s.Nodes)
	}
	for _, p := range x.Payloads {
		if p.Bits != nil {
			fmt.Fprintf(&b, "slot %d %x\n", p.Slot, p.Bits())
		}
	}
	return b.String()
}

// TestReopened has a session that was opened again be what it was before, and
// behave so.
func TestReopened(t *testing.T) {
	r := newRoom(t)
	d := r.desk("k")
	d.tape("a", append(walkthrough, "loss = sum(hidden * hidden)")...)
	d.tape("b", "%gradient loss --wrt weights")
	d.tape("c", "x = input [1, 2] {3, 4}")
	d.tape("a2", "w = parameter [2] {1, 2}")
	train(d, len(d.state().tape.Parameters())-1, 5, 6)
	d.must("e", "derive")
	d.tape("c", "x = input [1, 2] {5, 6}") // supersedes
	d.tape("d", "y = x + x", "z = y * y")
	if _, err := d.cell("d", "%%tape\ny = nobody"); err == nil {
		t.Fatal("an unknown name was taken")
	}
	d.tape("d", "y = x + x")
	d.tape("", "%names")
	before, sight, spec := entire(d.notebook), d.sight(), d.tape("z", "%spec", "%names", "%values", "%why 8")
	d.die()

	d2 := r.desk("k")
	if text, want := d2.must("o", "%session open previous"), "session 1 is open: 7 segments, 56 nodes of f32\n"; text != want {
		t.Errorf("said %q, want %q", text, want)
	}
	if after := entire(d2.notebook); after != before {
		t.Errorf("opened again:\n%s\nwant\n%s", after, before)
	}
	if after := d2.sight(); after != sight {
		t.Errorf("opened again:\n%s\nwant\n%s", after, sight)
	}
	if again := d2.tape("z", "%spec", "%names", "%values", "%why 8"); again != spec {
		t.Errorf("read again:\n%s\nwant\n%s", again, spec)
	}
	// The rules of running again go on: the tail is replaced, an earlier cell
	// appends, trained payloads stay.
	d2.tape("d", "y = x + x")
	if after := d2.sight(); after != sight {
		t.Errorf("the tail run again:\n%s\nwant\n%s", after, sight)
	}
	want := "segment 4 superseded by 8\nw keeps its trained payload; %tape reset w starts it anew\n"
	if got := d2.tape("a2", "w = parameter [2] {1, 2}"); got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if reused := d2.tape("r", "%gradient loss --wrt weights"); !strings.Contains(reused, "recorded already") {
		t.Errorf("a recorded derivative is not found: %s", reused)
	}
	before = entire(d2.notebook)
	d2.die()
	d3 := r.desk("k")
	d3.must("o", "%session open previous")
	if after := entire(d3.notebook); after != before {
		t.Errorf("opened a third time:\n%s\nwant\n%s", after, before)
	}
}

// TestEveryCommitIsKept dies after each cell of a long session.
func TestEveryCommitIsKept(t *testing.T) {
	r := newRoom(t)
	d := r.desk("k")
	steps := []func(d *desk) error{
		func(d *desk) error { d.tape("a", "w = parameter [2] {1, 2}"); return nil },
		func(d *desk) error {
			train(d, 0, 3, 4)
			d.tape("", "%names")
			return nil
		},
		func(d *desk) error { d.tape("b", "y = w * w", "loss = sum(y)"); return nil },
		func(d *desk) error { _, err := d.cell("c", "%%tape\nq = loss @ w"); return wanted(err) },
		func(d *desk) error { d.tape("b", "y = w + w", "loss = sum(y)"); return nil },
		func(d *desk) error { d.tape("a", "w = parameter [2] {1, 2}"); return nil },
		func(d *desk) error { d.tape("a", "%tape reset"); return nil },
		func(d *desk) error { d.tape("", "big = parameter [20000]"); return nil },
		func(d *desk) error { d.tape("n", "%tape new bf16"); return nil },
		func(d *desk) error { d.tape("n2", "u = parameter [3] {0.1, 2, -0}"); return nil },
		func(d *desk) error { d.must("n3", "%tape new f16"); return nil },
		func(d *desk) error { d.tape("n2", "u = parameter [3] {0.1, 2, -0}", "t = tanh(u)"); return nil },
		func(d *desk) error { d.tape("n2", "%names"); return nil },
		func(d *desk) error { d.tape("", "%tape new f64", "v = leaf 0.1"); return nil },
	}
	for i, step := range steps {
		if err := step(d); err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
		before := entire(d.notebook)
		d.die()
		d = r.desk("k")
		d.count = i + 10
		d.must("", "%session open previous")
		if after := entire(d.notebook); after != before {
			t.Fatalf("after step %d:\n%s\nwant\n%s", i, after, before)
		}
	}
	if n := len(r.store.List()); n != 1 {
		t.Errorf("%d sessions, want the one", n)
	}
}

func wanted(err error) error {
	if err == nil {
		return errors.New("taken")
	}
	return nil
}

// TestKeptOutlivesAFailure has parameters that a failed cell kept be on disk.
func TestKeptOutlivesAFailure(t *testing.T) {
	r := newRoom(t)
	d := r.desk("k")
	d.tape("a", "w = parameter [2] {1, 2}")
	x, _, err := d.begin("b", "%spec")
	if err != nil {
		t.Fatal(err)
	}
	table := tableFor(0, 7, 8)
	if err := x.(*transaction).attempt.keep(table); err != nil {
		t.Fatal(err)
	}
	x.Rollback()
	before := entire(d.notebook)
	d.die()
	d = r.desk("k")
	d.must("", "%session open previous")
	if after := entire(d.notebook); after != before || !strings.Contains(after, "slot 0 "+hex.EncodeToString([]byte{0, 0, 0xe0, 0x40})) {
		t.Errorf("%s\nwant\n%s", after, before)
	}
}

// TestNothingIsKeptOfNothing has no session made by cells that record nothing.
func TestNothingIsKeptOfNothing(t *testing.T) {
	r := newRoom(t)
	d := r.desk("k")
	d.must("a", "%help")
	d.must("b", "nothing")
	d.tape("c", "%names")
	if all := r.store.List(); len(all) > 0 {
		t.Errorf("%v", all)
	}
	if _, err := d.cell("d", "%session close"); err == nil {
		t.Error("a session of nothing was closed")
	}
	if text := d.must("d", "%session"); text != "no session is kept\n" {
		t.Errorf("%q", text)
	}
}

func TestSessionMagic(t *testing.T) {
	r := newRoom(t)
	d := r.desk("one")
	d.tape("a", "w = parameter [2] {1, 2}", "loss = sum(w * w)")
	first := entire(d.notebook)
	d.must("", "%session close")
	if !d.notebook.pristine() {
		t.Error("a closed session goes on")
	}
	d.tape("a", "%tape new f64", "v = leaf 3")
	second := entire(d.notebook)
	want := `session  element  segments  nodes  names
1        f32      1         3      loss, w
2        f64      1         1      v        open here
`
	if got := d.must("", "%session list"); got != want {
		t.Errorf("listed\n%s\nwant\n%s", got, want)
	}
	other := r.desk("two")
	for code, says := range map[string]string{
		"%session open previous":      "cell %d line 1: this kernel has no earlier session: %%session list shows those of other kernels",
		"%session open 2":             "cell %d line 1: session 2 is open in a running kernel: close it there first",
		"%session open 77":            "cell %d line 1: there is no session 77",
		"%session open none.session":  "cell %d line 1: none.session: no such file or directory",
		"%session open":               "cell %d line 1: which one? %%session open NUMBER, open previous, or open FILE",
		"%session save":               "cell %d line 1: where to? %%session save FILE",
		"%session list all":           "cell %d line 1: %%session list is followed by nothing",
		"%session drop":               "cell %d line 1: unknown drop: %%session is followed by list, open, save or close",
		"%session save /none/a.topos": "cell %d line 1: the session cannot be saved: no such file or directory",
		"%checkpoint":                 "cell %d line 1: %%checkpoint needs a word: save FILE or load FILE",
		"%checkpoint load":            "cell %d line 1: which file? %%checkpoint load FILE",
		"%checkpoint load none":       "cell %d line 1: none: no such file or directory",
		"%checkpoint save x.tensors":  "cell %d line 1: x.tensors: no parameter has a name: there is nothing to save",
	} {
		_, err := other.cell("", code)
		var e *server.CellError
		if !errors.As(err, &e) || e.Value != fmt.Sprintf(says, other.count) {
			t.Errorf("%s: %v, want %q", code, err, fmt.Sprintf(says, other.count))
		}
	}
	if got := other.must("", "%session open 1"); got != "session 1 is open: 1 segment, 3 nodes of f32\n" {
		t.Errorf("said %q", got)
	}
	if got := entire(other.notebook); got != first {
		t.Errorf("%s\nwant\n%s", got, first)
	}
	if _, err := d.cell("", "%session open 1"); err == nil {
		t.Error("one session is open in two kernels")
	}
	if _, err := d.cell("", "%session open 2"); err == nil || !strings.Contains(err.Error(), "session 2 is the one that is open") {
		t.Errorf("%v", err)
	}
	if got := entire(d.notebook); got != second {
		t.Errorf("%s\nwant\n%s", got, second)
	}
}

// TestOpenedIsDroppedWithItsCell has a cell that opens a session and then fails
// leave all as it was.
func TestOpenedIsDroppedWithItsCell(t *testing.T) {
	r := newRoom(t)
	d := r.desk("one")
	d.tape("a", "w = parameter [2] {1, 2}")
	d.must("", "%session close")
	d.tape("b", "v = leaf 3")
	before := entire(d.notebook)
	if _, err := d.cell("c", "%%tape\n%session open 1\nu = w * w\nu = nobody"); err == nil {
		t.Fatal("an unknown name was taken")
	}
	if after := entire(d.notebook); after != before {
		t.Errorf("%s\nwant\n%s", after, before)
	}
	if all := r.store.List(); all[0].Held || !all[1].Held || all[0].Segments != 1 {
		t.Errorf("%+v", all)
	}
	d.tape("c", "%session open 1", "u = w * w")
	after := entire(d.notebook)
	if all := r.store.List(); !all[0].Held || all[1].Held || all[0].Segments != 2 {
		t.Errorf("%+v", all)
	}
	d.die()
	d = r.desk("one")
	d.must("", "%session open previous")
	if again := entire(d.notebook); again != after {
		t.Errorf("%s\nwant\n%s", again, after)
	}
}

// TestSessionFile saves a session in the middle of a cell, for another kernel,
// which may keep sessions in memory alone.
func TestSessionFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "my session.topos")
	for element := range strings.SplitSeq(elements.Usage(), "|") {
		r := newRoom(t)
		d := r.desk("one")
		d.tape("a", "%tape new "+element, "w = parameter [2] {1, 0.1}", "x = input [2]")
		d.tape("b", "y = x * w")
		d.tape("a", "w = parameter [2] {1, 0.1}", "%session save "+file)
		saved := entire(d.notebook)
		other := newDesk(t)
		if _, err := other.cell("", "%session list"); err == nil || !strings.Contains(err.Error(), "not kept on disk") {
			t.Errorf("%v", err)
		}
		other.must("", "%session open "+file)
		if got := entire(other.notebook); got != saved {
			t.Errorf("%s\nwant\n%s", got, saved)
		}
		// The one that was open is closed and kept, the opened one is a new one.
		before := entire(d.notebook)
		d.must("", "%session open "+file)
		d.tape("c", "z = y * y")
		if all := r.store.List(); len(all) != 2 || all[0].Held || !all[1].Held || all[0].Segments != 3 || all[1].Segments != 4 {
			t.Errorf("%+v", all)
		}
		d.must("", "%session open previous")
		if after := entire(d.notebook); after != before {
			t.Errorf("%s\nwant\n%s", after, before)
		}
	}
}

func TestCheckpoint(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "w.safetensors")
	d := newDesk(t)
	d.tape("a", "w = parameter [2] {1, 2}", "b = parameter 3", "nameless = sum(w * w)")
	train(d, 0, 5, 6)
	d.must("", "%checkpoint save "+file)
	trained := d.sight()
	d.must("", "%tape reset")
	if text := d.must("", "%checkpoint load "+file); text != file+" is loaded: 2 parameters\n" {
		t.Errorf("said %q", text)
	}
	if got := d.sight(); got != trained && !strings.Contains(got, "[5, 6]") {
		t.Errorf("%s\nwant\n%s", got, trained)
	}
	other := newDesk(t)
	other.tape("a", "w = parameter [3] {1, 2, 3}", "b = parameter 3")
	before := other.sight()
	if _, err := other.cell("", "%checkpoint load "+file); err == nil || !strings.Contains(err.Error(), "[3]") {
		t.Errorf("%v", err)
	}
	if after := other.sight(); after != before {
		t.Errorf("%s\nwant\n%s", after, before)
	}
	text := filepath.Join(folder, "thesis.txt")
	os.WriteFile(text, []byte("years of work"), 0o600)
	if _, err := d.cell("", "%checkpoint save "+text); err == nil {
		t.Error("saved over another file")
	}
	if _, err := d.cell("", "%checkpoint load "+text); err == nil {
		t.Error("loaded from another file")
	}
}

// TestUnwritable has the session go on in memory where it cannot be written, say
// so once a cell, and be written whole as soon as it can be.
func TestUnwritable(t *testing.T) {
	r := newRoom(t)
	d := r.desk("k")
	os.RemoveAll(r.folder)
	const say = "the cell is not saved: no such file or directory; the session goes on in memory\n"
	for _, id := range []string{"a", "b"} {
		if text := d.tape(id, "w"+id+" = parameter [2] {1, 2}", "l"+id+" = sum(w"+id+")"); text != say {
			t.Errorf("said %q, want %q", text, say)
		}
	}
	if err := os.MkdirAll(filepath.Join(r.folder, "sessions"), 0o700); err != nil {
		t.Fatal(err)
	}
	if text := d.must("", "%help"); strings.Contains(text, "saved:") {
		t.Errorf("said %q", text)
	}
	before := entire(d.notebook)
	d.die()
	d = r.desk("k")
	d.must("", "%session open previous")
	if after := entire(d.notebook); after != before {
		t.Errorf("%s\nwant\n%s", after, before)
	}
}

// TestOffered has the error of a cell that misses the session before say that it
// is kept.
func TestOffered(t *testing.T) {
	r := newRoom(t)
	d := r.desk("k")
	d.tape("a", "w = parameter [2] {1, 2}")
	d.die()
	d = r.desk("k")
	const offer = "its earlier session is kept: %session open previous"
	traceback := func(code string) string {
		_, err := d.cell("b", code)
		var e *server.CellError
		if !errors.As(err, &e) {
			t.Fatalf("%v", err)
		}
		return strings.ToLower(strings.Join(e.Traceback, "\n"))
	}
	if text := traceback("%%tape\ny = w * w"); !strings.Contains(text, offer) {
		t.Errorf("%s", text)
	}
	d.tape("a", "v = leaf 3")
	if text := traceback("%%tape\ny = w * w"); strings.Contains(text, offer) {
		t.Errorf("offered to a session that is under way: %s", text)
	}
	stranger := r.desk("other")
	if _, err := stranger.cell("b", "%%tape\ny = w * w"); strings.Contains(fmt.Sprint(err.(*server.CellError).Traceback), offer) {
		t.Error("offered to another kernel")
	}
}

func TestCompleteSession(t *testing.T) {
	r := newRoom(t)
	d := r.desk("k")
	d.tape("a", "w = leaf 3")
	d.must("", "%session close")
	for code, want := range map[string]string{
		"%session o":            "open",
		"%%tape\n%session s":    "save",
		"%session open ":        "previous 1",
		"%session open p":       "previous",
		"%%tape\n%checkpoint l": "load",
		"%session open 1":       "1",
	} {
		c, _ := d.Complete(code, len([]rune(code)))
		var got []string
		for _, m := range c.Matches {
			got = append(got, m.Text)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
}

// FuzzSession makes a notebook of what a session file may hold, and works with it.
func FuzzSession(f *testing.F) {
	tape := topos.New(topos.F32)
	w := tape.Parameter(topos.Shape{2}, 1, 2)
	w.Mul(w).Sum()
	f.Add("f32", tape.Encode(0), 0, tape.Len(), "w", 0, 0, make([]byte, 8))
	f.Add("f64", []byte{}, 0, 0, "", 0, 1, []byte{})
	f.Fuzz(func(t *testing.T, element string, nodes []byte, from, to int, name string, node, slot int, payload []byte) {
		x := &journal.Image{Element: element, Payloads: map[int][]byte{slot: payload},
			Segments: []journal.Segment{{Number: 1, Cell: "a", From: from, To: to, Nodes: nodes, Bound: []journal.Binding{{Name: name, Node: node}}}}}
		n, err := restored(x)
		if err != nil {
			return
		}
		before := entire(n)
		again, err := restored(imaged(n))
		if err != nil {
			t.Fatal(err)
		}
		if after := entire(again); after != before {
			t.Fatalf("%s\nwant\n%s", after, before)
		}
		a := n.begin(server.Cell{ID: "a", Count: 1, Code: "x"})
		a.soFar()
		a.rollback()
		if after := entire(n); after != before {
			t.Errorf("%s\nwant\n%s", after, before)
		}
	})
}

// imaged is a notebook as it is read from a file.
func imaged(n notebook) *journal.Image {
	c, _ := n.change(&mark{})
	x := &journal.Image{Element: c.Element, Segments: c.Segments, Payloads: map[int][]byte{}}
	for _, p := range c.Payloads {
		if p.Bits != nil {
			x.Payloads[p.Slot] = p.Bits()
		}
	}
	return x
}
