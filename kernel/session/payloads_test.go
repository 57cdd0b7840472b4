package session

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/cells"
	"github.com/topos-notebook/topos/topos"
)

// mapped is a shape whose payload is large enough to be mapped.
var mapped = topos.Shape{260, 1024}

// filledWith is a payload of different numbers.
func filledWith(from float32) *topos.Tensor[float32] {
	data := make([]float32, mapped.Volume())
	for i := range data {
		data[i] = from + float32(i%1000)
	}
	return topos.F32.Tensor(mapped, data...)
}

// keepAll keeps one payload for every parameter.
func keepAll(s *cells.Session[float32], t *topos.Tensor[float32]) {
	if err := s.Keep(s.Parameters().Map(func(*topos.Tensor[float32]) *topos.Tensor[float32] { return t })); err != nil {
		panic(err)
	}
}

func init() {
	for name, p := range map[string]func(s *cells.Session[float32]){
		"record mapped": func(s *cells.Session[float32]) {
			s.Name("w", s.ParameterOf(filledWith(1)))
		},
		"check mapped": func(s *cells.Session[float32]) {
			if !s.Parameters().Slot(0).Equal(filledWith(1)) || !s.Payload(s.Value(0)).Equal(filledWith(1)) {
				panic("another payload")
			}
		},
		"keep mapped": func(s *cells.Session[float32]) {
			keepAll(s, filledWith(2))
			keepAll(s, filledWith(3))
		},
		"keep mapped and fail": func(s *cells.Session[float32]) {
			own := s.Parameters()
			keepAll(s, filledWith(4))
			if err := s.Keep(own); err != nil { // as it was before
				panic(err)
			}
			keepAll(s, filledWith(5))
			os.Exit(3)
		},
		"check kept": func(s *cells.Session[float32]) {
			if !s.Parameters().Slot(0).Equal(filledWith(5)) || !s.Payload(s.Value(0)).Equal(filledWith(1)) {
				panic("another payload")
			}
		},
		"check both": func(s *cells.Session[float32]) {
			if !s.Parameters().Slot(0).Equal(filledWith(3)) || !s.Payload(s.Value(0)).Equal(filledWith(1)) {
				panic("another payload")
			}
		},
		"fail after recording": func(s *cells.Session[float32]) {
			s.ParameterOf(filledWith(6))
			os.Exit(3)
		},
	} {
		programs[name] = func() { p(cells.Open(topos.F32)) }
	}
}

// payloadFiles are the payload files in a folder.
func payloadFiles(t *testing.T, folder string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(folder, "payload-*"))
	if err != nil {
		t.Fatal(err)
	}
	return names
}

func (d *desk) wantFiles(when string, n int) {
	d.t.Helper()
	if names := payloadFiles(d.t.(*testing.T), d.folder); len(names) != n {
		d.t.Errorf("%s the folder holds %q, want %d files", when, names, n)
	}
}

func TestLargePayloadsLieInFiles(t *testing.T) {
	d := newDesk(t)
	d.must("a", "record mapped")
	d.wantFiles("after the first cell", 1)
	if !d.state().table().Slot(0).Equal(filledWith(1)) {
		t.Error("the session holds another payload")
	}
	d.must("b", "check mapped")
	d.wantFiles("after a cell that reads", 1)
	d.must("a", "record mapped")
	d.must("a", "record mapped")
	d.must("b", "check mapped")
	d.wantFiles("after the first cell again, which replaces its tail", 1)
	if _, err := d.cell("c", "fail after recording"); err == nil {
		t.Error("exit status 3 ended well")
	}
	d.wantFiles("after a cell that failed", 1)
	d.tape("d", "%tape new")
	d.wantFiles("with a new tape", 0)
}

func TestLargeTablesAreKept(t *testing.T) {
	d := newDesk(t)
	d.must("a", "record mapped")
	d.must("b", "keep mapped")
	d.wantFiles("after two tables", 2) // the initial and the last
	if !d.state().table().Slot(0).Equal(filledWith(3)) {
		t.Error("the session holds another payload than the last")
	}
	if _, err := d.cell("c", "keep mapped and fail"); err == nil {
		t.Error("exit status 3 ended well")
	}
	d.wantFiles("after three more", 2)
	if !d.state().table().Slot(0).Equal(filledWith(5)) {
		t.Error("after a failure the session holds another payload than the last")
	}
	d.must("d", "check kept")
	// Trained in the kernel, a payload gets its file when a Go cell asks for it.
	d.state().setLive(0, filledWith(5))
	d.must("e", "check kept")
	d.wantFiles("after one of the kernel's own", 2)
	d.tape("f", "%tape reset w")
	d.wantFiles("after the reset", 1)
	d.must("g", "check mapped")
}

// What the journal holds of a kept table is the file that the cell wrote, under a
// further name; it is there when the kernel's own is gone.
func TestJournalHasLargePayloadsWithoutACopy(t *testing.T) {
	r := newRoom(t)
	d := r.desk("k")
	d.must("a", "record mapped")
	d.must("b", "keep mapped")
	own := payloadFiles(t, d.folder)
	same := 0
	for _, theirs := range payloadFiles(t, filepath.Join(r.folder, "sessions", "1")) {
		a, err := os.Stat(theirs)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range own {
			if b, err := os.Stat(name); err == nil && os.SameFile(a, b) {
				same++
			}
		}
	}
	if same != 2 { // the recorded and the kept
		t.Errorf("%d files of the journal are among %q", same, own)
	}
	saved := filepath.Join(r.folder, "saved")
	d.tape("c", "%session save "+saved)
	d.die()
	for _, name := range own {
		os.Remove(name)
	}
	again := r.desk("k")
	if text := again.tape("x", "%session open previous"); !strings.Contains(text, "session 1 is open") {
		t.Errorf("opened: %q", text)
	}
	if got := again.state().table().Slot(0); !got.Equal(filledWith(3)) {
		t.Error("the session holds another payload")
	}
	again.must("y", "check both")
	again.tape("z", "%session open "+saved)
	again.must("y", "check both")
	if text := again.tape("z", "%session open 1"); !strings.Contains(text, "session 1 is open: 1 segment, 1 node of f32") {
		t.Errorf("opened again: %q", text)
	}
	again.must("y", "check both")
}

// A tape that grows too long costs its cell, whichever kind it is.
func TestTapeIsBounded(t *testing.T) {
	d := newDesk(t)
	d.tape("a", walkthrough...)
	before := d.sight()
	d.Engine.bound = func(nodes int) error {
		if nodes > 5 {
			return errors.New("at most 5 nodes")
		}
		return nil
	}
	for _, code := range []string{"square", "%%tape\nloss = sum(hidden * hidden)", "%%tape\nloss = sum(hidden)\n%gradient loss", "%%tape\nx = leaf 1\ny = leaf 2\n%spec"} {
		if _, err := d.cell("b", code); err == nil || !strings.Contains(err.Error(), "at most 5 nodes") {
			t.Errorf("%q: %v", code, err)
		}
		if after := d.sight(); after != before {
			t.Errorf("%q left\n%s", code, after)
		}
	}
}

// What a cell keeps is in the journal before the cell has ended; that the log has
// outgrown the session is dealt with at the end, though nothing is left to write.
func TestKeptTablesDoNotPileUp(t *testing.T) {
	r := newRoom(t)
	d := r.desk("k")
	d.must("a", "record mapped")
	for n := range 5 {
		d.must("b", "keep mapped")
		if d.keeper.log.Outgrown() {
			t.Errorf("after cell %d the journal holds %d files", n+1, len(payloadFiles(t, filepath.Join(r.folder, "sessions", "1"))))
		}
	}
}
