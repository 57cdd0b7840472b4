package journal

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sight is an image as one text.
func sight(x *Image) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", x.Element)
	for _, s := range x.Segments {
		fmt.Fprintf(&b, "%d %q %d %q %d-%d by %d %v %x\n", s.Number, s.Cell, s.Count, s.Text, s.From, s.To, s.Superseded, s.Bound, checksum(s.Nodes))
		for _, p := range s.Aside {
			fmt.Fprintf(&b, "  aside %d: %d bytes %x\n", p.Slot, len(p.Bits()), checksum(p.Bits()))
		}
	}
	for slot := range 50 {
		if p, ok := x.Payloads[slot]; ok {
			fmt.Fprintf(&b, "slot %d: %d bytes %x\n", slot, len(p), checksum(p))
		}
	}
	for _, name := range []string{"adam", "sgd"} {
		if t, ok := x.Tables[name]; ok {
			fmt.Fprintf(&b, "%s: %x\n", name, t)
		}
	}
	return b.String()
}

// writing makes changes at random and knows what the session holds after each.
type writing struct {
	*rand.Rand
	x     Image // what the session holds
	count int
}

func newWriting(seed uint64) *writing {
	return &writing{Rand: rand.New(rand.NewPCG(seed, 1)), x: Image{Element: "f32", Payloads: map[int][]byte{}, Tables: map[string][]byte{}}}
}

func (w *writing) noise(n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(w.Uint32())
	}
	return b
}

// change is one commit: the tail cut or not, segments, payloads and tables.
func (w *writing) change() *Change {
	w.count++
	x := &Change{Element: w.x.Element, Slots: 50, Names: []string{"loss", strings.Repeat("x", 1000), "w"}}
	if w.count > 1 && w.IntN(10) == 0 {
		x.Fresh, x.Element = true, []string{"f32", "f64"}[w.IntN(2)]
		w.x = Image{Element: x.Element, Payloads: map[int][]byte{}, Tables: map[string][]byte{}}
	}
	w.x.Segments = append([]Segment{}, w.x.Segments...)
	if n := len(w.x.Segments); n > 0 {
		x.Kept = n - w.IntN(min(n, 3)+1)
		w.x.Segments = w.x.Segments[:x.Kept]
		if x.Kept > 0 && w.IntN(2) == 0 {
			x.Superseded = []Supersession{{w.IntN(x.Kept), w.count}}
			w.x.Segments[x.Superseded[0].Index].Superseded = w.count
		}
	}
	for range w.IntN(3) {
		from := w.x.Nodes()
		s := Segment{Number: len(w.x.Segments) + 1, Cell: "cell-" + string(rune('a'+w.IntN(5))), Count: w.count, Text: "%%tape\nλ = 1",
			From: from, To: from + w.IntN(4), Nodes: w.noise(w.IntN(300)), Bound: []Binding{{"λ", from}}}
		for place := range w.IntN(3) {
			size := 1 + w.IntN(100)
			if w.IntN(2) == 0 {
				size += inlined
			}
			bits := w.noise(size)
			s.Aside = append(s.Aside, Payload{Slot: place, Bits: func() []byte { return bits }})
		}
		w.x.Segments, x.Segments = append(w.x.Segments, s), append(x.Segments, s)
	}
	w.payloads(x)
	if w.IntN(4) == 0 {
		bits := w.noise(1 + w.IntN(9))
		switch w.IntN(4) {
		case 0:
			bits = nil
		case 1:
			bits = w.noise(inlined + 1)
		}
		x.Tables = append(x.Tables, Table{Name: "adam", Bits: bits})
		if w.x.Tables["adam"] = bits; bits == nil {
			delete(w.x.Tables, "adam")
		}
	}
	x.Nodes = w.x.Nodes()
	return x
}

func (w *writing) payloads(x *Change) {
	if w.IntN(5) == 0 {
		x.Slots = 3
		for slot := range w.x.Payloads {
			if slot >= 3 {
				delete(w.x.Payloads, slot)
			}
		}
	}
	for slot := range 5 {
		switch w.IntN(6) {
		case 0, 1:
			if slot >= x.Slots {
				continue
			}
			size := w.IntN(200)
			if w.IntN(3) == 0 {
				size = inlined + 1 + w.IntN(500)
			}
			bits := w.noise(size)
			x.Payloads = append(x.Payloads, Payload{Slot: slot, Bits: func() []byte { return bits }})
			w.x.Payloads[slot] = bits
		case 2:
			if slot < x.Slots {
				x.Payloads = append(x.Payloads, Payload{Slot: slot})
				delete(w.x.Payloads, slot)
			}
		}
	}
}

// whole is a change that holds the whole session.
func (w *writing) whole() *Change {
	x := &Change{Element: w.x.Element, Fresh: true, Segments: w.x.Segments, Slots: 50, Nodes: w.x.Nodes(), Names: []string{"w"}}
	for slot := range 50 {
		if bits, ok := w.x.Payloads[slot]; ok {
			x.Payloads = append(x.Payloads, Payload{Slot: slot, Bits: func() []byte { return bits }})
		}
	}
	if bits, ok := w.x.Tables["adam"]; ok {
		x.Tables = []Table{{Name: "adam", Bits: bits}}
	}
	return x
}

func newStore(t *testing.T) *Store {
	t.Helper()
	s, err := OpenStore(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// reread is what a session holds for the next who opens it.
func reread(t *testing.T, s *Store, number int) *Opened {
	t.Helper()
	o, err := s.Read(number)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// copied is a store with the same session, as session 1.
func copied(t *testing.T, s *Store, number int) *Store {
	t.Helper()
	c := newStore(t)
	if err := os.CopyFS(c.path(1), os.DirFS(s.path(number))); err != nil {
		t.Fatal(err)
	}
	return c
}

// log is the log of a session as it is on disk.
func (s *Store) log(t *testing.T, number int) []byte {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(s.path(number), logName))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.Clone(b)
}

func (s *Store) setLog(t *testing.T, number int, b []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(s.path(number), logName), b, 0o600); err != nil {
		t.Fatal(err)
	}
}
