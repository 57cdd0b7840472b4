package payloads

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// patterned are bytes of which no piece is like another.
func patterned(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(i ^ i>>8 ^ i>>16)
	}
	return b
}

func TestFilledFiles(t *testing.T) {
	for _, n := range []int{0, 1, piece - 1, piece + 1, leastAhead - 1, leastAhead, leastAhead + 2*piece + 3} {
		path := filepath.Join(t.TempDir(), "file")
		file, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		want := patterned(n)
		if wrote, err := (filling{file}).Write(want); wrote != n || err != nil {
			t.Errorf("%d bytes: wrote %d, %v", n, wrote, err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
		if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
			t.Errorf("%d bytes: the file of %d differs: %v", n, len(got), err)
		}
	}
}

func TestFillingFailsOnAFullDisk(t *testing.T) {
	file, err := os.OpenFile("/dev/full", os.O_RDWR, 0)
	if err != nil {
		t.Skip("this system has no disk that is always full:", err)
	}
	defer file.Close()
	for _, n := range []int{1, leastAhead} {
		if wrote, err := (filling{file}).Write(make([]byte, n)); wrote != 0 || !errors.Is(err, syscall.ENOSPC) {
			t.Errorf("%d bytes: wrote %d, %v", n, wrote, err)
		}
	}
}
