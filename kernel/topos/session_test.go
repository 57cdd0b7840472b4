package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/topos-notebook/topos/kernel/journal"
	"github.com/topos-notebook/topos/kernel/wire"
)

// kills is how often TestKilledAtRandom kills a kernel.
var kills = flag.Int("kills", 50, "how many kernels to kill")

// bare is an environment in which no tool is found: the kernel starts faster, and
// answers tape cells alone.
func bare(state string) []string {
	return []string{"TOPOS_STATE=" + state, "PATH=/nowhere", "TOPOS_GO=", "GOROOT="}
}

// tape runs a cell that ends well, and returns what it showed.
func (r *running) tape(id, code string) string {
	r.t.Helper()
	sent := wire.New("test", "execute_request", nil, execution(id, code))
	sent.Metadata = []byte(`{"cellId": "` + id + `"}`)
	r.shell.Send(sent)
	timer := time.AfterFunc(bound, func() { r.shell.Close(); r.iopub.Close() })
	defer timer.Stop()
	var shown strings.Builder
	for {
		m, err := r.iopub.Receive()
		if err != nil {
			r.t.Fatalf("%s: %v", code, err)
		}
		if m.ParentID() != sent.Header.MsgID {
			continue
		}
		var content struct {
			State string `json:"execution_state"`
			Text  string
			Data  map[string]any
			Value string `json:"evalue"`
		}
		if err := json.Unmarshal(m.Content, &content); err != nil {
			r.t.Fatal(err)
		}
		if shown.WriteString(content.Text); content.Data != nil {
			fmt.Fprint(&shown, content.Data["text/plain"])
		}
		if content.Value != "" {
			r.t.Fatalf("%s: %s", code, content.Value)
		}
		if content.State == "idle" {
			return shown.String()
		}
	}
}

func execution(id, code string) map[string]any {
	return map[string]any{"code": code, "silent": false, "store_history": true, "allow_stdin": false}
}

// killedCell is the cell at a place: each runs three times, so that the tail is
// replaced, and every tenth one brings a payload that has a file of its own.
func killedCell(i int, folder string) (id, code string) {
	shape := ""
	if i%10 == 0 {
		shape = fmt.Sprintf("\nbig%d = parameter [20000]\n%%tape reset\n%%checkpoint save %s/p\n%%checkpoint load %s/p", i, folder, folder)
	}
	return fmt.Sprintf("cell-%d", i/3), fmt.Sprintf("%%%%tape\nc%d = leaf %d%s", i, i, shape)
}

// TestKilledAtRandom kills a kernel at random moments, again and again, while
// cells run. What was answered is there afterwards: in the file, and for the next
// kernel, which goes on with it.
func TestKilledAtRandom(t *testing.T) {
	state := t.TempDir()
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	committed, tears := 0, 0 // cells, from 1 on
	for round := range *kills {
		r := startKernel(t, io.Discard, bare(state)...)
		if committed > 0 {
			if said := r.tape("", "%session open previous"); !strings.Contains(said, " is open: ") {
				t.Fatalf("round %d: said %q", round, said)
			} else if strings.Contains(said, "torn off") {
				tears++
			}
			if names := r.tape("", "%names"); !strings.Contains(names, fmt.Sprintf("c%d ", committed)) {
				t.Fatalf("round %d: no c%d among\n%s", round, committed, names)
			}
		}
		answered := r.runUntilKilled(committed, state, time.Duration(random.IntN(150_000))*time.Microsecond)
		found := survivors(t, state)
		if found != answered && found != answered+1 {
			t.Fatalf("round %d: %d cells survived, %d were answered", round, found, answered)
		}
		committed = found
	}
	t.Logf("%d kernels were killed in %d cells; %d tears", *kills, committed, tears)
}

// runUntilKilled runs the cells after one, kills the kernel after a while, and
// returns the last that was answered.
func (r *running) runUntilKilled(done int, folder string, after time.Duration) int {
	r.t.Helper()
	timer := time.AfterFunc(after, func() {
		r.cmd.Process.Kill()
		<-r.exited
		r.shell.Close()
	})
	defer timer.Stop()
	for i := done + 1; ; i++ {
		id, code := killedCell(i, folder)
		sent := wire.New("test", "execute_request", nil, execution(id, code))
		sent.Metadata = []byte(`{"cellId": "` + id + `"}`)
		r.shell.Send(sent)
		for {
			m, err := r.shell.Receive()
			if err != nil {
				return i - 1
			}
			if m.ParentID() != sent.Header.MsgID {
				continue
			}
			var reply struct{ Status, Evalue string }
			if err := json.Unmarshal(m.Content, &reply); err != nil || reply.Status != "ok" {
				r.t.Fatalf("%s: %s", code, m.Content)
			}
			break
		}
	}
}

// survivors is the last cell that the one session of a state folder holds.
func survivors(t *testing.T, state string) int {
	t.Helper()
	store, err := journal.OpenStore(state)
	if err != nil {
		t.Fatal(err)
	}
	all := store.List()
	if len(all) == 0 {
		return 0
	}
	if len(all) != 1 {
		t.Fatalf("%d sessions", len(all))
	}
	opened, err := store.Read(all[0].Number)
	if err != nil {
		t.Fatal(err)
	}
	segments := opened.Image.Segments
	if len(segments) == 0 {
		return 0
	}
	last := segments[len(segments)-1]
	i := 0
	fmt.Sscanf(last.Text, "%%%%tape\nc%d", &i)
	for k, s := range segments {
		if _, code := killedCell(min(3*k+2, i), state); s.Text != code {
			t.Fatalf("segment %d is %q, want %q", k+1, s.Text, code)
		}
	}
	return i
}

// TestTwoKernels has two kernels write at the same time, and the one read what the
// other let go of.
func TestTwoKernels(t *testing.T) {
	state := t.TempDir()
	one, two := startKernel(t, io.Discard, bare(state)...), startKernel(t, io.Discard, bare(state)...)
	var work sync.WaitGroup
	for i, r := range []*running{one, two} {
		work.Go(func() {
			for n := range 20 {
				r.tape("", fmt.Sprintf("%%%%tape\nk%dn%d = leaf %d", i, n, n))
			}
		})
	}
	work.Wait()
	one.tape("", "%session close")
	one.cmd.Process.Signal(syscall.SIGTERM)
	if err := one.exit(); err != nil {
		t.Error(err)
	}
	listed := two.tape("", "%session list")
	if lines := strings.Count(listed, "\n"); lines != 3 || strings.Count(listed, "open here") != 1 || strings.Contains(listed, "another kernel") {
		t.Errorf("listed\n%s", listed)
	}
	if said := two.tape("", "%session open previous"); !strings.Contains(said, "20 segments, 20 nodes") {
		t.Errorf("said %q", said)
	}
	if names := two.tape("", "%names"); !strings.Contains(names, "k0n19") || strings.Contains(names, "k1n19") {
		t.Errorf("names\n%s", names)
	}
}

// TestStateFolders has the kernel fall back where a folder cannot be used, and say
// so in its log.
func TestStateFolders(t *testing.T) {
	home, runtime := t.TempDir(), t.TempDir()
	notFolder := filepath.Join(home, "file")
	if err := os.WriteFile(notFolder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name        string
		environment map[string]string
		want        string // folder of the sessions
		problems    int
	}{
		{"chosen", map[string]string{"TOPOS_STATE": home + "/s"}, home + "/s/sessions", 0},
		{"user's", map[string]string{"XDG_STATE_HOME": home + "/x"}, home + "/x/topos/sessions", 0},
		{"home", map[string]string{"HOME": home}, home + "/.local/state/topos/sessions", 0},
		{"read-only home", map[string]string{"HOME": notFolder, "XDG_RUNTIME_DIR": runtime}, runtime + "/topos/sessions", 2},
		{"no home", map[string]string{"TMPDIR": runtime}, fmt.Sprintf("%s/topos-state-%d/sessions", runtime, os.Getuid()), 0},
		{"chosen in vain", map[string]string{"TOPOS_STATE": notFolder, "HOME": home}, home + "/.local/state/topos/sessions", 2},
		{"nowhere", map[string]string{"HOME": notFolder, "XDG_RUNTIME_DIR": notFolder}, "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, name := range []string{"TOPOS_STATE", "XDG_STATE_HOME", "HOME", "XDG_RUNTIME_DIR"} {
				t.Setenv(name, c.environment[name])
			}
			if tmp := c.environment["TMPDIR"]; tmp != "" {
				t.Setenv("TMPDIR", tmp)
			}
			store, problems := openState()
			if (store != nil) != (c.want != "") || len(problems) != c.problems {
				t.Fatalf("problems %v", problems)
			}
			if info, err := os.Stat(c.want); c.want != "" && (err != nil || info.Mode().Perm() != 0o700) {
				t.Errorf("%v", err)
			}
		})
	}
}

// TestSessionCommandSaysWhichFolder: where the folder that was chosen cannot be used,
// the sessions of another are not listed as if they were its.
func TestSessionCommandSaysWhichFolder(t *testing.T) {
	home := t.TempDir()
	notFolder := filepath.Join(home, "file")
	if err := os.WriteFile(notFolder, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TOPOS_STATE", notFolder)
	t.Setenv("XDG_STATE_HOME", "")
	t.Setenv("HOME", home)
	for _, c := range []struct {
		words  []string
		status int
		told   bool
	}{{[]string{"list"}, 0, true}, {[]string{"show", "3"}, 1, true}, {[]string{"show", notFolder}, 1, false}} {
		var out, log bytes.Buffer
		status := runSession(c.words, streams{out: &out, err: &log})
		if told := strings.Contains(log.String(), "sessions are kept in "+home); status != c.status || told != c.told {
			t.Errorf("%q: %d, %s%s", c.words, status, &out, &log)
		}
	}
}

// TestReadOnlyHome runs a kernel that can keep its session nowhere but in the
// runtime folder.
func TestReadOnlyHome(t *testing.T) {
	var log bytes.Buffer
	r := startKernel(t, &log, "TOPOS_STATE=", "XDG_STATE_HOME=", "HOME=/proc", "PATH=/nowhere", "TOPOS_GO=", "GOROOT=")
	r.tape("a", "%%tape\nx = leaf 1")
	if listed := r.tape("", "%session list"); !strings.Contains(listed, "open here") {
		t.Errorf("listed\n%s", listed)
	}
	r.cmd.Process.Signal(syscall.SIGTERM)
	if err := r.exit(); err != nil {
		t.Error(err)
	}
	folder := filepath.Join(r.base, fmt.Sprintf("topos-state-%d", os.Getuid()))
	if !strings.Contains(log.String(), "topos kernel: sessions are kept in "+folder+"\n") {
		t.Errorf("log\n%s", log.String())
	}
	if _, err := os.Stat(filepath.Join(folder, "sessions", "1", "log")); err != nil {
		t.Error(err)
	}
}

func TestSessionCommand(t *testing.T) {
	state, folder := t.TempDir(), t.TempDir()
	t.Setenv("TOPOS_STATE", state)
	r := startKernel(t, io.Discard, bare(state)...)
	r.tape("a", "%%tape\nw = parameter [2] {1, 2}\nloss = sum(w * w)")
	r.tape("b", "%%tape\ny = w + w")
	r.cmd.Process.Signal(syscall.SIGTERM)
	if err := r.exit(); err != nil {
		t.Error(err)
	}
	file := filepath.Join(folder, "a.session")
	shown := "2 segments, 4 nodes of f32\n\nsegment 1, cell 1, 3 nodes\n  %%tape\n  w = parameter [2] {1, 2}\n  loss = sum(w * w)\n\nsegment 2, cell 2, 1 node\n  %%tape\n  y = w + w\n\n"
	for _, c := range []struct {
		args     string
		code     int
		out, err string
	}{
		{"session", 2, "", "usage: topos session list"},
		{"session --help", 0, "usage: topos session list", ""},
		{"session drop 1", 2, "", "usage"},
		{"session show", 2, "", "usage"},
		{"session list", 0, "session  element  segments  nodes  names\n1        f32      2         4      y, loss, w\n", ""},
		{"session show 1", 0, shown, ""},
		{"session show 9", 1, "", "topos session: there is no session 9\n"},
		{"session save 1 " + file, 0, "", ""},
		{"session show " + file, 0, shown, ""},
		{"session save 1 " + folder, 1, "", "is no session"},
		{"session save 1 /nowhere/a", 1, "", "topos session: the session cannot be saved to /nowhere/a: no such file or directory\n"},
		{"session show /nowhere", 1, "", "topos session: /nowhere: no such file or directory\n"},
		{"session remove x", 1, "", "x is no session's number"},
		{"session remove 1", 0, "", ""},
		{"session list", 0, "no session is kept\n", ""},
	} {
		code, out, err := runCommand(strings.Fields(c.args)...)
		if code != c.code || !strings.HasPrefix(out, c.out) || c.out == "" && out != "" || !strings.Contains(err, c.err) || c.err == "" && err != "" {
			t.Errorf("%s: %d\n%s\n%s", c.args, code, out, err)
		}
	}
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	b[len(b)/2] ^= 1
	if err := os.WriteFile(file, b, 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, err := runCommand("session", "show", file); code != 1 || !strings.Contains(err, "topos session: a.session: it is damaged at byte 32") {
		t.Errorf("%d, %s", code, err)
	}
}

// TestNotebookPath reads what Jupyter's server tells of notebooks, and of nothing else.
func TestNotebookPath(t *testing.T) {
	here, _ := os.Getwd()
	for told, want := range map[string]string{
		"": "", "/home/ann/Console 1": "", "/home/ann//my thesis.ipynb": "/home/ann/my thesis.ipynb",
		"thesis.ipynb": filepath.Join(here, "thesis.ipynb"),
	} {
		if t.Setenv("JPY_SESSION_NAME", told); notebookPath() != want {
			t.Errorf("%q is %q, want %q", told, notebookPath(), want)
		}
	}
}

// TestNotebookOpenedAnew has a kernel of another id find the session of its notebook.
func TestNotebookOpenedAnew(t *testing.T) {
	state := t.TempDir()
	environment := func(notebook string) []string { return append(bare(state), "JPY_SESSION_NAME="+notebook) }
	one := startKernel(t, io.Discard, environment("/n/a.ipynb")...)
	one.tape("", "%%tape\nw = leaf 1")
	one.cmd.Process.Signal(syscall.SIGTERM)
	if err := one.exit(); err != nil {
		t.Error(err)
	}
	// Another id than that of the connection file that all kernels of the tests have.
	lock := filepath.Join(state, "sessions", "1", "lock")
	b, err := os.ReadFile(lock)
	if err == nil {
		err = os.WriteFile(lock, []byte(strings.Replace(string(b), " ", " x", 1)), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	two := startKernel(t, io.Discard, environment("/n/a.ipynb")...)
	if said := two.tape("", "%session open previous"); said != "session 1 is open: 1 segment, 1 node of f32\n" {
		t.Errorf("said %q", said)
	}
}
