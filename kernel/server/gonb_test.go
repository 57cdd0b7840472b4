package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/kernel/gonb"
	"github.com/topos-notebook/topos/kernel/internal/built"
	"github.com/topos-notebook/topos/kernel/process"
	"github.com/topos-notebook/topos/kernel/wire"
)

func TestMain(m *testing.M) { os.Exit(built.Main(m)) }

// startReal is a server with GoNB and a supervisor; it skips where the pinned
// tools were not built. Programs in the folders before come first in PATH.
func startReal(t *testing.T, before ...string) *client {
	t.Helper()
	bin := built.Tools(t, "gonb", "goimports")
	path, golang := built.Launcher(t), built.Go(t)
	connection := localConnection(t)
	folder := filepath.Dir(filepath.Dir(connection.IP))
	t.Setenv("PATH", strings.Join(append(before, bin, os.Getenv("PATH")), ":"))
	supervisor, err := process.New(filepath.Join(folder, "p"), path, golang)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(supervisor.Close)
	for _, name := range []string{"g", "t"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	env := append(os.Environ(), supervisor.Env()...)
	env = append(env, "TMPDIR="+filepath.Join(folder, "t"))
	var child *gonb.Kernel
	s, err := New(Options{Connection: connection, Engine: &tinyEngine{}, Processes: Supervised(supervisor),
		Go: func(onComm func(parent, m *wire.Message)) Go {
			child = gonb.Start(gonb.Options{Program: filepath.Join(bin, "gonb"), Folder: filepath.Join(folder, "g"),
				Name: "kernel-12.json", Env: env}, onComm)
			return child
		}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(child.Close)
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(t.Context()) }()
	t.Cleanup(func() { <-ended })
	t.Cleanup(s.Shutdown)
	return newClient(t, connection)
}

func TestGoCells(t *testing.T) {
	k := startReal(t)
	for _, c := range []struct {
		name, code, stdout string
		ename, evalue      string
	}{
		{"ok", "%%\nfmt.Println(1)", "1\n", "", ""},
		{"own", "%%own\nprint 2", "2\n", "", ""},
		{"panic", "%%\nfmt.Println(1)\npanic(\"boom\")", "1\n", "panic", "boom"},
		{"exit", "%%\nos.Exit(3)", "", "ExitError", "exit status 3"},
		{"compile", "%%\n_ = undefinedThing", "", "CompileError", "cell 5 line 2: undefined: undefinedThing"},
		{"parse", "func F( {", "", "CompileError", "cell 6 line 1: expected ')', found '{'"},
		{"shell", "!exit 3", "", "ExitError", "exit status 3"},
		{"bash", "%%bash\necho x\nexit 4", "x\n", "ExitError", "exit status 4"},
		{"magic", "%env", "", "GoNBError", "executing special commands in cell: `%env <VAR_NAME> <value>` (or `%env <VAR_NAME>=<value>`): it takes 2 arguments, the variable name and it's content, but 0 were given"},
		{"function", "func greet() { fmt.Println(\"hello\") }", "", "", ""},
		{"function by name", "%exec greet", "hello\n", "", ""},
		{"get", "%get", "", "GoNBError", "which module? %get MODULE@VERSION"},
		{"nothing to read", "%%\nfmt.Println(fmt.Scan(new(int)))", "0 EOF\n", "", ""},
		{"initialiser", "var early = strings.Repeat(\"x\", -1)", "", "panic", "strings: negative Repeat count"},
		{"initialiser of nothing", "var _ = strings.Repeat(\"x\", -2)", "", "panic", "strings: negative Repeat count"},
		{"init function", "func init_all() { panic(\"early\") }", "", "panic", "early"},
		{"no goroutine left", "%%\nfmt.Println(3)\nruntime.Goexit()", "3\n", "panic", "fatal error: no goroutines (main called runtime.Goexit) - deadlock!"},
		{"ok again", "%%\nfmt.Println(2)", "2\n", "", ""},
		{"statement", "x := 3", "", "CompileError", "cell 19 line 1: expected declaration, found x; statements stand below a line %%"},
		{"initialiser by a dot import", "import . \"strings\"\n\nvar early = Repeat(\"x\", -1)", "", "panic", "strings: negative Repeat count"},
		{"no use of it", "%%\nfmt.Println(2)", "2\n", "", ""},
		{"dot import alone", "import . \"unicode/utf8\"", "", "", ""},
		{"function by name, without it", "%exec greet", "hello\n", "", ""},
		{"mistake without it", "%%\n_ = undefinedThing", "", "CompileError", "cell 24 line 2: undefined: undefinedThing"},
		{"use of both", "%%\nfmt.Println(ToUpper(\"x\"), RuneCountInString(\"é\"))", "X 1\n", "", ""},
		{"declaration by a dot import", "import . \"strings\"\n\nvar shout = ToUpper(\"x\")", "", "", ""},
		{"removed", "%rm shout", ". removed var shout\n", "", ""},
		{"ok without it", "%%\nfmt.Println(2)", "2\n", "", ""},
		{"value of a type", "%%\npanic(&struct{ A int }{3})", "", "panic", "a value of type *struct { A int }"},
		{"signal", "%%\nsyscall.Kill(os.Getpid(), syscall.SIGSEGV)\ntime.Sleep(time.Minute)", "", "panic", "SIGSEGV: segmentation violation"},
	} {
		t.Run(c.name, func(t *testing.T) {
			reply, published := k.run(c.code)
			if got := text(t, published, "stdout"); got != c.stdout {
				t.Errorf("stdout %q, want %q", got, c.stdout)
			}
			status, errors := "ok", 0
			if c.ename != "" {
				status, errors = "error", 1
				if reply["ename"] != c.ename || reply["evalue"] != c.evalue {
					t.Errorf("reply %v, want %s: %s", reply, c.ename, c.evalue)
				}
			}
			if reply["status"] != status {
				t.Errorf("reply %v", reply)
			}
			all := types(t, published)
			if strings.Count(all, "error") != errors || !strings.HasSuffix(all, " idle") || strings.Count(all, "idle") != 1 {
				t.Errorf("published %s", all)
			}
			if whole := string(mustJoin(published)); strings.Contains(whole, "gonb_") {
				t.Errorf("a temporary folder is named: %s", whole)
			}
		})
	}
}

func mustJoin(messages []*wire.Message) []byte {
	var all []byte
	for _, m := range messages {
		all = append(all, m.Content...)
	}
	return all
}

// TestC59InterruptGo interrupts a cell in each thing that it may be doing, and
// runs another after each.
func TestC59InterruptGo(t *testing.T) {
	k := startReal(t)
	for _, c := range []struct{ name, code, sign string }{
		{"loop", "%%\nfmt.Println(\"go\")\nfor {\n}", "go"},
		{"sleep", "%%\nfmt.Println(\"go\")\ntime.Sleep(time.Hour)", "go"},
		{"signals ignored", "%%\nsignal.Ignore(os.Interrupt)\nfmt.Println(\"go\")\ntime.Sleep(time.Hour)", "go"},
		{"shell", "!echo go; sleep 1000", "go"},
		{"compile", "%%\nfmt.Println(http.StatusOK)", ""},
		{"own", "%%own\nwait", "waiting"},
	} {
		t.Run(c.name, func(t *testing.T) {
			id := k.execute(c.code)
			if c.sign != "" {
				k.awaitText(id, c.sign)
			} else {
				k.await("execute_input", func() bool {
					last := k.messages[len(k.messages)-1]
					return last.ParentID() == id && last.Header.MsgType == "execute_input"
				})
			}
			k.reply(wire.Control, k.send(wire.Control, "interrupt_request", nil))
			if r := k.reply(wire.Shell, id); r["ename"] != "KeyboardInterrupt" {
				t.Errorf("reply %v", r)
			}
			k.idle(id)
			if r, published := k.run("%%\nfmt.Println(\"after\")"); text(t, published, "stdout") != "after\n" {
				t.Errorf("the next cell: %v", r)
			}
		})
	}
}
