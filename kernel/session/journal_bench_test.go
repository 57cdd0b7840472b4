package session

import (
	"testing"

	"github.com/topos-notebook/topos/topos"
)

// BenchmarkCell is a tape cell that replaces the tail, with and without a journal.
func BenchmarkCell(b *testing.B) {
	for _, name := range []string{"memory", "journal"} {
		b.Run(name, func(b *testing.B) {
			d := newDesk(b)
			if name == "journal" {
				d.Journal(newRoom(b).store, "k")
			}
			d.tape("a", "x = input [2] {1, 2}")
			for b.Loop() {
				d.tape("b", "y = x * x", "loss = sum(y)")
			}
		})
	}
}

// BenchmarkLargePayload is the journal's share of a cell that changed parameters of
// 200 MB.
func BenchmarkLargePayload(b *testing.B) {
	d := newRoom(b).desk("k")
	d.tape("a", "w = parameter [5000, 10000]")
	for b.Loop() {
		b.StopTimer()
		d.state().setLive(0, topos.F32.Tensor(topos.Shape{5000, 10000}, make([]float32, 50_000_000)...))
		b.StartTimer()
		if err := d.keeper.write(d.notebook); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkOpen is the opening of a session of 100,000 nodes in 1,000 segments.
func BenchmarkOpen(b *testing.B) {
	r := newRoom(b)
	d := r.desk("k")
	line := "x = x + x"
	d.tape("", "x = input [2] {1, 2}")
	for range 1000 {
		lines := make([]string, 100)
		for i := range lines {
			lines[i] = line
		}
		d.tape("", lines...)
	}
	d.die()
	for b.Loop() {
		opened, err := r.store.Read(1)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := restored(opened.Image); err != nil {
			b.Fatal(err)
		}
	}
}
