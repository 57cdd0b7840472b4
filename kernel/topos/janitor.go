package main

import (
	"bufio"
	"bytes"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// folderVariable names a kernel's private folder in the environment of all
// that it starts, which is how leftovers are known.
const folderVariable = "TOPOS_FOLDER"

func init() {
	register(command{name: "janitor", synopsis: "FOLDER", run: runJanitor})
}

// runJanitor waits until the kernel that started it has ended, in whatever way,
// and removes what it left: processes and the private folder. The kernel's end
// shows as the end of stdin, where it names the process groups that it leads.
func runJanitor(args []string, s streams) int {
	if len(args) != 1 || !strings.HasPrefix(filepath.Base(args[0]), folderPrefix) {
		return 2
	}
	// Signals to the kernel's terminal are not for us.
	signal.Ignore(syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	var group int
	lines := bufio.NewScanner(s.in)
	for lines.Scan() {
		group, _ = strconv.Atoi(lines.Text())
	}
	var groups []int
	if group > 1 {
		groups = []int{group}
	}
	clean(args[0], groups)
	return 0
}

// clean kills the process groups and everything whose environment names the
// folder, and removes the folder. What is killed may be making files: it is
// tried until nothing is left, for a while.
func clean(folder string, groups []int) {
	for _, g := range groups {
		syscall.Kill(-g, syscall.SIGKILL)
	}
	for end := time.Now().Add(2 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		killed := killMarked(folder)
		err := os.RemoveAll(folder)
		if killed == 0 && err == nil || time.Now().After(end) {
			return
		}
	}
}

// killMarked kills the processes whose environment names the folder and returns
// how many there were. It sees none where there is no /proc.
func killMarked(folder string) int {
	mark := []byte(folderVariable + "=" + folder)
	files, _ := filepath.Glob("/proc/[0-9]*/environ")
	n := 0
	for _, file := range files {
		environ, err := os.ReadFile(file)
		if err != nil || !names(environ, mark) {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(file)))
		if err == nil && pid != os.Getpid() && syscall.Kill(pid, syscall.SIGKILL) == nil {
			n++
		}
	}
	return n
}

func names(environ, mark []byte) bool {
	for _, entry := range bytes.Split(environ, []byte{0}) {
		if bytes.Equal(entry, mark) {
			return true
		}
	}
	return false
}

// janitor is the kernel's end of a running janitor.
type janitor struct {
	cmd  *exec.Cmd
	pipe io.WriteCloser
}

// startJanitor starts one for the folder. It is in a session of its own, so
// that what kills the kernel's group leaves it alone.
func startJanitor(folder string) (*janitor, error) {
	self, err := executable()
	if err != nil {
		return nil, err
	}
	j := &janitor{cmd: exec.Command(self, "janitor", folder)}
	j.cmd.Dir = "/"
	j.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if j.pipe, err = j.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	return j, j.cmd.Start()
}

// watch names the process group to kill; the one named before has ended.
func (j *janitor) watch(pid int) { io.WriteString(j.pipe, strconv.Itoa(pid)+"\n") }

// finish lets the janitor clean up and waits for it.
func (j *janitor) finish() {
	j.pipe.Close()
	j.cmd.Wait()
}
