package session

import (
	"path/filepath"
	"strings"
	"testing"
)

// What a failed cell has reset or loaded is as it was, moments included; what it
// trained afterwards stays trained.
func TestFailedCellTakesItsResetBack(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kept")
	for _, c := range []struct{ lines, trained string }{
		{"%tape reset", ""}, {"%tape reset w", ""}, {"%tape reset w,v\n%tape reset", ""},
		{"%checkpoint load " + file, ""}, {"%tape reset\n%checkpoint load " + file + "\n%tape reset v", ""},
		{"%tape reset\n%train l --wrt w --steps 1", "w"}, {"%train l --wrt w --steps 1\n%tape reset v", "w"},
	} {
		r := newRoom(t)
		d := r.desk("k")
		d.tape("a", "w = parameter [2] {1, 2}", "v = parameter [2] {3, 4}", "l = sum(w * w) + sum(v * v)")
		d.must("s", "%checkpoint save "+file)
		d.tape("b", "%train l --steps 3 --optimizer adam", "%train l --steps 2 --wrt v --optimizer adam")
		before, v := entire(d.notebook), d.tape("", "%values v")
		if _, err := d.cell("c", "%%tape\n"+c.lines+"\nq = nobody"); err == nil {
			t.Fatal("taken")
		}
		switch after := entire(d.notebook); {
		case c.trained == "" && after != before:
			t.Errorf("%q left\n%s\nof\n%s", c.lines, after, before)
		case c.trained != "" && (after == before || d.tape("", "%values v") != v):
			t.Errorf("%q: v was %s, is %s", c.lines, v, d.tape("", "%values v"))
		}
		now := entire(d.notebook)
		d.die()
		d = r.desk("k")
		d.must("", "%session open previous")
		if after := entire(d.notebook); after != now {
			t.Errorf("%q, opened again\n%s\nwant\n%s", c.lines, after, now)
		}
		if d.tape("c", c.lines); entire(d.notebook) == before {
			t.Errorf("%q does nothing where the cell ends well", c.lines)
		}
	}
}

// A name that is one parameter's after another's: each keeps its own payload, in tape
// cells and in Go, and what is another name of a parameter takes nothing.
func TestParametersOfOneName(t *testing.T) {
	cell := []string{"w = parameter [2] {1, 2}", "v = w", "k = sum(w * w)", "w = parameter [2] {3, 4}", "l = sum(w * w)"}
	d := newDesk(t)
	d.tape("a", cell...)
	d.tape("b", "%train l --steps 1 --wrt w")
	want := "segment 1 superseded by 3\nw keeps its trained payload; %tape reset w starts it anew\n"
	if got := d.tape("a", cell...); got != want {
		t.Errorf("says %q, want %q", got, want)
	}
	d.tape("b", "%names")
	const one, two = "0000803f00000040\n", "cdcc2c4066666640\n"
	if got := d.trained(); got != one+two {
		t.Errorf("%s, want %s", got, one+two)
	}
	d.must("p", "two of a name")
	const both = "0000e04000000041\n"
	d.must("z", "%names")
	before := d.trained()
	if got := d.must("p", "two of a name"); d.trained() != before || !strings.HasSuffix(before, both+"0000104100002041\n") {
		t.Errorf("%s in Go: %s, was %s", got, d.trained(), before)
	}
	if _, err := d.cell("p", "two of a name and fail"); err == nil || d.trained() == before || !strings.HasSuffix(d.trained(), "00000c4200000c42\n00000c4200000c42\n") {
		t.Errorf("%v in Go: %s, was %s", err, d.trained(), before)
	}
}
