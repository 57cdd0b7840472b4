//go:build unix

package cells

import (
	"os"
	"syscall"
)

// connect opens a stream to a Unix socket. Package net would do it in a line,
// and make every cell link a third longer.
func connect(address string) (*os.File, error) {
	// The lock keeps a child that is started meanwhile from inheriting the
	// socket; not every system can open one that is closed on exec.
	syscall.ForkLock.RLock()
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fd)
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: address})
		if err == nil || err == syscall.EISCONN {
			return os.NewFile(uintptr(fd), "session"), nil
		}
		if err != syscall.EINTR {
			syscall.Close(fd)
			return nil, err
		}
	}
}
