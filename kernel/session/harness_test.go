package session

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/topos-notebook/topos/cells"
	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/topos"
)

// programVariable says which of programs a child process runs.
const programVariable = "SESSION_TEST_PROGRAM"

func TestMain(m *testing.M) {
	// A child must never run the tests: they would start children in turn.
	if name, child := os.LookupEnv(programVariable); child {
		p, ok := programs[name]
		if !ok {
			fmt.Fprintf(os.Stderr, "no program %q\n", name)
			os.Exit(2)
		}
		p()
		return
	}
	os.Exit(m.Run())
}

// outputs is an Output that remembers.
type outputs struct {
	mu    sync.Mutex
	texts []string         // plain texts of displays, and streams, in order
	data  []map[string]any // of displays
}

func (o *outputs) Display(data, _ map[string]any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.texts = append(o.texts, fmt.Sprint(data["text/plain"]))
	o.data = append(o.data, data)
}

func (o *outputs) Update(_ string, data, metadata map[string]any) { o.Display(data, metadata) }

func (o *outputs) Stream(name, text string) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.texts = append(o.texts, text)
}

func (o *outputs) text() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return strings.Join(o.texts, "")
}

// desk is an engine and what a client does with it.
type desk struct {
	*Engine
	t     testing.TB
	count int
	last  *exec.Cmd // that start has started
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	// A short path: addresses of sockets are limited.
	folder, err := os.MkdirTemp("", "desk")
	if err != nil {
		t.Fatal(err)
	}
	e, err := New(filepath.Join(folder, "s"), folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		e.Close()
		if left, _ := os.ReadDir(folder); len(left) > 0 {
			t.Errorf("left in the folder: %v", left)
		}
		os.RemoveAll(folder)
	})
	return &desk{Engine: e, t: t}
}

// begin opens a cell and runs what comes before its Go code.
func (d *desk) begin(id, code string) (server.Transaction, *outputs, error) {
	d.count++
	out := &outputs{}
	x, err := d.Begin(server.Cell{ID: id, Count: d.count, Code: code, StoreHistory: true})
	if err != nil {
		return nil, out, err
	}
	if err := x.Before(context.Background(), out); err != nil {
		x.Rollback()
		return nil, out, err
	}
	return x, out, nil
}

// cell runs a whole cell, as the server does. Its Go part is a program.
func (d *desk) cell(id, code string) (string, error) {
	x, out, err := d.begin(id, code)
	if err != nil {
		return out.text(), err
	}
	if code := x.Forward(); code != "" {
		if text, err := d.command(strings.TrimSpace(code)).CombinedOutput(); err != nil {
			x.Rollback()
			return out.text(), fmt.Errorf("%w: %s", err, text)
		}
	}
	if err = x.After(context.Background(), out); err == nil {
		err = x.Commit(out)
	}
	if err != nil {
		x.Rollback()
	}
	return out.text(), err
}

// command is the process of a program.
func (d *desk) command(program string, more ...string) *exec.Cmd {
	d.t.Helper()
	if _, ok := programs[program]; !ok {
		d.t.Fatalf("no program %q", program)
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), programVariable+"="+program, cells.SessionVariable+"="+filepath.Join(d.folder, "s"))
	cmd.Env = append(cmd.Env, more...)
	return cmd
}

// must runs a cell that ends well, and gives what it says, but for the line about
// what it recorded.
func (d *desk) must(id, code string) string {
	d.t.Helper()
	text, err := d.cell(id, code)
	if err != nil {
		d.t.Fatalf("cell %d: %v\n%s", d.count, err, text)
	}
	return account.ReplaceAllString(text, "")
}

var account = regexp.MustCompile(`(?m)^segment \d+, (fresh|rerun of \d+): .*\n`)

// tape runs a tape cell that ends well.
func (d *desk) tape(id string, lines ...string) string {
	d.t.Helper()
	return d.must(id, "%%tape\n"+strings.Join(lines, "\n"))
}

// state is the committed state.
func (d *desk) state() *state[float32] { return d.notebook.(*state[float32]) }

// sight is all that a cell may change, as one text.
func (d *desk) sight() string {
	s := d.state()
	var b strings.Builder
	b.WriteString(s.tape.Describe())
	for name, at := range s.names.All() {
		fmt.Fprintf(&b, "%s = %d\n", name, at.Index())
	}
	table := s.table()
	for i := range table.Len() {
		fmt.Fprintf(&b, "slot %d %v\n", i, table.Slot(i))
	}
	for _, g := range s.segments {
		fmt.Fprintf(&b, "segment %d of %q: %d to %d, %d names, superseded by %d\n", g.number, g.cell, g.from, g.to, len(g.bound), g.superseded)
	}
	fmt.Fprintf(&b, "%x\n", digest(s.tape))
	return b.String()
}

func digest(t *topos.Tape[float32]) []byte {
	b := t.Encode(0)
	if len(b) > 16 {
		return append(b[:8:8], b[len(b)-8:]...)
	}
	return b
}

var serverCell = server.Cell{Count: 99}
