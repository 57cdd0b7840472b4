//go:build !linux

package main

import "syscall"

// ownGroup makes a process the leader of its own group. Without a
// parent-death signal the end of the kernel's connection must serve.
func ownGroup() *syscall.SysProcAttr { return &syscall.SysProcAttr{Setpgid: true} }

func dieWithParent() {}
