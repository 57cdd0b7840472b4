package wire

import (
	"encoding/binary"
	"fmt"
	"io"

	"github.com/topos-notebook/topos/cells/bounds"
)

// maxFrame is the longest frame, in bytes.
const maxFrame = bounds.Message

// Send writes a message as one frame: four bytes of length, then the message.
func Send(w io.Writer, m Message) error {
	e := &encoder{b: make([]byte, 4, 256)}
	e.b = append(e.b, m.kind())
	m.encode(e)
	if len(e.b)-4 > maxFrame {
		return fmt.Errorf("a message of %d bytes is longer than the %d that can be sent", len(e.b)-4, maxFrame)
	}
	binary.LittleEndian.PutUint32(e.b, uint32(len(e.b)-4))
	_, err := w.Write(e.b)
	return err
}

// Receive reads one frame. It gives io.EOF where the other side has closed
// between frames.
func Receive(r io.Reader) (Message, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, err
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n > maxFrame {
		return nil, fmt.Errorf("%w: a frame of %d bytes", ErrMalformed, n)
	}
	body, err := readUp(r, int(n))
	if err != nil {
		return nil, err
	}
	return parse(body)
}

// readUp reads n bytes. Memory grows with what has come, not with what is
// announced.
func readUp(r io.Reader, n int) ([]byte, error) {
	body := make([]byte, 0, min(n, 64<<10))
	for len(body) < n {
		if len(body) == cap(body) {
			body = append(make([]byte, 0, min(n, 2*cap(body))), body...)
		}
		got, err := r.Read(body[len(body):min(n, cap(body))])
		body = body[:len(body)+got]
		if err == io.EOF && len(body) < n {
			return nil, io.ErrUnexpectedEOF
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
	}
	return body, nil
}
