package session

import (
	"fmt"

	"github.com/topos-notebook/topos/cells/payloads"
	"github.com/topos-notebook/topos/kernel/journal"
	"github.com/topos-notebook/topos/topos"
)

// content is a payload as the journal stores it.
type content struct {
	*topos.Payload
	files *payloads.Folder // nil for none
}

// Link implements [journal.Content]. The payload gets its file where it has none
// yet: the next Go cell would ask for it.
func (c content) Link(path string) bool {
	return c.files != nil && c.files.Link(c.Payload, path)
}

// gathered are the large payloads of an encoding, which names them by place.
type gathered []*topos.Payload

// Put implements [topos.Aside].
func (g *gathered) Put(p *topos.Payload) (name uint64, ok bool) {
	if p.Uniform() || p.Bytes() < payloads.Least {
		return 0, false
	}
	*g = append(*g, p)
	return uint64(len(*g) - 1), true
}

// Get implements [topos.Aside]. What is gathered is not read again.
func (g *gathered) Get(name uint64, _ func([]byte) (*topos.Payload, error)) (*topos.Payload, error) {
	return nil, fmt.Errorf("payload %d is yet to be written", name)
}

// written are the large payloads of a segment in the journal.
type written []journal.Payload

// Put implements [topos.Aside].
func (w written) Put(*topos.Payload) (name uint64, ok bool) { return 0, false }

// Get implements [topos.Aside].
func (w written) Get(name uint64, lay func([]byte) (*topos.Payload, error)) (*topos.Payload, error) {
	if name >= uint64(len(w)) {
		return nil, fmt.Errorf("it names payload %d of %d", name, len(w))
	}
	return lay(w[name].Bits())
}
