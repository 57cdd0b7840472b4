package checkpoint

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"encoding/json"
	"io"
	"slices"
	"strconv"

	"github.com/topos-notebook/topos/topos"
)

// Decode reads a safetensors file, by whomever it was written. Entries are in the
// order of their bits, and point into b. It fails for a file that is torn, whose
// header is malformed, or whose tensors overlap or leave gaps; for an element and
// a shape that no tensor has; and for a version that it does not know, where the
// error names both.
func Decode(b []byte) (Checkpoint, error) {
	if len(b) < alignment {
		return nil, failed(ErrFormat, "the file of %d bytes is no safetensors file: it ends within its first 8 bytes", len(b))
	}
	n, rest := binary.LittleEndian.Uint64(b), b[alignment:]
	switch {
	case n > mostHeader:
		return nil, failed(ErrFormat, "the file is no safetensors file: a header of %d bytes is more than %d", n, mostHeader)
	case n > uint64(len(rest)):
		return nil, failed(ErrFormat, "the file is torn: its header is %d bytes, %d are there", n, len(rest))
	}
	located, err := readHeader(rest[:n])
	if err != nil {
		return nil, err
	}
	return place(located, rest[n:])
}

// located is an entry before its bits are cut out of the file.
type located struct {
	path  string
	about tensorHeader
}

// tensorHeader is what the header says of one tensor.
type tensorHeader struct {
	Dtype   *string `json:"dtype"`
	Shape   *[]int  `json:"shape"`
	Offsets *[]int  `json:"data_offsets"`
}

// readHeader reads the JSON object, in its order. A key that is given twice would
// hide a tensor from some readers, so it is refused.
func readHeader(header []byte) ([]located, error) {
	malformed := func(why any) error { return failed(ErrFormat, "the file's header is malformed: %v", why) }
	d := json.NewDecoder(bytes.NewReader(header))
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, malformed("it is no JSON object")
	}
	var all []located
	seen := map[string]bool{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, malformed(err)
		}
		path, _ := token.(string)
		if seen[path] {
			return nil, malformed("it holds " + strconv.Quote(path) + " twice")
		}
		seen[path] = true
		if path == metadata {
			about := map[string]string{}
			if err := d.Decode(&about); err != nil {
				return nil, malformed(err)
			}
			if err := known(about); err != nil {
				return nil, err
			}
			continue
		}
		l := located{path: path}
		if err := d.Decode(&l.about); err != nil {
			return nil, malformed(err)
		}
		all = append(all, l)
	}
	if _, err := d.Token(); err != nil { // the closing brace
		return nil, malformed(err)
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, malformed("something follows the object")
	}
	return all, nil
}

// known fails for a file of a version that this reader does not know. A file
// without one is some other program's.
func known(about map[string]string) error {
	format, ours := about[formatKey]
	if !ours || format == strconv.Itoa(Format) {
		return nil
	}
	by := about[writerKey]
	if by == "" {
		by = "an unknown writer"
	}
	return failed(ErrVersion, "the checkpoint is of format %s, written by %s; this is %s, which reads format %d", format, by, writer, Format)
}

// place cuts the bits out of the data, which they must fill without a gap.
func place(all []located, data []byte) (Checkpoint, error) {
	for i := range all {
		if o := all[i].about.Offsets; o == nil || len(*o) != 2 {
			return nil, failed(ErrFormat, "entry %q does not say where its bits are", all[i].path)
		}
	}
	slices.SortStableFunc(all, func(a, b located) int { return cmp.Compare((*a.about.Offsets)[0], (*b.about.Offsets)[0]) })
	c := make(Checkpoint, 0, len(all))
	end := 0
	for _, l := range all {
		from, to := (*l.about.Offsets)[0], (*l.about.Offsets)[1]
		if from != end || to < from || to > len(data) {
			return nil, failed(ErrFormat, "entry %q lies at bytes %d to %d of %d, after one that ends at %d", l.path, from, to, len(data), end)
		}
		e, err := l.entry(data[from:to:to])
		if err != nil {
			return nil, err
		}
		c = append(c, e)
		end = to
	}
	if end != len(data) {
		return nil, failed(ErrFormat, "the file's tensors end at byte %d of %d", end, len(data))
	}
	return c, nil
}

// entry checks that the bits are those of the element and the shape.
func (l located) entry(bits []byte) (Entry, error) {
	if l.about.Dtype == nil || l.about.Shape == nil {
		return Entry{}, failed(ErrFormat, "entry %q does not say its element and shape", l.path)
	}
	e := Entry{Path: l.path, Shape: topos.Shape(*l.about.Shape), Bits: bits}
	width := 0
	for _, d := range dtypes {
		if d.name == *l.about.Dtype {
			e.Element, width = d.element, d.width
		}
	}
	if width == 0 {
		return Entry{}, failed(ErrElement, "entry %q is of %s, which is no element", l.path, strconv.Quote(*l.about.Dtype))
	}
	if volume, ok := volumeOf(e.Shape); !ok || volume*width != len(bits) {
		return Entry{}, failed(ErrShape, "entry %q has %d bytes for the shape %v of %s", l.path, len(bits), e.Shape, e.Element)
	}
	return e, nil
}
