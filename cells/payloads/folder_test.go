package payloads

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/cells/bounds"
	"github.com/topos-notebook/topos/topos"
)

// numbers is a payload of n different floats.
func numbers(n int, from float32) *topos.Payload {
	data := make([]float32, n)
	for i := range data {
		data[i] = from + float32(i)
	}
	return topos.PayloadOf(topos.F32.Tensor(topos.Shape{n}, data...))
}

func equal(t *testing.T, what string, got, want *topos.Payload) {
	t.Helper()
	if !topos.TensorOf(topos.F32, got).Equal(topos.TensorOf(topos.F32, want)) {
		t.Errorf("%s: the payload differs", what)
	}
}

// across sends a payload from one process's folder to another's.
func across(t *testing.T, from, to *Folder, p *topos.Payload) *topos.Payload {
	t.Helper()
	tape := topos.New(topos.F32)
	got, err := tape.DecodePayload(to, tape.EncodePayload(from, p))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func files(t *testing.T, folder string) int {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	return len(entries)
}

func TestPayloadsPassThroughFiles(t *testing.T) {
	path := t.TempDir()
	cell, kernel := New(path, 3), New(path, 0)
	for name, n := range map[string]int{"read": 10_000, "mapped": 300_000, "of some pages and three": 1<<18 + 3} {
		want := numbers(n, 0.5)
		got := across(t, cell, kernel, want)
		equal(t, name, got, want)
		if again := across(t, kernel, cell, got); again != want {
			t.Errorf("%s: sent back, the payload is another", name)
		}
		if again := across(t, cell, kernel, want); again != got {
			t.Errorf("%s: sent twice, the payload is another", name)
		}
		if data := topos.TensorOf(topos.F32, got).Data(); func() bool { data[0] = 7; return false }() || topos.TensorOf(topos.F32, got).Data()[0] != 0.5 {
			t.Errorf("%s: Data is no copy", name)
		}
	}
	if n := files(t, path); n != 3 {
		t.Errorf("%d files for 3 payloads", n)
	}
	info, err := os.Stat(filepath.Join(path, "payload-12884901889"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the cell's first file: %v, %v", info, err)
	}
}

func TestSmallAndUniformStayInTheEncoding(t *testing.T) {
	f := New(t.TempDir(), 0)
	for _, p := range []*topos.Payload{numbers(Least/4-1, 0), topos.PayloadOf(topos.F32.Tensor(topos.Shape{1000, 1000}, 1))} {
		if name, ok := f.Put(p); ok {
			t.Errorf("a payload of %v lies in file %d", p.Shape(), name)
		}
	}
}

func TestNoRoom(t *testing.T) {
	f := New(filepath.Join(t.TempDir(), "nowhere"), 0)
	if name, ok := f.Put(numbers(Least, 0)); ok || f.Len() != 0 {
		t.Errorf("put into no folder: %d", name)
	}
}

func TestGetRefuses(t *testing.T) {
	path := t.TempDir()
	f, other := New(path, 0), New(path, 1)
	want := numbers(300_000, 0)
	tape := topos.New(topos.F32)
	b := tape.EncodePayload(f, want)
	name, _ := f.Put(want)
	if err := os.Truncate(f.at(name), 1_199_996); err != nil {
		t.Fatal(err)
	}
	if _, err := tape.DecodePayload(other, b); !errors.Is(err, topos.ErrEncoding) {
		t.Errorf("a short file: %v", err)
	}
	if err := os.Truncate(f.at(name), bounds.Payload+1); err != nil {
		t.Fatal(err)
	}
	if _, err := tape.DecodePayload(other, b); !errors.Is(err, topos.ErrEncoding) || !strings.Contains(err.Error(), "a payload of 4294967297 bytes: a session's have at most 4294967296") {
		t.Errorf("a file too large: %v", err)
	}
	os.Remove(f.at(name))
	_, err := tape.DecodePayload(other, b)
	if !errors.Is(err, topos.ErrEncoding) || !strings.Contains(err.Error(), "the file of payload 1") || strings.Contains(err.Error(), path) {
		t.Errorf("no file: %v", err)
	}
	os.Mkdir(f.at(name), 0o700)
	if _, err := tape.DecodePayload(other, b); !errors.Is(err, topos.ErrEncoding) {
		t.Errorf("a folder: %v", err)
	}
}

func TestFilesGo(t *testing.T) {
	path := t.TempDir()
	f, cell := New(path, 0), New(path, 1)
	kept, gone, dropped := numbers(Least, 0), numbers(Least, 1), numbers(Least, 2)
	for _, p := range []*topos.Payload{kept, gone, dropped} {
		f.Put(p)
	}
	f.Drop(dropped)
	cell.Put(numbers(Least, 3)) // and never says so
	other := filepath.Join(path, "payload-of-somebody")
	os.WriteFile(other, nil, 0o600)
	if n := files(t, path); n != 4 {
		t.Fatalf("%d files", n)
	}
	f.Sweep(func(p *topos.Payload) bool { return p == kept })
	if n := files(t, path); n != 2 || f.Len() != 1 {
		t.Errorf("%d files are left and %d known, want that in use and a stranger's", n, f.Len())
	}
	os.Remove(other)
	linked := filepath.Join(path, "linked")
	for i, link := range []struct {
		p    *topos.Payload
		path string
		want bool
	}{{kept, linked, true}, {kept, linked, false}, {gone, "other", false}, {kept, filepath.Join(path, "second"), true},
		{gone, filepath.Join(path, "third"), true}, {numbers(3, 0), filepath.Join(path, "small"), false},
		{numbers(Least, 9), filepath.Join(path, "nowhere", "fourth"), false}} {
		if f.Link(link.p, link.path) != link.want {
			t.Errorf("link %d to %s: %v", i, link.path, !link.want)
		}
	}
	if f.Len() != 2 {
		t.Errorf("%d files are known, want that of the payload that was swept too", f.Len())
	}
	f.Sweep(func(*topos.Payload) bool { return false })
	if b, err := os.ReadFile(linked); err != nil || len(b) != 4*Least {
		t.Errorf("the other name holds %d bytes, %v", len(b), err)
	}
	if _, err := os.Stat(f.at(1)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file is there still: %v", err)
	}
	// What was swept is put anew.
	if name, ok := f.Put(kept); !ok || name != 6 {
		t.Errorf("put again as %d, %v", name, ok)
	}
	cell.Forget(kept) // of a payload it does not know
	f.Forget(kept)
	if name, ok := f.Put(kept); !ok || name != 7 {
		t.Errorf("put after it was forgotten as %d, %v", name, ok)
	}
}

// A mapping outlives its file and its folder's knowledge of it as long as a tensor
// is made of it, and no longer; what comes after it in the same memory is whole.
func TestMappingsLiveWithTheirTensors(t *testing.T) {
	path := t.TempDir()
	var held []*topos.Tensor[float32]
	for i := range 12 {
		cell, kernel := New(path, 1), New(path, 0)
		want := numbers(1<<19, float32(i))
		got := topos.TensorOf(topos.F32, across(t, cell, kernel, want))
		kernel.Drop(topos.PayloadOf(got))
		if i%3 == 0 {
			held = append(held, got.Reshape(topos.Shape{1 << 9, 1 << 10})) // the same memory
		}
		runtime.GC()
		runtime.GC() // memory is taken back by the second
		fill := make([]byte, 2<<20)
		for j := range fill {
			fill[j] = byte(i)
		}
	}
	for i, h := range held {
		equal(t, "held", topos.PayloadOf(h.Reshape(topos.Shape{1 << 19})), numbers(1<<19, float32(3*i)))
	}
	if n := files(t, path); n != 0 {
		t.Errorf("%d files are left", n)
	}
	if mappings, ok := mapped(path); ok && mappings > len(held)+2 {
		t.Errorf("%d files are mapped, %d tensors are held", mappings, len(held))
	}
	runtime.KeepAlive(held)
}

// mapped counts the process's mappings of files under a folder, where the system
// tells.
func mapped(folder string) (n int, ok bool) {
	b, err := os.ReadFile("/proc/self/maps")
	return strings.Count(string(b), folder+"/payload-"), err == nil
}
