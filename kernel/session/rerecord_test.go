package session

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// run is a cell with its id.
type run struct{ id, code string }

func tape(id string, lines ...string) run { return run{id, "%%tape\n" + strings.Join(lines, "\n")} }

// all runs cells that end well.
func (d *desk) all(cells ...run) {
	d.t.Helper()
	for _, c := range cells {
		d.must(c.id, c.code)
	}
}

// structure is what a run from the top is to give again: the tape with origins,
// names, and which cell recorded what.
func (d *desk) structure() string {
	s := d.state()
	var b strings.Builder
	for _, n := range s.tape.Nodes() {
		b.WriteString(n.String() + " | " + n.Why() + "\n")
	}
	for name, at := range s.names.All() {
		b.WriteString(name + at.String() + " ")
	}
	for _, g := range s.segments {
		b.WriteString("\n" + g.cell + " " + g.text + " " + strings.Join([]string{nodesOf(g), namesOf(g)}, " "))
		for name, at := range g.before.All() {
			b.WriteString(" " + name + at.String())
		}
	}
	return b.String()
}

// fresh is the structure that cells give on a new session.
func fresh(t *testing.T, cells ...run) string {
	t.Helper()
	d := newDesk(t)
	d.all(cells...)
	return d.structure()
}

var lesson1 = []run{
	tape("a", "weights = parameter [2, 2] {0.5, -0.25, 0.25, 0.4}", "input = input [1, 2] {1, 2}"),
	tape("b", "hidden = tanh(input @ weights)", "loss = sum(hidden * hidden)"),
	tape("c", "%gradient loss --wrt weights", "%spec"),
	{"go", "derive"},
	tape("d", "twice = hidden + hidden", "hidden = exp(twice)"),
}

// differ shows where two structures part.
func differ(t *testing.T, what, got, want string) {
	t.Helper()
	if got == want {
		return
	}
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			t.Errorf("%s: line %d of %d is\n%s\nwant, of %d,\n%s", what, i+1, len(a), a[i], len(b), b[i])
			return
		}
	}
	t.Errorf("%s: %d lines, want %d", what, len(a), len(b))
}

// A notebook run again from the top gives the tape of a fresh session, whatever
// was run in between, and so does %rerecord.
func TestRunFromTheTopIsFresh(t *testing.T) {
	for name, cells := range map[string][]run{"with Go": lesson1, "tape cells": append(slices.Clone(lesson1[:3]), lesson1[4], tape("e", "more = exp(hidden) * twice"))} {
		want := fresh(t, cells...)
		for from := range cells {
			if name == "with Go" && from != 2 {
				continue // each run of a Go cell is a process
			}
			d := newDesk(t)
			d.all(cells...)
			d.all(cells[from:]...)
			d.all(cells...)
			differ(t, fmt.Sprintf("%s: run again from cell %d, then from the top", name, from+1), d.structure(), want)
			d.all(cells[from:]...)
			d.all(tape("r", "%rerecord"))
			differ(t, fmt.Sprintf("%s: run again from cell %d, then re-recorded", name, from+1), d.structure(), want)
			for _, c := range cells { // each by itself
				d.all(c, c)
			}
			d.all(cells...)
			differ(t, name+": each cell run again, then all", d.structure(), want)
		}
	}
}

// As long as something reads a superseded segment, or the order is another, it
// stays.
func TestSupersededStaysWhileItIsRead(t *testing.T) {
	d := newDesk(t)
	d.all(lesson1...)
	n := len(d.state().segments)
	for i, c := range lesson1[:4] {
		text := d.must(c.id, c.code)
		if !strings.Contains(text, "superseded by") || strings.Contains(text, "left out") || len(d.state().segments) != n+i+1 {
			t.Errorf("%s: %s", c.id, text)
		}
	}
	want := "segment 5 superseded by 10\n5 segments are superseded and read by nothing: left out, so that the tape is that of a run from the top\n"
	if got := d.must(lesson1[4].id, lesson1[4].code); got != want {
		t.Errorf("says %q, want %q", got, want)
	}
	// Two cells that do not read each other.
	d = newDesk(t)
	d.all(tape("a", "x = leaf 1"), tape("b", "y = leaf 2"), tape("a", "x = leaf 3"))
	if len(d.state().segments) != 3 {
		t.Errorf("%s", d.sight())
	}
	d.all(tape("b", "y = leaf 2"))
	differ(t, "both run again", d.structure(), fresh(t, tape("a", "x = leaf 3"), tape("b", "y = leaf 2")))
}

// What is live goes along: payloads, what optimizers remember, and the journal.
func TestTrainedStateGoesAlong(t *testing.T) {
	cells := []run{tape("a", small...), tape("t", "%train loss --steps 5 --optimizer adam"), tape("z", "more = h + h")}
	r := newRoom(t)
	d := r.desk("k")
	d.all(cells...)
	d.all(cells[0])
	trained := d.state().table().Slot(3).String()
	if trained == d.state().tape.InitialParameters().Slot(3).String() {
		t.Fatal("nothing is trained")
	}
	d.all(tape("", "%rerecord"))
	if s := d.state(); len(s.segments) != 3 || s.table().Len() != 3 || s.table().Slot(0).String() != trained {
		t.Errorf("%s", d.sight())
	}
	if text := d.tape("", "%train loss --steps 1 --optimizer adam"); !strings.Contains(text, "adam goes on after 5 steps") || !strings.Contains(text, "recorded already") {
		t.Errorf("says %s", text)
	}
	before := entire(d.notebook)
	d.die()
	d = r.desk("k")
	d.must("", "%session open previous")
	if after := entire(d.notebook); after != before {
		t.Errorf("opened again:\n%s\nwant\n%s", after, before)
	}
	d.all(cells[0], cells[2])
	if s := d.state(); len(s.segments) < 3 {
		t.Errorf("%s", d.sight())
	}
}

func notebookFile(t *testing.T, ids ...string) string {
	t.Helper()
	type cell struct {
		ID     string   `json:"id,omitempty"`
		Type   string   `json:"cell_type"`
		Source []string `json:"source"`
	}
	cells := []cell{{"text", "markdown", nil}}
	for _, id := range ids {
		cells = append(cells, cell{id, "code", []string{"what it says now is not read"}})
	}
	b, err := json.Marshal(map[string]any{"cells": cells, "nbformat": 4})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "n.ipynb")
	if err := os.WriteFile(path, b, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRerecord(t *testing.T) {
	a := tape("a", "x = input [2] {1, 2}", "w = parameter [2]")
	a3 := tape("a", "x = input [3]", "w = parameter [3]")
	b := tape("b", "h = x * w", "loss = sum(h * h)")
	c := tape("c", "%gradient loss")
	g := run{"g", "double h"}
	sorted := tape("s", "h = h + h")
	for name, test := range map[string]struct {
		ran   []run
		file  []string // nil for none
		fresh []run    // what gives the same
		says  string
	}{
		"nothing to do":        {[]run{a, b, c}, nil, []run{a, b, c}, "re-recorded: 3 segments, 20 nodes of f32 (it was 3 segments, 20 nodes of f32)\n"},
		"an edited first cell": {[]run{a, b, c, g, a3}, nil, []run{a3, b, c, g}, "re-recorded: 4 segments, 21 nodes of f32 (it was 5 segments, 23 nodes of f32)\n"},
		"an inserted cell":     {[]run{a, b, c, sorted}, []string{"a", "b", "s", "c"}, []run{a, b, sorted, c}, ""},
		"a moved cell":         {[]run{a, b, sorted, g}, []string{"a", "b", "g", "s"}, []run{a, b, g, sorted}, ""},
		"a removed cell":       {[]run{a, b, sorted, c}, []string{"a", "b", "c"}, []run{a, b, c}, "cell 3 is not in the notebook: its segment is left out\n"},
		"without ids":          {[]run{{"", a.code}, {"", b.code}}, nil, []run{{"", a.code}, {"", b.code}}, ""},
		"magics of a Go cell":  {[]run{a, b, {"m", "%gradient loss\ndouble h\n%values doubled"}}, nil, []run{a, b, {"m", "%gradient loss\ndouble h\n%values doubled"}}, ""},
	} {
		d := newDesk(t)
		d.all(test.ran...)
		line := "%rerecord"
		if test.file != nil {
			line += " " + notebookFile(t, test.file...)
		}
		text := d.tape("r", line)
		differ(t, name, d.structure(), fresh(t, test.fresh...))
		if !strings.HasPrefix(text, "re-recorded: ") || !strings.HasSuffix(text, test.says) {
			t.Errorf("%s says %q, want %q", name, text, test.says)
		}
		// The rules of running again go on from there.
		last := test.fresh[len(test.fresh)-1]
		before := d.sight()
		if d.must(last.id, last.code); last.id != "" && d.sight() != before {
			t.Errorf("%s: the tail run again:\n%s\nwant\n%s", name, d.sight(), before)
		}
	}
}

func TestRefusedRerecord(t *testing.T) {
	r := newRoom(t)
	d := r.desk("k")
	d.all(tape("a", "x = input [2] {1, 2}", "n = x + x"), tape("b", "# first", "h = n * n"), run{"g", "double h"}, tape("c", "k = doubled + 1"))
	text := filepath.Join(t.TempDir(), "text")
	os.WriteFile(text, []byte("{}"), 0o600)
	before := entire(d.notebook)
	for line, want := range map[string]string{
		"%rerecord " + notebookFile(t, "b", "a", "g"): "cell 2 line 3 cannot be recorded again: unknown name n",
		"%rerecord " + notebookFile(t, "a", "g"):      "cell 3 cannot be recorded again: it reads h, which no cell before it binds",
		"%rerecord " + notebookFile(t, "a", "b", "c"): "cell 4 line 2 cannot be recorded again: unknown name doubled",
		"%rerecord " + notebookFile(t, "q"):           "none of its cells has recorded here",
		"%rerecord " + notebookFile(t):                "no code cells with ids",
		"%rerecord " + text:                           "is no notebook",
		"%rerecord " + text + ".ipynb":                "no such file or directory",
		"q = leaf 1\n%rerecord":                       "the cell has recorded already: cells are recorded anew before what their own cell records",
		"%rerecord\nq = nobody":                       "unknown name nobody",
	} {
		_, err := d.cell("r", "%%tape\n"+line)
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") || !strings.HasPrefix(err.Error(), "TapeError: cell ") {
			t.Errorf("%s: %v, want %s", line, err, want)
		}
		if after := entire(d.notebook); after != before {
			t.Fatalf("%s left\n%s\nwant\n%s", line, after, before)
		}
	}
	// A shape that no longer fits is refused as a name is, and so is a node without a
	// name of a Go cell whose cell was edited.
	for _, c := range []struct {
		ran  []run
		want string
	}{
		{[]run{tape("a", "x = input [3, 2]"), tape("b", "y = transpose(x) @ x"), tape("a", "x = input 1")}, "cell 2 line 2 cannot be recorded again: "},
		{[]run{tape("a", "h = input [3, 2]"), {"g", "double h"}, tape("k", "l = doubled @ transpose(h)"), tape("a", "h = input [4]")}, "cell 3 line 2 cannot be recorded again: "},
		{[]run{tape("a", append(walkthrough, "loss = sum(hidden * hidden)")...), {"g", "derive"}, tape("a", append(walkthrough, "loss = sum(hidden)")...)},
			"cell 2 cannot be recorded again: it differentiates node 5 Sum of cell 1, which is not recorded as it was: run the cell again"},
	} {
		d := newDesk(t)
		d.all(c.ran...)
		before := entire(d.notebook)
		if _, err := d.cell("r", "%rerecord"); err == nil || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v, want %s", err, c.want)
		}
		if after := entire(d.notebook); after != before {
			t.Errorf("left\n%s\nwant\n%s", after, before)
		}
	}
}

// C-89: training runs when its cell is run, and never for another's sake.
func TestC89TrainingNeverRunsUnasked(t *testing.T) {
	d := newDesk(t)
	lessons := 0
	asked := func(c run, n int) {
		t.Helper()
		d.all(c)
		if lessons += n; d.lessons != lessons {
			t.Errorf("%q: %d trainings, want %d", c.code, d.lessons, lessons)
		}
	}
	asked(tape("a", small...), 0)
	asked(tape("t", "%train loss --steps 3", "after = h + h"), 1)
	trained := d.trained()
	for _, c := range []run{
		tape("r", "%rerecord"), tape("r", "%rerecord "+notebookFile(t, "a", "t")), tape("s", "%spec", "%values", "%gradient loss", "%tape", "%names"),
		tape("b", "k = after * after"), tape("b", "k = after + after"),
	} {
		asked(c, 0)
		if d.trained() != trained {
			t.Errorf("%q trained", c.code)
		}
	}
	asked(tape("a", append(small, "# run again")...), 0)
	asked(tape("r", "%rerecord"), 0)
	file := filepath.Join(t.TempDir(), "s.topos")
	asked(run{"", "%session save " + file}, 0)
	asked(run{"", "%session open " + file}, 0)
	if d.trained() != trained {
		t.Error("something trained")
	}
	asked(tape("t", "%train loss --steps 3", "after = h + h"), 1)
}
