package payloads

import (
	"os"
	"sync"
)

const (
	// piece is how much is written at once, in bytes. The system takes memory for
	// what it is given in as few blocks as it can, and for more than this it passes
	// over the smaller blocks that it has at hand.
	piece = 1 << 20
	// leastAhead is the size of the smallest file whose memory is had ahead.
	leastAhead = 16 << 20
)

// filling writes the bytes of an empty file. It implements [io.Writer].
//
// The system finds memory for a file as it is written, on the processor that
// writes, and on a virtual machine the host may have to find it too: that takes
// several times as long as to copy. So another processor has the memory of the
// file's second half ahead, by reading where there is nothing yet.
type filling struct{ file *os.File }

func (f filling) Write(b []byte) (int, error) {
	var reading sync.WaitGroup
	defer reading.Wait()
	if size := int64(len(b)); size >= leastAhead && f.file.Truncate(size) == nil {
		reading.Go(func() { readOver(f.file, size/2, size) })
	}
	n := 0
	for n < len(b) {
		written, err := f.file.Write(b[n:min(n+piece, len(b))])
		n += written
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// readOver reads a part of a file for its memory. What cannot be read is had as it
// is written.
func readOver(file *os.File, from, to int64) {
	nothing := make([]byte, piece)
	for at := from; at < to; at += piece {
		file.ReadAt(nothing, at)
	}
}
