package session

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/topos-notebook/topos/cells/ledger"
	"github.com/topos-notebook/topos/cells/payloads"
	"github.com/topos-notebook/topos/topos"
)

// recorded writes a ledger of n nodes on an empty tape.
func recorded(b *testing.B, path string, n int) {
	b.Helper()
	if err := ledger.Create(path, ledger.Header{Element: "f32", Segment: 1}); err != nil {
		b.Fatal(err)
	}
	w, err := ledger.Open(path)
	if err != nil {
		b.Fatal(err)
	}
	tape := topos.New(topos.F32)
	tape.RecordTo(writing{w})
	x := tape.Leaf(nil, 1)
	for range n - 1 {
		x = x.Neg()
	}
	w.Close()
}

type writing struct{ *ledger.Writer }

func (w writing) Recorded(entry []byte) { w.Node(entry) }

// BenchmarkRecord is a million nodes recorded by a Go cell.
func BenchmarkRecord(b *testing.B) {
	const n = 1_000_000
	path := filepath.Join(b.TempDir(), "ledger")
	for b.Loop() {
		recorded(b, path, n)
		os.Remove(path)
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "nodes/s")
}

// BenchmarkCommit is a million nodes taken over from a Go cell.
func BenchmarkCommit(b *testing.B) {
	const n = 1_000_000
	path := filepath.Join(b.TempDir(), "ledger")
	recorded(b, path, n)
	for b.Loop() {
		s := newState(topos.F32)
		a := s.begin(serverCell)
		r, err := ledger.Load(path)
		if err == nil {
			err = a.absorb(nil, r)
		}
		if err != nil {
			b.Fatal(err)
		}
		a.commit()
	}
	b.ReportMetric(n*float64(b.N)/b.Elapsed().Seconds(), "nodes/s")
}

// BenchmarkSnapshot is the handshake of a Go cell in a session of a million
// nodes, on the kernel's side.
func BenchmarkSnapshot(b *testing.B) {
	s := newState(topos.F32)
	x := s.tape.Leaf(nil, 1)
	for range 1_000_000 {
		x = x.Neg()
	}
	for b.Loop() {
		s.begin(serverCell).snapshot(payloads.New(b.TempDir(), 0)).Encode()
	}
}
