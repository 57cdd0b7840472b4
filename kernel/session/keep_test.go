package session

import (
	"strings"
	"testing"
)

func TestKeepOutlivesTheCell(t *testing.T) {
	d := newDesk(t)
	d.tape("a", walkthrough...)
	if got, want := d.must("b", "train"), "weights [2, 2] [[7, 7], [7, 7]]\nparameters: 1\n"; got != want {
		t.Errorf("shows %q, want %q", got, want)
	}
	if got := d.state().table().Slot(0).String(); got != "[[7, 7], [7, 7]]" {
		t.Errorf("the session holds %s", got)
	}
	if _, err := d.cell("c", "train and fail"); err == nil {
		t.Error("exit status 3 ended well")
	}
	if got := d.state().table(); got.Len() != 1 || got.Slot(0).String() != "[[8, 8], [8, 8]]" {
		t.Errorf("after a failure the session holds %v", got.Slot(0))
	}
	// A run in a tape cell uses what was kept; reset gives the initials back.
	if got := d.tape("d", "%values weights", "%tape reset weights", "%values weights"); got != "weights [[8, 8], [8, 8]]\n1 parameter is as it was recorded\nweights [[0.5, -0.25], [0.25, 0.4]]\n" {
		t.Errorf("values before and after the reset: %q", got)
	}
}

func TestOwnParameterResumes(t *testing.T) {
	d := newDesk(t)
	d.must("a", "train its own")
	if got := d.state().table().Slot(0).String(); got != "9" {
		t.Fatalf("the session holds %s", got)
	}
	if got, want := d.must("a", "train its own"), "own keeps its trained payload; %tape reset own starts it anew\n"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if got := d.state().table().Slot(0).String(); got != "9" || d.state().tape.Len() != 1 {
		t.Errorf("after the second run the session holds %s over %d nodes", got, d.state().tape.Len())
	}
}

// What a cell keeps of parameters that it records again outlives its failure, in
// the segment that it was to replace; parameters that are its own alone do not.
func TestKeptOfItsOwnOutlivesAFailure(t *testing.T) {
	d := newDesk(t)
	d.must("o", "train its own")
	before := d.structure()
	if _, err := d.cell("o", "train its own and fail"); err == nil {
		t.Fatal("exit 3 is taken for success")
	}
	if got := d.state().table(); d.structure() != before || got.Len() != 1 || got.Slot(0).Scalar() != 11 {
		t.Errorf("%s", d.sight())
	}
	d = newDesk(t)
	d.must("z", "nothing")
	before = d.sight()
	if _, err := d.cell("o", "train its own and fail"); err == nil || d.sight() != before {
		t.Errorf("%v: %s", err, d.sight())
	}
}

// A cell that seals seals its own view: the next one finds the session open, and the
// parameters carried.
func TestSealIsTheCells(t *testing.T) {
	d := newDesk(t)
	d.tape("a", walkthrough...)
	d.must("s", "seal")
	if text := d.tape("b", "more = hidden + hidden", "%values weights"); !strings.Contains(text, "weights [[1, -0.5], [0.5, 0.8]]") {
		t.Errorf("shows %s", text)
	}
	d.must("s", "seal")
	if text := d.tape("c", "%values weights"); !strings.Contains(text, "weights [[1, -0.5], [0.5, 0.8]]") {
		t.Errorf("shows %s", text)
	}
}
