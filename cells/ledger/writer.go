package ledger

import (
	"encoding/binary"
	"fmt"
	"os"
	"sync/atomic"
	"unsafe"

	"github.com/topos-notebook/topos/cells/bounds"
)

// firstSize is the size of a new file's region; it doubles from there.
const firstSize = 64 << 10

// Create makes an empty ledger at a path where nothing is yet, readable by
// nobody else.
func Create(path string, h Header) error {
	head, err := appendHeader(nil, h)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(head)
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

// End tells the writer of a ledger, which may still run, that its cell has
// ended: what it writes from here on is refused.
func End(path string) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	var word [4]byte
	binary.NativeEndian.PutUint32(word[:], 1)
	_, err = f.WriteAt(word[:], atEnded)
	if closing := f.Close(); err == nil {
		err = closing
	}
	return err
}

// Writer appends entries. It is not safe for concurrent use.
type Writer struct {
	file   *os.File
	region []byte // the mapped file, header included
	at     int    // offset of the next entry
	nodes  int    // on the tape
	header Header
}

// Open maps the ledger at a path for writing. Only an empty one is taken: a
// ledger has one writer.
func Open(path string) (*Writer, error) {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	w := &Writer{file: f, at: headerSize}
	if err := w.open(); err != nil {
		f.Close()
		return nil, err
	}
	return w, nil
}

func (w *Writer) open() error {
	head := make([]byte, headerSize)
	if _, err := w.file.ReadAt(head, 0); err != nil {
		return ErrForeign
	}
	h, published, err := parseHeader(head)
	if err != nil {
		return err
	}
	if published != 0 {
		return fmt.Errorf("%w: it has been written to", ErrForeign)
	}
	w.header, w.nodes = h, h.Base
	return w.resize(firstSize)
}

// Header says what the entries continue.
func (w *Writer) Header() Header { return w.header }

// Nodes is the number of nodes on the tape: those before the ledger's first
// entry and those written.
func (w *Writer) Nodes() int { return w.nodes }

// resize makes the file, and then the region, at least size bytes long.
func (w *Writer) resize(size int) error {
	// Reserved first: storing into a page that the disk cannot hold would end
	// the process with SIGBUS.
	if err := reserve(w.file, int64(size)); err != nil {
		return fmt.Errorf("the ledger cannot grow to %d bytes: %w", size, err)
	}
	grown, err := mapFile(w.file, size)
	if err != nil {
		return fmt.Errorf("the ledger cannot be mapped: %w", err)
	}
	if w.region != nil {
		unmap(w.region)
	}
	w.region = grown
	return nil
}

// Node appends a node's encoding. It fails where the file cannot grow, and
// after the cell has ended; nothing is published then.
func (w *Writer) Node(encoded []byte) error {
	if err := bounds.Tape(w.nodes + 1); err != nil {
		return err
	}
	b, err := w.begin(NodeEntry, len(encoded))
	if err != nil {
		return err
	}
	copy(b, encoded)
	w.publish(len(b))
	w.nodes++
	return nil
}

// Name appends the binding of a name to a node.
func (w *Writer) Name(name string, index int) error {
	payload := binary.AppendUvarint(make([]byte, 0, len(name)+8), uint64(index))
	payload = append(payload, name...)
	b, err := w.begin(NameEntry, len(payload))
	if err != nil {
		return err
	}
	copy(b, payload)
	w.publish(len(b))
	return nil
}

// begin stores an entry's kind and length, and returns where its payload goes.
func (w *Writer) begin(k Kind, size int) ([]byte, error) {
	if w.region == nil {
		return nil, os.ErrClosed
	}
	if atomic.LoadUint32((*uint32)(unsafe.Pointer(&w.region[atEnded]))) != 0 {
		return nil, ErrEnded
	}
	if need := w.at + 1 + binary.MaxVarintLen64 + size; need > len(w.region) {
		grown := 2 * len(w.region)
		for grown < need {
			grown *= 2
		}
		if err := w.resize(grown); err != nil {
			return nil, err
		}
	}
	w.region[w.at] = byte(k)
	w.at += 1 + binary.PutUvarint(w.region[w.at+1:], uint64(size))
	return w.region[w.at : w.at+size], nil
}

// publish ends the entry begun, whose payload has been stored.
func (w *Writer) publish(size int) {
	w.at += size
	atomic.StoreUint64((*uint64)(unsafe.Pointer(&w.region[atPublished])), uint64(w.at-headerSize))
}

// Close unmaps the file. What was published stays.
func (w *Writer) Close() error {
	if w.region == nil {
		return nil
	}
	unmap(w.region)
	w.region = nil
	return w.file.Close()
}
