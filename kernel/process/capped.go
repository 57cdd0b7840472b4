package process

import (
	"bytes"
	"fmt"
	"unicode/utf8"

	"github.com/topos-notebook/topos/cells/bounds"
)

// OutputLimit bounds what one stream of one cell may bring, in bytes: of more, the
// beginning and the end are kept, and how much was between them.
const OutputLimit = bounds.Output

// longestEdge is how far from where a text is cut the end of a line is looked for.
const longestEdge = 4096

// Capped bounds a text that comes bit by bit: it lets the first half of its limit
// pass and keeps the last half of what follows. Where lines are not too long, it
// cuts between them, and at the same place however the text is divided.
type Capped struct {
	half  int
	near  int    // bytes of an edge
	head  int    // bytes that have passed
	edge  []byte // the end of the first half: what is to be cut off is known later
	tail  []byte // at least the last half of the others
	lost  int    // bytes dropped before tail
	lines int    // ends of lines among them
}

// NewCapped makes a bound of so many bytes.
func NewCapped(limit int) *Capped {
	half := max(limit/2, 64)
	return &Capped{half: half, near: min(longestEdge, half/4)}
}

// Add takes bytes and returns those that pass.
func (c *Capped) Add(p []byte) []byte {
	n := 0
	if len(c.edge) == 0 {
		if n = min(c.half-c.near-c.head, len(p)); n < len(p) {
			n = completeRunes(p[:n])
		}
	}
	pass, p := p[:n], p[n:]
	c.head += n
	n = min(c.half-c.head-len(c.edge), len(p))
	c.edge = append(c.edge, p[:n]...)
	c.tail = append(c.tail, p[n:]...)
	if len(c.tail) > 4*c.half { // rarely, so that each byte moves about once
		c.drop(len(c.tail) - c.half)
	}
	return pass
}

// drop forgets bytes of the tail's beginning.
func (c *Capped) drop(n int) {
	c.lost += n
	c.lines += bytes.Count(c.tail[:n], []byte("\n"))
	c.tail = append(c.tail[:0], c.tail[n:]...)
}

// Rest returns what did not pass: the tail, after a line that says how much
// was left out.
func (c *Capped) Rest() []byte {
	if over := len(c.tail) - c.half; over > 0 {
		c.drop(over)
	}
	if c.lost == 0 {
		return append(c.edge, c.tail...)
	}
	c.drop(beginning(c.tail, c.near))
	end := ending(c.edge)
	c.lost += len(c.edge) - end
	rest := c.edge[:end]
	if end == 0 || rest[end-1] != '\n' {
		rest = append(rest, '\n')
	}
	if c.lines > 0 {
		rest = fmt.Appendf(rest, "[%d lines, %d bytes left out]\n", c.lines, c.lost)
	} else {
		rest = fmt.Appendf(rest, "[%d bytes left out]\n", c.lost)
	}
	return append(rest, c.tail...)
}

// beginning returns where the first line that is whole begins, if that is near;
// otherwise where the first rune does.
func beginning(text []byte, near int) int {
	if i := bytes.IndexByte(text[:min(near, len(text))], '\n'); i >= 0 {
		return i + 1
	}
	i := 0
	for i < len(text) && !utf8.RuneStart(text[i]) {
		i++
	}
	return i
}

// ending returns where the last line that is whole ends, if there is one; otherwise
// where the last rune does.
func ending(text []byte) int {
	if i := bytes.LastIndexByte(text, '\n'); i >= 0 {
		return i + 1
	}
	return completeRunes(text)
}
