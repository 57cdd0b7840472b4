package session

import (
	"context"
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/topos-notebook/topos/kernel/magic"
	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/topos"
)

// An interrupt ends a reading that runs, and the session is as it was.
func TestInterruptInsideAReading(t *testing.T) {
	d := newDesk(t)
	d.tape("a", "x = input [1500, 1500]", "y = x @ x @ x", "loss = sum(y)")
	before := d.sight()
	ctx, cancel := context.WithCancel(context.Background())
	x, err := d.Begin(server.Cell{ID: "b", Count: 2, Code: "%%tape\nz = y + y\n%values"})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- x.Before(ctx, &outputs{}) }()
	// There is no event for having come into the middle of a product. Wherever
	// it is, the cell ends long before the products would.
	time.AfterFunc(100*time.Millisecond, cancel)
	select {
	case err = <-ended:
	case <-time.After(30 * time.Second):
		t.Fatal("the interrupt did not end the reading")
	}
	if !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	x.Rollback()
	if after := d.sight(); after != before {
		t.Errorf("%s\nwant\n%s", after, before)
	}
	d.tape("c", "y = leaf 1", "%names")
}

// A reading on a copy of the tape is that of the tape itself.
func TestReadingAsideIsTheSame(t *testing.T) {
	for _, derived := range []string{"", "%gradient loss"} {
		d := newDesk(t)
		d.tape("a", append(walkthrough, "loss = sum(hidden * hidden)", derived)...)
		d.state().setLive(0, topos.F32.Tensor(topos.Shape{2, 2}, 1, 2, 3, 4))
		a := d.notebook.begin(serverCell).(*try[float32])
		if a.heavy() {
			t.Error("six nodes are heavy")
		}
		a.tape.Place(a.segment.number, 1)
		aside, err := a.aside(1)
		if err != nil {
			t.Fatal(err)
		}
		for _, source := range []string{"%read --observe hidden", "%names", "%why loss", "%why 4", "%values hidden --exact", "%plan"} {
			m, err := magic.Parse(1, source)
			if err != nil {
				t.Fatal(err)
			}
			want, err := take(a.sight(), m)
			if err != nil {
				t.Fatal(err)
			}
			if got, err := take(aside, m); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: read %+v, %v\nwant %+v", source, got, err, want)
			}
		}
		a.tape.Leaf(topos.Shape{1000, 1000}, 1)
		if !a.heavy() {
			t.Error("a million elements are not heavy")
		}
		a.rollback()
	}
}

func TestWithinHandsOnAPanic(t *testing.T) {
	defer func() {
		if p := recover(); p != "fault" {
			t.Errorf("recovered %v", p)
		}
	}()
	within(context.Background(), func() (int, error) { panic("fault") })
}
