package journal

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
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

// Parse reads what a session file holds, as [Read] does.
func Parse(b []byte) (*Opened, error) {
	return readWhole(bytes.NewReader(b), int64(len(b)))
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
		for slot, p := range o.content.payloads {
			b := p.bits
			if p.file.number != 0 {
				if b, err = bits(p.file); err != nil && origins[slot] < synced {
					return nil, err
				} else if err != nil {
					broken = max(broken, origins[slot])
				}
			}
			o.Image.Payloads[slot] = b
		}
		if broken < 0 {
			return o, nil
		}
		limit = broken
	}
}

// replay applies the changes before an offset. Origins are the offsets of the
// records that the payloads come from.
func replay(f io.ReaderAt, size, limit int64) (o *Opened, origins map[int]int64, synced int64, err error) {
	s, err := newScanner(f, size)
	if err != nil {
		return nil, nil, 0, err
	}
	o = &Opened{content: newContent()}
	origins = map[int]int64{}
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
		for _, p := range x.payloads {
			origins[p.slot] = r.at
		}
	}
	if o.Tear != nil && o.Tear.At > limit {
		o.Tear = &Tear{limit, size - limit}
	}
	o.ended = s.ended
	o.Image = &Image{Element: o.content.element, Segments: o.content.segments, Payloads: map[int][]byte{}, Tables: o.content.tables}
	return o, origins, s.synced, nil
}
