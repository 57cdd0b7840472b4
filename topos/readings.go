package topos

import (
	"fmt"
	"strings"
)

// Naming gives the name bound to a node, or "".
type Naming func(Symbol) string

// called is the bound name of a node, or its number.
func (n Naming) called(s Symbol) string {
	if n != nil {
		if name := n(s); name != "" {
			return name
		}
	}
	return fmt.Sprintf("#%d", s.index)
}

// Named puts names on the rows of a reading.
func (r *Reading) Named(name func(index int) string) *Reading {
	for i := range r.Rows {
		r.Rows[i].Name = name(r.Rows[i].Index)
	}
	for i := range r.Adjoints {
		r.Adjoints[i].Name = name(r.Adjoints[i].Wrt)
	}
	return r
}

func (g *graph) row(i int) Row {
	xs, n := g.records[i].operands()
	op := g.opcode(i)
	return Row{Index: i, Opcode: op.Kind.String(), Operands: append([]int(nil), xs[:n]...), Attributes: op.Attributes(), Shape: g.shape(i), Origin: g.why(i), Derived: g.records[i].part != PartNone}
}

// carried is how many of n rows a reading carries.
func carried(n int) int {
	if n > MaxRows {
		return FewRows
	}
	return n
}

func (g *graph) reading(kind ReadingKind, what string) *Reading {
	r := &Reading{
		Kind: kind, Nodes: len(g.records), Sealed: what == "network",
		Counts: Counts{len(g.parameters), len(g.inputs)}, Tail: []string{g.tail(what)},
	}
	if n := carried(len(g.records)); n > 0 {
		r.Rows = make([]Row, n)
	}
	for i := range r.Rows {
		r.Rows[i] = g.row(i)
	}
	return r
}

// Reading is the spec: every node, in order.
func (t *Recording) Reading() *Reading {
	r := t.t.s.g.reading(SpecReading, "tape")
	r.Element, r.Text = t.t.s.k.name, t.Describe()
	return r
}

// String is the text of that reading: what fmt prints of a tape holds no address.
func (t *Recording) String() string { return t.Reading().line() }

// line is the text as a line of its own takes it.
func (r *Reading) line() string { return strings.TrimSuffix(r.Text, "\n") }

// Picture is the tape as a reading to be drawn.
func (t *Recording) Picture() *Reading {
	r := t.Reading()
	r.Kind = PictureReading
	return r
}

// Reading is the spec of the sealed network.
func (n *network) reading() *Reading {
	r := n.use("reading").reading(SpecReading, "network")
	r.Element, r.Text = n.s.k.name, n.Describe()
	return r
}

// ReadGradient is the tape with a divider above the nodes that a derivative
// appended. name may be nil.
func (t *Recording) ReadGradient(a Adjoints, name Naming) *Reading {
	r := t.t.s.g.reading(GradientReading, "tape")
	from, to := a.Appended()
	pairs := make([]string, len(a.wrt))
	for i, w := range a.wrt {
		pairs[i] = fmt.Sprintf("node %d is d %s / d %s", a.gradients[i].index, name.called(a.target), name.called(w))
	}
	text := counted(to-from, "node") + " appended by differentiate"
	if len(pairs) > 0 {
		text += "; " + strings.Join(pairs, ", ")
	}
	r.Element, r.Subject = t.t.s.k.name, name.called(a.target)
	r.Marks = []Mark{{from, text}}
	r.Text = t.DescribeFrom(from, text)
	r.Adjoints = a.pairs()
	return r
}

func (a Adjoints) pairs() []AdjointReading {
	r := make([]AdjointReading, len(a.wrt))
	for i, w := range a.wrt {
		r[i] = AdjointReading{Target: a.target.Index(), Wrt: w.Index(), Gradient: a.gradients[i].Index(), Shape: a.shapes[i]}
	}
	return r
}

// Reading is one pair per name: target, wrt, gradient, shape.
func (a Adjoints) Reading() *Reading {
	return &Reading{Kind: AdjointsReading, Text: a.String() + "\n", Adjoints: a.pairs()}
}

// Reading is the node's row, its payload under the recorded initials, and its
// readers.
func (v Trace) Reading() *Reading {
	g := v.tape.open("reading")
	i := g.resolve("reading", v.symbol)
	r := &Reading{Kind: NodeReading, Element: v.tape.s.k.name, Subject: fmt.Sprintf("#%d", i), Text: v.String() + "\n", Nodes: len(g.records)}
	r.Rows = append(r.Rows, g.row(i))
	for j := i + 1; j < len(g.records); j++ {
		if xs, n := g.records[j].operands(); n > 0 && xs[0] == i || n > 1 && xs[1] == i {
			r.Rows = append(r.Rows, g.row(j))
		}
	}
	if run, err := v.tape.view().Entry(v).Interpret(v.tape.s.parameters()); err == nil {
		r.Payloads = []PayloadReading{run.values[i].payload("", i)}
	}
	return r
}

// Reading is what the entry declares.
func (e entry) reading() *Reading {
	r := &Reading{Kind: EntryReading, Element: e.s.k.name, Nodes: len(e.s.g.records)}
	sc, err := e.schedule()
	if err != nil {
		r.Text = "entry: " + err.Error() + "\n"
		return r
	}
	posture := "forward"
	if e.retain {
		posture = "retain"
	}
	r.Text = fmt.Sprintf("entry: roots %s; observes %s; %s, %v\n", numbers(sc.readable[:sc.roots]), numbers(sc.readable[sc.roots:]), posture, e.numerics)
	for _, i := range sc.readable {
		r.Rows = append(r.Rows, e.s.g.row(i))
	}
	return r
}

func numbers(at []int) string {
	if len(at) == 0 {
		return "none"
	}
	return strings.Trim(Shape(at).String(), "[]")
}

// Reading is the schedule with liveness and the live volume.
func (p *plan) reading() *Reading {
	sc, g := p.sc, p.s.g
	r := &Reading{
		Kind: ScheduleReading, Element: p.s.k.name, Text: p.Describe(), Tail: p.tail(), Nodes: len(g.records),
		Counts: Counts{len(g.parameters), len(g.inputs)},
		Plan: &PlanReading{
			Evaluated: len(sc.order), Of: len(g.records), Readable: sc.readable, Schedule: sc.made, Live: sc.live,
			Peak: sc.peak, PeakNode: sc.peakNode, RetainAll: sc.retainAll, Backward: sc.retain, Exact: p.numerics == Exact,
		},
	}
	r.Plan.Patterns = p.patterns()
	next, rows := 0, carried(len(sc.order))
	for at, i := range sc.order {
		g.pause(at)
		for ; next < i; next++ {
			r.Plan.Skipped = append(r.Plan.Skipped, next)
		}
		next = i + 1
		if at < rows {
			row := g.row(i)
			row.Liveness = sc.liveness(i)
			r.Rows = append(r.Rows, row)
		}
	}
	for ; next < len(g.records); next++ {
		r.Plan.Skipped = append(r.Plan.Skipped, next)
	}
	return r
}

// Reading is the text of the module.
func (m Module) Reading() *Reading { return &Reading{Kind: ModuleReading, Text: string(m)} }

// ReadValues is the run's readable payloads, each under the label that is given
// for its node, or its number. Where some value is not finite, the first such
// node of those that were read is the reading's one row.
func (r *run) ReadValues(label Naming) *Reading {
	out := &Reading{Kind: ValuesReading, Element: r.s.k.name, Nodes: len(r.s.g.records)}
	var b strings.Builder
	faulty := -1
	for _, i := range r.readable {
		p := r.values[i].payload(label.called(r.s.g.symbol(i)), i)
		fmt.Fprintf(&b, "%s %s\n", p.Label, p.Text)
		out.Payloads = append(out.Payloads, p)
		if p.NonFinite > 0 && (faulty < 0 || i < faulty) {
			faulty = i
		}
	}
	if faulty >= 0 {
		out.Rows = []Row{r.s.g.row(faulty)}
	}
	out.Text = b.String()
	return out
}

// Reading is the table, slot by slot.
func (p *table) reading() *Reading {
	r := &Reading{Kind: ParametersReading, Element: p.k.name, Nodes: len(p.g.records), Counts: Counts{Parameters: len(p.tensors)}}
	var b strings.Builder
	for slot, t := range p.tensors {
		node := int(p.g.parameters[slot])
		reading := t.payload(fmt.Sprintf("#%d", node), node)
		fmt.Fprintf(&b, "%s %v %s\n", reading.Label, t.shape, reading.Text)
		r.Payloads = append(r.Payloads, reading)
	}
	fmt.Fprintf(&b, "parameters: %d\n", len(p.tensors))
	r.Text = b.String()
	return r
}

// Reading is the payloads that hold a cotangent, by node.
func (f *field) reading() *Reading {
	r := &Reading{Kind: FieldReading, Element: f.s.k.name, Nodes: len(f.s.g.records)}
	var b strings.Builder
	for i, t := range f.tensors {
		if t == nil {
			continue
		}
		p := t.payload(f.s.g.naming(i), i)
		fmt.Fprintf(&b, "%s %s\n", p.Label, p.Text)
		r.Payloads = append(r.Payloads, p)
	}
	r.Text = b.String()
	return r
}

// ReadPlot is a curve as a reading; its text is one line with the count, the
// first and the last value.
func ReadPlot(p Plot) *Reading {
	text := fmt.Sprintf("%s: no values", p.Title)
	if n := len(p.Values); n > 0 {
		text = fmt.Sprintf("%s: %s, first %s, last %s", p.Title, counted(n, "value"), shortest(p.Values[0]), shortest(p.Values[n-1]))
	}
	return &Reading{Kind: PlotReading, Text: text + "\n", Plot: &p}
}
