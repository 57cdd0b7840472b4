package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/kernel/elements"
	"github.com/topos-notebook/topos/kernel/server"
)

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
	x, out, err := d.begin("", "%session list")
	if err == nil {
		err = x.Commit(out)
	}
	if err != nil || len(out.data) != 0 {
		t.Errorf("%v, %d cards: what a machine holds is no reading, which a run of another day could give again", err, len(out.data))
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
		"%session save /none/a.topos": "cell %d line 1: the session cannot be saved to /none/a.topos: no such file or directory",
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
	if said := d.must("", "%checkpoint save "+file); !strings.HasPrefix(said, file+" is saved: ") {
		t.Errorf("says %q", said)
	}
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
	if _, err := d.cell("", "%checkpoint save "+filepath.Dir(text)); err == nil || !strings.Contains(err.Error(), "it is a folder, not a file") {
		t.Errorf("a folder: %v", err)
	}
	if _, err := d.cell("", "%checkpoint save "+text); err == nil {
		t.Error("saved over another file")
	}
	if _, err := d.cell("", "%checkpoint load "+text); err == nil || !strings.Contains(err.Error(), "thesis.txt: the file is no safetensors file: ") {
		t.Errorf("another file: %v", err)
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

// TestNewTapeKeepsWhatWas: a cell that begins a new tape closes the session before it,
// with what the cell itself trained of it, and says so; where it fails, the session
// goes on as it was.
func TestNewTapeKeepsWhatWas(t *testing.T) {
	r := newRoom(t)
	d := r.desk("k")
	const kept = "what was before is kept: %session open previous\n"
	if text := d.must("a", "%tape new f32"); text != "" {
		t.Errorf("of nothing: %q", text)
	}
	d.tape("b", "w = parameter [2] {1, 2}", "loss = sum(w * w)", "%train loss --steps 3")
	before := entire(d.notebook)
	if _, err := d.cell("c", "%%tape\n%tape new f64\nv = leaf 3\nu = nobody"); err == nil {
		t.Fatal("an unknown name was taken")
	}
	if after := entire(d.notebook); after != before {
		t.Errorf("a failed cell left\n%s\nof\n%s", after, before)
	}
	if all := r.store.List(); len(all) != 1 || !all[0].Held {
		t.Errorf("%+v", all)
	}
	if text := d.tape("c", "%train loss --steps 1", "%tape new f64", "v = leaf 3"); !strings.HasSuffix(text, "a new session of f64; "+kept) {
		t.Errorf("said %q", text)
	}
	// The cell's own tape, which nobody else added to, is replaced.
	if text := d.tape("c", "%tape new f64", "v = leaf 3"); strings.Contains(text, "new session") || len(r.store.List()) != 2 {
		t.Errorf("said %q, of %d sessions", text, len(r.store.List()))
	}
	if text := d.must("x", "%session open previous"); text != "session 1 is open: 1 segment, 12 nodes of f32\n" {
		t.Errorf("said %q", text)
	}
	if after := entire(d.notebook); after == before || len(after) < len(before)-20 {
		t.Errorf("what the cell trained before it left is gone:\n%s\nwas\n%s", after, before)
	}
	if text := d.must("y", "%session close"); text != "the session is closed, and kept: %session open previous\n" {
		t.Errorf("said %q", text)
	}
	var e *server.CellError
	if _, err := d.cell("n", "%%tape\nu = nobody"); !errors.As(err, &e) || strings.Contains(strings.Join(e.Traceback, "\n"), "started anew") {
		t.Errorf("%v", err)
	}
	if text := d.tape("z", "%session open 2", "%tape new"); strings.Contains(text, "kept") {
		t.Errorf("said %q", text)
	}
	if all := r.store.List(); len(all) != 3 || all[1].Segments != 1 || all[1].Held || !all[2].Held {
		t.Errorf("%+v", all)
	}
	alone := newDesk(t)
	alone.tape("b", "w = leaf 1")
	if text := alone.must("c", "%tape new"); text != "a new session of f32; what was before is gone: sessions are not kept here\n" {
		t.Errorf("said %q", text)
	}
}

// TestResetSaysHowMany counts the parameters, not their names.
func TestResetSaysHowMany(t *testing.T) {
	d := newDesk(t)
	for _, c := range []struct{ code, want string }{
		{"%tape reset", "no parameter is recorded\n"},
		{"%%tape\nw = parameter [2]\nv = w\nu = parameter 1\n%tape reset w,v", "1 parameter is as it was recorded\n"},
		{"%tape reset", "2 parameters are as they were recorded\n"},
	} {
		if text := d.must("", c.code); text != c.want {
			t.Errorf("%s: said %q, want %q", c.code, text, c.want)
		}
	}
}

// TestListMarksFurtherNames: a list says where it shows some of the names alone, of a
// session as it was written and of one put together from a file.
func TestListMarksFurtherNames(t *testing.T) {
	file := filepath.Join(t.TempDir(), "nine.topos")
	for n, want := range map[int]string{
		8: "h, g, f, e, d, c, b, a", 9: "i, h, g, f, e, d, c, b, and more", 12: "l, k, j, i, h, g, f, e, and more",
	} {
		r := newRoom(t)
		d := r.desk("k")
		lines := []string{}
		for i := range n {
			lines = append(lines, fmt.Sprintf("%c = leaf %d", 'a'+i, i))
		}
		d.tape("a", lines...)
		if got := d.must("", "%session list"); !strings.Contains(got, want) {
			t.Errorf("listed\n%s", got)
		}
		d.must("", "%session save "+file)
		d.must("", "%session open "+file)
		d.must("b", "%%tape\n%names")
		if got := d.must("", "%session list"); strings.Count(got, want) != 2 || strings.Contains(got, "more") != (n > 8) {
			t.Errorf("listed\n%s", got)
		}
	}
}
