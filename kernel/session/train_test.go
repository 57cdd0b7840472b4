package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/topos-notebook/topos/kernel/elements"
	"github.com/topos-notebook/topos/kernel/server"
)

// lines of a small network with a loss.
var small = []string{
	"x = input [4, 2] {0, 0, 0, 1, 1, 0, 1, 1}", "y = input [4, 1] {0, 1, 1, 0}",
	"w = parameter [2, 3] {0.5, -0.25, 0.25, 0.4, 0.1, -0.7}", "b = parameter [1, 3] {0.1, -0.1, 0}", "v = parameter [3, 1] {0.3, 0.2, -0.6}",
	"h = tanh(x @ w + concat(b, b, b, b, 0))", "e = h @ v - y", "loss = sum(e * e) / 4",
}

// updates is what came of displays with an id.
type updates struct {
	outputs
	mu  sync.Mutex
	at  []time.Time
	ids map[string][]map[string]any
}

func (u *updates) Update(id string, data, metadata map[string]any) {
	u.mu.Lock()
	if u.ids == nil {
		u.ids = map[string][]map[string]any{}
	}
	u.at = append(u.at, time.Now())
	u.ids[id] = append(u.ids[id], data)
	u.mu.Unlock()
	u.outputs.Update(id, data, metadata)
}

// trained gives the live payloads, by slot.
func (d *desk) trained() string {
	var b strings.Builder
	table := d.state().table()
	for i := range table.Len() {
		fmt.Fprintf(&b, "%x\n", table.Slot(i).Encode())
	}
	return b.String()
}

// A training is the loop of a Go cell with topos/optim, bit for bit, for every
// optimizer, in one go or in two.
func TestTrainIsTheLoopOfAGoCell(t *testing.T) {
	for _, optimizer := range []string{"sgd", "adam", "adamw"} {
		byGo, once, twice, anew := newDesk(t), newDesk(t), newDesk(t), newDesk(t)
		for _, d := range []*desk{byGo, once, twice, anew} {
			d.tape("a", small...)
		}
		initial := byGo.trained()
		byGo.must("b", "optimize by "+optimizer)
		once.tape("b", "%train loss --steps 30 --rate 0.1 --optimizer "+optimizer)
		twice.tape("b", "%train loss --steps 12 --rate 0.1 --optimizer "+optimizer)
		text := twice.tape("c", "%train loss --steps 18 --rate 0.1 --optimizer "+optimizer)
		if goes := strings.Contains(text, optimizer+" goes on after 12 steps\n"); goes != (optimizer != "sgd") {
			t.Errorf("%s says %s", optimizer, text)
		}
		if !strings.Contains(text, "the derivative of loss is recorded already") {
			t.Errorf("records again: %s", text)
		}
		want := byGo.trained()
		if want == initial {
			t.Fatal("the Go cell trained nothing")
		}
		for name, d := range map[string]*desk{"once": once, "twice": twice} {
			if got := d.trained(); got != want {
				t.Errorf("%s, %s: trained to\n%s\na Go cell to\n%s", optimizer, name, got, want)
			}
		}
		// A reset lets go of what the optimizer remembers too.
		anew.tape("b", "%train loss --steps 5 --optimizer "+optimizer)
		anew.tape("c", "%tape reset")
		if text := anew.tape("d", "%train loss --steps 30 --rate 0.1 --optimizer "+optimizer); strings.Contains(text, "goes on") || anew.trained() != want {
			t.Errorf("%s after a reset: %s", optimizer, text)
		}
	}
}

// The same training shows the same, however fast it was, and the curve is drawn.
func TestTrainShowsTheSame(t *testing.T) {
	var shown []any
	for range 2 {
		d := newDesk(t)
		d.tape("a", small...)
		x, out, err := d.begin("b", "%%tape\n%train loss --steps 40 --rate 0.2")
		if err != nil {
			t.Fatal(err)
		}
		if err := x.Commit(out); err != nil {
			t.Fatal(err)
		}
		shown = append(shown, [2]any{out.texts, out.data})
		last := out.texts[len(out.texts)-1]
		if len(out.texts) != 4 || !strings.HasPrefix(out.texts[1], "step 40/40 loss 0.2") || strings.Contains(out.texts[1], "\n") ||
			!strings.HasPrefix(last, "loss: 40 values, first 0.") || !strings.Contains(fmt.Sprint(out.data[1]["text/html"]), "data:image/svg+xml") {
			t.Errorf("shows %q", out.texts)
		}
		if want := "each step is fed what the inputs x and y were recorded with; other feeds are a Go cell's\n"; out.texts[0] != want {
			t.Errorf("says %q", out.texts[0])
		}
		if want := "the derivative of loss is appended, as nodes 21 to 89\n"; out.texts[2] != want {
			t.Errorf("says %q", out.texts[2])
		}
	}
	if !reflect.DeepEqual(shown[0], shown[1]) {
		t.Errorf("shows %v, then %v", shown[0], shown[1])
	}
}

// C-83: a training of 10^5 steps is one display, changed at most four times a
// second, whose last state is one line.
func TestC83ProgressIsOneLine(t *testing.T) {
	d := newDesk(t)
	d.tape("a", "w = parameter [2] {1, 2}", "loss = sum(w * w)")
	out := &updates{}
	x, err := d.Begin(server.Cell{ID: "b", Count: 2, Code: "%%tape\n%train loss --steps 100000 --rate 0.00001"})
	if err == nil {
		err = x.Before(context.Background(), out)
	}
	if err == nil {
		err = x.Commit(out)
	}
	if err != nil {
		t.Fatal(err)
	}
	if len(out.ids) != 1 || len(out.data) != len(out.at)+1 { // and the curve
		t.Fatalf("%d displays with an id, %d in all", len(out.ids), len(out.data))
	}
	for _, states := range out.ids {
		for i, state := range states {
			if text := state["text/plain"].(string); strings.ContainsAny(strings.TrimSuffix(text, "\n"), "\n\r") {
				t.Errorf("state %d is %q", i, text)
			}
		}
		if text := states[len(states)-1]["text/plain"].(string); !strings.HasPrefix(text, "step 100000/100000 loss 0.") {
			t.Errorf("left with %q", text)
		}
	}
	for i := 4; i < len(out.at); i++ {
		if out.at[i].Sub(out.at[i-4]) < time.Second {
			t.Errorf("five states within %v", out.at[i].Sub(out.at[i-4]))
		}
	}
	for mime, part := range out.data[len(out.data)-1] {
		n := len(fmt.Sprint(part))
		if raw, ok := part.(json.RawMessage); ok {
			n = len(raw)
		}
		if n > 100_000 {
			t.Errorf("the curve takes %d bytes as %s", n, mime)
		}
	}
}

// An interrupt in the middle of a training, and of one of its steps, drops what the
// cell recorded and keeps the steps taken.
func TestInterruptedTrainingKeepsItsSteps(t *testing.T) {
	for name, c := range map[string]struct {
		lines []string
		steps int // at least, before the interrupt
	}{
		"between steps": {small, 50},
		"in a step":     {append([]string{"big = input [1500, 1500]", "product = sum(big @ big @ big @ big @ big @ big)"}, append(small, "loss = loss + product * 0")...), 0},
	} {
		r := newRoom(t)
		d := r.desk("k")
		d.tape("a", c.lines...)
		structure, before := d.state().tape.Describe(), d.trained()
		ctx, cancel := context.WithCancel(context.Background())
		out := &outputs{}
		x, err := d.Begin(server.Cell{ID: "b", Count: 2, Code: "%%tape\nown = leaf 1\n%train loss --steps 1000000 --optimizer adam"})
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- x.Before(ctx, out) }()
		wait := 300 * time.Millisecond // no event says that a step has begun; wherever it is, the cell must end
		time.AfterFunc(wait, cancel)
		select {
		case err = <-ended:
		case <-time.After(30 * time.Second):
			t.Fatalf("%s: the interrupt did not end the training", name)
		}
		x.Rollback()
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: ended with %v", name, err)
		}
		if after := d.state().tape.Describe(); after != structure {
			t.Errorf("%s: the tape is\n%s\nwant\n%s", name, after, structure)
		}
		text := out.text()
		if c.steps == 0 {
			if !strings.Contains(text, "interrupted") {
				t.Errorf("%s: says %q", name, text)
			}
			continue
		}
		step := 0
		_, said, _ := strings.Cut(text, "interrupted at step ")
		fmt.Sscanf(said, "%d", &step)
		if step < 1 || d.trained() == before {
			t.Errorf("%s: says %q", name, text)
		}
		// The state is that after the step it names, on the disk as well.
		same := newDesk(t)
		same.tape("a", c.lines...)
		same.tape("b", fmt.Sprintf("%%train loss --steps %d --optimizer adam", step))
		if same.trained() != d.trained() {
			t.Errorf("%s: after step %d it holds\n%s\nwant\n%s", name, step, d.trained(), same.trained())
		}
		whole := entire(d.notebook)
		d.die()
		d = r.desk("k")
		d.must("o", "%session open previous")
		if got := entire(d.notebook); got != whole {
			t.Errorf("%s: opened again it is\n%s\nwant\n%s", name, got, whole)
		}
		if text := d.tape("c", "%train loss --steps 3 --optimizer adam"); !strings.Contains(text, fmt.Sprintf("adam goes on after %s\n", counted(step, "step"))) {
			t.Errorf("%s: opened again it says %s", name, text)
		}
		same.tape("c", "%train loss --steps 3 --optimizer adam")
		if same.trained() != d.trained() {
			t.Errorf("%s: opened again it trains elsewhere", name)
		}
	}
}

// What optimizers remember is opened with a session of every element, and goes
// along in a file.
func TestOptimizersAreReopened(t *testing.T) {
	for element := range strings.SplitSeq(elements.Usage(), "|") {
		if element == "bf16" || element == "f16" {
			continue // adam's numbers round to 1, or to 0
		}
		r := newRoom(t)
		d := r.desk("k")
		d.tape("n", "%tape new "+element)
		d.tape("a", small...)
		d.tape("t", "%train loss --steps 3 --optimizer adam", "%train loss --steps 2 --optimizer adamw --wrt w,v", "%train loss --steps 1")
		d.tape("z", "more = parameter [2]") // the newest is not trained
		before := entire(d.notebook)
		if strings.Count(before, "table \"optimizer") != 2 {
			t.Fatalf("%s: %s", element, before)
		}
		file := t.TempDir() + "/s.topos"
		d.must("", "%session save "+file)
		d.die()
		for _, from := range []string{"previous", file} {
			d = r.desk("k")
			d.must("", "%session open "+from)
			if after := entire(d.notebook); after != before {
				t.Errorf("%s from %s:\n%s\nwant\n%s", element, from, after, before)
			}
			d.die()
		}
	}
}

// A parameter that is recorded again keeps its trained payload, and the optimizer
// what it remembers of it; an interrupt of the cell that does so keeps the steps.
func TestTrainingGoesOnInACellRunAgain(t *testing.T) {
	lines := append(small, "%train loss --steps 10 --optimizer adam")
	d, whole := newDesk(t), newDesk(t)
	d.tape("a", lines...)
	tape := d.state().tape.Describe()
	text := d.tape("a", lines...)
	for _, want := range []string{"adam goes on after 10 steps", "w keeps its trained payload"} {
		if !strings.Contains(text, want) {
			t.Errorf("run again it says %s", text)
		}
	}
	if again := d.state().tape.Describe(); again != tape {
		t.Errorf("run again the tape is\n%s\nwant\n%s", again, tape)
	}
	if _, err := d.cell("a", "%%tape\n"+strings.Join(lines, "\n")+"\nq = nobody"); err == nil {
		t.Fatal("an unknown name was taken")
	}
	whole.tape("a", small...)
	whole.tape("b", "%train loss --steps 30 --optimizer adam")
	if d.trained() != whole.trained() || d.state().tape.Describe() != tape {
		t.Errorf("after 10 steps three times, the last of them in a cell that failed:\n%s\nafter 30\n%s", d.trained(), whole.trained())
	}
	whole.tape("c", "%train loss --steps 10 --optimizer adam")
	d.tape("c", "%train loss --steps 10 --optimizer adam")
	if d.trained() != whole.trained() {
		t.Error("it goes on elsewhere")
	}
	// An earlier cell that is run again resumes too. What is recorded for the
	// first time goes with a cell that fails.
	d.tape("e", "g = h + h")
	text = d.tape("a", lines...)
	if !strings.Contains(text, "adam goes on after 40 steps") || !strings.Contains(text, "segment 1 superseded by 3") {
		t.Errorf("says %s", text)
	}
	before := entire(d.notebook)
	text, err := d.cell("f", "%%tape\nu = parameter [2] {1, 2}\nl = sum(u * u)\n%train l --optimizer adam --steps 2\n%values nobody")
	if err != nil {
		if entire(d.notebook) != before {
			t.Errorf("a cell that failed left\n%s\nwant\n%s", entire(d.notebook), before)
		}
	} else {
		t.Errorf("%s", text)
	}
}

// A parameter of another shape under the same name starts anew, and what was
// remembered of the old one is not taken for it.
func TestMomentsOfAnotherShapeAreDropped(t *testing.T) {
	r := newRoom(t)
	d := r.desk("k")
	d.tape("a", "w = parameter [2] {1, 2}", "loss = sum(w * w)", "%train --steps 2 --optimizer adam")
	if text := d.tape("a", "w = parameter [3] {1, 2, 3}", "loss = sum(w * w)", "%train --steps 2 --optimizer adam"); strings.Contains(text, "goes on") {
		t.Errorf("says %s", text)
	}
	d.tape("a", "w = parameter [4]", "loss = sum(w * w)")
	before := entire(d.notebook)
	if strings.Contains(before, "table \"optimizer") {
		t.Errorf("holds %s", before)
	}
	d.die()
	d = r.desk("k")
	d.must("", "%session open previous")
	if after := entire(d.notebook); after != before {
		t.Errorf("%s\nwant\n%s", after, before)
	}
}
