package journal

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

// FuzzSessionFile reads bytes as a session: they are refused, or make sense.
func FuzzSessionFile(f *testing.F) {
	w := newWriting(2)
	for range 3 {
		w.change()
		path := filepath.Join(f.TempDir(), "s")
		if err := Save(path, w.whole()); err != nil {
			f.Fatal(err)
		}
		b, _ := os.ReadFile(path)
		f.Add(b)
		f.Add(b[:len(b)/2])
	}
	f.Add(header())
	f.Fuzz(func(t *testing.T, b []byte) {
		o, err := readWhole(bytes.NewReader(b), int64(len(b)))
		if err != nil {
			if o != nil {
				t.Error("an answer beside an error")
			}
			return
		}
		// What is read and written is read again as the same.
		x := &Change{Element: o.Image.Element, Segments: o.Image.Segments, Slots: 1 << 40}
		for slot, bits := range o.Image.Payloads {
			if slot < 50 {
				x.Payloads = []Payload{{Slot: slot, Bits: func() []byte { return bits }}}
			} else {
				delete(o.Image.Payloads, slot)
			}
			break
		}
		if len(o.Image.Payloads) > 1 {
			return
		}
		path := filepath.Join(t.TempDir(), "s")
		if err := Save(path, x); err != nil {
			t.Fatal(err)
		}
		again, err := Read(path)
		if err != nil {
			t.Fatal(err)
		}
		o.Image.Tables = nil
		if sight(again.Image) != sight(o.Image) {
			t.Errorf("%s\nwant\n%s", sight(again.Image), sight(o.Image))
		}
	})
}

// FuzzChange reads bytes as the body of a record.
func FuzzChange(f *testing.F) {
	w := newWriting(4)
	for range 5 {
		f.Add(w.change().stored().encode())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		x, err := decode(b)
		if err != nil {
			return
		}
		c := newContent()
		if c.apply(x) == nil {
			c.size()
		}
	})
}
