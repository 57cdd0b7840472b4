package topos_test

import (
	. "github.com/topos-notebook/topos/topos"
)

// The refusal rows of phases: symbols, derivatives, runs and parameter tables.

// misused is a small network that rows misuse: hidden = tanh(w * x), loss = its
// sum, and a value beside it that the loss does not read.
type misused struct {
	w, x, hidden, loss, other Trace
}

func (g *ground) train() (s misused) {
	s.w, s.x = g.tape.Parameter(Shape{2}, 1, 2), g.tape.Input(Shape{2}, 3, 4)
	s.hidden = s.w.Mul(s.x).Tanh()
	s.loss = s.hidden.Sum()
	s.other = s.w.Neg().Sum()
	return s
}

// seal makes the row's ground a network.
func (g *ground) seal() *Network[float32] {
	g.net = g.tape.Seal()
	return g.net
}

// foreign is a network of its own, of the same make.
func foreign() (*Network[float32], misused) {
	g := &ground{tape: New(F32)}
	s := g.train()
	return g.tape.Seal(), s
}

// longer is a table of one parameter more than a network from before.
func (g *ground) longer() (s misused, short *Network[float32], table *Parameters[float32]) {
	s = g.train()
	short = g.tape.View()
	g.tape.Parameter(Shape{3}, 5)
	return s, short, g.tape.InitialParameters()
}

func (g *ground) expects(err error, names ...string) {
	g.err, g.names = err, append(g.names, names...)
}

func fails[R any](_ R, err error) error { return err }

var symbolMisuses = []pattern{
	reads(`tape\.resolve\(symbol of another tape\)`, func(g *ground, _ []string) func() error {
		_, s := foreign()
		g.expects(ErrForeign, "resolve")
		return panics(func() { g.tape.Resolve(s.loss.Symbol()) })
	}),
	reads(`network\.entry\(\[foreign\]\)(\.observe\(.*\))?\.lower\(\)`, func(g *ground, _ []string) func() error {
		_, s := foreign()
		g.train()
		net := g.seal()
		g.expects(ErrForeign, "entry")
		return func() error { return fails(net.Entry(s.loss).Lower()) }
	}),
	reads(`network\.entry\(\[\w+\]\)\.observe\(\[foreign\]\)\.lower\(\)`, func(g *ground, _ []string) func() error {
		_, s := foreign()
		own := g.train()
		net := g.seal()
		g.expects(ErrForeign, "entry")
		return func() error { return fails(net.Entry(own.loss).Observe(s.hidden).Lower()) }
	}),
	reads(`symbol recorded after the run's network \(reopened\)`, func(g *ground, _ []string) func() error {
		s := g.train()
		net := g.seal()
		run := Must(net.Forward(net.Parameters()))
		g.tape, g.net = net.Reopen(), nil
		later := g.tape.Resolve(s.loss).Neg()
		g.expects(ErrUndeclared, "run")
		return panics(func() { run.Of(later) })
	}),
	reads(`run\.of\(symbol of another tape\)`, func(g *ground, _ []string) func() error {
		_, s := foreign()
		g.train()
		net := g.seal()
		run := Must(net.Forward(net.Parameters()))
		g.expects(ErrForeign, "run")
		return panics(func() { run.Of(s.loss) })
	}),
	// Ours stays usable: see deliberate.
	reads(`recording after a shape panic on the same tape`, func(g *ground, _ []string) func() error {
		s := g.train()
		g.refuseSum(s)
		return panics(func() { s.loss.Neg() })
	}),
	reads(`into_network after a shape panic`, func(g *ground, _ []string) func() error {
		s := g.train()
		g.refuseSum(s)
		return panics(func() { g.seal() })
	}),
	reads(`transpose of rank 3 panics before recording; then tape\.input`, func(g *ground, _ []string) func() error {
		x := g.tape.Input(Shape{2, 3, 4}, 1)
		if Refused(func() { x.Transpose() }) == nil {
			g.Error("the transpose is not refused")
		}
		return panics(func() { g.tape.Input(nil, 1) })
	}),
}

// refuseSum asks for a sum that does not fit.
func (g *ground) refuseSum(s misused) {
	g.Helper()
	if Refused(func() { s.loss.Add(s.hidden) }) == nil {
		g.Error("the sum is not refused")
	}
}

var derivativeMisuses = []pattern{
	reads(`differentiate\(SHAPE value\)`, func(g *ground, m []string) func() error {
		w := g.tape.Parameter(g.shape(m[1]), 1)
		y := w.Neg()
		g.expects(ErrShape, "differentiate")
		return panics(func() { g.tape.Differentiate(y, w) })
	}),
	reads(`vjp\(SHAPE value, (?:a )?SHAPE seed\)`, func(g *ground, m []string) func() error {
		w, seed := g.tape.Parameter(g.shape(m[1]), 1), g.tape.Leaf(g.shape(m[2]), 1)
		y := w.Neg()
		g.expects(ErrShape, "vjp")
		return panics(func() { g.tape.VJP(y, seed, w) })
	}),
	reads(`wrt from another tape`, func(g *ground, _ []string) func() error {
		_, s := foreign()
		own := g.train()
		g.expects(ErrForeign, "differentiate")
		return panics(func() { g.tape.Differentiate(own.loss, own.w, s.w) })
	}),
	reads(`(?:target|seed) (?:from|of) another tape`, func(g *ground, _ []string) func() error {
		_, s := foreign()
		own := g.train()
		g.expects(ErrForeign)
		return panics(func() { g.tape.Differentiate(s.loss, own.w) })
	}),
	reads(`wrt an? (interior|input|leaf|unrelated value|parameter twice) \(accepted\)`, func(g *ground, m []string) func() error {
		own := g.train()
		wrt := map[string][]Named{
			"interior": {own.hidden}, "input": {own.x}, "leaf": {g.tape.Leaf(nil, 1)},
			"unrelated value": {own.other}, "parameter twice": {own.w, own.w},
		}[m[1]]
		return panics(func() { g.tape.Differentiate(own.loss, wrt...) })
	}),
}

var runMisuses = []pattern{
	reads(`plan\(entry\[loss\]\)\.of\(hidden\)`, func(g *ground, _ []string) func() error {
		return g.undeclared(func(s misused) Named { return s.hidden })
	}),
	reads(`plan\(entry\[loss\]\)\.of\(parameter not declared\)`, func(g *ground, _ []string) func() error {
		return g.undeclared(func(s misused) Named { return s.w })
	}),
	reads(`plan\(entry\[loss\]\)\.of\(input not declared\)`, func(g *ground, _ []string) func() error {
		return g.undeclared(func(s misused) Named { return s.x })
	}),
	reads(`entry\[hidden\]\.interpret\(\)\.of\(loss\)`, func(g *ground, _ []string) func() error {
		s := g.train()
		net := g.seal()
		run := Must(net.Entry(s.hidden).Interpret(net.Parameters()))
		g.expects(ErrUndeclared, "run")
		return panics(func() { run.Of(s.loss) })
	}),
	reads(`plan\(entry\[loss\]\)\.forward\(\)\.backward\(loss\)`, func(g *ground, _ []string) func() error {
		s := g.train()
		net := g.seal()
		run := Must(Must(net.Entry(s.loss).Lower()).Forward(net.Parameters()))
		g.expects(ErrUndeclared, "backward")
		return func() error { return fails(run.Backward(s.loss)) }
	}),
	reads(`plan\(entry\[loss\]\.backward\(\)\)\.backward\((other|hidden)\)`, func(g *ground, m []string) func() error {
		s := g.train()
		net := g.seal()
		run := Must(Must(net.Entry(s.loss).Retain().Lower()).Forward(net.Parameters()))
		if m[1] == "hidden" {
			g.expects(ErrShape, "backward", "[2]")
			return func() error { return fails(run.Backward(s.hidden)) }
		}
		g.expects(ErrUndeclared, "backward")
		return func() error { return fails(run.Backward(s.other)) }
	}),
	reads(`(plan )?feed SHAPE into input SHAPE`, func(g *ground, m []string) func() error {
		fed, shape := F32.Tensor(g.shape(m[2]), 1), g.shape(m[3])
		x := g.tape.Input(shape, 1)
		y := x.Neg()
		net := g.seal()
		g.expects(ErrShape, "feed")
		if m[1] == "" {
			return func() error { return fails(net.Forward(net.Parameters(), With(x, fed))) }
		}
		plan := Must(net.Entry(y).Lower())
		return func() error { return fails(plan.Forward(net.Parameters(), With(x, fed))) }
	}),
	reads(`forward feeding an? (parameter|leaf|interior|foreign) symbol`, func(g *ground, m []string) func() error {
		s := g.train()
		leaf := g.tape.Leaf(Shape{2}, 1)
		net := g.seal()
		_, strange := foreign()
		at := map[string]Named{"parameter": s.w, "leaf": leaf, "interior": s.hidden, "foreign": strange.x}[m[1]]
		g.expects(ErrUndeclared, "feed")
		if m[1] == "foreign" {
			g.err = ErrForeign
		}
		return func() error { return fails(net.Forward(net.Parameters(), With(at, F32.Tensor(Shape{2}, 1)))) }
	}),
	reads(`same input fed twice: the last wins \(accepted\)`, func(g *ground, _ []string) func() error {
		s := g.train()
		net := g.seal()
		return func() error {
			run, err := net.Forward(net.Parameters(), With(s.x, F32.Tensor(Shape{2}, 5)), With(s.x, F32.Tensor(Shape{2}, 7)))
			if err == nil && run.Of(s.x).String() != "[7, 7]" {
				g.Errorf("the input is %v", run.Of(s.x))
			}
			return err
		}
	}),
	reads(`(forward|interpret|plan\.forward) with another network's parameters`, func(g *ground, m []string) func() error {
		strange, _ := foreign()
		s := g.train()
		net := g.seal()
		table, entry := strange.Parameters(), net.Entry(s.loss)
		g.expects(ErrForeign, "run")
		switch m[1] {
		case "forward":
			return func() error { return fails(net.Forward(table)) }
		case "interpret":
			return func() error { return fails(entry.Interpret(table)) }
		}
		plan := Must(entry.Lower())
		return func() error { return fails(plan.Forward(table)) }
	}),
	reads(`longer table carried to a shorter network`, func(g *ground, _ []string) func() error {
		_, short, table := g.longer()
		g.expects(ErrShape, "carry", "[3]")
		return func() error { return fails(short.Carry(table)) }
	}),
	reads(`shorter table (?:run by|given to) a longer network`, func(g *ground, _ []string) func() error {
		_, short, _ := g.longer()
		net, table := g.seal(), short.Parameters()
		g.expects(ErrShape, "run")
		return func() error { return fails(net.Forward(table)) }
	}),
	reads(`plan lowered over \[loss\] only, asked for recorded gradients`, func(g *ground, _ []string) func() error {
		s := g.train()
		adjoints := g.tape.Differentiate(s.loss, s.w)
		net := g.seal()
		run := Must(Must(net.Entry(s.loss).Lower()).Forward(net.Parameters()))
		g.expects(ErrUndeclared, "run")
		return panics(func() { run.RecordedGradients(adjoints) })
	}),
	reads(`network\.entry\(\[\]\) lowered \(accepted\)`, func(g *ground, _ []string) func() error {
		g.train()
		net := g.seal()
		return func() error {
			plan, err := net.Entry().Lower()
			if err == nil {
				_, err = plan.Forward(net.Parameters())
			}
			return err
		}
	}),
}

// undeclared asks a run of a plan of the loss for another value.
func (g *ground) undeclared(of func(misused) Named) func() error {
	s := g.train()
	net := g.seal()
	run := Must(Must(net.Entry(s.loss).Lower()).Forward(net.Parameters()))
	g.expects(ErrUndeclared, "run")
	return panics(func() { run.Of(of(s)) })
}

var parameterMisuses = []pattern{
	reads(`parameters\.of\((foreign|input|interior)\)`, func(g *ground, m []string) func() error {
		_, strange := foreign()
		s := g.train()
		table := g.held(g.seal().Parameters())
		g.expects(ErrUndeclared, "parameters")
		if m[1] == "foreign" {
			g.err = ErrForeign
		}
		at := map[string]Named{"foreign": strange.w, "input": s.x, "interior": s.hidden}[m[1]]
		return panics(func() { table.Of(at) })
	}),
	reads(`(step|step_each|map|zip) answering another shape`, func(g *ground, m []string) func() error {
		g.train()
		table := g.held(g.seal().Parameters())
		g.expects(ErrShape, map[string]string{"step_each": "step"}[m[1]], "[2]", "[3]")
		wider := F32.Tensor(Shape{3}, 1)
		pair := func(_, _ *Tensor[float32]) *Tensor[float32] { return wider }
		return panics(func() {
			switch m[1] {
			case "step":
				table.Step(table, pair)
			case "step_each":
				table.StepEach(table, func(_ Symbol, _, _ *Tensor[float32]) *Tensor[float32] { return wider })
			case "map":
				table.Map(func(*Tensor[float32]) *Tensor[float32] { return wider })
			default:
				table.Zip(table, pair)
			}
		})
	}),
	reads(`direction with (fewer|more) slots`, func(g *ground, m []string) func() error {
		_, short, table := g.longer()
		direction := short.Parameters()
		if m[1] == "more" {
			table, direction = direction, table
		}
		g.held(table)
		g.expects(ErrShape, "step", "[3]")
		return panics(func() { table.Step(direction, first) })
	}),
	reads(`(zip|step) of two networks' tables`, func(g *ground, m []string) func() error {
		strange, _ := foreign()
		g.train()
		table, direction := g.held(g.seal().Parameters()), strange.Parameters()
		g.expects(ErrForeign, m[1])
		return panics(func() {
			if m[1] == "zip" {
				table.Zip(direction, first)
			} else {
				table.Step(direction, first)
			}
		})
	}),
	reads(`replacement (?:for an (input|interior)|of another (shape|network))`, func(g *ground, m []string) func() error {
		_, strange := foreign()
		s := g.train()
		table := g.held(g.seal().Parameters())
		at, payload := Named(s.x), F32.Tensor(Shape{2}, 1)
		g.expects(ErrUndeclared, "with")
		switch {
		case m[1] == "interior":
			at = s.hidden
		case m[2] == "shape":
			at, payload = s.w, F32.Tensor(Shape{3}, 1)
			g.expects(ErrShape, "[2]", "[3]")
		case m[2] == "network":
			at = strange.w
			g.err = ErrForeign
		}
		return panics(func() { table.WithPayloads(With(at, payload)) })
	}),
	reads(`carried to another network`, func(g *ground, _ []string) func() error {
		strange, _ := foreign()
		g.train()
		table := g.held(g.seal().Parameters())
		g.expects(ErrForeign, "carry")
		return func() error { return fails(strange.Carry(table)) }
	}),
	reads(`gradients\.parameters\(&foreign\)`, func(g *ground, _ []string) func() error {
		strange, _ := foreign()
		field, table := g.field(), strange.Parameters()
		g.expects(ErrForeign, "field")
		return panics(func() { field.Parameters(table) })
	}),
	reads(`gradients\.of\(foreign\)`, func(g *ground, _ []string) func() error {
		_, strange := foreign()
		field := g.field()
		g.expects(ErrForeign, "field")
		return panics(func() { field.Of(strange.w) })
	}),
	reads(`field\.zip of another network`, func(g *ground, _ []string) func() error {
		strange, s := foreign()
		other := Must(Must(strange.Forward(strange.Parameters())).Backward(s.loss))
		field := g.field()
		g.expects(ErrForeign, "zip")
		return panics(func() { field.Zip(other, first) })
	}),
}

// held makes a table what the row is of.
func (g *ground) held(table *Parameters[float32]) *Parameters[float32] {
	g.table = table
	return table
}

func first(a, _ *Tensor[float32]) *Tensor[float32] { return a }

// field is a backward sweep over the row's network.
func (g *ground) field() *Field[float32] {
	s := g.train()
	net := g.seal()
	return Must(Must(net.Forward(net.Parameters())).Backward(s.loss))
}
