package main

import "syscall"

// ownGroup makes a process the leader of its own group that dies with us.
func ownGroup() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// dieWithParent asks for our own end when GoNB ends, so that killing GoNB
// leaves no cell running.
func dieWithParent() {
	syscall.RawSyscall(syscall.SYS_PRCTL, syscall.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0)
}
