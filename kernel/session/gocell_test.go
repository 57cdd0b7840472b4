package session

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/cells/ledger"
	"github.com/topos-notebook/topos/cells/payloads"
	"github.com/topos-notebook/topos/cells/wire"
	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/topos"
)

// walkthrough is the tape of the Go programs, as tape lines.
var walkthrough = []string{
	"weights = parameter [2, 2] {0.5, -0.25, 0.25, 0.4}", "input = input [1, 2] {1, 2}", "hidden = tanh(input @ weights)",
}

func TestGoAndTapeCellsShareTheTape(t *testing.T) {
	byGo, byTape := newDesk(t), newDesk(t)
	shown := byGo.must("a", "record")
	if want := byTape.tape("a", append(walkthrough, "%spec")...); shown != want {
		t.Errorf("Go shows\n%s\nthe tape cell\n%s", shown, want)
	}
	byGo.tape("b", "loss = sum(hidden * hidden)")
	byTape.must("b", "square")
	if a, b := byGo.sight(), byTape.sight(); cutOrigins(a) != cutOrigins(b) {
		t.Errorf("Go then tape\n%s\ntape then Go\n%s", a, b)
	}
	gradient := byGo.must("c", "derive")
	if want := byTape.tape("c", "%gradient loss --wrt weights", "%values"); gradient != want {
		t.Errorf("Go shows\n%s\nthe tape cell\n%s", gradient, want)
	}
	// What a Go cell has recorded is known to be a derivative.
	got := byGo.tape("d", "%gradient loss --wrt weights")
	if want := "the derivative of loss is recorded already, as nodes 6 to 28; nothing is appended\n"; !strings.HasPrefix(got, want) || byGo.state().tape.Len() != 29 {
		t.Errorf("shows\n%s\nwant first\n%s", got, want)
	}
}

// cutOrigins leaves out the digest, which tells lines apart.
func cutOrigins(sight string) string {
	lines := strings.Split(strings.TrimSpace(sight), "\n")
	return strings.Join(lines[:len(lines)-1], "\n")
}

func TestOriginNamesTheGoSegment(t *testing.T) {
	d := newDesk(t)
	d.tape("a", "x = input 1")
	d.must("b", "record")
	if got, want := d.tape("c", "%why hidden"), "#4 Tanh [1, 2] f32: segment 2\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestFailedGoCellLeavesTheSession(t *testing.T) {
	d := newDesk(t)
	d.tape("a", walkthrough...)
	before := d.sight()
	for _, test := range []struct{ program, says string }{
		{"panic halfway", "panic: halfway"},
		{"another element", "panic: the session records f32, not f64: open it with F32, or begin a new tape with %tape new f64"},
		{"its own number", "panic: the session records f32, not whole: a number of your own works on a tape of its own, made with topos.New"},
		{"cut", "panic: the session's tape was cut, or recorded to by several goroutines at once: to take back a cell, run it again"},
		{"foreign name", "panic: name foreign cannot be bound to node 0: it is not on the session's tape"},
		{"two processes", "panic: another process of this cell has opened the session: a cell records from one process"},
	} {
		_, err := d.cell("b", test.program)
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v, want %q", test.program, err, test.says)
		}
		if after := d.sight(); after != before {
			t.Errorf("after %s:\n%s\nwant\n%s", test.program, after, before)
		}
	}
	d.must("b", "open twice") // the next cell runs
}

func TestGoCellReplacesItsTail(t *testing.T) {
	d := newDesk(t)
	d.tape("a", walkthrough...)
	d.must("b", "square")
	before := d.sight()
	d.must("b", "square")
	if after := d.sight(); after != before {
		t.Errorf("twice\n%s\nonce\n%s", after, before)
	}
	if _, err := d.cell("b", "panic halfway"); err == nil {
		t.Error("a panic ended well")
	}
	if after := d.sight(); after != before {
		t.Errorf("after a failed run\n%s\nwant\n%s", after, before)
	}
}

func TestShows(t *testing.T) {
	d := newDesk(t)
	if got, want := d.must("a", "show only"), "   0  Leaf                              []\ntape: 1 node, 0 parameters, 0 inputs\ntext\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// Equal cards of one cell have anchors of their own.
	x, out, err := d.begin("b", "show much")
	if err != nil {
		t.Fatal(err)
	}
	if text, err := d.command(x.Forward()).CombinedOutput(); err != nil {
		t.Fatal(err, string(text))
	}
	x.Rollback()
	var specs []string
	for _, data := range out.data {
		if html := fmt.Sprint(data["text/html"]); strings.Contains(html, "tape: ") {
			specs = append(specs, html)
		}
	}
	if len(specs) != 3 {
		t.Fatalf("%d specs were shown, want 3: %v", len(specs), out.texts)
	}
}

func TestNewTapeOfAnotherElement(t *testing.T) {
	d := newDesk(t)
	d.tape("a", walkthrough...)
	before := d.sight()
	if _, err := d.cell("b", "%%tape\n%tape new f64\nx = leaf 0.1\ny = x + z"); err == nil {
		t.Error("an unknown name was taken")
	}
	if after := d.sight(); after != before {
		t.Errorf("a failed %%tape new\n%s\nwant\n%s", after, before)
	}
	d.tape("b", "%tape new f64", "y = leaf 0.2")
	if got, want := d.must("c", "f64"), "#1 Leaf [] f64\n"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if _, err := d.cell("d", "record"); err == nil || !strings.Contains(err.Error(), "the session records f64, not f32: open it with F64, or begin a new tape with %tape new f32") {
		t.Errorf("f32 in a session of f64: %v", err)
	}
	d.tape("e", "%tape new")
	if got := d.notebook.element(); got != "f64" || len(d.scene.Load().names) > 0 {
		t.Errorf("%%tape new gave %s with %v", got, d.scene.Load().names)
	}
}

// A session of 16 bits: literals are rounded once, a Go cell goes on from them,
// and what it keeps comes back with the same bits.
func TestNarrowSessions(t *testing.T) {
	for _, test := range []struct{ element, kept, values string }{
		{"bf16", "w [2] [0.20019531, 512]\nb [2] [0.20019531, 0.20019531]\nparameters: 2\n", "y [0.040039063, 0.921875]\n"},
		{"f16", "w [2] [0.19995117, 514]\nb [2] [0.19995117, 0.19995117]\nparameters: 2\n", "y [0.039978027, 0.7973633]\n"},
	} {
		t.Run(test.element, func(t *testing.T) {
			d := newDesk(t)
			d.tape("a", "%tape new "+test.element, "w = parameter [2] {0.1, 257}", "loss = sum(w * w)")
			if got := d.must("b", test.element); got != test.kept {
				t.Errorf("the cell shows %q, want %q", got, test.kept)
			}
			if got := d.tape("c", "%values y"); got != test.values {
				t.Errorf("the kernel computes %q, want %q", got, test.values)
			}
			if got := d.tape("d", "%gradient loss --wrt w"); !strings.Contains(got, "d loss / d w") {
				t.Errorf("the gradient is\n%s", got)
			}
			_, err := d.cell("e", "record")
			if want := "the session records " + test.element + ", not f32: open it with " + strings.ToUpper(test.element) + ", or begin a new tape with %tape new f32"; err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("f32 in a session of %s: %v, want %q", test.element, err, want)
			}
		})
	}
}

// A private tape of a number that the kernel knows nothing of shows as any other.
func TestOwnNumberShows(t *testing.T) {
	d := newDesk(t)
	want := "   0  Parameter                         [2]\n   1  Mul            0, 0               [2]\n   2  Sum            1                  []\n" +
		"tape: 3 nodes, 1 parameter, 0 inputs\n#2 25\n"
	if got := d.must("a", "show its own number"); got != want {
		t.Errorf("shows\n%s\nwant\n%s", got, want)
	}
}

// start runs a program up to its first line, and gives its input.
func (d *desk) start(program string, more ...string) (wait func() string, line string, input io.WriteCloser, kill func()) {
	d.t.Helper()
	cmd := d.command(program, more...)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	input, err := cmd.StdinPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		d.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { cmd.Process.Kill() })
	d.last = cmd
	lines := bufio.NewReader(stdout)
	line, err = lines.ReadString('\n')
	if err != nil {
		cmd.Wait()
		d.t.Fatalf("%s: %v, %s", program, err, &stderr)
	}
	wait = func() string {
		rest, _ := io.ReadAll(lines)
		cmd.Wait()
		return string(rest) + stderr.String()
	}
	return wait, line, input, func() { cmd.Process.Kill(); wait() }
}

func TestKilledProcessLeavesWhatItPublished(t *testing.T) {
	d := newDesk(t)
	d.tape("a", walkthrough...)
	before := d.sight()
	x, _, err := d.begin("b", "record for ever")
	if err != nil {
		t.Fatal(err)
	}
	_, _, _, kill := d.start(x.Forward())
	kill()
	r, err := ledger.Load(filepath.Join(d.folder, fmt.Sprintf("cell-%d.ledger", d.host.last)))
	if err != nil {
		t.Fatal(err)
	}
	nodes, scratch := 0, topos.New(topos.F32)
	if err := scratch.Decode(d.state().tape.Encode(0)); err != nil {
		t.Fatal(err)
	}
	for {
		e, err := r.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := scratch.Decode(e.Node); err != nil {
			t.Fatal(err)
		}
		nodes++
	}
	if nodes < 10_000 {
		t.Errorf("%d nodes can be read, want the 10,000 that were announced", nodes)
	}
	x.Rollback()
	if after := d.sight(); after != before {
		t.Errorf("%s\nwant\n%s", after, before)
	}
	d.must("c", "square")
}

func TestLeaseEndsWithTheCell(t *testing.T) {
	for what, says := range map[string]string{
		"record": "panic: the cell has ended: what its background work records is not part of the session",
		"keep":   "panic: the cell has ended: what its background work records is not part of the session",
		"show":   "panic: cell 1 has ended: what its background work does is not part of the session",
	} {
		t.Run(what, func(t *testing.T) {
			d := newDesk(t)
			x, out, err := d.begin("a", "linger")
			if err != nil {
				t.Fatal(err)
			}
			wait, _, input, _ := d.start(x.Forward(), "LINGER="+what)
			if err := x.Commit(out); err != nil {
				t.Fatal(err)
			}
			x, out, err = d.begin("b", "nothing")
			if err != nil {
				t.Fatal(err)
			}
			x.Forward()
			input.Write([]byte("\n"))
			if got := wait(); !strings.Contains(got, says) {
				t.Errorf("the background process says %q, want %q", got, says)
			}
			if err := x.Commit(out); err != nil {
				t.Fatal(err)
			}
			if n := d.state().tape.Len(); n != 1 || out.text() != "" {
				t.Errorf("%d nodes, shown %q; want the one recorded in time", n, out.text())
			}
		})
	}
}

// What an earlier cell left in the background cannot pass for the cell that
// runs, and neither can what it starts.
func TestProcessOfAnEarlierCellIsRefused(t *testing.T) {
	if now() == 0 {
		t.Skip("the system does not tell when a process was started")
	}
	d := newDesk(t)
	d.must("", "child opens") // a child of the cell's own program may
	x, out, err := d.begin("a", "leave behind")
	if err != nil {
		t.Fatal(err)
	}
	wait, _, input, _ := d.start(x.Forward())
	d.last.Process.Wait()
	if err := x.Commit(out); err != nil {
		t.Fatal(err)
	}
	x, _, err = d.begin("b", "nothing")
	if err != nil {
		t.Fatal(err)
	}
	x.Forward()
	d.host.lease.begun++ // later than the start of what was left behind, for certain
	input.Write([]byte("\n"))
	got := wait()
	x.Rollback()
	if want := "the process was started by an earlier cell"; !strings.Contains(got, want) {
		t.Errorf("says %q, want %q", got, want)
	}
}

func TestMillionNodes(t *testing.T) {
	d := newDesk(t)
	d.must("a", "a million")
	if got, want := d.bound(), "deep=#999999 Neg [] f32"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

func TestInterruptBetweenLines(t *testing.T) {
	d := newDesk(t)
	d.tape("a", walkthrough...)
	before := d.sight()
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	x, err := d.Begin(server.Cell{ID: "b", Count: 2, Code: "%%tape\ny = tanh(hidden)"})
	if err != nil {
		t.Fatal(err)
	}
	if err := x.Before(ctx, &outputs{}); err != context.Canceled {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
	x.Rollback()
	if after := d.sight(); after != before {
		t.Errorf("%s\nwant\n%s", after, before)
	}
}

func TestHostRefuses(t *testing.T) {
	d := newDesk(t)
	h := d.host
	v := &visit{}
	for _, m := range []wire.Message{&wire.Show{}, &wire.Keep{}, &wire.Done{}} {
		if _, err := h.answer(v, m); err != errStranger {
			t.Errorf("%T from a stranger: %v", m, err)
		}
	}
	if _, err := h.answer(v, &wire.Hello{Version: 99}); err == nil || !strings.Contains(err.Error(), "version 99") {
		t.Errorf("another version: %v", err)
	}
	l := &lease{id: 5, folder: d.folder}
	for _, name := range []string{"", "keep-1/../s", "s", "../keep-1", "keep-none"} {
		if err := l.keep(name); err == nil {
			t.Errorf("the file %q was taken", name)
		}
	}
	if _, err := os.Stat(filepath.Join(d.folder, "s")); err != nil {
		t.Error("the socket has gone: ", err)
	}
}

// Both kinds of cells set off what they recorded in a listing of the tape.
func TestListingIsDivided(t *testing.T) {
	cards := map[string]string{}
	for kind, code := range map[string]string{"Go": "square and show", "tape": "%%tape\nloss = sum(hidden * hidden)\n%spec"} {
		d := newDesk(t)
		d.tape("a", append(walkthrough, "%spec")...)
		x, out, err := d.begin("b", code)
		if err != nil {
			t.Fatal(err)
		}
		if program := x.Forward(); program != "" {
			if text, err := d.command(program).CombinedOutput(); err != nil {
				t.Fatal(err, string(text))
			}
		}
		if err := x.Commit(out); err != nil {
			t.Fatal(err)
		}
		cards[kind] = fmt.Sprint(out.data[0]["text/html"])
		if !strings.Contains(cards[kind], "+2 in segment 2") {
			t.Errorf("the %s cell's card does not say what it added: %.300s", kind, cards[kind])
		}
	}
}

// FuzzAbsorb hands the kernel whatever a cell's process may have left.
func FuzzAbsorb(f *testing.F) {
	path := filepath.Join(f.TempDir(), "ledger")
	if err := ledger.Create(path, ledger.Header{Element: "f32", Segment: 2, Base: 4}); err != nil {
		f.Fatal(err)
	}
	w, err := ledger.Open(path)
	if err != nil {
		f.Fatal(err)
	}
	tape := topos.New(topos.F32)
	w.Node([]byte{byte(topos.OpTanh), 0, 2, 0, 0, 3})
	w.Name("y", 4)
	tape.Leaf(topos.Shape{2}, 1, 2)
	w.Node(tape.Encode(0))
	w.Close()
	whole, err := os.ReadFile(path)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(whole[:200])
	files := payloads.New(f.TempDir(), 0)
	f.Fuzz(func(t *testing.T, b []byte) {
		r, err := ledger.Parse(b)
		if err != nil {
			return
		}
		s := newState(topos.F32)
		x := s.tape.Input(topos.Shape{1, 2}, 1)
		s.names.Bind("x", x)
		s.segments = append(s.segments, &segment{number: 1, to: 4})
		x.Tanh().Tanh().Tanh()
		before := s.tape.Describe()
		a := s.begin(serverCell)
		if err := a.absorb(files, r); err == nil {
			a.commit()
			s.view(&view{})
			return
		}
		a.rollback()
		if after := s.tape.Describe(); after != before || s.names.Len() != 1 {
			t.Errorf("after a refused ledger\n%s\nwant\n%s", after, before)
		}
	})
}
