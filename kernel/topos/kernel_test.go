package main

import (
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/topos-notebook/topos/kernel/internal/built"
	"github.com/topos-notebook/topos/kernel/wire"
)

// running is a kernel in a process of its own.
type running struct {
	t      *testing.T
	cmd    *exec.Cmd
	base   string // its TMPDIR
	shell  *wire.Socket
	iopub  *wire.Socket
	exited chan error
}

// startProcess starts the kernel, with the pinned tools when they are built,
// and waits until it answers.
func startProcess(t *testing.T) *running {
	t.Helper()
	return startKernel(t, os.Stderr, "XDG_STATE_HOME="+t.TempDir(), "TOPOS_STATE="+t.TempDir(), "PATH="+built.Tools(t)+":"+os.Getenv("PATH"))
}

// startKernel starts the kernel with changes of its environment, and waits until it
// answers.
func startKernel(t *testing.T, log io.Writer, environment ...string) *running {
	t.Helper()
	base, err := os.MkdirTemp("", "topos-test-") // t.TempDir is too long for sockets
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	files := t.TempDir()
	if err := os.Mkdir(filepath.Join(base, "s"), 0o700); err != nil {
		t.Fatal(err)
	}
	connection, err := wire.LocalConnection(filepath.Join(base, "s"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(files, "kernel-0123.json")
	if err := connection.Write(file); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	r := &running{t: t, base: filepath.Join(base, "tmp"), exited: make(chan error, 1)}
	if err := os.Mkdir(r.base, 0o700); err != nil {
		t.Fatal(err)
	}
	r.cmd = exec.Command(self, "kernel", file)
	r.cmd.Env = replaced(os.Environ(), append([]string{"TOPOS_TEST_AS_PROGRAM=1", "TMPDIR=" + r.base, "XDG_RUNTIME_DIR="}, environment...))
	r.cmd.Stderr = log
	if err := r.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.cmd.Process.Kill() })
	go func() { r.exited <- r.cmd.Wait() }()
	r.connect(connection)
	return r
}

func (r *running) connect(c wire.Connection) {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	var err error
	if r.iopub, err = wire.Dial(ctx, wire.Sub, c, wire.IOPub, ""); err == nil {
		r.shell, err = wire.Dial(ctx, wire.Dealer, c, wire.Shell, "")
	}
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { r.shell.Close(); r.iopub.Close() })
	timer := time.AfterFunc(bound, func() { r.iopub.Close() })
	defer timer.Stop()
	for { // what is published from the welcome on is not lost
		m, err := r.iopub.Receive()
		if err != nil {
			r.t.Fatalf("no welcome: %v", err)
		}
		if m.Header.MsgType == "iopub_welcome" {
			break
		}
	}
	r.ask("kernel_info_request", struct{}{})
}

// ask sends a request and returns the content of its reply.
func (r *running) ask(msgType string, content any) map[string]any {
	r.t.Helper()
	sent := wire.New("test", msgType, nil, content)
	r.shell.Send(sent)
	timer := time.AfterFunc(bound, func() { r.shell.Close() })
	defer timer.Stop()
	for {
		m, err := r.shell.Receive()
		if err != nil {
			r.t.Fatalf("%s: %v", msgType, err)
		}
		if m.ParentID() == sent.Header.MsgID {
			var reply map[string]any
			if err := json.Unmarshal(m.Content, &reply); err != nil {
				r.t.Fatal(err)
			}
			return reply
		}
	}
}

// marked counts the processes that the kernel has started and that still run.
func (r *running) marked() int {
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	n := 0
	for _, f := range files {
		if environ, err := os.ReadFile(f); err == nil && strings.Contains(string(environ), folderVariable+"="+r.base) {
			n++
		}
	}
	return n
}

// isGone waits until nothing of the kernel is left: the janitor, which nobody
// can wait for when the kernel was killed, may still be at work.
func (r *running) isGone() {
	r.t.Helper()
	for end := time.Now().Add(bound); ; time.Sleep(10 * time.Millisecond) {
		entries, err := os.ReadDir(r.base)
		n := r.marked()
		if err == nil && len(entries) == 0 && n == 0 {
			return
		}
		if time.Now().After(end) {
			r.t.Fatalf("left: %d processes, %v, %v", n, entries, err)
		}
	}
}

func (r *running) exit() error {
	r.t.Helper()
	select {
	case err := <-r.exited:
		return err
	case <-time.After(bound):
		r.t.Fatal("the kernel does not end")
		return nil
	}
}

// TestC73NothingIsLeft ends the kernel in every way.
func TestC73NothingIsLeft(t *testing.T) {
	for _, c := range []struct {
		name  string
		clean bool
		end   func(r *running)
	}{
		{"shutdown", true, func(r *running) { r.ask("shutdown_request", map[string]bool{"restart": false}) }},
		{"SIGTERM", true, func(r *running) { r.cmd.Process.Signal(syscall.SIGTERM) }},
		{"SIGHUP", true, func(r *running) { r.cmd.Process.Signal(syscall.SIGHUP) }},
		{"SIGKILL", false, func(r *running) { r.cmd.Process.Kill() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := startProcess(t)
			// A command in the background outlives its cell, not the kernel.
			r.ask("execute_request", map[string]any{"code": "!sleep 1000 &"})
			if _, err := tool("gonb"); err == nil && r.marked() == 0 {
				t.Error("nothing runs: the test looks in the wrong place")
			}
			c.end(r)
			if err := r.exit(); (err == nil) != c.clean {
				t.Errorf("ended with %v", err)
			}
			r.isGone()
		})
	}
}

// TestManyStartAtOnce has kernels make and sweep folders at the same time.
func TestManyStartAtOnce(t *testing.T) {
	base, err := os.MkdirTemp("", "topos-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", base)
	failures := make(chan error)
	for range 8 {
		go func() {
			for range 20 {
				f, err := makeFolder()
				if err == nil {
					defer f.lock.Close()
					_, err = os.Stat(filepath.Join(f.path, "lock"))
				}
				if err != nil {
					failures <- err
					return
				}
			}
			failures <- nil
		}()
	}
	for range 8 {
		if err := <-failures; err != nil {
			t.Error(err)
		}
	}
}

func TestInterruptSignalDoesNotEndTheKernel(t *testing.T) {
	r := startProcess(t)
	r.cmd.Process.Signal(os.Interrupt)
	if reply := r.ask("kernel_info_request", struct{}{}); reply["status"] != "ok" {
		t.Errorf("reply %v", reply)
	}
	r.cmd.Process.Signal(syscall.SIGTERM)
	if err := r.exit(); err != nil {
		t.Error(err)
	}
	r.isGone()
}

func TestPrivateFolder(t *testing.T) {
	base, err := os.MkdirTemp("", "topos-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(base) })
	t.Setenv("XDG_RUNTIME_DIR", "")
	t.Setenv("TMPDIR", base)
	living, err := makeFolder()
	if err != nil {
		t.Fatal(err)
	}
	defer living.lock.Close()
	if info, err := os.Stat(living.path); err != nil || info.Mode().Perm() != 0o700 || filepath.Dir(living.path) != base {
		t.Errorf("%s: %v, %v", living.path, info.Mode(), err)
	}
	dead, err := makeFolder()
	if err != nil {
		t.Fatal(err)
	}
	dead.lock.Close() // as when its kernel and its janitor were killed
	other := filepath.Join(base, folderPrefix+"unlocked")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	third, err := makeFolder()
	if err != nil {
		t.Fatal(err)
	}
	defer third.lock.Close()
	for path, want := range map[string]bool{living.path: true, dead.path: false, other: true, third.path: true} {
		if _, err := os.Stat(path); (err == nil) != want {
			t.Errorf("%s is there: %v, want %v", path, err == nil, want)
		}
	}
}
