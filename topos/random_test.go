package topos_test

import (
	"bytes"
	"flag"
	"regexp"
	"strings"
	"testing"
	"time"

	. "github.com/topos-notebook/topos/topos"
)

var (
	randomPrograms = flag.Int("random", 150, "how many random programs of each element are checked at least")
	randomFor      = flag.Duration("random-for", 0, "go on with further random programs for this long")
)

// enoughPrograms is how many there must be for shares of a hundredth to tell.
const enoughPrograms = 150

// randomSuite is a run over random programs.
type randomSuite struct {
	*testing.T
	coverage
	differences
}

// Every program is checked in every way, on every element, and its derivative
// against differences. The loop ends after
// a number of programs and a budget of time, whichever comes last.
func TestRandomPrograms(t *testing.T) {
	s := &randomSuite{T: t, coverage: coverage{counts: map[string]int{}}}
	end := time.Now().Add(*randomFor)
	seed := uint64(0)
	for ; seed < uint64(*randomPrograms) || time.Now().Before(end); seed++ {
		for _, e := range elements {
			if e.checkProgram(s, seed); t.Failed() {
				return
			}
		}
		if s.againstDifferences(seed); t.Failed() {
			return
		}
	}
	s.report(t, seed >= enoughPrograms)
	if d := s.differences; seed >= enoughPrograms && (d.compared < 20*d.passedOver || d.compared < int(seed) || 2*d.kinked > int(seed)) {
		t.Errorf("only %d derivatives were compared with differences: %+v", d.compared, d)
	}
	t.Logf("%d derivatives within %v of central differences, %d passed over, %d programs next to kinks", s.compared, differencesTolerance, s.passedOver, s.kinked)
	t.Logf("%d programs, %d nodes", seed*uint64(len(elements)), s.nodes)
}

func (n number[T]) checkProgram(s *randomSuite, seed uint64) {
	p := newRandomProgram(n, seed)
	for _, x := range p.tape.Nodes() {
		s.add(x, x.IsSource() && p.uniform(x.Symbol().Index()))
	}
	c := randomCheck[T]{s.T, p, seed}
	c.runs()
	c.derivatives()
	c.copies()
	if s.Failed() {
		s.Errorf("program %d of %s is\n%s", seed, n.Name(), p.tape.Describe())
	}
}

// randomCheck is one program under test.
type randomCheck[T any] struct {
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
	if again := Must(plan.StableHLO()).String(); again != module {
		c.Errorf("program %d is emitted as\n%s\nand then as\n%s", c.seed, module, again)
	}
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

// copies makes the tape again from its bytes, by a replay, by putting back what
// was cut, and by a seal and a reopen.
func (c randomCheck[T]) copies() {
	p := c.p
	want, bytesOf := p.tape.Describe(), p.tape.Encode(0)
	decoded := New(p.Element)
	if err := decoded.Decode(bytesOf); err != nil {
		c.Errorf("program %d: %v", c.seed, err)
		return
	}
	replayed := New(p.Element)
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
	check := func(what string, copied *Tape[T]) {
		if got := copied.Describe(); got != want {
			c.Errorf("program %d %s is\n%s", c.seed, what, got)
		}
		if !bytes.Equal(copied.Encode(0), bytesOf) {
			c.Errorf("program %d %s has other bytes", c.seed, what)
		}
	}
	check("decoded", decoded)
	check("replayed", replayed)
	check("restored", p.tape)
	p.tape = p.tape.Seal().Reopen()
	check("reopened", p.tape)
}
