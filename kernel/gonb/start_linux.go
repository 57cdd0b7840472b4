package gonb

import (
	"os/exec"
	"runtime"
	"sync"
	"syscall"
)

func processAttributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGTERM}
}

var starter struct {
	once sync.Once
	work chan func()
}

// startProcess starts the command from one thread that never ends. Linux sends
// the parent-death signal when the thread that started the child ends, not when
// the process does, and Go ends threads that it no longer needs.
func startProcess(cmd *exec.Cmd) error {
	starter.once.Do(func() {
		starter.work = make(chan func())
		go func() {
			runtime.LockOSThread()
			for f := range starter.work {
				f()
			}
		}()
	})
	failed := make(chan error)
	starter.work <- func() { failed <- cmd.Start() }
	return <-failed
}
