package checkpoint_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/checkpoint"
)

// safetensors is a file of a header and some data.
func safetensors(header string, data int) []byte {
	b := binary.LittleEndian.AppendUint64(nil, uint64(len(header)))
	return append(append(b, header...), make([]byte, data)...)
}

func TestFilesOfOtherPrograms(t *testing.T) {
	// In the order of the bits, not of the header; metadata of any kind; padding.
	c, err := checkpoint.Decode(safetensors(`{"b":{"dtype":"F64","shape":[1,2],"data_offsets":[4,20]},"__metadata__":{"format":"pt"},"a":{"data_offsets":[0,4],"shape":[2],"dtype":"BF16"}}   `, 20))
	if err != nil {
		t.Fatal(err)
	}
	if len(c) != 2 || c[0].Path != "a" || c[0].Element != "bf16" || c[1].Path != "b" || !c[1].Shape.Equal(topos.Shape{1, 2}) {
		t.Errorf("read %v", c)
	}
	if c, err := checkpoint.Decode(safetensors(`{}`, 0)); err != nil || len(c) != 0 {
		t.Errorf("an empty file gives %v, %v", c, err)
	}
}

func TestC46VersionsAreNamed(t *testing.T) {
	own := topos.Must(checkpoint.Checkpoint{{Path: "w", Element: "f32", Bits: make([]byte, 4)}}.Encode())
	if want := `{"__metadata__":{"topos.format":"1","topos.writer":"topos ` + topos.Version + `"}`; !bytes.HasPrefix(own[8:], []byte(want)) {
		t.Errorf("the header is %q", own[8:])
	}
	for header, want := range map[string]string{
		`{"__metadata__":{"topos.format":"2","topos.writer":"topos 9.1.0"}}`: "the checkpoint is of format 2, written by topos 9.1.0; this is topos " + topos.Version + ", which reads format 1",
		`{"__metadata__":{"topos.format":"0"}}`:                              "the checkpoint is of format 0, written by an unknown writer; this is topos " + topos.Version + ", which reads format 1",
	} {
		if _, err := checkpoint.Decode(safetensors(header, 0)); !errors.Is(err, checkpoint.ErrVersion) || err.Error() != want {
			t.Errorf("%s fails by %v", header, err)
		}
	}
}

func TestMalformedFiles(t *testing.T) {
	const w = `"dtype":"F32","shape":[1]`
	for name, c := range map[string]struct {
		file []byte
		err  error
		want string
	}{
		"nothing":             {nil, checkpoint.ErrFormat, "0 bytes"},
		"a torn header":       {safetensors(`{"a":{}}`, 0)[:12], checkpoint.ErrFormat, "torn: its header is 8 bytes, 4 are there"},
		"a huge header":       {binary.LittleEndian.AppendUint64(nil, 1<<62), checkpoint.ErrFormat, "a header of 4611686018427387904 bytes"},
		"no object":           {safetensors(`[1]`, 0), checkpoint.ErrFormat, "no JSON object"},
		"an open object":      {safetensors(`{"a":{`+w+`,"data_offsets":[0,4]}`, 4), checkpoint.ErrFormat, "malformed"},
		"two objects":         {safetensors(`{}{}`, 0), checkpoint.ErrFormat, "something follows"},
		"a key twice":         {safetensors(`{"a":{`+w+`,"data_offsets":[0,4]},"a":{`+w+`,"data_offsets":[4,8]}}`, 8), checkpoint.ErrFormat, `holds "a" twice`},
		"no offsets":          {safetensors(`{"a":{`+w+`}}`, 4), checkpoint.ErrFormat, "does not say where"},
		"three offsets":       {safetensors(`{"a":{`+w+`,"data_offsets":[0,4,8]}}`, 4), checkpoint.ErrFormat, "does not say where"},
		"no shape":            {safetensors(`{"a":{"dtype":"F32","data_offsets":[0,4]}}`, 4), checkpoint.ErrFormat, "does not say its element"},
		"a null entry":        {safetensors(`{"a":null}`, 4), checkpoint.ErrFormat, "does not say where"},
		"a gap":               {safetensors(`{"a":{`+w+`,"data_offsets":[4,8]}}`, 8), checkpoint.ErrFormat, "after one that ends at 0"},
		"an overlap":          {safetensors(`{"a":{`+w+`,"data_offsets":[0,4]},"b":{`+w+`,"data_offsets":[2,6]}}`, 6), checkpoint.ErrFormat, "after one that ends at 4"},
		"backwards":           {safetensors(`{"a":{`+w+`,"data_offsets":[0,-4]}}`, 4), checkpoint.ErrFormat, "bytes 0 to -4"},
		"torn data":           {safetensors(`{"a":{`+w+`,"data_offsets":[0,4]}}`, 3), checkpoint.ErrFormat, "bytes 0 to 4 of 3"},
		"data at the end":     {safetensors(`{"a":{`+w+`,"data_offsets":[0,4]}}`, 5), checkpoint.ErrFormat, "end at byte 4 of 5"},
		"an unknown element":  {safetensors(`{"a":{"dtype":"I64","shape":[1],"data_offsets":[0,8]}}`, 8), checkpoint.ErrElement, `entry "a" is of "I64"`},
		"an empty shape":      {safetensors(`{"a":{"dtype":"F32","shape":[0],"data_offsets":[0,0]}}`, 0), checkpoint.ErrShape, "0 bytes for the shape [0]"},
		"a shape too small":   {safetensors(`{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}}`, 4), checkpoint.ErrShape, "4 bytes for the shape [2]"},
		"a volume too large":  {safetensors(`{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}}`, 0), checkpoint.ErrShape, "0 bytes"},
		"a fraction":          {safetensors(`{"a":{"dtype":"F32","shape":[1.5],"data_offsets":[0,4]}}`, 4), checkpoint.ErrFormat, "malformed"},
		"metadata of numbers": {safetensors(`{"__metadata__":{"a":1}}`, 0), checkpoint.ErrFormat, "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := checkpoint.Decode(c.file)
			if !errors.Is(err, c.err) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || got != nil {
				t.Errorf("%v fails by %v, want %q", got, err, c.want)
			}
		})
	}
}

// Whatever the bytes, reading ends with an error or with entries that a file
// holds: written again they read the same.
func FuzzDecode(f *testing.F) {
	f.Add(topos.Must(checkpoint.Checkpoint{{Path: "0.w", Element: "f32", Shape: topos.Shape{1, 2}, Bits: make([]byte, 8)}, {Path: "b", Element: "bf16", Bits: make([]byte, 2)}}.Encode()))
	f.Add(safetensors(`{"b":{"dtype":"F64","shape":[1,2],"data_offsets":[4,20]},"__metadata__":{"format":"pt"},"a":{"data_offsets":[0,4],"shape":[2],"dtype":"BF16"}}   `, 20))
	f.Add(safetensors(`{"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}}`, 0))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := checkpoint.Decode(b)
		if err != nil {
			return
		}
		file, err := c.Encode()
		if err != nil {
			t.Fatalf("%v was read and cannot be written: %v", c, err)
		}
		again, err := checkpoint.Decode(file)
		if err != nil || len(again) != len(c) {
			t.Fatalf("written again: %v, %v", again, err)
		}
		for i := range c {
			if again[i].Path != c[i].Path || again[i].Element != c[i].Element || !again[i].Shape.Equal(c[i].Shape) || !bytes.Equal(again[i].Bits, c[i].Bits) {
				t.Fatalf("entry %d comes back as %v, not %v", i, again[i], c[i])
			}
		}
	})
}
