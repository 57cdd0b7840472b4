package session

import (
	"context"
	"errors"
	"reflect"
	"runtime"
	"sync/atomic"
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
		aside, err := a.aside(context.Background(), 1)
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

// countdown is a context that ends when it was asked so many times.
type countdown struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
	asked  atomic.Int64
}

func newCountdown(n int64) *countdown {
	c := &countdown{}
	c.Context, c.cancel = context.WithCancel(context.Background())
	c.left.Store(n)
	return c
}

func (c *countdown) Err() error {
	c.asked.Add(1)
	if c.left.Add(-1) < 0 {
		c.cancel()
	}
	return c.Context.Err()
}

// An interrupt ends every long reading wherever it is, and training and
// re-recording too: the next one is answered, and nothing goes on in the background.
func TestEveryReadingStops(t *testing.T) {
	d := newDesk(t)
	d.tape("a", "w = parameter [2] {1, 2}", "x = w * w")
	s := d.state()
	h := s.tape.Resolve(s.segments[0].bound[1].Symbol)
	for range 4_500 {
		h = h.Tanh()
	}
	s.names.Bind("loss", h.Sum())
	s.segments[0].text, s.segments[0].to = "a Go cell's", s.tape.Len()
	d.tape("m", "big = input [450, 450]", "y = big @ big @ big", "product = sum(y)")
	before, routines := d.sight(), runtime.NumGoroutine()
	stop := func(line string, n int64) (int64, error) {
		ctx := newCountdown(n)
		defer ctx.cancel()
		x, err := d.Begin(server.Cell{ID: "b", Count: 2, Code: "%%tape\n" + line})
		if err != nil {
			t.Fatal(err)
		}
		err = x.Before(ctx, &outputs{})
		x.Rollback()
		return ctx.asked.Load(), err
	}
	for _, line := range []string{
		"%gradient loss", "%values loss", "%values product", "%values --target loss", "%spec", "%plan --target loss", "%stablehlo --target loss", "%picture", "%read loss",
		"%train loss --steps 2 --rate 0", "%rerecord",
	} {
		all, err := stop(line, 1<<40)
		if err != nil || all < 4 {
			t.Fatalf("%s asks %d times, %v", line, all, err)
		}
		for _, n := range []int64{2, all / 2, all / 2, all - 2} { // twice in a row among them
			if _, err := stop(line, n); !errors.Is(err, context.Canceled) {
				t.Errorf("%s, told to stop at %d of %d: %v", line, n, all, err)
			}
		}
		if line == "%train loss --steps 2 --rate 0" {
			d.must("", "%tape reset") // of steps that changed nothing
		}
		if after := d.sight(); after != before {
			t.Fatalf("%s left another session", line)
		}
	}
	for range 1000 { // what was left alone ends, too
		if runtime.NumGoroutine() <= routines {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("%d goroutines, %d before", runtime.NumGoroutine(), routines)
}

func TestWithinHandsOnAPanic(t *testing.T) {
	defer func() {
		if p := recover(); p != "fault" {
			t.Errorf("recovered %v", p)
		}
	}()
	within(context.Background(), func() (int, error) { panic("fault") })
}
