package journal

import (
	"bytes"
	"io"
	"maps"
	"slices"
)

// Change is what a commit did to a session: what to keep of what was written
// before, and what follows it.
type Change struct {
	Element    string         // of the tape
	Fresh      bool           // begin anew: nothing is kept
	Kept       int            // segments that stay, from the first on
	Superseded []Supersession // of segments that stay
	Segments   []Segment      // that follow those that stay
	Slots      int            // payloads of slots from here on are gone
	Payloads   []Payload      // that differ
	Tables     []Table        // that differ
	Nodes      int            // on the tape
	Names      []string       // in force, the newest first; for lists of sessions
}

// Segment is what one run of a cell recorded.
type Segment struct {
	Number     int
	Cell       string // the client's id of the cell
	Count      int    // execution count
	Text       string // of the cell
	From, To   int    // nodes: from, up to but not including to
	Superseded int    // the later segment of the same cell, 0 for none
	Bound      []Binding
	Nodes      []byte // as a tape encodes them
	// Aside are large payloads that the encoding names by their place here, which
	// is their slot too.
	Aside []Payload

	size  int           // of one that is outlined, see [Log]
	aside []slotPayload // as a record holds them
}

// Binding is a name and the node that it was bound to.
type Binding struct {
	Name string
	Node int
}

// Supersession says that the segment at an index was superseded by one of a number.
type Supersession struct{ Index, By int }

// Payload is the live payload of a parameter's slot.
type Payload struct {
	Slot int
	// Bits gives the payload's bytes; nil where the recorded one holds again.
	Bits func() []byte
	// Content is asked instead where there is one and it is large.
	Content Content
}

// bytes is the payload's bits in memory.
func (p *Payload) bytes() []byte {
	if p.Bits != nil {
		return p.Bits()
	}
	var b bytes.Buffer
	p.Content.WriteTo(&b) // memory takes what it is given
	return b.Bytes()
}

// Content is the bits of a payload for who need not hold them.
type Content interface {
	Bytes() int // how many
	WriteTo(w io.Writer) (int64, error)
	// Link gives a file that holds them, and is never changed, a further name;
	// false where there is no such file or the name is on another disk.
	Link(path string) bool
}

// Table is further state of the session under a name, such as an optimizer's. No
// bits remove it.
type Table struct {
	Name    string
	Bits    []byte
	Content Content // instead of bits
}

// Image is a session as it was committed last.
type Image struct {
	Element  string
	Segments []Segment
	Payloads map[int][]byte    // by slot
	Tables   map[string][]byte // by name
}

// Nodes is the number of nodes on the tape.
func (x *Image) Nodes() int { return nodes(x.Segments) }

func nodes(segments []Segment) int {
	if len(segments) == 0 {
		return 0
	}
	return segments[len(segments)-1].To
}

// stored is a change as a record holds it.
type stored struct {
	summary    Summary
	fresh      bool
	kept       int
	superseded []Supersession
	segments   []Segment
	slots      int
	payloads   []slotPayload
	tables     []namedPayload
}

// namedPayload is a table as a record holds it: as a payload, of no slot.
type namedPayload struct {
	name string
	slotPayload
}

// slotPayload is a payload as a record holds it: its bits, or the file that has
// them, or neither where the recorded one holds.
type slotPayload struct {
	slot int
	bits []byte
	file file
}

// file is the payload file of a number, 0 for none.
type file struct {
	number int
	length int64
	sum    uint32
}

func (p *slotPayload) none() bool { return p.bits == nil && p.file.number == 0 }

// size is how many bytes it takes, in the log or beside it.
func (p *slotPayload) size() int64 { return int64(len(p.bits)) + p.file.length }

// Summary is what a list of sessions shows of one.
type Summary struct {
	Element  string
	Segments int
	Nodes    int
	Names    []string // the newest of those in force
}

// ListedNames is how many names a list of sessions shows of one.
const ListedNames = 8

// A summary lists so many names, one more than is shown, so that it is known whether
// there are more; each is of no more than so many bytes.
const (
	summarised  = ListedNames + 1
	longestName = 64
)

// content is a session put together from its changes.
type content struct {
	element  string
	segments []Segment
	payloads map[int]slotPayload
	tables   map[string]slotPayload
}

func newContent() *content {
	return &content{payloads: map[int]slotPayload{}, tables: map[string]slotPayload{}}
}

// apply brings the content up to date. It fails for a change that does not
// continue it, and leaves it as it was.
func (c *content) apply(x *stored) error {
	base := c.segments
	if x.fresh {
		base = nil
	}
	if x.kept > len(base) || x.fresh && x.kept > 0 {
		return refused(ErrDamaged, "a change keeps %d of %d segments", x.kept, len(base))
	}
	for _, s := range x.superseded {
		if s.Index >= x.kept {
			return refused(ErrDamaged, "a change supersedes segment %d of %d", s.Index, x.kept)
		}
	}
	at := nodes(base[:x.kept])
	for i := range x.segments {
		if s := &x.segments[i]; s.From != at || s.To < at {
			return refused(ErrDamaged, "a segment holds nodes %d to %d, after %d", s.From, s.To, at)
		}
		at = x.segments[i].To
	}
	c.element = x.summary.Element
	if x.fresh {
		clear(c.payloads)
		clear(c.tables)
	}
	c.segments = append(base[:x.kept], x.segments...)
	for _, s := range x.superseded {
		c.segments[s.Index].Superseded = s.By
	}
	for slot := range c.payloads {
		if slot >= x.slots {
			delete(c.payloads, slot)
		}
	}
	for _, p := range x.payloads {
		if p.none() {
			delete(c.payloads, p.slot)
		} else {
			c.payloads[p.slot] = p
		}
	}
	for _, t := range x.tables {
		if t.none() {
			delete(c.tables, t.name)
		} else {
			c.tables[t.name] = t.slotPayload
		}
	}
	return nil
}

// replaced are the payload files that a change takes out of the content.
func (c *content) replaced(x *stored) []file {
	var gone []file
	add := func(p slotPayload) {
		if p.file.number != 0 {
			gone = append(gone, p.file)
		}
	}
	for i := x.kept; i < len(c.segments); i++ { // none are kept of a fresh one
		for _, p := range c.segments[i].aside {
			add(p)
		}
	}
	for slot, p := range c.payloads {
		if x.fresh || slot >= x.slots {
			add(p)
		}
	}
	for name, p := range c.tables {
		if x.fresh || slices.ContainsFunc(x.tables, func(n namedPayload) bool { return n.name == name }) {
			add(p)
		}
	}
	for _, n := range x.payloads {
		if p, ok := c.payloads[n.slot]; ok && !x.fresh && n.slot < x.slots {
			add(p)
		}
	}
	return gone
}

// files calls f with every payload file that the content names.
func (c *content) files(f func(file)) {
	for i := range c.segments {
		for _, p := range c.segments[i].aside {
			if p.file.number != 0 {
				f(p.file)
			}
		}
	}
	for _, p := range c.payloads {
		if p.file.number != 0 {
			f(p.file)
		}
	}
	for _, p := range c.tables {
		if p.file.number != 0 {
			f(p.file)
		}
	}
}

// size is how many bytes a snapshot of the content takes, roughly.
func (c *content) size() int64 {
	n := int64(headerSize + 2*recordSize)
	for i := range c.segments {
		s := &c.segments[i]
		n += int64(s.size + len(s.Nodes) + len(s.Text) + 64)
		for j := range s.aside {
			n += s.aside[j].size() + 16
		}
	}
	for _, p := range c.payloads {
		n += p.size() + 16
	}
	for _, p := range c.tables {
		n += p.size() + 16
	}
	return n
}

// Change is the change that makes the whole image.
func (x *Image) Change() *Change {
	c := &Change{Element: x.Element, Fresh: true, Segments: x.Segments, Nodes: x.Nodes()}
	for _, slot := range slices.Sorted(maps.Keys(x.Payloads)) {
		c.Slots = slot + 1
		c.Payloads = append(c.Payloads, Payload{Slot: slot, Bits: func() []byte { return x.Payloads[slot] }})
	}
	for _, name := range slices.Sorted(maps.Keys(x.Tables)) {
		c.Tables = append(c.Tables, Table{Name: name, Bits: x.Tables[name]})
	}
	c.Names = newest(x.Segments)
	return c
}

// newest are the names that segments bound last, as many as a summary lists.
func newest(segments []Segment) []string {
	var names []string
	for _, s := range slices.Backward(segments) {
		for _, b := range slices.Backward(s.Bound) {
			if len(names) < summarised && !slices.Contains(names, b.Name) {
				names = append(names, b.Name)
			}
		}
	}
	return names
}
