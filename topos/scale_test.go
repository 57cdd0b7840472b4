package topos_test

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
	"sync"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// deepProgram is as deep as it is asked to be; its gradient is exactly 1.
type deepProgram struct {
	name    string
	forward int // nodes of one link
	reverse int // nodes that its derivative takes
	once    int // 1 where it reads the half: a source more, and a cotangent that starts
	link    func(h, half Trace) Trace
}

var deepPrograms = []deepProgram{
	{"chain", 1, 3, 0, func(h, _ Trace) Trace { return h.Neg() }},
	// Each level is read twice: there are 2^depth paths, and none is walked.
	{"diamond", 3, 13, 1, func(h, half Trace) Trace { return h.Mul(half).Add(h.Mul(half)) }},
}

// deep holds what every phase made of a program.
type deep struct {
	p       deepProgram
	links   int
	tape    *Tape[float32]
	w, loss Trace
	adj     Adjoints
	net     *Network[float32]
	plan    *Plan[float32]
	retain  *Plan[float32]
	run     *Run[float32]
	text    string
}

// phases are what is done with a program, in order. A phase that took the square
// of its length in steps would not end at a million nodes.
var phases = []struct {
	name string
	do   func(d *deep)
}{
	{"record", func(d *deep) {
		d.tape = New(F32)
		d.w = d.tape.Parameter(nil, 1)
		half := d.tape.Leaf(nil, 0.5)
		d.loss = d.w
		for range d.links {
			d.loss = d.p.link(d.loss, half)
		}
	}},
	{"differentiate", func(d *deep) { d.adj = d.tape.Differentiate(d.loss, d.w) }},
	{"encode", func(d *deep) { d.text = string(d.tape.Encode(0)) }},
	{"find again", func(d *deep) { d.tape.Recorded(d.loss, d.w) }},
	{"describe", func(d *deep) { d.text = d.tape.Describe() }},
	{"seal", func(d *deep) { d.net = d.tape.Seal() }},
	{"plan", func(d *deep) { d.plan = Must(d.net.Entry(d.adj.Roots()...).Lower()) }},
	{"plan, retaining", func(d *deep) { d.retain = Must(d.net.Entry(d.loss).Retain().Lower()) }},
	{"describe the plan", func(d *deep) { d.text = d.plan.Describe() + d.retain.Describe() }},
	{"emit", func(d *deep) { d.text = string(Must(d.plan.StableHLO())) }},
	{"run", func(d *deep) { d.run = Must(d.plan.Forward(d.net.Parameters())) }},
	{"run backward", func(d *deep) {
		Must(Must(d.retain.Forward(d.net.Parameters())).Backward(d.loss))
	}},
	{"read", func(d *deep) { d.net.Reading(); d.plan.Reading(); d.run.Reading() }},
}

// TestC21LongChain: nothing recurses over the depth of a graph. A stack
// beyond the limit ends the process.
func TestC21LongChain(t *testing.T) {
	for _, p := range deepPrograms {
		t.Run(p.name, func(t *testing.T) {
			d := &deep{p: p, links: chainLength}
			if p.forward > 1 {
				d.links = chainLength / 10
			}
			defer debug.SetMaxStack(debug.SetMaxStack(64 << 10))
			var alone sync.WaitGroup
			alone.Go(func() { d.whole(t) })
			alone.Wait()
		})
	}
}

// whole runs every phase and checks what it made.
func (d *deep) whole(t *testing.T) {
	forward := 2 + d.links*d.p.forward
	appended := 1 + d.links*d.p.reverse + d.p.once
	for _, phase := range phases {
		phase.do(d)
		switch phase.name {
		case "record":
			if d.tape.Len() != forward {
				t.Errorf("recorded %d nodes, want %d", d.tape.Len(), forward)
			}
		case "differentiate":
			if from, to := d.adj.Appended(); to-from != appended {
				t.Errorf("the derivative took %d nodes, want %d", to-from, appended)
			}
		case "describe":
			if lines := strings.Count(d.text, "\n"); lines != forward+appended+1 {
				t.Errorf("described in %d lines, want %d", lines, forward+appended+1)
			}
		case "plan":
			if readable := len(d.plan.Results()); readable != 2 {
				t.Errorf("the plan has %d results", readable)
			}
		case "describe the plan":
			if want := fmt.Sprintf("plan: retain; %d of %d nodes evaluated, 1 readable\n", forward-1+d.p.once, forward+appended); !strings.Contains(d.text, want) {
				t.Errorf("the retaining plan does not say %q", want)
			}
		case "emit":
			if lines := strings.Count(d.text, "\n"); lines < 2*d.links {
				t.Errorf("emitted %d lines for %d links", lines, d.links)
			}
		case "run":
			same(t, "gradient", d.run.Of(d.adj.Of(d.w)).String(), "1")
		}
	}
}

// TestNearLinear compares what each phase allocates for n links and for 2n: in
// bytes and in number it may about double. (Work that allocates nothing is held
// by TestC21LongChain, which would not end.)
func TestNearLinear(t *testing.T) {
	for _, p := range deepPrograms {
		once, twice := allocated(p, 1<<13), allocated(p, 1<<14)
		for i, phase := range phases {
			a, b := once[i], twice[i]
			if b.bytes > 3*a.bytes+1<<16 || b.count > 3*a.count+1000 {
				t.Errorf("%s, %s: %d bytes in %d pieces for n links, %d in %d for 2n", p.name, phase.name, a.bytes, a.count, b.bytes, b.count)
			}
			t.Logf("%-8s %-18s %5.2f times the bytes", p.name, phase.name, float64(b.bytes)/float64(max(a.bytes, 1)))
		}
	}
}

type allocation struct{ bytes, count uint64 }

func allocated(p deepProgram, links int) (all []allocation) {
	d := &deep{p: p, links: links}
	var before, after runtime.MemStats
	for _, phase := range phases {
		runtime.ReadMemStats(&before)
		phase.do(d)
		runtime.ReadMemStats(&after)
		all = append(all, allocation{after.TotalAlloc - before.TotalAlloc, after.Mallocs - before.Mallocs})
	}
	return all
}

// TestHundredThousandNodes: a tape of as many nodes, its payloads, a plan of it
// and the table of its parameters stay below 40 MB, whatever it consists of.
func TestHundredThousandNodes(t *testing.T) {
	const n, most = 100_000, 40e6
	for _, c := range chains {
		for _, derived := range []bool{false, true} {
			var nodes int
			held := heldBy(func() any {
				tape, h, w := startChain()
				links := n / c.nodes
				if derived {
					links /= 8 // the derivative is the larger part
				}
				for range links {
					h = c.link(h, w)
				}
				roots := []Named{h}
				if derived {
					for tape.Len() < n {
						roots = append(roots, tape.Differentiate(h.Sum(), w).Gradients()[0])
					}
				}
				nodes = tape.Len()
				return []any{tape, Must(tape.View().Entry(roots...).Lower()), tape.InitialParameters()}
			})
			t.Logf("%-8s derived %-5v %d nodes hold %.1f MB", c.name, derived, nodes, float64(held)/1e6)
			if nodes < n || float64(held)*n/float64(nodes) > most {
				t.Errorf("%s, derived %v: %d nodes hold %d bytes", c.name, derived, nodes, held)
			}
		}
	}
}
