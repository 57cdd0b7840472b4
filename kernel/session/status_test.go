package session

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/topos/language"
)

// C-86: %tape says of each segment whether a run from the top would give it.
func TestC86StatusIsTold(t *testing.T) {
	d := newDesk(t)
	if got, want := d.tape("s", "%tape"), "tape: nothing is recorded\n"; got != want {
		t.Errorf("says %q, want %q", got, want)
	}
	d.all(tape("a", "x = input [2]", "w = parameter [2]"), tape("b", "y = x + w", "z = y * y", "y = z + z", "q = z", "p = q"), tape("c", "k = sum(w)"))
	fresh := `segment  cell  nodes  names       status
1        2     0-1    x, w        fresh
2        3     2-4    y, z, q, p  fresh
3        4     5      k           fresh
fresh: a run of the cells from the top records the same tape
`
	if got := d.tape("s", "%tape"); got != fresh {
		t.Errorf("says\n%s\nwant\n%s", got, fresh)
	}
	// The tail run again is as if it had been run once.
	d.all(tape("c", "k = sum(x)"))
	if got := d.tape("s", "%tape"); !strings.HasSuffix(got, "fresh: a run of the cells from the top records the same tape\n") {
		t.Errorf("says\n%s", got)
	}
	d.all(tape("d", "name = y"))
	d.all(tape("a", "x = input [2]", "w = parameter [2]"))
	got := d.tape("e", "m = y + x", "%tape")
	want := `segment  cell  nodes  names       status
1        2     0-1    x, w        superseded by 5
2        3     2-4    y, z, q, p  outdated: reads 1, which is superseded
3        6     5      k           outdated: reads 1, which is superseded
4        8     none   name        outdated: reads 1, which is superseded
5        9     6-7    x, w        rerun of 1
6        10    8      m           outdated: reads 1, which is superseded
not what a run from the top records: 1 rerun, 4 outdated, 1 superseded; %rerecord records the cells in order
`
	if got != want {
		t.Errorf("says\n%s\nwant\n%s", got, want)
	}
	d.all(tape("r", "%rerecord"))
	if got := d.tape("s", "%tape"); !strings.HasSuffix(got, "fresh: a run of the cells from the top records the same tape\n") {
		t.Errorf("says\n%s", got)
	}
}

// The text of a cell is never its identity, and a cell's is not its place.
func TestIdentityIsTheCells(t *testing.T) {
	d := newDesk(t)
	d.all(tape("a", "x = leaf 1"), tape("b", "x = leaf 1"))
	if len(d.state().segments) != 2 {
		t.Errorf("two cells of one text: %s", d.sight())
	}
	d.all(tape("b", "y = leaf 2"))
	if got := d.bound(); len(d.state().segments) != 2 || got != "x=#0 Leaf [] f32; y=#1 Leaf [] f32" {
		t.Errorf("another text in one cell: %s", got)
	}
}

// Names that the tail bound are undone newest first, however often it bound them.
func TestNamesAreUndoneNewestFirst(t *testing.T) {
	d := newDesk(t)
	d.all(tape("a", "h = input [2]", "g = h"), tape("b", "h = tanh(h)", "g = h", "h = exp(h)", "g = h", "new = g"))
	before := d.sight()
	for range 3 {
		d.all(tape("b", "h = tanh(h)", "g = h", "h = exp(h)", "g = h", "new = g"))
		if after := d.sight(); after != before {
			t.Fatalf("%s\nwant\n%s", after, before)
		}
	}
	d.all(tape("b", "other = h + g"))
	if got, want := d.bound(), "h=#0 Input [2] f32; g=#0 Input [2] f32; other=#1 Add [2] f32"; got != want {
		t.Errorf("names: %s, want %s", got, want)
	}
}

// Tape lines, Go cells, %gradient and %train record; everything else does not,
// before and after a derivative was recorded.
func TestWhatRecords(t *testing.T) {
	folder := t.TempDir()
	d := newRoom(t).desk("k")
	d.tape("a", small...)
	for _, first := range []bool{true, false} {
		before := d.structure()
		for _, line := range []string{
			"%spec", "%plan", "%plan loss", "%plan --target loss --wrt w,b", "%stablehlo", "%stablehlo h --exact", "%values", "%values h --observe e", "%picture", "%read",
			"%read loss --wrt w", "%why 3", "%why loss", "%names", "%tape", "%backends", "%help", "%static on", "%static off", "%session list",
			"%session save " + filepath.Join(folder, "s.topos"), "%checkpoint save " + filepath.Join(folder, "w.safetensors"), "%checkpoint load " + filepath.Join(folder, "w.safetensors"),
			"%tape reset", "%tape reset w",
		} {
			code := line
			if first {
				code = "%%tape\n" + line
			}
			d.must("r", code)
			if after := d.structure(); after != before {
				t.Fatalf("%q: %s\nwant\n%s", code, after, before)
			}
		}
		n := d.state().tape.Len()
		for _, line := range []string{"%gradient loss --wrt w", "%gradient loss", "%train loss --steps 1"} {
			d.tape("", line)
		}
		if records := d.state().tape.Len() > n; records != first || len(d.state().segments) != 2 {
			t.Errorf("%s", d.sight())
		}
	}
	d.must("", "nothing")
	n := d.state().tape.Len()
	d.must("", "record")
	if d.state().tape.Len() != n+4 {
		t.Errorf("%d nodes after %d", d.state().tape.Len(), n)
	}
}

// C-87, C-91: the tape cells of every shipped notebook, each three times in a row,
// leave what one run leaves; run from the top again, the tape is that of a fresh
// run.
func TestC87C91SampleCellsRunAgain(t *testing.T) {
	paths, err := filepath.Glob("../../notebooks/*.ipynb")
	if err != nil || len(paths) < 2 {
		t.Fatalf("notebooks: %v, %v", paths, err)
	}
	for _, path := range paths {
		cells := tapeCells(t, path)
		d := newDesk(t)
		for _, c := range cells {
			d.all(c)
			before := d.sight()
			for range 2 {
				d.all(c)
				if after := d.sight(); after != before {
					t.Fatalf("%s, cell %s run again:\n%s\nwant\n%s", path, c.id, after, before)
				}
			}
		}
		once := d.structure()
		d.all(cells...)
		differ(t, path+" from the top", d.structure(), once)
		for _, c := range cells {
			d.all(c)
		}
		d.all(cells...)
		differ(t, path+" each again, then all", d.structure(), once)
	}
}

// tapeCells are a notebook's cells that need no Go.
func tapeCells(t *testing.T, path string) []run {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var notebook struct {
		Cells []struct {
			ID     string
			Source []string
		}
	}
	if err := json.Unmarshal(b, &notebook); err != nil {
		t.Fatal(err)
	}
	var cells []run
	for _, c := range notebook.Cells {
		if code := strings.Join(c.Source, ""); strings.HasPrefix(code, "%%tape") && !strings.Contains(code, "doubled") {
			cells = append(cells, run{c.ID, code})
		}
	}
	if len(cells) < 3 {
		t.Fatalf("%s has %d tape cells", path, len(cells))
	}
	return cells
}

// A segment may bind hundreds of thousands of names, some more than once: to list
// a few takes no time that grows with their square.
func TestNamesOfALargeSegment(t *testing.T) {
	g := &segment{}
	for i := range 600_000 {
		g.bound = append(g.bound, language.Binding{Name: fmt.Sprintf("v%d", i%400_000)})
	}
	if got, want := namesOf(g), "v0, v1, v2, v3, 399996 more"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
