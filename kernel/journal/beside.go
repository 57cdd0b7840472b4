package journal

import (
	"hash/crc32"
	"io"
	"os"
)

// loose is bits that are in no file.
type loose []byte

func (b loose) Bytes() int { return len(b) }

func (b loose) WriteTo(w io.Writer) (int64, error) {
	n, err := w.Write(b)
	return int64(n), err
}

func (b loose) Link(string) bool { return false }

// besides makes a payload file: of a file that holds the bits already, where it
// can. What it answers, where it is not nil, is to be synced or discarded.
func (l *Log) besides(number int, c Content) (f *os.File, sum uint32, err error) {
	path := l.path(payloadName(number))
	if c.Link(path) {
		if f, err = os.Open(path); err != nil {
			os.Remove(path)
			return nil, 0, err
		}
		sum, err = fileSum(f, int64(c.Bytes()))
		return f, sum, err
	}
	f, err = os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, 0, err
	}
	check := crc32.New(castagnoli)
	_, err = c.WriteTo(io.MultiWriter(f, check))
	return f, check.Sum32(), err
}
