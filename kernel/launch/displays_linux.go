package main

import (
	"os"
	"syscall"
	"time"
	"unsafe"
)

// displayTime bounds how long a program's end is held back for its displays: some
// hundred MB of them.
const displayTime = 5 * time.Second

// displays is GoNB's pipe for what a program displays. GoNB stops reading it as
// soon as the program has ended, whatever is still in it, and does not wait for what
// it has read but not shown yet: so the launcher, whose end is the program's for
// GoNB, waits for both.
type displays struct{ pipe *os.File }

// unused is the time that a pipe is said to have been written at last before the
// program starts. Each write sets another one.
var unused = time.Unix(0, 0)

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
	os.Chtimes(path, unused, unused)
	return displays{f}
}

// shown returns when GoNB has published all that the program displayed, or after
// displayTime. GoNB reads, publishes and reads on: a byte behind everything, which
// begins a message of no length and so ends its reading without a word, is taken
// when all before it has been published.
func (d displays) shown() {
	if d.pipe == nil {
		return
	}
	defer d.pipe.Close()
	if state, err := d.pipe.Stat(); err == nil && state.ModTime().Equal(unused) {
		return
	}
	end := time.Now().Add(displayTime)
	d.empty(end)
	d.pipe.Write([]byte{0})
	d.empty(end)
}

// empty waits until nothing is in the pipe. Nothing tells: it is looked at.
func (d displays) empty(end time.Time) {
	for ; time.Now().Before(end); time.Sleep(time.Millisecond) {
		var n int32
		const fionread = 0x541b
		_, _, errno := syscall.Syscall(syscall.SYS_IOCTL, d.pipe.Fd(), fionread, uintptr(unsafe.Pointer(&n)))
		if errno != 0 || n == 0 {
			return
		}
	}
}
