package session

import (
	"testing"

	"github.com/topos-notebook/topos/kernel/journal"
	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/topos"
)

// FuzzSession makes a notebook of what a session file may hold, and works with it.
func FuzzSession(f *testing.F) {
	tape := topos.New(topos.F32)
	w := tape.Parameter(topos.Shape{2}, 1, 2)
	w.Mul(w).Sum()
	f.Add("f32", tape.Encode(0), 0, tape.Len(), "w", 0, 0, make([]byte, 8))
	f.Add("f64", []byte{}, 0, 0, "", 0, 1, []byte{})
	f.Fuzz(func(t *testing.T, element string, nodes []byte, from, to int, name string, node, slot int, payload []byte) {
		x := &journal.Image{Element: element, Payloads: map[int][]byte{slot: payload},
			Segments: []journal.Segment{{Number: 1, Cell: "a", From: from, To: to, Nodes: nodes, Bound: []journal.Binding{{Name: name, Node: node}}}}}
		n, err := restored(x)
		if err != nil {
			return
		}
		before := entire(n)
		again, err := restored(imaged(n))
		if err != nil {
			t.Fatal(err)
		}
		if after := entire(again); after != before {
			t.Fatalf("%s\nwant\n%s", after, before)
		}
		a := n.begin(server.Cell{ID: "a", Count: 1, Code: "x"})
		a.soFar()
		a.rollback()
		if after := entire(n); after != before {
			t.Errorf("%s\nwant\n%s", after, before)
		}
	})
}

// imaged is a notebook as it is read from a file.
func imaged(n notebook) *journal.Image {
	c, _ := n.change(&mark{})
	x := &journal.Image{Element: c.Element, Segments: c.Segments, Payloads: map[int][]byte{}}
	for _, p := range c.Payloads {
		if p.Bits != nil {
			x.Payloads[p.Slot] = p.Bits()
		}
	}
	return x
}
