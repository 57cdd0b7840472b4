package topos_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// norm is a batch norm as its composition records it; given statistics make the
// other kind.
type norm struct {
	batch, scale, shift, epsilon  Value[float64]
	mean, variance, centred, root Value[float64]
}

// normed records a batch norm over axis, by its own statistics or given ones.
func normed(tape *Tape[float64], axis int, x Value[float64], given ...Value[float64]) norm {
	extent, features := x.Shape()[axis], Shape{x.Shape()[1-axis]}
	n := norm{batch: x, scale: tape.Parameter(features, 1.5), shift: tape.Parameter(features, 0.5), epsilon: tape.Leaf(nil, 0.125)}
	if len(given) == 2 {
		n.mean, n.variance = given[0], given[1]
	} else {
		n.mean = x.MeanAlong(axis)
	}
	n.centred = x.Sub(n.mean.BroadcastAlong(axis, extent))
	if len(given) != 2 {
		n.variance = n.centred.Mul(n.centred).MeanAlong(axis)
	}
	deviation := n.variance.Add(n.epsilon.BroadcastTo(features)).Sqrt()
	y := n.centred.Div(deviation.BroadcastAlong(axis, extent)).Mul(n.scale.BroadcastAlong(axis, extent))
	n.root = y.Add(n.shift.BroadcastAlong(axis, extent))
	return n
}

func candidates(tape *Tape[float64], roots ...Named) []Pattern {
	return Must(tape.View().Entry(roots...).Lower()).Schedule().Candidates()
}

func TestBatchNorms(t *testing.T) {
	for axis := range 2 {
		tape := New(F64)
		x := tape.Input(Shape{3, 4}, 1)
		n := normed(tape, axis, x)
		found := candidates(tape, n.root)
		want := fmt.Sprintf("[%v %v %v %v] [%v %v] feature=%d epsilon=0.125", x.Symbol(), n.scale.Symbol(), n.shift.Symbol(), n.epsilon.Symbol(), n.mean.Symbol(), n.variance.Symbol(), 1-axis)
		if len(found) != 1 || found[0].Kind != BatchNormTraining || fmt.Sprintf("%v %v %s", found[0].Operands, found[0].Results, found[0].Attributes()) != want {
			t.Errorf("axis %d: %v, want operands, results and attributes %s", axis, found, want)
		}
		mean, variance := tape.Input(n.scale.Shape(), 0), tape.Input(n.scale.Shape(), 1)
		m := normed(tape, axis, x, mean, variance)
		found = candidates(tape, m.root)
		want = fmt.Sprintf("[%v %v %v %v %v %v] [] feature=%d epsilon=0.125", x.Symbol(), m.scale.Symbol(), m.shift.Symbol(), mean.Symbol(), variance.Symbol(), m.epsilon.Symbol(), 1-axis)
		if len(found) != 1 || found[0].Kind != BatchNormInference || fmt.Sprintf("%v %v %s", found[0].Operands, found[0].Results, found[0].Attributes()) != want {
			t.Errorf("axis %d: %v, want operands, results and attributes %s", axis, found, want)
		}
	}
}

// TestStatisticsAreResults: mean and variance may be read, by a run and by nodes
// after the norm; everything else inside may not.
func TestStatisticsAreResults(t *testing.T) {
	tape := New(F64)
	n := normed(tape, 0, tape.Input(Shape{3, 2}, 1))
	inside := candidates(tape, n.root)[0].Nodes
	for _, at := range inside[:len(inside)-1] {
		open := at == n.mean.Symbol() || at == n.variance.Symbol()
		if found := candidates(tape, n.root, at); (len(found) == 1) != open {
			t.Errorf("%v readable: %v", tape.Node(at), found)
		}
		reader := tape.Resolve(at).Neg()
		if found := candidates(tape, n.root, reader); (len(found) == 1) != open {
			t.Errorf("%v read from outside: %v", tape.Node(at), found)
		}
	}
	tape = New(F64)
	x := tape.Input(Shape{3, 2}, 1)
	mean := x.MeanAlong(0)
	early := mean.Neg()
	n.centred = x.Sub(mean.BroadcastAlong(0, 3))
	variance := n.centred.Mul(n.centred).MeanAlong(0)
	one := tape.Leaf(Shape{2}, 1).BroadcastAlong(0, 3)
	root := n.centred.Div(variance.Add(tape.Leaf(nil, 1).BroadcastTo(Shape{2})).Sqrt().BroadcastAlong(0, 3)).Mul(one).Add(tape.Leaf(Shape{2}, 1).BroadcastAlong(0, 3))
	if found := candidates(tape, root); len(found) != 1 {
		t.Errorf("the norm is not found: %v", found)
	}
	if found := candidates(tape, root, early); len(found) != 0 {
		t.Errorf("the mean is read before the root, yet %v", found)
	}
}

// TestNotNorms: what differs from a batch norm in one place is none.
func TestNotNorms(t *testing.T) {
	build := func(count, axis int, epsilon func(*Tape[float64]) Value[float64], square func(a, b Value[float64]) Value[float64]) (*Tape[float64], Value[float64]) {
		tape := New(F64)
		x := tape.Input(Shape{2, 2}, 1)
		average := func(x Value[float64]) Value[float64] {
			return x.SumAlong(0).Div(tape.Leaf(Shape{2}, float64(count)))
		}
		centred := x.Sub(average(x).BroadcastAlong(0, 2))
		variance := average(square(centred, x))
		deviation := variance.Add(epsilon(tape).BroadcastTo(Shape{2})).Sqrt()
		scale, shift := tape.Parameter(Shape{2}, 1), tape.Parameter(Shape{2}, 1)
		y := centred.Div(deviation.BroadcastAlong(0, 2)).Mul(scale.BroadcastAlong(axis, 2))
		return tape, y.Add(shift.BroadcastAlong(0, 2))
	}
	recorded := func(tape *Tape[float64]) Value[float64] { return tape.Leaf(nil, 1e-5) }
	fed := func(tape *Tape[float64]) Value[float64] { return tape.Input(nil, 1e-5) }
	endless := func(tape *Tape[float64]) Value[float64] { return tape.Leaf(nil, math.Inf(1)) }
	squared := func(c, _ Value[float64]) Value[float64] { return c.Mul(c) }
	mixed := func(c, x Value[float64]) Value[float64] { return c.Mul(x) }
	for _, c := range []struct {
		name        string
		count, axis int
		epsilon     func(*Tape[float64]) Value[float64]
		square      func(a, b Value[float64]) Value[float64]
		found       int
	}{
		{"a norm", 2, 0, recorded, squared, 1},
		{"another count", 3, 0, recorded, squared, 0},
		{"scaled along the other axis", 2, 1, recorded, squared, 0},
		{"epsilon is fed", 2, 0, fed, squared, 0},
		{"epsilon is infinite", 2, 0, endless, squared, 0},
		{"no square", 2, 0, recorded, mixed, 0},
	} {
		if tape, root := build(c.count, c.axis, c.epsilon, c.square); len(candidates(tape, root)) != c.found {
			t.Errorf("%s: %v", c.name, candidates(tape, root))
		}
	}
}

// layered records a product of windows, a pooled maximum and a norm twice.
func layered(r *rand.Rand) (tape *Tape[float64], loss Value[float64]) {
	tape = New(F64)
	x := tape.Input(Shape{2, 2, 7, 7}, integers(r, Shape{2, 2, 7, 7})...)
	for range 2 {
		s := x.Shape()
		k := tape.Parameter(Shape{s[1] * 4, 2}, integers(r, Shape{s[1] * 4, 2})...)
		rows := x.Pad(2, 1, s[2]+1).Unfold(2, 2, 1, 1).Unfold(4, 2, 1, 1).Permute(0, 2, 4, 1, 3, 5)
		w := rows.Shape()
		y := rows.Reshape(Shape{w[:3].Volume(), w[3:].Volume()}).MatMul(k)
		y = normed(tape, 0, y).root.Reshape(Shape{w[0], w[1], w[2], 2}).Permute(0, 3, 1, 2)
		lanes := y.Unfold(2, 2, 2, 1).Unfold(4, 2, 2, 1).Permute(0, 1, 2, 4, 3, 5)
		l := lanes.Shape()
		lanes = lanes.Reshape(Shape{l[0], l[1], l[2], l[3], 4})
		z := lanes.Narrow(4, 0, 1)
		for lane := 1; lane < 4; lane++ {
			z = z.Maximum(lanes.Narrow(4, lane, 1))
		}
		x = z.Squeeze(4)
	}
	return tape, x.Mul(x).Sum()
}

// TestElection: candidates come kind by kind, each by ascending root; the
// portable election takes the windows of a forward plan, in either numerics, and
// a plan under any election answers the interpreter's bits.
func TestElection(t *testing.T) {
	tape, loss := layered(rand.New(rand.NewPCG(1, 1)))
	view := tape.View()
	entry := view.Entry(loss)
	plan := Must(entry.Lower())
	var kinds []string
	all := plan.Schedule().Candidates()
	for i, p := range all {
		kinds = append(kinds, string(p.Kind))
		if i > 0 && all[i-1].Kind == p.Kind && all[i-1].Root.Index() > p.Root.Index() {
			t.Errorf("%v comes after %v", p, all[i-1])
		}
	}
	if got := strings.Join(kinds, " "); got != "WindowProduct WindowProduct ReduceWindow ReduceWindow BatchNormTraining BatchNormTraining" {
		t.Errorf("candidates are %s", got)
	}
	same(t, "elected", listed(plan.Patterns()), listed(all[:4]))
	same(t, "exact", Must(entry.Numerics(Exact).Lower()).Describe(), plan.Describe())
	if retained := Must(entry.Retain().Lower()); len(retained.Patterns()) != 0 || len(retained.Schedule().Candidates()) != len(all) {
		t.Errorf("a retaining plan elects %v among %v", retained.Patterns(), retained.Schedule().Candidates())
	}
	every := Must(plan.Electing(all...))
	none := Must(plan.Electing())
	if len(every.Patterns()) != 6 || strings.Count(every.Describe(), " fused\n") != strings.Count(plan.Describe(), " fused\n")+2*(18-3) || strings.Contains(none.Describe(), "fused") {
		t.Errorf("elections of all and of none:\n%s\n%s", every.Describe(), none.Describe())
	}
	oracle := Must(view.Forward(tape.InitialParameters()))
	for _, p := range []*Plan[float64]{plan, every, none, Must(entry.Numerics(Exact).Lower())} {
		if run := Must(p.Forward(tape.InitialParameters())); !run.Of(loss).Equal(oracle.Of(loss)) {
			t.Errorf("%v is not %v", run.Of(loss), oracle.Of(loss))
		}
	}
}

func TestElectIsGreedy(t *testing.T) {
	tape := New(F64)
	for range 4 {
		tape.Leaf(nil, 1)
	}
	pattern := func(kind PatternKind, at ...int) Pattern {
		p := Pattern{Kind: kind}
		for _, i := range at {
			p.Nodes = append(p.Nodes, tape.Value(i).Symbol())
		}
		p.Root = p.Nodes[len(at)-1]
		return p
	}
	got := Elect(pattern("a", 0, 1), pattern("b", 1, 2), pattern("c", 2, 3), pattern("d", 3))
	if listed(got) != "a #1: 0, 1\nc #3: 2, 3\n" {
		t.Errorf("elected\n%s", listed(got))
	}
	if none := Elect(); len(none) != 0 {
		t.Errorf("nothing elects %v", none)
	}
}

// TestElectingRefuses what would hide a value that somebody reads.
func TestElectingRefuses(t *testing.T) {
	tape := New(F64)
	x := tape.Input(nil, 2)
	a := x.Exp()
	b := a.Neg()
	c := b.Sin()
	d := a.Add(c)
	pattern := func(nodes ...Value[float64]) Pattern {
		return Pattern{Kind: "own", Root: nodes[len(nodes)-1].Symbol(), Nodes: Detach(nodes...)}
	}
	forward, backward := Must(tape.View().Entry(d).Lower()), Must(tape.View().Entry(d).Retain().Lower())
	other := New(F64).Leaf(nil, 1)
	for _, c := range []struct {
		name     string
		plan     *Plan[float64]
		patterns []Pattern
		want     string
	}{
		{"closed", forward, []Pattern{pattern(b, c)}, ""},
		{"read from outside", forward, []Pattern{pattern(a, b, c)}, "pattern own #3: 1, 2, 3 cannot be elected: an interior is readable, or read from outside"},
		{"root not last", forward, []Pattern{{Kind: "own", Root: b.Symbol(), Nodes: Detach(b, c)}}, "pattern own #2: 2, 3 cannot be elected: its nodes are not in recording order with the root last"},
		{"shared", forward, []Pattern{pattern(b, c), pattern(c)}, "patterns cannot be elected together: two of them share a member"},
		{"retained", backward, []Pattern{pattern(b, c)}, "pattern own #3: 2, 3 cannot be elected: a backward sweep reads node 2"},
		{"of another tape", forward, []Pattern{pattern(other)}, "electing was given a symbol of another tape: node 0"},
	} {
		got := ""
		if _, err := c.plan.Electing(c.patterns...); err != nil {
			got = err.Error()
		}
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// TestFusedAccounting counts again, from the printed schedule alone, what is live.
func TestFusedAccounting(t *testing.T) {
	for seed := range uint64(20) {
		tape, loss := layered(rand.New(rand.NewPCG(seed, 3)))
		plan := Must(tape.View().Entry(loss).Lower())
		if seed%2 == 1 {
			plan = Must(plan.Electing(plan.Schedule().Candidates()...))
		}
		var live []int
		total := 0
		rows := plan.Reading().Rows
		for _, row := range rows {
			if row.Liveness != "fused" {
				total += Shape(row.Shape).Volume()
				live = append(live, total)
			}
			for _, freed := range rows {
				if freed.Liveness == fmt.Sprintf("freed after %d", row.Index) {
					total -= Shape(freed.Shape).Volume()
				}
			}
		}
		if fmt.Sprint(live) != fmt.Sprint(plan.LiveSeries()) {
			t.Errorf("counted %v, the plan says %v in\n%s", live, plan.LiveSeries(), plan.Describe())
		}
	}
}
