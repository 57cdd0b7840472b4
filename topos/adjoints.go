package topos

import "fmt"

// Adjoints is what a recorded derivative answers: the target, and one gradient
// node per name it was taken with respect to, in that order.
type Adjoints struct {
	target    Symbol
	wrt       []Symbol
	gradients []Symbol
	shapes    []Shape // of the gradients
	appended  [2]int  // the nodes recorded: from, to
}

// Target is the differentiated node.
func (a Adjoints) Target() Symbol { return a.target }

// Wrt lists the names it was taken with respect to.
func (a Adjoints) Wrt() []Symbol { return a.wrt }

// Gradients lists the gradient nodes, in the order of Wrt.
func (a Adjoints) Gradients() []Symbol { return a.gradients }

// Roots is the target, then the gradients: what a training entry declares.
func (a Adjoints) Roots() []Named {
	r := []Named{a.target}
	for _, s := range a.gradients {
		r = append(r, s)
	}
	return r
}

// Of is the gradient node of a name. It panics with a [*Refusal] for a name
// the derivative was not taken with respect to.
func (a Adjoints) Of(n Named) Symbol {
	for i, s := range a.wrt {
		if s == n.Symbol() {
			return a.gradients[i]
		}
	}
	refuseName(ErrUndeclared, "gradient", "the derivative of %d was not taken with respect to node %d", a.target.index, n.Symbol().index)
	return Symbol{}
}

// Appended is the range of nodes the derivative recorded: from, up to but not
// including to.
func (a Adjoints) Appended() (from, to int) { return a.appended[0], a.appended[1] }

// Differentiate appends the gradient of a rank-0 target as ordinary nodes: the
// reverse scan with a seed of one. It panics with a [*Refusal] where the target
// is not rank 0; sum it first.
func (t *Recording) Differentiate(target Named, wrt ...Named) Adjoints {
	g := t.t.open("differentiate")
	at := g.resolve("differentiate", target.Symbol())
	if shape := g.shape(at); len(shape) != 0 {
		refuse("differentiate", []Shape{shape}, "", "differentiate needs a target of rank 0, not %v: sum it first", shape)
	}
	return t.whole(func() Adjoints { return t.t.derive("differentiate", at, nil, wrt) })
}

// VJP appends the vector-Jacobian product of a target by an explicit seed of
// its shape. A seed that is itself a gradient records a Hessian-vector product.
func (t *Recording) VJP(target Named, seed Trace, wrt ...Named) Adjoints {
	g := t.t.open("vjp")
	at := g.resolve("vjp", target.Symbol())
	if shape, own := seed.Shape(), g.shape(at); !shape.Equal(own) {
		refuse("vjp", []Shape{own, shape}, "", "vjp of %v needs a seed of that shape, not %v", own, shape)
	}
	return t.whole(func() Adjoints { return t.t.derive("vjp", at, &seed, wrt) })
}

// whole keeps what f records only where f returns: a rule may ask for an
// operation that the element refuses.
func (t *Recording) whole(f func() Adjoints) Adjoints {
	start, done := t.Len(), false
	defer func() {
		if !done {
			t.Cut(start)
		}
	}()
	a := f()
	done = true
	return a
}

// derive checks every name before it records, so that a refusal appends nothing.
func (t *tape) derive(op string, target int, seed *Trace, wrt []Named) Adjoints {
	g := t.s.g
	a := Adjoints{target: g.symbol(target), appended: [2]int{len(g.records), 0}}
	at := make([]int, len(wrt))
	for i, n := range wrt {
		at[i] = g.resolve(op, n.Symbol())
		a.wrt = append(a.wrt, g.symbol(at[i]))
		a.shapes = append(a.shapes, g.shape(at[i]))
	}
	if seed != nil {
		g.resolve(op, seed.symbol)
	}
	s := newSweep(g, target)
	s.mark = func(of int, part Part) { g.place.of, g.place.part = int32(of), part }
	g.place.opens = true
	defer func() { g.place.of, g.place.part, g.place.opens = -1, PartNone, false }()
	values := make([]Trace, target+1)
	for i := range values {
		values[i] = Trace{t, g.symbol(i)}
	}
	if seed == nil {
		s.mark(target, PartSeed)
		one := values[target].Filled(1)
		seed = &one
	}
	sums, has := reverse(s, values, *seed)
	for _, w := range at {
		if w <= target && has[w] {
			a.gradients = append(a.gradients, sums[w].symbol)
			continue
		}
		s.mark(w, PartStart)
		a.gradients = append(a.gradients, Trace{t, g.symbol(w)}.Filled(0).symbol)
	}
	a.appended[1] = len(g.records)
	return a
}

// Recorded finds a derivative of the target that the tape already holds, the
// newest first. Origins tell: a derivative starts at its seed and runs on while
// nodes are parts of one, and the cotangent of a node is the last that was
// summed for it.
func (t *Recording) Recorded(target Named, wrt ...Named) (Adjoints, bool) {
	g := t.t.open("recorded")
	at := g.resolve("recorded", target.Symbol())
	for from := len(g.records) - 1; from > at; from-- {
		if r := &g.records[from]; r.part != PartSeed || int(r.of) != at {
			continue
		}
		if a, ok := g.recorded(at, from, wrt); ok {
			return a, true
		}
	}
	return Adjoints{}, false
}

// recorded reads the derivative whose seed is at from.
func (g *graph) recorded(target, from int, wrt []Named) (Adjoints, bool) {
	last := map[int]int{target: from}
	to := from + 1
	for ; to < len(g.records) && g.records[to].part > PartSeed && !g.records[to].opens; to++ {
		if r := &g.records[to]; r.part == PartStart || r.part == PartSum {
			last[int(r.of)] = to
		}
	}
	a := Adjoints{target: g.symbol(target), appended: [2]int{from, to}}
	for _, n := range wrt {
		w := g.resolve("recorded", n.Symbol())
		gradient, ok := last[w]
		if !ok {
			return Adjoints{}, false
		}
		a.wrt = append(a.wrt, g.symbol(w))
		a.shapes = append(a.shapes, g.shape(w))
		a.gradients = append(a.gradients, g.symbol(gradient))
	}
	return a, true
}

// String says what was differentiated: d #5 / d #0 = #28.
func (a Adjoints) String() string {
	s := ""
	for i, w := range a.wrt {
		if i > 0 {
			s += "\n"
		}
		s += fmt.Sprintf("d #%d / d #%d = #%d", a.target.index, w.index, a.gradients[i].index)
	}
	return s
}
