package journal

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
)

// Opened is a session as it was read.
type Opened struct {
	Image *Image
	Tear  *Tear // nil where the file is whole

	content *content
	ended   bool
}

// Read reads a session file that [Save] wrote. It must be whole.
func Read(path string) (*Opened, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, named(path, refused(ErrForeign, "it is not a session file"))
	}
	o, err := readWhole(f, info.Size())
	if err != nil {
		return nil, named(path, err)
	}
	return o, nil
}

// readWhole reads a file that must hold everything.
func readWhole(f io.ReaderAt, size int64) (*Opened, error) {
	o, err := read(f, size, alone)
	if err == nil && (o.Tear != nil || !o.ended) {
		err = refused(ErrDamaged, "it is torn: its end is missing")
	}
	if err != nil {
		return nil, err
	}
	return o, nil
}

// named says which file an error is about, by its last name: a notebook's
// outputs hold no paths.
func named(path string, err error) error {
	return &refusal{fmt.Sprintf("%s: %v", filepath.Base(path), err), err}
}

// payloads reads payload files.
type payloads func(file) ([]byte, error)

// alone refuses the payload files of a file that should hold everything.
func alone(f file) ([]byte, error) {
	return nil, refused(ErrDamaged, "it names the payload file %d, and should hold everything", f.number)
}

// read puts a session together from a file. Where payloads of the last changes
// did not reach the disk before a power loss, the session is as it was before
// those.
func read(f io.ReaderAt, size int64, bits payloads) (*Opened, error) {
	for limit := int64(math.MaxInt64); ; {
		o, origins, synced, err := replay(f, size, limit)
		if err != nil {
			return nil, err
		}
		broken := int64(-1)
		get := func(p slotPayload, origin int64) ([]byte, error) {
			if p.file.number == 0 {
				return p.bits, nil
			}
			b, err := bits(p.file)
			if err != nil && origin >= synced {
				broken, err = max(broken, origin), nil
			}
			return b, err
		}
		for i := range o.Image.Segments {
			g := &o.Image.Segments[i]
			for _, p := range g.aside {
				b, err := get(p, origins.segments[i])
				if err != nil {
					return nil, err
				}
				g.Aside = append(g.Aside, Payload{Slot: p.slot, Bits: func() []byte { return b }})
			}
			g.aside = nil // this file's, which another would not have
		}
		for slot, p := range o.content.payloads {
			b, err := get(p, origins.payloads[slot])
			if err != nil {
				return nil, err
			}
			o.Image.Payloads[slot] = b
		}
		for name, p := range o.content.tables {
			b, err := get(p, origins.tables[name])
			if err != nil {
				return nil, err
			}
			o.Image.Tables[name] = b
		}
		if broken < 0 {
			return o, nil
		}
		limit = broken
	}
}

// origins are the offsets of the records that payloads come from.
type origins struct {
	segments []int64          // of each segment
	payloads map[int]int64    // by slot
	tables   map[string]int64 // by name
}

func (o *origins) note(x *stored, at int64) {
	o.segments = o.segments[:x.kept]
	for range x.segments {
		o.segments = append(o.segments, at)
	}
	for _, p := range x.payloads {
		o.payloads[p.slot] = at
	}
	for _, t := range x.tables {
		o.tables[t.name] = at
	}
}

// replay applies the changes before an offset.
func replay(f io.ReaderAt, size, limit int64) (o *Opened, from *origins, synced int64, err error) {
	s, err := newScanner(f, size)
	if err != nil {
		return nil, nil, 0, err
	}
	o = &Opened{content: newContent()}
	from = &origins{payloads: map[int]int64{}, tables: map[string]int64{}}
	for {
		r, body, tear, err := s.next(math.MaxUint64)
		if err != nil {
			return nil, nil, 0, err
		}
		if tear != nil {
			o.Tear = tear
		}
		if r == nil {
			break
		}
		if r.at >= limit {
			if o.Tear == nil {
				o.Tear = &Tear{r.at, size - r.at}
			}
			continue
		}
		if r.kind == endRecord {
			continue
		}
		x, err := decode(body)
		if err == nil {
			err = o.content.apply(x)
		}
		if err != nil {
			return nil, nil, 0, err
		}
		from.note(x, r.at)
	}
	if o.Tear != nil && o.Tear.At > limit {
		o.Tear = &Tear{limit, size - limit}
	}
	o.ended = s.ended
	o.Image = &Image{Element: o.content.element, Segments: slices.Clone(o.content.segments), Payloads: map[int][]byte{}, Tables: map[string][]byte{}}
	return o, from, s.synced, nil
}
