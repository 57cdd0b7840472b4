package topos_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// Every operation runs on every element in every reading: nothing answers that
// it is not implemented.
func TestC37EveryOperationOnEveryElement(t *testing.T) {
	for _, e := range elements {
		t.Run(e.Name(), func(t *testing.T) { e.everyOperation(t) })
	}
}

func (n number[T]) everyOperation(t *testing.T) {
	for _, k := range Kinds() {
		p := &randomProgram[T]{Rand: rand.New(rand.NewPCG(1, uint64(k))), number: n, tape: New(n.Element)}
		p.source(OpParameter, p.drawn(Shape{2, 3}))
		p.source(OpInput, p.drawn(Shape{3, 2}))
		p.source(OpLeaf, p.drawn(Shape{1, 1}))
		for at := 0; !k.IsSource() && at < 20; at++ { // a draw may find nothing that fits
			if p.operation(k); p.tape.Nodes()[p.tape.Len()-1].Opcode().Kind == k {
				break
			}
		}
		last := p.values[len(p.values)-1]
		if got := p.tape.Nodes()[p.tape.Len()-1].Opcode().Kind; !k.IsSource() && got != k {
			t.Fatalf("%v was not recorded", k)
		}
		p.loss = last.Sum()
		adjoints := p.tape.Differentiate(p.loss, p.values[0], p.values[1])
		net := p.tape.Seal()
		table := net.Parameters()
		oracle := Must(net.Forward(table))
		engine := Must(oracle.Backward(p.loss))
		for _, numerics := range []Numerics{Exact, Fast} {
			plan := Must(net.Entry(adjoints.Roots()...).Numerics(numerics).Lower())
			run := Must(plan.Forward(table))
			for i, w := range adjoints.Wrt() {
				if got := run.Of(adjoints.Gradients()[i]); !got.Equal(engine.Of(w)) {
					t.Errorf("%v under %v: the plan's gradient is %v, the engine's %v", k, numerics, got, engine.Of(w))
				}
			}
			if text := Must(plan.StableHLO()).String(); !strings.Contains(text, "return ") {
				t.Errorf("%v under %v is emitted as\n%s", k, numerics, text)
			}
		}
	}
}

var dialect = regexp.MustCompile(`\b([a-z]+)\.([a-z_0-9]+)\b[ ("]`)

// Emitted text is one module of standard operations; chlo serves for erf alone,
// and what downstream compilers refuse is spelled out under Exact.
func TestC49C50OnlyWhatCompilersAccept(t *testing.T) {
	used := map[string]int{}
	for _, raw := range goldenFile[goldenDumps](t, "dumps.json").Graphs {
		c := understood[graphCase](t, raw)
		if e, ok := elementOf(c.Element); ok {
			for name, text := range e.graphModules(t, c) {
				if !strings.HasPrefix(text, "module @topos {\n") || strings.Contains(text, "vhlo") {
					t.Errorf("%s begins with %q", name, strings.SplitN(text, "\n", 2)[0])
				}
				for _, m := range dialect.FindAllStringSubmatch(text, -1) {
					used[m[1]+"."+m[2]]++
					raised := raises.MatchString(m[1] + "." + m[2])
					if m[1] == "chlo" && m[2] != "erf" || raised && strings.HasSuffix(name, "exact") {
						t.Errorf("%s holds %s.%s", name, m[1], m[2])
					}
				}
			}
		}
	}
	if used["stablehlo.convolution"] == 0 || used["stablehlo.dot_general"] == 0 {
		t.Errorf("the modules hold no more than %v", used)
	}
}

// graphModules are the texts of a golden graph's entries under either numerics.
func (n number[T]) graphModules(t *testing.T, c graphCase) map[string]string {
	tape := New(n.Element)
	for _, x := range c.Nodes {
		n.recordNode(t, tape, x)
	}
	net, modules := tape.Seal(), map[string]string{}
	for _, entry := range c.Entries {
		for _, numerics := range []string{"Fast", "Exact"} {
			entry.Numerics = numerics
			name := fmt.Sprintf("%s/%s/%s/%s", c.Name, c.Element, entry.Name, strings.ToLower(numerics))
			modules[name] = Must(Must(n.declared(t, net, entry).Lower()).StableHLO()).String()
		}
	}
	return modules
}

// BenchmarkC36MatMul multiplies square matrices; GFLOP/s stands beside the time.
func BenchmarkC36MatMul(b *testing.B) {
	for _, size := range []int{256, 512, 1024} {
		b.Run(fmt.Sprintf("f32/%d", size), func(b *testing.B) { benchmarkMatMul(b, single, size) })
		b.Run(fmt.Sprintf("f64/%d", size), func(b *testing.B) { benchmarkMatMul(b, double, size) })
	}
}

func benchmarkMatMul[T any](b *testing.B, n number[T], size int) {
	r := rand.New(rand.NewPCG(1, 1))
	data := make([]T, size*size)
	for i := range data {
		data[i] = n.FromFloat64(r.NormFloat64())
	}
	x := n.Tensor(Shape{size, size}, data...)
	for b.Loop() {
		x.MatMul(x)
	}
	b.ReportMetric(2*float64(size*size*size)*float64(b.N)/b.Elapsed().Seconds()/1e9, "GFLOP/s")
}
