package process

import (
	"fmt"
	"unicode/utf8"

	"github.com/topos-notebook/topos/cells/bounds"
)

// OutputLimit bounds what one stream of one cell may bring, in bytes: of more, the
// beginning and the end are kept, and how much was between them.
const OutputLimit = bounds.Output

// Capped bounds a text that comes bit by bit: it lets the first half of its limit
// pass and keeps the last half of what follows.
type Capped struct {
	half int
	head int    // bytes that have passed
	tail []byte // at least the last half of the others
	lost int    // bytes dropped before tail
}

// NewCapped makes a bound of so many bytes.
func NewCapped(limit int) *Capped { return &Capped{half: max(limit/2, 64)} }

// Add takes bytes and returns those that pass.
func (c *Capped) Add(p []byte) []byte {
	var pass []byte
	if room := c.half - c.head; room > 0 {
		n := min(room, len(p))
		if n < len(p) {
			n = completeRunes(p[:n])
			c.head = c.half // what is left of a rune goes with the rest
		} else {
			c.head += n
		}
		pass, p = p[:n], p[n:]
	}
	c.tail = append(c.tail, p...)
	if len(c.tail) > 4*c.half { // rarely, so that each byte moves about once
		c.trim()
	}
	return pass
}

func (c *Capped) trim() {
	if over := len(c.tail) - c.half; over > 0 {
		c.tail = append(c.tail[:0], c.tail[over:]...)
		c.lost += over
	}
}

// Rest returns what did not pass: the tail, after a line that says how much
// was left out.
func (c *Capped) Rest() []byte {
	c.trim()
	if c.lost == 0 {
		return c.tail
	}
	for len(c.tail) > 0 && !utf8.RuneStart(c.tail[0]) {
		c.tail = c.tail[1:]
		c.lost++
	}
	return append(fmt.Appendf(nil, "\n[%d bytes left out]\n", c.lost), c.tail...)
}
