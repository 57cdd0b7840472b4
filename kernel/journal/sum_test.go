package journal

import (
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
)

// random are bytes of which no part is like another.
func random(n int) []byte {
	b := make([]byte, n)
	rand.NewChaCha8([32]byte{}).Read(b)
	return b
}

func TestJoinedSums(t *testing.T) {
	b := random(5000)
	for _, at := range []int{0, 1, 2, 7, 8, 1024, 2500, 4095, 4999, 5000} {
		if got, want := joined(checksum(b[:at]), checksum(b[at:]), int64(len(b)-at)), checksum(b); got != want {
			t.Errorf("parted at %d: %08x, want %08x", at, got, want)
		}
	}
}

func TestFileSum(t *testing.T) {
	for _, n := range []int{0, 1, 1 << 20, leastHalved - 1, leastHalved, leastHalved + 1} {
		b := random(n)
		path := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if got, err := fileSum(f, int64(n)); err != nil || got != checksum(b) {
			t.Errorf("%d bytes: %08x, %v, want %08x", n, got, err, checksum(b))
		}
		if _, err := fileSum(f, int64(n)+1); !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%d bytes, asked for one more: %v", n, err)
		}
	}
}
