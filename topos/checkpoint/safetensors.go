package checkpoint

import (
	"encoding/binary"
	"encoding/json"
	"slices"
	"strconv"
	"unicode/utf8"

	"github.com/topos-notebook/topos/topos"
)

// A safetensors file is the length of its header (8 bytes, little-endian), the
// header, which is a JSON object, and the bits of the tensors one after another.
// The header maps each path to an element, a shape and where its bits lie, and
// "__metadata__" to strings, where the versions are.

// Format is the version of what is written, and the newest that is read.
const Format = 1

const (
	metadata   = "__metadata__"
	formatKey  = "topos.format"
	writerKey  = "topos.writer"
	writer     = "topos " + topos.Version
	alignment  = 8         // of the bits, as other writers pad
	mostHeader = 100 << 20 // as other readers limit it
)

// dtype is an element that the format has a name for.
type dtype struct {
	element, name string
	width         int // bytes
}

var dtypes = []dtype{{"f32", "F32", 4}, {"f64", "F64", 8}, {"bf16", "BF16", 2}, {"f16", "F16", 2}}

// Encode is the checkpoint as a safetensors file: equal checkpoints give equal
// bytes. It fails for an element that the format has no name for, bits that are
// not as many as the shape holds, and paths that are equal or that the format
// cannot hold.
func (c Checkpoint) Encode() ([]byte, error) {
	if _, err := c.positions(); err != nil {
		return nil, err
	}
	header := []byte(`{"` + metadata + `":{"` + formatKey + `":"` + strconv.Itoa(Format) + `","` + writerKey + `":"` + writer + `"}`)
	at := 0
	for i := range c {
		name, err := c[i].writable()
		if err != nil {
			return nil, err
		}
		path, err := json.Marshal(c[i].Path)
		if err != nil {
			return nil, failed(ErrPath, "the path %q cannot be written: %v", c[i].Path, err)
		}
		header = append(append(append(header, ','), path...), `:{"dtype":"`+name+`","shape":[`...)
		for axis, extent := range c[i].Shape {
			if axis > 0 {
				header = append(header, ',')
			}
			header = strconv.AppendInt(header, int64(extent), 10)
		}
		header = append(header, `],"data_offsets":[`...)
		header = append(strconv.AppendInt(header, int64(at), 10), ',')
		at += len(c[i].Bits)
		header = append(strconv.AppendInt(header, int64(at), 10), "]}"...)
	}
	header = append(header, '}')
	for len(header)%alignment != 0 {
		header = append(header, ' ')
	}
	b := make([]byte, 0, alignment+len(header)+at)
	b = append(binary.LittleEndian.AppendUint64(b, uint64(len(header))), header...)
	for i := range c {
		b = append(b, c[i].Bits...)
	}
	return b, nil
}

// writable gives the format's name of the entry's element.
func (e *Entry) writable() (string, error) {
	if e.Path == metadata || !utf8.ValidString(e.Path) {
		return "", failed(ErrPath, "the path %q cannot be written", e.Path)
	}
	at := slices.IndexFunc(dtypes, func(d dtype) bool { return d.element == e.Element })
	if at < 0 {
		return "", failed(ErrElement, "entry %q is of %s, which a safetensors file has no name for", e.Path, e.Element)
	}
	volume, ok := volumeOf(e.Shape)
	if !ok || len(e.Bits) != volume*dtypes[at].width {
		return "", failed(ErrShape, "entry %q has %d bytes for the shape %v of %s", e.Path, len(e.Bits), e.Shape, e.Element)
	}
	return dtypes[at].name, nil
}

// volumeOf is the number of elements of a shape that a tensor may have.
func volumeOf(shape topos.Shape) (volume int, ok bool) {
	if shape.Rank() > topos.MaxRank {
		return 0, false
	}
	volume = 1
	for _, extent := range shape {
		if extent < 1 || extent > topos.MaxVolume/volume {
			return 0, false
		}
		volume *= extent
	}
	return volume, true
}
