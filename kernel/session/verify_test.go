package session

import (
	"strings"
	"testing"
)

// TestC86Verify asks whether a clean tape would be the same, of a session that is,
// of one that is not, and of one whose cells no longer fit together.
func TestC86Verify(t *testing.T) {
	d := newDesk(t)
	d.tape("v", "%verify")
	d.tape("a", "w = parameter [2] {1, 2}", "x = input [2] {3, 4}")
	d.tape("b", "h = w * x", "loss = sum(h)")
	d.must("c", "double h") // a Go cell
	train(d, 0, 5, 6)
	before := d.sight()
	const same = "verified: recorded in a clean tape, the cells give the same dump, "
	if text := d.tape("v", "%verify"); !strings.HasPrefix(text, same) || d.sight() != before {
		t.Errorf("says %q\n%s", text, d.sight())
	}
	d.tape("a", "w = parameter [2] {1, 2}", "x = input [2] {9, 9}", "y = x + x")
	before = d.sight()
	_, err := d.cell("v", "%%tape\n%verify")
	if err == nil || !strings.HasPrefix(err.Error(), "TapeError: cell 7 line 2: in a clean tape the cells record another dump: line ") ||
		!strings.HasSuffix(err.Error(), "; %tape says where this one stands") {
		t.Errorf("of an outdated tape: %v", err)
	}
	if d.sight() != before {
		t.Errorf("changed:\n%s\nwant\n%s", d.sight(), before)
	}
	d.tape("a", "w = parameter [2] {1, 2}", "other = input [2] {9, 9}")
	_, err = d.cell("v", "%%tape\n%verify")
	if err == nil || !strings.Contains(err.Error(), "the cells cannot be recorded in a clean tape: ") || !strings.Contains(err.Error(), "x") {
		t.Errorf("of cells that do not fit: %v", err)
	}
	if _, err = d.cell("v", "%%tape\nz = input 1\n%verify"); err == nil || !strings.Contains(err.Error(), "the cell has recorded already") {
		t.Errorf("after recording: %v", err)
	}
}
