package session

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/topos-notebook/topos/cells"
	"github.com/topos-notebook/topos/topos"
)

// large is the shape of 200 MB of float32.
var large = topos.Shape{5000, 10000}

func init() {
	largePrograms := map[string]func(){
		"grow": func() {
			s := cells.Open(topos.F32)
			x := s.Leaf(nil, 1)
			n, _ := strconv.Atoi(os.Getenv(nodesVariable))
			for range n - 1 {
				x = x.Neg()
			}
		},
		"grow large": func() {
			s := cells.Open(topos.F32)
			start := time.Now()
			s.Name("w", s.Parameter(large, make([]float32, large.Volume())...))
			said("record", start)
		},
		"open": func() {
			start := time.Now()
			s := cells.Open(topos.F32)
			s.Parameters()
			said("open", start)
		},
		"open and read": func() {
			start := time.Now()
			s := cells.Open(topos.F32)
			table := s.Parameters()
			said("open", start)
			start = time.Now()
			table.Slot(0).Sum()
			said("read", start)
		},
		"keep large": func() {
			s := cells.Open(topos.F32)
			data := make([]float32, large.Volume())
			for i := range data {
				data[i] = 1
			}
			next := s.Parameters().Map(func(*topos.Tensor[float32]) *topos.Tensor[float32] { return topos.F32.Tensor(large, data...) })
			start := time.Now()
			if err := s.Keep(next); err != nil {
				panic(err)
			}
			said("keep", start)
		},
	}
	for name, p := range largePrograms {
		programs[name] = p
	}
}

// nodesVariable says how many nodes "grow" records.
const nodesVariable = "SESSION_TEST_NODES"

// said prints how long a step took.
func said(step string, start time.Time) {
	fmt.Println(step, time.Since(start).Seconds()*1000)
}

// timed runs a Go cell and adds the milliseconds that its steps took.
func (d *desk) timed(ms map[string]float64, id, program string, more ...string) {
	d.t.Helper()
	x, _, err := d.begin(id, program)
	if err != nil {
		d.t.Fatal(err)
	}
	x.Forward()
	cmd := d.command(program, more...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	if err != nil {
		d.t.Fatal(err)
	}
	start := time.Now()
	if err := x.Commit(&outputs{}); err != nil {
		d.t.Fatal(err)
	}
	ms["commit"] += time.Since(start).Seconds() * 1000
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		if step, took, ok := strings.Cut(line, " "); ok {
			t, err := strconv.ParseFloat(took, 64)
			if err != nil {
				d.t.Fatal(err)
			}
			ms[step] += t
		}
	}
}

func report(b *testing.B, ms map[string]float64) {
	b.ReportMetric(0, "ns/op")
	for step, total := range ms {
		b.ReportMetric(total/float64(b.N), "ms/"+step)
	}
}

// BenchmarkOpenSession is the opening of a session by a Go cell, as its program
// sees it, and the commit of that cell.
func BenchmarkOpenSession(b *testing.B) {
	for _, n := range []int{10, 10_000, 100_000, 1_000_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) { openSession(b, n, "", "open") })
	}
	b.Run("100000 with 200 MB recorded", func(b *testing.B) { openSession(b, 100_000, "grow large", "open and read") })
	b.Run("100000 with 200 MB kept", func(b *testing.B) { openSession(b, 100_000, "keep large", "open and read") })
}

func openSession(b *testing.B, nodes int, more, program string) {
	d := newRoom(b).desk("k")
	nodesOf := nodesVariable + "=" + strconv.Itoa(nodes)
	d.timed(map[string]float64{}, "a", "grow", nodesOf)
	switch more {
	case "grow large":
		d.timed(map[string]float64{}, "b", more)
	case "keep large":
		d.tape("b", "w = parameter [5000, 10000]")
		d.timed(map[string]float64{}, "c", more)
	}
	ms := map[string]float64{}
	for b.Loop() {
		d.timed(ms, "d", program)
	}
	report(b, ms)
}

// BenchmarkKeepLarge is a new table of 200 MB kept by a Go cell, as its program
// sees it; and the commit of that cell, which brings it to the disk.
func BenchmarkKeepLarge(b *testing.B) {
	d := newRoom(b).desk("k")
	d.tape("a", "w = parameter [5000, 10000]")
	ms := map[string]float64{}
	for b.Loop() {
		d.timed(ms, "b", "keep large")
	}
	report(b, ms)
}

// BenchmarkRecordLarge is a parameter of 200 MB recorded by a Go cell, and the
// commit of that cell.
func BenchmarkRecordLarge(b *testing.B) {
	d := newRoom(b).desk("k")
	ms := map[string]float64{}
	for b.Loop() {
		d.timed(ms, "a", "grow large")
	}
	report(b, ms)
}
