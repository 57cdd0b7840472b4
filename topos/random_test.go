package topos_test

import (
	"bytes"
	"flag"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

var randomPrograms = flag.Int("random", 150, "how many random programs of each element are checked")

func TestRandomPrograms(t *testing.T) {
	counts := map[Kind]int{}
	t.Run("f32", func(t *testing.T) { checkRandomPrograms(t, F32, counts) })
	t.Run("f64", func(t *testing.T) { checkRandomPrograms(t, F64, counts) })
	total := 0
	for _, n := range counts {
		total += n
	}
	for _, k := range Kinds() {
		t.Logf("%-14v %5d", k, counts[k])
		if counts[k]*100 < total && *randomPrograms >= 150 { // fewer are too few to tell
			t.Errorf("%v is less than 1%% of what is generated: %d of %d", k, counts[k], total)
		}
	}
}

func checkRandomPrograms[T float32 | float64](t *testing.T, e Element[T], counts map[Kind]int) {
	for seed := range uint64(*randomPrograms) {
		p := newRandomProgram(e, seed, 5+int(seed%40), seed%3 == 0)
		for _, n := range p.tape.Nodes() {
			counts[n.Opcode().Kind]++
		}
		c := randomCheck[T]{t, p, seed}
		c.runs()
		c.derivatives()
		c.copies()
		if t.Failed() {
			t.Fatalf("program %d is\n%s", seed, p.tape.Describe())
		}
	}
}

// randomCheck is one program under test.
type randomCheck[T float32 | float64] struct {
	*testing.T
	p    *randomProgram[T]
	seed uint64
}

func (c randomCheck[T]) same(what string, node int, got, want *Tensor[T]) {
	if !got.Equal(want) {
		c.Errorf("program %d: %s of node %d is %v, not %v", c.seed, what, node, got, want)
	}
}

// all names every node of the program.
func (c randomCheck[T]) all() []Named {
	var names []Named
	for _, v := range c.p.values {
		names = append(names, v)
	}
	return names
}

// runs compares Express over tensors, the oracle, the interpreter and plans.
func (c randomCheck[T]) runs() {
	p := c.p
	n := p.tape.View()
	table := n.Parameters()
	oracle := Must(n.Forward(table))
	entry := n.Entry(p.loss).Numerics(Exact)
	interpreted := Must(entry.Observe(c.all()...).Interpret(table))
	observed := Must(Must(entry.Observe(c.all()...).Lower()).Forward(table))
	some := []Named{}
	for _, v := range p.values {
		if p.IntN(5) == 0 {
			some = append(some, v)
		}
	}
	plan := Must(entry.Observe(some...).Lower())
	partial := Must(plan.Forward(table))
	for i, v := range p.values {
		c.same("Forward", i, oracle.Of(v), p.tensors[i])
		c.same("Interpret", i, interpreted.Of(v), p.tensors[i])
		c.same("the observing plan", i, observed.Of(v), p.tensors[i])
	}
	for _, s := range plan.Results() {
		c.same("the plan", s.Index(), partial.Of(s), p.tensors[s.Index()])
	}
	c.emission(plan)
}

var emittedName = regexp.MustCompile(`%[a-z0-9_]+`)

// emission checks that a module defines each name once, before it is read.
func (c randomCheck[T]) emission(plan *Plan[T]) {
	module := Must(plan.StableHLO()).String()
	defined := map[string]bool{}
	for _, line := range strings.Split(module, "\n") {
		names := emittedName.FindAllString(line, -1)
		defines := names[:0:0]
		switch {
		case strings.Contains(line, "func.func"):
			defines, names = names, nil
		case strings.Contains(line, " = "):
			defines, names = names[:1], names[1:]
		}
		for _, name := range names {
			if !defined[name] {
				c.Errorf("program %d: %s is read before it is defined:\n%s", c.seed, name, module)
			}
		}
		for _, name := range defines {
			if defined[name] {
				c.Errorf("program %d: %s is defined twice:\n%s", c.seed, name, module)
			}
			defined[name] = true
		}
	}
}

// derivatives compares the engine's scan, a scan by VJP, and what Differentiate
// records, for every node.
func (c randomCheck[T]) derivatives() {
	p := c.p
	before := p.tape.Len()
	engine := Must(Must(p.tape.View().Entry(p.loss).Interpret(p.tape.InitialParameters())).Backward(p.loss))
	retaining := Must(Must(p.tape.View().Entry(p.loss).Retain().Numerics(Exact).Lower()).Forward(p.tape.InitialParameters()))
	retained := Must(retaining.Backward(p.loss))
	own := c.scan()
	adjoints := p.tape.Differentiate(p.loss, c.all()...)
	plan := Must(p.tape.View().Entry(adjoints.Roots()...).Numerics(Exact).Lower())
	recorded := Must(plan.Forward(p.tape.InitialParameters()))
	for i, v := range p.values {
		gradient := recorded.Of(adjoints.Of(v))
		c.same("the engine's gradient", i, engine.Of(v), gradient)
		c.same("a retaining plan's gradient", i, retained.Of(v), gradient)
		if own[i] != nil {
			c.same("the gradient by VJP", i, own[i], gradient)
		}
	}
	c.emission(plan)
	if again, ok := p.tape.Recorded(p.loss, p.loss); !ok || again.Of(p.loss) != adjoints.Of(p.loss) {
		c.Errorf("program %d: the recorded derivative is not found again", c.seed)
	}
	p.tape.Cut(before)
}

// scan is the reverse sweep written by hand over the public rule.
func (c randomCheck[T]) scan() []*Tensor[T] {
	p := c.p
	sums := make([]*Tensor[T], len(p.values))
	target := p.loss.Symbol().Index()
	sums[target] = p.tensors[target].Filled(1)
	nodes := p.tape.Nodes()
	for i := target; i >= 0; i-- {
		n := nodes[i]
		if sums[i] == nil || n.IsSource() {
			continue
		}
		shares, ok := VJP(n.Opcode(), sums[i], p.tensors[i], Pick(p.tensors, n.Operands())...)
		for j, x := range n.Operands() {
			if !ok[j] {
				continue
			}
			if sums[x.Index()] == nil {
				sums[x.Index()] = p.tensors[x.Index()].Filled(0)
			}
			sums[x.Index()] = sums[x.Index()].Add(shares[j])
		}
	}
	return sums
}

// copies makes the tape again from its bytes, by a replay, and by putting back
// what was cut.
func (c randomCheck[T]) copies() {
	p := c.p
	want, bytesOf := p.tape.Describe(), p.tape.Encode(0)
	decoded := New(p.element)
	if err := decoded.Decode(bytesOf); err != nil {
		c.Errorf("program %d: %v", c.seed, err)
		return
	}
	replayed := New(p.element)
	var values []Value[T]
	for _, n := range p.tape.Nodes() {
		switch payload := p.tape.Payload(n.Symbol()); n.Opcode().Kind {
		case OpLeaf:
			values = append(values, replayed.LeafOf(payload))
		case OpParameter:
			values = append(values, replayed.ParameterOf(payload))
		case OpInput:
			values = append(values, replayed.InputOf(payload))
		default:
			values = append(values, Express(n.Opcode(), Pick(values, n.Operands())...))
		}
	}
	tail := p.tape.Cut(p.IntN(p.tape.Len()))
	p.tape.Restore(tail)
	for what, copied := range map[string]*Tape[T]{"decoded": decoded, "replayed": replayed, "restored": p.tape} {
		if got := copied.Describe(); got != want {
			c.Errorf("program %d %s is\n%s", c.seed, what, got)
		}
		if !bytes.Equal(copied.Encode(0), bytesOf) {
			c.Errorf("program %d %s has other bytes", c.seed, what)
		}
	}
}

// Gradients agree with central differences wherever two step widths agree with
// each other, that is away from kinks.
func TestRandomGradientsAgainstDifferences(t *testing.T) {
	compared, skipped := 0, 0
	for seed := range uint64(*randomPrograms) {
		p := newRandomProgram(F64, seed, 5+int(seed%25), true)
		n := p.tape.View()
		table := n.Parameters()
		plan := Must(n.Entry(p.loss).Numerics(Exact).Lower())
		gradients := Must(Must(n.Entry(p.loss).Interpret(table)).Backward(p.loss))
		for _, name := range table.Names() {
			at := func(i int, by float64) float64 {
				data := slices.Clone(table.Of(name).Data())
				data[i] += by
				moved := table.With(name, F64.Tensor(table.Of(name).Shape(), data...))
				return Must(plan.Forward(moved)).Of(p.loss).Scalar()
			}
			for i, got := range gradients.Of(name).Data() {
				const h = 1e-5
				wide, narrow := (at(i, 2*h)-at(i, -2*h))/(4*h), (at(i, h)-at(i, -h))/(2*h)
				scale := 1 + math.Abs(got)
				if math.Abs(wide-narrow) > 1e-6*scale {
					skipped++
					continue
				}
				compared++
				if want := (4*narrow - wide) / 3; !(math.Abs(got-want) <= 1e-6*scale) {
					t.Errorf("program %d: d loss / d #%d at %d is %v, differences say %v\n%s", seed, name.Index(), i, got, want, p.tape.Describe())
				}
			}
		}
		if t.Failed() {
			return
		}
	}
	t.Logf("%d compared, %d next to kinks", compared, skipped)
	if compared < 20*skipped || compared < *randomPrograms {
		t.Errorf("only %d gradients were compared, %d passed over", compared, skipped)
	}
}
