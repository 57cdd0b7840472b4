package session

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/cells/wire"
	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/topos"
)

// names gives the node of each name in force: "h=3 w=0".
func (d *desk) bound() string {
	var parts []string
	for name, at := range d.state().names.All() {
		parts = append(parts, name+"="+d.state().tape.Resolve(at).String())
	}
	return strings.Join(parts, "; ")
}

func TestTailIsReplaced(t *testing.T) {
	d := newDesk(t)
	d.tape("a", "h = input [2] {1, 2}")
	d.tape("b", "h = tanh(h)")
	before := d.sight()
	old := d.state().segments[1].bound[0].Symbol
	if text := d.tape("b", "h = tanh(h)"); text != "" {
		t.Errorf("said %q", text)
	}
	if after := d.sight(); after != before {
		t.Errorf("h = tanh(h) twice:\n%s\nonce:\n%s", after, before)
	}
	if r := topos.Refused(func() { d.state().tape.Node(old) }); r == nil {
		t.Error("the symbol of a node that was replaced is taken")
	}
	d.tape("b", "g = exp(h)", "k = g * g")
	if got, want := d.bound(), "h=#0 Input [2] f32; g=#1 Exp [2] f32; k=#2 Mul [2] f32"; got != want {
		t.Errorf("after an edit: %s, want %s", got, want)
	}
	d.tape("b", "# nothing is recorded", "h2 = h")
	if got, want := d.bound(), "h=#0 Input [2] f32; h2=#0 Input [2] f32"; got != want {
		t.Errorf("a name alone: %s, want %s", got, want)
	}
}

// C-86: the output says where the session is not what a fresh run gives.
func TestC86EarlierCellAppends(t *testing.T) {
	d := newDesk(t)
	d.tape("a", "x = input [2] {1, 2}")
	d.tape("b", "y = x + x")
	if got, want := d.tape("a", "x = input [2] {3, 4}"), "segment 1 superseded by 3\n"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if got, want := d.bound(), "y=#1 Add [2] f32; x=#2 Input [2] f32"; got != want {
		t.Errorf("names: %s, want %s", got, want)
	}
	// It owns the tail now.
	d.tape("a", "x = input [2] {5, 6}")
	if n := d.state().tape.Len(); n != 3 {
		t.Errorf("%d nodes, want 3", n)
	}
}

func TestWithoutIdEachRunIsNew(t *testing.T) {
	d := newDesk(t)
	d.tape("", "x = input 1")
	if text := d.tape("", "x = input 1"); text != "" || d.state().tape.Len() != 2 || len(d.state().segments) != 2 {
		t.Errorf("said %q, %s", text, d.sight())
	}
}

func TestEmptyCellsLeaveNoSegment(t *testing.T) {
	d := newDesk(t)
	d.tape("a", "x = input 1")
	before := d.sight()
	d.must("go", "nothing")
	if after := d.sight(); after != before {
		t.Errorf("%s\nwant\n%s", after, before)
	}
	d.tape("a", "x = input 1") // still the tail
	if after := d.sight(); after != before {
		t.Errorf("%s\nwant\n%s", after, before)
	}
}

// A cell that was edited until it records nothing leaves nothing, wherever its
// segment stands, and what a cell of Go code recorded stays where it looks first.
func TestEditedCellsWithdrawTheirSegment(t *testing.T) {
	a, b, c := tape("a", "w = parameter [2] {1, 2}"), tape("b", "h = w * w"), tape("c", "z = w + w")
	for _, text := range []string{"", "%%tape\n%names", "%%tape\n# h = w * w\n%names", "%names"} {
		d := newDesk(t)
		d.all(a, b, c)
		want := "segment 2 superseded by 4\n1 segment is superseded and read by nothing: left out, so that the tape is that of a run from the top\n"
		if got := d.must("b", text); !strings.HasSuffix(got, want) {
			t.Errorf("%q: says %q", text, got)
		}
		differ(t, fmt.Sprintf("%q", text), d.structure(), fresh(t, a, c))
	}
	// What is read stays, and says so, until its reader has run again.
	d := newDesk(t)
	d.all(a, b, tape("c", "z = h + h"), run{"b", "%names"}, run{"b", "%tape"})
	if got := d.tape("", "%tape"); strings.Count(got, "superseded by 4") != 1 || strings.Count(got, "outdated: reads 2") != 1 || len(d.state().segments) != 4 {
		t.Errorf("%s", got)
	}
	d.all(c)
	differ(t, "its reader reads it no longer", d.structure(), fresh(t, a, c))
	// A segment of the tail that had superseded another.
	d = newDesk(t)
	d.all(a, b, c, b, run{"b", "%names"})
	differ(t, "a rerun at the tail", d.structure(), fresh(t, a, c))
}

// A derivative that another cell records first, this time, is left to it.
func TestDerivativeIsLeftToTheCellThatRecordsIt(t *testing.T) {
	a, z := tape("a", "w = parameter [2] {1, 2}", "l = sum(w * w)"), tape("z", "z = w + w")
	gradient, train := run{"d", "%gradient l"}, run{"e", "%train l --steps 1"}
	d := newDesk(t)
	d.all(a, train, gradient, z)
	d.all(a, gradient, train, z)
	differ(t, "run from the top", d.structure(), fresh(t, a, gradient, train, z))
	d.all(train, gradient, train)
	differ(t, "trained once more", d.structure(), fresh(t, a, gradient, train, z))
}

// A derivative that a cell finds recorded is read by it, though it appends nothing:
// what holds the derivative is not left out.
func TestDerivativeThatWasFoundStays(t *testing.T) {
	a, b := tape("a", "w = parameter [2] {1, 2}", "l = sum(w * w)"), tape("b", "g = w")
	c := tape("c", "h = parameter [2] {0.8, 1}", "%gradient l --wrt w")
	d := newDesk(t)
	d.all(a, b, c, run{"b", "%%tape\nx = leaf 1"}, c) // finds what it recorded itself
	if got := d.tape("", "%tape"); !strings.Contains(got, "superseded by") || !strings.Contains(got, "not what a run from the top records") {
		t.Errorf("%s", got)
	}
	d.all(a, b, c)
	differ(t, "from the top", d.structure(), fresh(t, a, b, c))
	// In an order of which no run could give it.
	d = newDesk(t)
	d.all(a, run{"b", "%gradient l"}, tape("c", "x = leaf 1", "%gradient l"))
	d.all(tape("c", "x = leaf 1", "%gradient l"), tape("c", "x = leaf 1", "%gradient l"), a, run{"b", "%gradient l"})
	if got := d.tape("", "%tape"); strings.Contains(got, "\nfresh") {
		t.Errorf("%s", got)
	}
	// A node of another cell, read by a name that goes.
	d = newDesk(t)
	d.all(a, tape("p", "v = parameter [2] {3, 4}", "g = v"), b, tape("c", "h = tanh(g)"), run{"b", "%names"})
	if got := d.tape("", "%tape"); strings.Contains(got, "\nfresh") {
		t.Errorf("%s", got)
	}
	top := []run{a, tape("p", "v = parameter [2] {3, 4}", "g = v"), {"b", "%names"}, tape("c", "h = tanh(g)")}
	d.all(top...)
	differ(t, "read by another name", d.structure(), fresh(t, top...))
	// Edited until it only finds what another cell recorded.
	e := tape("e", "%names", "%train l --steps 1 --wrt w")
	d = newDesk(t)
	d.all(a, b, c, tape("e", "x = leaf 1"), e)
	differ(t, "edited at the tail", d.structure(), fresh(t, a, b, c, e))
	d.all(tape("e", "x = leaf 1"), tape("f", "y = leaf 2"), e)
	differ(t, "edited", d.structure(), fresh(t, a, b, c, tape("f", "y = leaf 2")))
}

// Cells that were first run in another order than they stand in.
func TestRunFromTheTopAfterAnotherOrder(t *testing.T) {
	a, b, c := tape("a", "w = parameter [2] {1, 2}"), tape("b", "h = w * w"), tape("c", "z = w + w")
	n := tape("n", "q = w - w")
	d := newDesk(t)
	d.all(a, c, b)
	d.all(a, b, n, c)
	differ(t, "run from the top", d.structure(), fresh(t, a, b, n, c))
	d.all(a, b)
	if got := d.tape("", "%tape"); !strings.Contains(got, "not what a run from the top records") {
		t.Errorf("half of it run again: %s", got)
	}
	d.all(n, c)
	differ(t, "and again", d.structure(), fresh(t, a, b, n, c))
}

// The order of a notebook shows in runs alone: whatever ran before, in whatever order,
// one run from the top gives the tape of a fresh run, and so does each further one.
func TestRunFromTheTopAfterAnyOrder(t *testing.T) {
	a, b, c, e := tape("a", "w = parameter [2] {1, 2}"), tape("b", "h = leaf [2]"), tape("c", "z = leaf 3"), tape("e", "k = leaf 4")
	top := []run{a, b, c, e}
	want := fresh(t, top...)
	for name, before := range map[string][]run{
		"a cell put in front":           {b, c, e},
		"two cells put in front":        {c, e},
		"the last was run first":        {e, a, b, c},
		"backwards":                     {e, c, b, a},
		"a pass in another order":       {e, c, b, a, b, a, e, c},
		"an earlier cell at last":       {a, b, c, e, a},
		"passes that are rotated":       {c, e, a, b, c, e, a, b, c, e},
		"the fourth late, out of order": {a, c, e, b, a, e, b, b, c, b, a, b},
	} {
		r := newRoom(t)
		d := r.desk("k")
		d.all(before...)
		for pass := range 3 {
			d.all(top...)
			differ(t, fmt.Sprintf("%s, pass %d", name, pass+1), d.structure(), want)
			if got := d.tape("", "%tape"); strings.Contains(got, "superseded") {
				t.Errorf("%s: %s", name, got)
			}
			status := d.tape("", "%tape")
			d.die()
			d = r.desk("k")
			d.must("", "%session open previous")
			if got := d.tape("", "%tape"); got != status {
				t.Errorf("%s: after a restart %s, before %s", name, got, status)
			}
		}
	}
}

// Where the runs leave open which order the notebook has, nothing is claimed.
func TestStatusClaimsNoOrderThatNoRunShowed(t *testing.T) {
	a, b, c := tape("a", "w = leaf 1"), tape("b", "w = leaf 2"), tape("c", "z = leaf 3")
	d := newDesk(t)
	d.all(a, b, c, b, c)
	if got := d.tape("", "%tape"); !strings.HasSuffix(got, "fresh: a run of the cells from the top records the same tape\n") {
		t.Errorf("%s", got)
	}
	got := d.must("a", a.code)
	if want := "so that the tape is that of a run of the cells in this order\n"; !strings.HasSuffix(got, want) {
		t.Errorf("says %s", got)
	}
	if got := d.tape("", "%tape"); !strings.HasSuffix(got, "fresh in the order of the latest runs: a run of the cells in this order records the same tape\n") {
		t.Errorf("%s", got)
	}
	if got, want := d.bound(), "z=#1 Leaf [] f32; w=#2 Leaf [] f32"; got != want {
		t.Errorf("names: %s, want %s", got, want)
	}
	d.must("", "%verify")
	d.must("", "%rerecord") // in the order that is known
	differ(t, "recorded anew", d.structure(), fresh(t, a, b, c))
	if got := d.tape("", "%tape"); !strings.HasSuffix(got, "fresh: a run of the cells from the top records the same tape\n") {
		t.Errorf("%s", got)
	}
}

// C-41: a derivative read twice is the same, and nothing accumulates.
func TestC41GradientTwice(t *testing.T) {
	d := newDesk(t)
	d.tape("a", append(walkthrough, "loss = sum(hidden * hidden)")...)
	first := d.tape("b", "%gradient loss", "%values")
	if again := d.tape("b", "%gradient loss", "%values"); again != first {
		t.Errorf("run again it shows\n%s\nfirst\n%s", again, first)
	}
	values := d.tape("c", "%values")
	if !strings.HasSuffix(first, values) || d.state().tape.Len() != 29 {
		t.Errorf("values %s after\n%s", values, first)
	}
	reused := d.tape("d", "%gradient loss", "%values")
	if !strings.HasPrefix(reused, "the derivative of loss is recorded already, as nodes 6 to 28; nothing is appended\n") || !strings.HasSuffix(reused, values) {
		t.Errorf("a second gradient shows\n%s", reused)
	}
	// In Go the cell says itself what it records; the values are the same.
	d.must("e", "derive")
	d.must("e", "derive")
	if n := d.state().tape.Len(); n != 52 || !strings.HasSuffix(d.must("f", "derive"), values) {
		t.Errorf("%d nodes after deriving in Go twice, want 52", n)
	}
}

// C-90: what a cell's author reads holds no generated names, paths or addresses.
func TestC90ErrorsAreInTheCellsWords(t *testing.T) {
	d := newDesk(t)
	d.tape("a", walkthrough...)
	for _, code := range []string{
		"%%tape\ny = hiden + 1", "%%tape\ny = (", "%%tape\ny = hidden @ hidden", "%%tape\ny = leaf 1e39", "%%tape", "%%tape\n%gradient hidden",
		"%%tape\n%nosuch", "%%tape\n%tape reset hidden", "%%tape\ny = leaf [0]", "%why 77\n", "%values nobody", "x\n%spec\ny",
		"%%tape\n%train hidden", "%%tape\n%train nobody", "%train --steps 0", "%%tape\nl = sum(ln(hidden - hidden - 1))\n%train l", "%%tape\nl = sum(hidden)\n%train l --rate 1e99",
		"%rerecord missing.ipynb", "%%tape\nq = leaf 1\n%rerecord", "%session open 99", "%checkpoint load missing", "%%tape\n%tape new f9",
	} {
		_, err := d.cell("b", code)
		var e *server.CellError
		if !errors.As(err, &e) {
			t.Errorf("%q: %v", code, err)
			continue
		}
		whole := strings.Join(append(e.Traceback, e.Value), "\n")
		if strings.Contains(e.Value, "\n") || !strings.HasPrefix(e.Value, "cell ") || e.Traceback[0] != e.Value {
			t.Errorf("%q: %q with the traceback %q", code, e.Value, e.Traceback)
		}
		for _, internal := range []string{"goroutine", ".go:", "0x", "topos.", "session.", "/", "[float32]"} {
			if strings.Contains(whole, internal) {
				t.Errorf("%q: %q in %s", code, internal, whole)
			}
		}
	}
}

// C-87: every cell can run again, however often, also after a failure.
func TestC87CellsRunAgain(t *testing.T) {
	d := newDesk(t)
	d.tape("a", "w = parameter [2, 2]", "x = input [1, 2]")
	d.tape("b", "h = tanh(x @ w)", "loss = sum(h * h)")
	before := d.sight()
	for range 3 {
		d.tape("b", "h = tanh(x @ w)", "loss = sum(h * h)")
		if _, err := d.cell("b", "%%tape\nh = tanh(x @ w)\nloss = sum(h @ h)"); err == nil {
			t.Error("a shape that does not fit was taken")
		}
		if after := d.sight(); after != before {
			t.Fatalf("%s\nwant\n%s", after, before)
		}
	}
}

func TestRefusedLineDropsTheCell(t *testing.T) {
	d := newDesk(t)
	d.tape("a", "x = input [3, 2]", "y = input [4, 5]")
	before := d.sight()
	_, err := d.cell("b", "%%tape\nz = x + x\nloss = x @ y")
	want := "TapeError: cell 2 line 3: matmul cannot multiply [3, 2] by [4, 5]"
	if err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
	if after := d.sight(); after != before {
		t.Errorf("%s\nwant\n%s", after, before)
	}
}

func TestTrainedParameterIsKept(t *testing.T) {
	d := newDesk(t)
	d.tape("a", "w = parameter [2] {1, 2}")
	train(d, 0, 5, 6)
	if got, want := d.tape("a", "w = parameter [2] {1, 2}"), "w keeps its trained payload; %tape reset w starts it anew\n"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if got := d.state().table().Slot(0).String(); got != "[5, 6]" {
		t.Errorf("holds %s", got)
	}
	// What is reset is not said to be kept.
	if text := d.tape("a", "w = parameter [2] {1, 2}\n%tape reset w"); text != "1 parameter is as it was recorded\n" {
		t.Errorf("said %q", text)
	}
	if got := d.state().table().Slot(0).String(); got != "[1, 2]" {
		t.Errorf("holds %s", got)
	}
	// Another shape is another parameter.
	if text := d.tape("a", "w = parameter [3] {1, 2, 3}"); text != "" {
		t.Errorf("said %q", text)
	}
	if got := d.state().table().Slot(0).String(); got != "[1, 2, 3]" {
		t.Errorf("holds %s", got)
	}
	train(d, 0, 7, 8, 9)
	before := d.sight()
	if _, err := d.cell("a", "%%tape\nw = parameter [3] {1, 2, 3}\nv = w @ w @"); err == nil {
		t.Error("a broken line was taken")
	}
	if _, err := d.cell("a", "%%tape\nw = parameter [3] {1, 2, 3}\nv = u"); err == nil {
		t.Error("an unknown name was taken")
	}
	if after := d.sight(); after != before {
		t.Errorf("%s\nwant\n%s", after, before)
	}
	// An earlier cell of the same id resumes as well.
	d.tape("b", "x = input 1")
	want := "segment 1 superseded by 3\nw keeps its trained payload; %tape reset w starts it anew\n"
	if got := d.tape("a", "w = parameter [3] {1, 2, 3}"); got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if got := d.state().table().Slot(1).String(); got != "[7, 8, 9]" {
		t.Errorf("holds %s", got)
	}
}

// train keeps a payload, as a cell that trained would.
func train(d *desk, slot int, x ...float32) {
	d.t.Helper()
	a := d.notebook.begin(serverCell)
	if err := a.keep(d.files, tableFor(slot, x...)); err != nil {
		d.t.Fatal(err)
	}
	a.commit()
}

// tableFor is a table of one slot.
func tableFor(slot int, x ...float32) *wire.Table {
	return &wire.Table{Slots: []int{slot}, Payloads: [][]byte{topos.New(topos.F32).EncodePayload(nil, topos.PayloadOf(topos.F32.Tensor(topos.Shape{len(x)}, x...)))}}
}
