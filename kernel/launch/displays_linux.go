package main

import (
	"os"
	"syscall"
	"time"
	"unsafe"
)

// displayTime bounds how long a program's end is held back for its displays.
const displayTime = time.Second

// displays is GoNB's pipe for what a program displays. GoNB stops reading it as
// soon as the program has ended, whatever is still in it: so the launcher, whose
// end is the program's for GoNB, waits until the pipe is empty.
type displays struct{ pipe *os.File }

// openDisplays opens the pipe that GoNB names; without one nothing is held back.
func openDisplays() displays {
	path := os.Getenv("GONB_PIPE")
	if path == "" {
		return displays{}
	}
	// Both ways, so that opening waits for nobody.
	f, err := os.OpenFile(path, os.O_RDWR|syscall.O_NONBLOCK, 0)
	if err != nil {
		return displays{}
	}
	return displays{f}
}

// drained returns when GoNB has read everything, or after displayTime. Nothing
// tells when a pipe has become empty: it is looked at.
func (d displays) drained() {
	if d.pipe == nil {
		return
	}
	defer d.pipe.Close()
	for end := time.Now().Add(displayTime); time.Now().Before(end); time.Sleep(time.Millisecond) {
		var n int32
		const fionread = 0x541b
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, d.pipe.Fd(), fionread, uintptr(unsafe.Pointer(&n)))
		if errno != 0 || n == 0 {
			return
		}
	}
}
