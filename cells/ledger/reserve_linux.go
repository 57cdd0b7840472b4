package ledger

import (
	"errors"
	"os"
	"syscall"
)

// reserve makes the file size bytes long with room for them on its disk, where
// the file system can promise that.
func reserve(f *os.File, size int64) error {
	err := syscall.Fallocate(int(f.Fd()), 0, 0, size)
	if errors.Is(err, syscall.EOPNOTSUPP) || errors.Is(err, syscall.ENOSYS) {
		return f.Truncate(size)
	}
	return err
}
