package topos_test

import (
	"fmt"
	"runtime"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// chains are programs of any length, by what they repeat.
var chains = []struct {
	name  string
	nodes int // recorded by one link
	link  func(h, w Trace) Trace
}{
	{"multiply", 1, func(h, w Trace) Trace { return h.Mul(w) }},
	{"map", 1, func(h, w Trace) Trace { return h.Tanh() }},
	{"diamond", 2, func(h, w Trace) Trace { return h.Tanh().Add(h) }},
	{"layer", 4, func(h, w Trace) Trace {
		return h.MatMul(w).Add(w.SumAlong(0).BroadcastAlong(0, 2))
	}},
	{"literal", 2, func(h, w Trace) Trace { return h.Mul(h.Filled(0.5)) }},
}

func startChain() (tape *Tape[float32], h, w Trace) {
	tape = New(F32)
	w = tape.Parameter(Shape{2, 2}, 0.5)
	return tape, tape.Input(Shape{2, 2}, 1), w
}

// BenchmarkRecord tells the speed of recording, n nodes and ten times as many in
// one run, and what 100,000 of them hold once garbage is gone.
func BenchmarkRecord(b *testing.B) {
	for _, c := range chains {
		for _, n := range []int{100_000, 1_000_000} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					_, h, w := startChain()
					for range n / c.nodes {
						h = c.link(h, w)
					}
				}
				b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
				held := heldBy(func() any {
					tape, h, w := startChain()
					for range n / c.nodes {
						h = c.link(h, w)
					}
					return tape
				})
				b.ReportMetric(float64(held)/1e6/float64(n)*1e5, "MB/100k")
			})
		}
	}
}

// BenchmarkDifferentiate tells the speed of recording a derivative, per node
// that it appends.
func BenchmarkDifferentiate(b *testing.B) {
	for _, c := range chains {
		for _, n := range []int{10_000, 100_000} {
			b.Run(fmt.Sprintf("%s/%d", c.name, n), func(b *testing.B) {
				tape, h, w := startChain()
				for range n / c.nodes {
					h = c.link(h, w)
				}
				loss := h.Sum().Symbol()
				at := tape.Len()
				b.ReportAllocs()
				appended := 0
				for b.Loop() {
					tape.Differentiate(loss, w)
					appended = tape.Len() - at
					b.StopTimer()
					tape.Cut(at)
					b.StartTimer()
				}
				b.ReportMetric(float64(appended)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mnodes/s")
			})
		}
	}
}

// heldBy is the heap that stays while what f makes is in use.
func heldBy(f func() any) uint64 {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	made := f()
	runtime.GC()
	runtime.ReadMemStats(&after)
	runtime.KeepAlive(made)
	return after.HeapAlloc - before.HeapAlloc
}
