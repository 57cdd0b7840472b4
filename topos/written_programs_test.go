package topos_test

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

var writePrograms = flag.String("write-programs", "", "write modules with arguments and expected results to this `folder`, as JSON lines")

// writtenModule is an emitted module with what the interpreter answers to it.
type writtenModule struct {
	Name      string           `json:"name"`
	Numerics  string           `json:"numerics"` // exact: the results are to the bit, but for zeros' signs after sums
	Module    string           `json:"module"`
	Arguments []writtenPayload `json:"arguments"` // wanted parameters, then wanted inputs, as recorded
	Results   []writtenPayload `json:"results"`
}

type writtenPayload struct {
	Shape   []int    `json:"shape"`
	Element string   `json:"element"`
	Bits    []string `json:"bits"`
	// Unsigned says that a sum or product lies upstream, which the text may start
	// from +0: a zero's sign is open.
	Unsigned bool `json:"unsigned,omitempty"`
	// Erf says that erf or its derivative lies upstream: the two maps whose
	// emitted text does not round as the interpreter does.
	Erf bool `json:"erf,omitempty"`
	// Open says that the text does not determine the value: see openValues.
	Open bool `json:"open,omitempty"`
}

// programWriter collects modules into one file.
type programWriter struct {
	*testing.T
	written int
	lines   *json.Encoder
}

// newProgramWriter writes to a folder that is thrown away unless the flag names
// one.
func newProgramWriter(t *testing.T, name string) *programWriter {
	t.Helper()
	folder := *writePrograms
	if folder == "" {
		folder = t.TempDir()
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	buffered := bufio.NewWriter(file)
	t.Cleanup(func() {
		if err := buffered.Flush(); err != nil {
			t.Error(err)
		}
		if err := file.Close(); err != nil {
			t.Error(err)
		}
	})
	lines := json.NewEncoder(buffered)
	lines.SetEscapeHTML(false)
	return &programWriter{T: t, lines: lines}
}

// TestWritePrograms writes random.jsonl, two modules of every random program:
// all of its values, and its recorded derivative.
func TestWritePrograms(t *testing.T) {
	w := newProgramWriter(t, "random.jsonl")
	programs := *randomPrograms
	if *writePrograms == "" {
		programs = min(programs, 10)
	}
	for seed := range uint64(programs) {
		for _, e := range elements {
			e.writePrograms(w, seed)
		}
	}
	t.Logf("%d modules written", w.written)
	if all := 2 * programs * len(elements); w.written != all {
		t.Errorf("%d modules written, not %d", w.written, all)
	}
}

// TestWriteGoldenModules writes golden.jsonl: every entry of the golden graphs
// and every emission row, under the numerics it declares and under Exact.
func TestWriteGoldenModules(t *testing.T) {
	w := newProgramWriter(t, "golden.jsonl")
	dumps := goldenFile[goldenDumps](t, "dumps.json")
	for _, raw := range dumps.Graphs {
		c := understood[graphCase](t, raw)
		if e, ok := elementOf(c.Element); ok {
			e.writeGraph(w, c)
		}
	}
	for _, raw := range dumps.Emission {
		c := understood[emissionCase](t, raw)
		if e, ok := elementOf(c.Element); ok {
			e.writeEmission(w, c)
		}
	}
	t.Logf("%d modules written", w.written)
	if least := len(dumps.Graphs) + len(dumps.Emission); w.written < least {
		t.Errorf("%d modules for %d rows", w.written, least)
	}
}

func (n number[T]) writeGraph(w *programWriter, c graphCase) {
	tape := New(n.Element)
	for _, x := range c.Nodes {
		n.recordNode(w.T, tape, x)
	}
	net := tape.Seal()
	seen := map[string]bool{}
	for _, entry := range c.Entries {
		entry.Name = strings.TrimSuffix(entry.Name, "/exact")
		for _, numerics := range []string{"Fast", "Exact"} {
			entry.Numerics = numerics
			name := fmt.Sprintf("golden/%s/%s/%s/%s", c.Name, n.Name(), entry.Name, strings.ToLower(numerics))
			if !seen[name] {
				seen[name] = true
				writeModule(w, n, name, net, n.declared(w.T, net, entry))
			}
		}
	}
}

func (n number[T]) writeEmission(w *programWriter, c emissionCase) {
	tape, roots := n.emissionProgram(w.T, c)
	view := tape.View()
	for _, numerics := range []Numerics{Fast, Exact} {
		name := fmt.Sprintf("emission/%s/%s/%v", c.Name, n.Name(), numerics)
		writeModule(w, n, name, view, view.Entry(roots...).Numerics(numerics))
	}
}

func (n number[T]) writePrograms(w *programWriter, seed uint64) {
	p := newRandomProgram(n, seed)
	name := fmt.Sprintf("random/%s/%d", n.Name(), seed)
	view := p.tape.View()
	writeModule(w, n, name, view, view.Entry(p.loss).Observe(randomCheck[T]{p: p}.all()...).Numerics(Exact))
	var wrt []Named
	for i, v := range p.values {
		if p.IntN(4) == 0 || i < 4 {
			wrt = append(wrt, v)
		}
	}
	adjoints := p.tape.Differentiate(p.loss, wrt...)
	view = p.tape.View()
	writeModule(w, n, name+"/gradient", view, view.Entry(adjoints.Roots()...).Numerics(Exact))
}

// writeModule writes one entry of a network over its recorded payloads.
func writeModule[T any](w *programWriter, n number[T], name string, net *Network[T], entry Entry[T]) {
	w.Helper()
	writePlan(w, n, name, net, Must(entry.Lower()))
}

func writePlan[T any](w *programWriter, n number[T], name string, net *Network[T], plan *Plan[T], options ...Emission) {
	w.Helper()
	values := Must(net.Forward(net.Parameters()))
	nodes := net.Nodes()
	wanted := ancestors(nodes, plan.Results())
	m := writtenModule{Name: name, Numerics: plan.Numerics().String(), Module: Must(plan.StableHLO(options...)).String()}
	erf := behind(nodes, func(k Kind) bool { return k == OpErf || k == OpErfDerivative })
	unsigned := behind(nodes, func(k Kind) bool { return seeded[k] })
	open := openValues(n, nodes, wanted, values)
	payload := func(s Symbol) writtenPayload {
		x := values.Of(s)
		return writtenPayload{append([]int{}, x.Shape()...), n.Name(), n.hex(x), unsigned[s.Index()], erf[s.Index()], open[s.Index()]}
	}
	m.Arguments, m.Results = []writtenPayload{}, []writtenPayload{}
	for _, kind := range []Kind{OpParameter, OpInput} {
		for i, x := range nodes {
			if wanted[i] && x.Opcode().Kind == kind {
				m.Arguments = append(m.Arguments, payload(x.Symbol()))
			}
		}
	}
	for _, s := range plan.Results() {
		m.Results = append(m.Results, payload(s))
	}
	m.check(w.T)
	if err := w.lines.Encode(m); err != nil {
		w.Fatal(err)
	}
	w.written++
}

var signature = regexp.MustCompile(`func\.func @main\((.*)\) -> \((.*)\) \{`)

// check holds the payloads to the module's signature.
func (m writtenModule) check(t *testing.T) {
	t.Helper()
	types := func(payloads []writtenPayload, name string) string {
		var all []string
		for i, p := range payloads {
			text := "tensor<"
			for _, x := range p.Shape {
				text += fmt.Sprintf("%dx", x)
			}
			text += p.Element + ">"
			if name != "" {
				text = fmt.Sprintf("%s%d: %s", name, i, text)
			}
			if all = append(all, text); len(p.Bits) != Shape(p.Shape).Volume() {
				t.Errorf("%s: %d words of %s", m.Name, len(p.Bits), text)
			}
		}
		return strings.Join(all, ", ")
	}
	s := signature.FindStringSubmatch(m.Module)
	if s == nil {
		t.Fatalf("%s has no signature:\n%s", m.Name, m.Module)
	}
	same(t, m.Name+" arguments", types(m.Arguments, "%arg"), s[1])
	same(t, m.Name+" results", types(m.Results, ""), s[2])
}

// hex writes the bits of a tensor.
func (n number[T]) hex(x *Tensor[T]) []string {
	var words []string
	for _, v := range x.Data() {
		words = append(words, fmt.Sprintf("%0*x", n.digits, n.Bits(v)))
	}
	return words
}

// behind marks the nodes of some kinds and all that is computed from them.
func behind(nodes []Node, kinds func(Kind) bool) []bool {
	marked := make([]bool, len(nodes))
	for i, n := range nodes {
		marked[i] = kinds(n.Opcode().Kind)
		for _, o := range n.Operands() {
			marked[i] = marked[i] || marked[o.Index()]
		}
	}
	return marked
}

// ancestors marks some nodes and all that they are computed from.
func ancestors(nodes []Node, of []Symbol) []bool {
	marked := make([]bool, len(nodes))
	for _, s := range of {
		marked[s.Index()] = true
	}
	for i := len(nodes) - 1; i >= 0; i-- {
		if marked[i] {
			for _, o := range nodes[i].Operands() {
				marked[o.Index()] = true
			}
		}
	}
	return marked
}

// openValues marks what depends on something that the text does not keep: the
// sign of a zero that a seeded sum made, where a division, a logarithm or a power
// asks for it; and an infinity or NaN that a selection or a fold leaves aside,
// since the text multiplies what is left aside by zero. Random programs avoid
// most of both in what they record; their derivatives may still meet one.
func openValues[T any](n number[T], nodes []Node, wanted []bool, values *Run[T]) []bool {
	unsure, open := make([]bool, len(nodes)), make([]bool, len(nodes))
	any := func(i int, holds func(x float64) bool) bool {
		for _, x := range values.Of(nodes[i].Symbol()).Data() {
			if holds(n.real(x)) {
				return true
			}
		}
		return false
	}
	zero := func(x float64) bool { return x == 0 }
	infinite := func(x float64) bool { return x-x != 0 }
	for i, x := range nodes {
		operands := x.Operands()
		kind := x.Opcode().Kind
		unsure[i] = seeded[kind]
		for _, o := range operands {
			unsure[i] = unsure[i] || unsure[o.Index()]
			open[i] = open[i] || open[o.Index()]
		}
		if !wanted[i] {
			continue
		}
		asks := -1 // the operand whose zeros must have a sign
		switch kind {
		case OpDiv:
			asks = operands[1].Index()
		case OpLn, OpPowf:
			asks = operands[0].Index()
		case OpGather, OpScatter, OpFold:
			open[i] = open[i] || any(operands[0].Index(), infinite)
		}
		open[i] = open[i] || asks >= 0 && unsure[asks] && any(asks, zero)
	}
	return open
}
