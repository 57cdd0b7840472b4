package session

import (
	"bytes"
	"net"
	"os"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

// moment is a point in time as the system counts the starts of processes, in
// ticks since it came up.
type moment int64

// now is the present moment, or 0 where it is unknown.
func now() moment {
	const perSecond = 100 // ticks, wherever Go runs
	var up unix.Timespec
	if unix.ClockGettime(unix.CLOCK_BOOTTIME, &up) != nil {
		return 0
	}
	return moment(int64(up.Sec)*perSecond + int64(up.Nsec)/(1e9/perSecond))
}

// belongs says whether the process behind a connection was started on behalf of
// the cell that began at a moment. A process that an earlier cell left behind,
// and what that starts, does not. Where the system does not tell, it does.
func belongs(c *net.UnixConn, begun moment) bool {
	pid := peer(c)
	// Up from the process: those started since the cell began, then the first
	// that is older. For a process of the cell that is the kernel's child, GoNB,
	// or the kernel itself.
	for range 1000 {
		if pid == os.Getpid() {
			return true
		}
		parent, started, ok := process(pid)
		if !ok || begun == 0 {
			return true
		}
		if started < begun {
			return parent == os.Getpid()
		}
		pid = parent
	}
	return false
}

// peer is the process at the other end, 0 where unknown.
func peer(c *net.UnixConn) int {
	raw, err := c.SyscallConn()
	if err != nil {
		return 0
	}
	pid := 0
	raw.Control(func(fd uintptr) {
		if who, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED); err == nil {
			pid = int(who.Pid)
		}
	})
	return pid
}

// process reads the parent and the start of a process.
func process(pid int) (parent int, started moment, ok bool) {
	text, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0, 0, false
	}
	// "pid (name) state parent ...", where the name may hold anything; the
	// start is the 22nd field.
	fields := strings.Fields(string(text[bytes.LastIndexByte(text, ')')+1:]))
	if len(fields) < 20 {
		return 0, 0, false
	}
	parent, err = strconv.Atoi(fields[1])
	if err != nil {
		return 0, 0, false
	}
	ticks, err := strconv.ParseInt(fields[19], 10, 64)
	return parent, moment(ticks), err == nil
}
