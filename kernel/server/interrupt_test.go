package server

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/topos-notebook/topos/kernel/internal/built"
	"github.com/topos-notebook/topos/kernel/wire"
)

// ends interrupts a cell, so often, and looks at its end. An interrupt is to be
// felt within a second; what is looked at is that it is felt at all.
func (k *client) ends(id string, times int) {
	k.t.Helper()
	began := time.Now()
	for range times {
		k.reply(wire.Control, k.send(wire.Control, "interrupt_request", nil))
	}
	if r := k.reply(wire.Shell, id); r["ename"] != "KeyboardInterrupt" {
		k.t.Errorf("reply %v", r)
	}
	if took := time.Since(began); took > 2*liveness {
		k.t.Errorf("the cell ended after %v", took)
	}
	k.idle(id)
}

// goesOn runs a cell after another, with what was declared before it.
func (k *client) goesOn() {
	k.t.Helper()
	if r, published := k.run("%%\nfmt.Println(kept())"); text(k.t, published, "stdout") != "7\n" {
		k.t.Errorf("the next cell: %v", r)
	}
}

const declareKept = "func kept() int { return 7 }"

// TestC59InterruptGoGet interrupts cells that wait for a module server, which
// never answers. (Without a %get no cell asks one.)
func TestC59InterruptGoGet(t *testing.T) {
	asked, done := make(chan string, 100), make(chan struct{})
	proxy := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		asked <- r.URL.Path
		select {
		case <-r.Context().Done():
		case <-done:
		}
	}))
	defer proxy.Close()
	defer close(done)
	t.Setenv("GOPROXY", proxy.URL)
	t.Setenv("GONOSUMDB", "*")
	t.Setenv("GOFLAGS", "-mod=mod")
	k := startReal(t)
	k.run(declareKept)
	for i, code := range []string{"%get MODULE@v1.2.3", "%get MODULE@latest\nimport \"MODULE\"\n%%\nslow.Be()"} {
		for times := range 2 {
			// A module of its own: an interrupted go command may ask some more.
			module := fmt.Sprintf("example.test/slow%d%d", i, times)
			id := k.execute(strings.ReplaceAll(code, "MODULE", module))
			awaitPath(t, asked, module)
			k.ends(id, times+1)
			k.goesOn()
		}
	}
}

func awaitPath(t *testing.T, asked <-chan string, part string) {
	t.Helper()
	timeout := time.After(bound)
	for {
		select {
		case path := <-asked:
			if strings.Contains(path, part) {
				return
			}
		case <-timeout:
			t.Fatalf("nobody asks for %s", part)
		}
	}
}

// TestC59InterruptCompiler interrupts a build in the middle: its compiler is a
// script that says that it was started, and waits.
func TestC59InterruptCompiler(t *testing.T) {
	folder := t.TempDir()
	started, slow := filepath.Join(folder, "started"), filepath.Join(folder, "slow")
	if out, err := exec.Command("mkfifo", started).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	script := "#!/bin/sh\ncase \"$2\" in -V*) exec \"$@\";; esac\necho started > '" + started + "'\nexec sleep 1000\n"
	if err := os.WriteFile(slow, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	k := startReal(t)
	k.run(declareKept)
	for times := range 2 {
		if r, _ := k.run("%goflags -toolexec=" + slow); r["status"] != "ok" {
			t.Fatalf("reply %v", r)
		}
		id := k.execute("%%\nfmt.Println(\"never\")")
		os.ReadFile(started)
		k.ends(id, times+1)
		k.run(`%goflags ""`)
		k.goesOn()
	}
}

// TestC59InterruptImports interrupts a cell whose imports are looked for, which
// GoNB does before it builds: its goimports is a script that says that it was
// started, and waits.
func TestC59InterruptImports(t *testing.T) {
	folder := t.TempDir()
	started, slow, tools := filepath.Join(folder, "started"), filepath.Join(folder, "slow"), filepath.Join(folder, "tools")
	if out, err := exec.Command("mkfifo", started).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	real := filepath.Join(built.Tools(t, "goimports"), "goimports")
	if err := os.Mkdir(tools, 0o700); err != nil {
		t.Fatal(err)
	}
	script := "#!/bin/sh\ntest -e '" + slow + "' || exec '" + real + "' \"$@\"\necho started > '" + started + "'\nIGNORE\nexec sleep 1000\n"
	for _, ignores := range []string{"", "trap '' INT"} {
		text := strings.Replace(script, "IGNORE", ignores, 1)
		if err := os.WriteFile(filepath.Join(tools, "goimports"), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
		k := startReal(t, tools)
		k.run(declareKept)
		for times := range 2 {
			if err := os.WriteFile(slow, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			id := k.execute("%%\nfmt.Println(\"never\")")
			os.ReadFile(started)
			k.ends(id, times+1)
			os.Remove(slow)
			k.goesOn()
		}
	}
}

// TestC59InterruptQuestion interrupts a cell that waits for its user.
func TestC59InterruptQuestion(t *testing.T) {
	k := startReal(t)
	k.run(declareKept)
	for times := range 2 {
		id := k.execute("%with_inputs\n!read x; echo got $x", "allow_stdin", true)
		select {
		case <-k.asked:
		case <-time.After(bound):
			t.Fatal("nobody is asked")
		}
		k.ends(id, times+1)
		k.goesOn()
	}
}
