package session

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/kernel/journal"
	"github.com/topos-notebook/topos/kernel/server"
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
	for _, t := range x.Tables {
		bits := bytes.NewBuffer(t.Bits)
		if t.Content != nil {
			t.Content.WriteTo(bits)
		}
		fmt.Fprintf(&b, "table %q %x\n", t.Name, bits.Bytes())
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
		func(d *desk) error { d.tape("n", "%tape new bf16", "z = leaf 1"); return nil },
		func(d *desk) error { d.tape("n2", "u = parameter [3] {0.1, 2, -0}"); return nil },
		func(d *desk) error { d.tape("n3", "%tape new f16", "z = leaf 1"); return nil },
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
	if n := len(r.store.List()); n != 4 {
		t.Errorf("%d sessions, want one, and one more for each new tape", n)
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
	if err := x.(*transaction).attempt.keep(d.files, table); err != nil {
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

// TestKeptIsWrittenAtOnce has the kernel die in the middle of a cell that has kept
// parameters: they are there, and the cell is not, whatever it was to replace.
func TestKeptIsWrittenAtOnce(t *testing.T) {
	r := newRoom(t)
	d := r.desk("k")
	d.tape("a", walkthrough...)
	d.tape("g", "w2 = parameter [2] {1, 2}", "late = hidden + hidden")
	train(d, 1, 3, 4)
	d.tape("", "%names")
	segments := entire(d.notebook)
	x, _, err := d.begin("g", "train")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := d.command(x.Forward()).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	d.die()
	x.Rollback()
	d = r.desk("k")
	d.must("", "%session open previous")
	if got := d.state().table().Slot(0).String(); got != "[[7, 7], [7, 7]]" {
		t.Errorf("holds %s", got)
	}
	d.state().live[0] = nil
	if got := entire(d.notebook); got != segments {
		t.Errorf("opened again:\n%s\nwant\n%s", got, segments)
	}
}

// TestManyKeepsStaySmall has a cell keep a table again and again: what is on disk
// stays within bounds while it runs.
func TestManyKeepsStaySmall(t *testing.T) {
	r := newRoom(t)
	d := r.desk("k")
	d.tape("a", "w = parameter [20000]")
	a := d.notebook.begin(serverCell)
	for i := range 200 {
		data := make([]float32, 20000)
		data[0] = float32(i)
		if err := a.keep(d.files, tableFor(0, data...)); err != nil {
			t.Fatal(err)
		}
		d.keeper.keep(a)
	}
	a.rollback()
	var held int64
	filepath.Walk(r.folder, func(_ string, info os.FileInfo, err error) error {
		if err == nil {
			held += info.Size()
		}
		return nil
	})
	if held > 4<<20 { // 200 tables take 16 MB
		t.Errorf("%d bytes on disk", held)
	}
	before := entire(d.notebook)
	d.die()
	d = r.desk("k")
	d.must("", "%session open previous")
	if after := entire(d.notebook); after != before || d.state().table().Slot(0).Data()[0] != 199 {
		t.Error("what was kept last is not there")
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

// TestEmptySessionsAreNotListed: what %tape new has emptied is nothing to go on
// with.
func TestEmptySessionsAreNotListed(t *testing.T) {
	r := newRoom(t)
	d := r.desk("k")
	d.must("a", "%tape new bf16")
	if text := d.must("b", "%session list"); !strings.Contains(text, "bf16") || !strings.Contains(text, "open here") {
		t.Errorf("the open one is not listed:\n%s", text)
	}
	d.must("c", "%session close")
	if text := d.must("d", "%session list"); text != "no session is kept\n" {
		t.Errorf("%s", text)
	}
	d.tape("e", "w = parameter [2]")
	d.must("f", "%session close")
	if text := d.must("g", "%session list"); strings.Count(text, "\n") != 2 || !strings.Contains(text, " w") {
		t.Errorf("%s", text)
	}
	if damaged := Listed([]journal.Entry{{Number: 3, Problem: "damaged"}, {Number: 4}}, 0); !strings.Contains(damaged, "3 ") || strings.Contains(damaged, "4 ") {
		t.Errorf("%s", damaged)
	}
}

// TestUnwritable has the session go on in memory where it cannot be written, say
// so once a cell, and be written whole as soon as it can be.
func TestUnwritable(t *testing.T) {
	r := newRoom(t)
	d := r.desk("k")
	os.RemoveAll(r.folder)
	if err := os.WriteFile(r.folder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	const say = "the cell is not saved: not a directory; the session goes on in memory\n"
	for _, id := range []string{"a", "b"} {
		if text := d.tape(id, "w"+id+" = parameter [2] {1, 2}", "l"+id+" = sum(w"+id+")"); text != say {
			t.Errorf("said %q, want %q", text, say)
		}
	}
	os.Remove(r.folder)
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

// TestLostFilesAreKeptAnew has another program remove, cut off, replace or move what a
// kernel has written: it is said, and the whole session is kept once more.
func TestLostFilesAreKeptAnew(t *testing.T) {
	for name, harm := range map[string]func(folder, log string) error{
		"the state folder": func(folder, _ string) error { return os.RemoveAll(folder) },
		"the session":      func(folder, log string) error { return os.RemoveAll(filepath.Dir(log)) },
		"all of its bytes": func(_, log string) error { return os.Truncate(log, 0) },
		"its end":          func(_, log string) error { return os.Truncate(log, 100) },
		"replaced":         func(_, log string) error { os.WriteFile(log+"2", []byte("x"), 0o600); return os.Rename(log+"2", log) },
		"moved":            func(folder, log string) error { return os.Rename(filepath.Dir(log), folder+"/sessions/9") },
	} {
		r := newRoom(t)
		d := r.desk("k")
		d.tape("a", "w = parameter [20000]", "l = sum(w * w)")
		d.tape("b", "%train l --steps 1")
		if err := harm(r.folder, filepath.Join(r.folder, "sessions", "1", "log")); err != nil {
			t.Fatal(err)
		}
		if text := d.tape("c", "v = parameter [3]"); !strings.Contains(text, "session 1 was removed or changed by another program: it is kept anew, as session ") {
			t.Errorf("%s: says %q", name, text)
		}
		if text := d.tape("d", "u = parameter [3]"); text != "" {
			t.Errorf("%s: next it says %q", name, text)
		}
		before := entire(d.notebook)
		d.die()
		d = r.desk("k")
		d.must("", "%session open previous")
		if after := entire(d.notebook); after != before {
			t.Errorf("%s: opened again\n%s\nwant\n%s", name, after, before)
		}
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
