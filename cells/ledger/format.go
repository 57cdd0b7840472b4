package ledger

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Version is the format that this package writes, and the only one it reads.
const Version = 1

// The header: 64 bytes, little-endian but for the two words that both sides
// touch while the file is mapped, which are in the machine's own order.
const (
	headerSize  = 64
	atVersion   = 8
	atSegment   = 12
	atPublished = 16 // uint64, machine order: bytes of entries that are complete
	atBase      = 24
	atEnded     = 32 // uint32, machine order: not 0 once the cell has ended
	atElement   = 40 // 16 bytes, zero padded
	elementSize = 16
)

const magic = "topos.lg"

// Kind says what an entry holds.
type Kind uint8

// The kinds of entry. A reader refuses others.
const (
	NodeEntry Kind = 1 // one node as a tape encodes it
	NameEntry Kind = 2 // a name bound to a node
)

// The ways a file is refused; test with errors.Is.
var (
	// ErrForeign: the file is no ledger.
	ErrForeign = errors.New("not a ledger")
	// ErrNewer: the file was written in another version of the format.
	ErrNewer = errors.New("ledger of another version")
	// ErrTorn: an entry is incomplete or does not make sense.
	ErrTorn = errors.New("torn ledger")
	// ErrEnded: the cell that the ledger belongs to has ended.
	ErrEnded = errors.New("the cell has ended")
)

// Header says what the entries continue.
type Header struct {
	Element string // short name of the tape's element
	Segment int    // segment that the nodes belong to
	Base    int    // nodes on the tape before the first entry
}

// Entry is one thing that a cell did. Fields a kind does not use are zero.
type Entry struct {
	Kind   Kind
	Node   []byte // NodeEntry: valid until the next call of Next
	Name   string // NameEntry
	Index  int    // NameEntry: the node
	Record int    // nodes on the tape where the entry was written
}

// appendHeader writes a header with nothing published.
func appendHeader(b []byte, h Header) ([]byte, error) {
	if len(h.Element) > elementSize {
		return nil, fmt.Errorf("the element's name %q is longer than %d bytes", h.Element, elementSize)
	}
	if h.Base < 0 || h.Segment < 0 || uint64(h.Segment) > 1<<32-1 {
		return nil, fmt.Errorf("no ledger for segment %d at node %d", h.Segment, h.Base)
	}
	at := len(b)
	b = append(b, make([]byte, headerSize)...)
	head := b[at:]
	copy(head, magic)
	binary.LittleEndian.PutUint32(head[atVersion:], Version)
	binary.LittleEndian.PutUint32(head[atSegment:], uint32(h.Segment))
	binary.LittleEndian.PutUint64(head[atBase:], uint64(h.Base))
	copy(head[atElement:], h.Element)
	return b, nil
}

// maxNode bounds node indices: a tape's symbols hold 32 bits.
const maxNode = 1<<32 - 1

// parseHeader reads a header and the published length.
func parseHeader(b []byte) (h Header, published uint64, err error) {
	if len(b) < headerSize || string(b[:len(magic)]) != magic {
		return h, 0, ErrForeign
	}
	if v := binary.LittleEndian.Uint32(b[atVersion:]); v != Version {
		return h, 0, fmt.Errorf("%w: it has version %d, this program reads %d", ErrNewer, v, Version)
	}
	element := b[atElement : atElement+elementSize]
	n := len(element)
	for n > 0 && element[n-1] == 0 {
		n--
	}
	base := binary.LittleEndian.Uint64(b[atBase:])
	if base > maxNode {
		return h, 0, fmt.Errorf("%w: it continues node %d", ErrTorn, base)
	}
	h = Header{
		Element: string(element[:n]),
		Segment: int(binary.LittleEndian.Uint32(b[atSegment:])),
		Base:    int(base),
	}
	return h, binary.NativeEndian.Uint64(b[atPublished:]), nil
}
