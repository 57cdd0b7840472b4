package ledger

import (
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"unicode/utf8"
)

// Reader gives the entries of a ledger, in order.
type Reader struct {
	header Header
	rest   []byte
	nodes  int
}

// Load reads what was published in the ledger at a path.
func Load(path string) (*Reader, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	head := make([]byte, headerSize)
	if _, err := io.ReadFull(f, head); err != nil {
		return nil, ErrForeign
	}
	_, published, err := parseHeader(head)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if room := uint64(info.Size() - headerSize); published > room {
		return nil, fmt.Errorf("%w: %d bytes are published, %d are there", ErrTorn, published, room)
	}
	whole := append(head, make([]byte, published)...)
	if _, err := io.ReadFull(f, whole[headerSize:]); err != nil {
		return nil, err
	}
	return newReader(whole, published)
}

// Parse reads a ledger from memory. Node entries point into b.
func Parse(b []byte) (*Reader, error) {
	_, published, err := parseHeader(b)
	if err != nil {
		return nil, err
	}
	if room := uint64(len(b) - headerSize); published > room {
		return nil, fmt.Errorf("%w: %d bytes are published, %d are there", ErrTorn, published, room)
	}
	return newReader(b, published)
}

func newReader(b []byte, published uint64) (*Reader, error) {
	h, _, err := parseHeader(b)
	return &Reader{header: h, rest: b[headerSize : headerSize+published], nodes: h.Base}, err
}

// Header says what the entries continue.
func (r *Reader) Header() Header { return r.header }

// Next gives the next entry, and io.EOF after the last. Its other errors say
// which entry cannot be read.
func (r *Reader) Next() (Entry, error) {
	if len(r.rest) == 0 {
		return Entry{}, io.EOF
	}
	k := Kind(r.rest[0])
	size, n := binary.Uvarint(r.rest[1:])
	if n <= 0 || size > uint64(len(r.rest)-1-n) {
		return Entry{}, r.torn("an entry ends early")
	}
	payload := r.rest[1+n : 1+n+int(size)]
	r.rest = r.rest[1+n+int(size):]
	e := Entry{Kind: k, Record: r.nodes}
	switch k {
	case NodeEntry:
		e.Node = payload
		r.nodes++
		return e, nil
	case NameEntry:
		return r.name(e, payload)
	}
	return Entry{}, r.torn(fmt.Sprintf("entries of kind %d are unknown", k))
}

func (r *Reader) name(e Entry, payload []byte) (Entry, error) {
	index, rest, ok := r.node(payload)
	if !ok {
		return Entry{}, r.torn("a name is bound to a node that is not there")
	}
	if !utf8.Valid(rest) || len(rest) == 0 {
		return Entry{}, r.torn("a name is not text")
	}
	e.Index, e.Name = index, string(rest)
	return e, nil
}

// node reads the index of a node that has been recorded.
func (r *Reader) node(b []byte) (index int, rest []byte, ok bool) {
	x, n := binary.Uvarint(b)
	if n <= 0 || x >= uint64(r.nodes) {
		return 0, nil, false
	}
	return int(x), b[n:], true
}

func (r *Reader) torn(how string) error {
	r.rest = nil
	return fmt.Errorf("%w: after %d nodes, %s", ErrTorn, r.nodes-r.header.Base, how)
}
