package topos_test

import (
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"hash"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

var update = flag.Bool("update", false, "write testdata/digests.txt anew")

// digest is the sum over the interpreter's bits of every node of the programs of
// one suite in one element. NaNs count as one.
type digest struct {
	*testing.T
	hash.Hash
	values int
}

// node adds a value.
func (d *digest) node(text string) {
	d.values++
	d.Write([]byte(text))
}

// digestSuites are the golden programs, and random ones.
var digestSuites = []struct {
	name string
	add  func(d *digest, e tested)
}{
	{"ops", func(d *digest, e tested) {
		data := goldenFile[struct {
			About string            `json:"about"`
			Cases []json.RawMessage `json:"cases"`
		}](d.T, "ops.json")
		rowsFor(d, e, data.Cases, e.digestOp)
	}},
	{"graphs", func(d *digest, e tested) {
		rowsFor(d, e, goldenFile[goldenDumps](d.T, "dumps.json").Graphs, e.digestGraph)
	}},
	{"training", func(d *digest, e tested) {
		data := goldenFile[struct {
			About string            `json:"about"`
			Runs  []json.RawMessage `json:"runs"`
		}](d.T, "training.json")
		nodes := map[string][]graphNode{}
		rowsFor(d, e, data.Runs, func(d *digest, r trainingRun) {
			if r.Nodes != nil {
				nodes[r.Problem] = r.Nodes
			}
		})
		rowsFor(d, e, data.Runs, func(d *digest, r trainingRun) {
			r.nodesOfOther = nodes[r.Problem]
			e.digestTraining(d, r)
		})
	}},
	{"random", func(d *digest, e tested) {
		for seed := range uint64(60) {
			e.digestRandom(d, seed)
		}
	}},
}

// rowsFor hands on the rows of an element. An element without rows of its own
// gets those of f32, whose payloads it rounds.
func rowsFor[C any](d *digest, e tested, rows []json.RawMessage, add func(d *digest, c C)) {
	d.Helper()
	found := map[string]int{}
	elementsOf := make([]string, len(rows))
	for i, raw := range rows {
		var named struct{ Element string }
		if err := json.Unmarshal(raw, &named); err != nil {
			d.Fatal(err)
		}
		elementsOf[i] = named.Element
		found[named.Element]++
	}
	from := e.Name()
	if found[from] == 0 {
		from = "f32"
	}
	for i, raw := range rows {
		if elementsOf[i] == from {
			add(d, understood[C](d.T, raw))
		}
	}
}

// rounded is a golden payload as the element's own bits.
func (n number[T]) rounded(g goldenTensor, element string) goldenTensor {
	if element == n.Name() {
		return g
	}
	for _, text := range []*string{&g.Bits, &g.Constant} {
		words := strings.Fields(*text)
		for i, w := range words {
			bits, err := strconv.ParseUint(w, 16, 64)
			if err != nil {
				panic(err)
			}
			words[i] = fmt.Sprintf("%0*x", n.digits, n.Bits(n.FromFloat64(single.float(bits))))
		}
		*text = strings.Join(words, " ")
	}
	return g
}

// network adds every node of a network.
func (n number[T]) digestNetwork(d *digest, net *Network[T]) {
	run := Must(net.Forward(net.Parameters()))
	for _, x := range net.Nodes() {
		d.node(run.Of(x.Symbol()).Digest())
	}
}

// digestOp runs an operation's program with the derivative of the sum of its
// output.
func (n number[T]) digestOp(d *digest, c opCase) {
	tape := New(n.Element)
	for i := range c.Program.Sources {
		s := &c.Program.Sources[i]
		s.goldenTensor = n.rounded(s.goldenTensor, c.Element)
	}
	values := n.record(d.T, tape, c.Program)
	var wrt []Named
	for i, s := range c.Program.Sources {
		if s.Kind == "parameter" {
			wrt = append(wrt, values[i])
		}
	}
	tape.Differentiate(values[len(values)-1].Sum(), wrt...)
	n.digestNetwork(d, tape.Seal())
}

func (n number[T]) digestGraph(d *digest, c graphCase) {
	n.digestNetwork(d, n.recorded(d, c.Nodes, c.Element).Seal())
}

// recorded is a tape of a golden graph's nodes.
func (n number[T]) recorded(d *digest, nodes []graphNode, element string) *Tape[T] {
	tape := New(n.Element)
	for _, x := range nodes {
		x.goldenTensor = n.rounded(x.goldenTensor, element)
		n.recordNode(d.T, tape, x)
	}
	return tape
}

// digestTraining adds the loss and all parameters of each of 20 steps.
func (n number[T]) digestTraining(d *digest, r trainingRun) {
	tape := New(n.Element)
	if r.nodesOfOther != nil {
		tape = n.recorded(d, r.nodesOfOther[:r.LossNode+1], r.Element)
	} else { // no row gives the payloads: any will do
		draw := rand.New(rand.NewPCG(14, 14))
		problems[r.Problem](
			func(shape Shape) Trace { return tape.ParameterOf(n.drawn(draw, shape, -1, 1)) },
			func(shape Shape) Trace { return tape.InputOf(n.drawn(draw, shape, 0, 1)) },
		)
	}
	adjoints := n.differentiated(d.T, tape, r)
	net := tape.Seal()
	plan := Must(net.Entry(adjoints.Roots()...).Numerics(Exact).Lower())
	optimizer, rate, table := n.optimizer(d.T, r), n.FromFloat64(r.Rate), net.Parameters()
	for range 20 {
		run := Must(plan.Forward(table))
		d.node(run.Of(adjoints.Target()).Digest())
		table = optimizer.Step(table, run.RecordedGradients(adjoints), rate)
		for slot := range table.Len() {
			d.node(table.Slot(slot).Digest())
		}
	}
}

func (n number[T]) digestRandom(d *digest, seed uint64) {
	p := newRandomProgram(n, seed)
	p.tape.Differentiate(p.loss, randomCheck[T]{p: p}.all()...)
	n.digestNetwork(d, p.tape.Seal())
}

// TestC23C24C25SameBitsOnEveryPlatform holds the values of all programs to
// the digests that every platform must have. `make platforms` runs it on each.
func TestC23C24C25SameBitsOnEveryPlatform(t *testing.T) {
	const name = "testdata/digests.txt"
	var got strings.Builder
	for _, s := range digestSuites {
		for _, e := range elements {
			d := &digest{T: t, Hash: sha256.New()}
			s.add(d, e)
			if d.values < 100 {
				t.Errorf("only %d values of %s over %s", d.values, s.name, e.Name())
			}
			fmt.Fprintf(&got, "%-8s %-4s %6d values  %x\n", s.name, e.Name(), d.values, d.Sum(nil))
		}
	}
	if *update {
		if err := os.WriteFile(name, []byte(got.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("digest: %x", sha256.Sum256([]byte(got.String())))
	if got.String() != string(want) {
		t.Errorf("the values differ from those in %s, which every platform answers. (Where programs or meanings changed on purpose: -update.) Now:\n%s", name, got.String())
	}
}
