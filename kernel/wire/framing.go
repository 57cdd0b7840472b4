package wire

import "encoding/binary"

// framing follows what goes over a connection one way: a greeting, then frames of
// a header and a body each (ZMTP 3.0, https://rfc.zeromq.org/spec/23/).
type framing struct {
	greeted int    // bytes of the greeting seen, of greetingSize
	header  []byte // bytes of the current frame header
	flags   byte   // of the current frame
	body    uint64 // bytes of its body still to come
}

const greetingSize = 64

// What the flags of a frame say.
const (
	moreFlag = 1 // another frame of the message follows
	longFlag = 2 // the size takes eight bytes, not one
)

// part is what bytes belong to.
type part int

const (
	greetingPart part = iota
	headerPart
	bodyPart
)

// step takes bytes of one part, and says of which, and whether it ends there. A
// body of no bytes ends with its header.
func (f *framing) step(b []byte) (n int, of part, ends bool) {
	switch {
	case f.greeted < greetingSize:
		n = min(len(b), greetingSize-f.greeted)
		f.greeted += n
		return n, greetingPart, f.greeted == greetingSize
	case f.body > 0:
		n = int(min(uint64(len(b)), f.body))
		f.body -= uint64(n)
		return n, bodyPart, f.body == 0
	default:
		f.header = append(f.header, b[0])
		return 1, headerPart, f.headerEnds()
	}
}

// headerEnds looks at a frame header after each byte of it: a flags byte, then one
// byte of size, or eight when the flags say so.
func (f *framing) headerEnds() bool {
	if len(f.header) < 2 || f.header[0]&longFlag != 0 && len(f.header) < 9 {
		return false
	}
	f.flags, f.body = f.header[0], uint64(f.header[1])
	if f.flags&longFlag != 0 {
		f.body = binary.BigEndian.Uint64(f.header[1:])
	}
	f.header = f.header[:0]
	return true
}

// whole follows bytes, and says whether nothing is left open after them: no header,
// body or message. A greeting has no pieces that wait for others.
func (f *framing) whole(b []byte) bool {
	for len(b) > 0 {
		n, _, _ := f.step(b)
		b = b[n:]
	}
	return len(f.header) == 0 && f.body == 0 && f.flags&moreFlag == 0
}
