package payloads

import (
	"testing"

	"github.com/topos-notebook/topos/topos"
)

// BenchmarkPut is a payload of 200 MB written to its file.
func BenchmarkPut(b *testing.B) {
	f := New(b.TempDir(), 0)
	p := numbers(50_000_000, 0)
	for b.Loop() {
		if _, ok := f.Put(p); !ok {
			b.Fatal("not put")
		}
		b.StopTimer()
		f.Drop(p)
		b.StartTimer()
	}
}

// BenchmarkGet is a file of 200 MB mapped by another process's folder.
func BenchmarkGet(b *testing.B) {
	path := b.TempDir()
	f := New(path, 0)
	tape := topos.New(topos.F32)
	encoding := tape.EncodePayload(f, numbers(50_000_000, 0))
	for b.Loop() {
		if _, err := tape.DecodePayload(New(path, 1), encoding); err != nil {
			b.Fatal(err)
		}
	}
}
