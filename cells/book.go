package cells

import (
	"fmt"
	"slices"

	"github.com/topos-notebook/topos/topos"
)

// Book is the part of a [Session] that knows names. It is a type of its own so
// that it is compiled once, and not with every cell.
type Book struct{ r *record }

// Name binds a name to a node, for this cell and, once it has ended well, for
// every later one. A name may be bound again. It is spelled as in the tape
// language: a letter or an underscore, then letters, digits and underscores.
//
// Name panics with a [*topos.Refusal] where the name is not spelled so, and
// where the node is not on the session's tape.
func (b *Book) Name(name string, n topos.Named) {
	if !isName(name) {
		refuse("name", topos.ErrForeign, "%q cannot be a name: a name is a letter or _, then letters, digits and _", name)
	}
	if !b.r.owns(n.Symbol()) {
		refuse("name", topos.ErrForeign, "name %s cannot be bound to node %d: it is not on the session's tape", name, n.Symbol().Index())
	}
	b.r.bind(name, n.Symbol())
	b.r.resume(name, n.Symbol())
	if b.r.ledger != nil {
		if err := b.r.ledger.Name(name, n.Symbol().Index()); err != nil {
			panic(unwritable(err))
		}
	}
}

// Get gives the value that a name is bound to, to go on recording from it.
//
// Get panics with a [*topos.Refusal] where there is no such name, and where the
// tape was sealed.
func (b *Book) Get(name string) topos.Trace {
	for _, x := range slices.Backward(b.r.names) {
		if x.name == name {
			return b.r.tape.Resolve(x.symbol)
		}
	}
	refuse("get", topos.ErrUndeclared, "the session has no name %s; its names: %s", name, orNone(b.Names()))
	panic("unreachable")
}

// Names lists the names in force, in alphabetical order.
func (b *Book) Names() []string {
	var names []string
	for _, x := range b.r.names {
		names = append(names, x.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Naming gives the name of a node for readings, "" where it has none: the one
// bound last, of those that still mean the node.
func (b *Book) Naming() topos.Naming { return b.r.label }

// Gradient is the reading of the tape with a derivative's nodes set off from
// those before it, as a cell shows it with cells.Show(s.Gradient(a)).
func (b *Book) Gradient(a topos.Adjoints) *topos.Reading {
	return withNames(b.r.tape.ReadGradient(a, b.r.label), b.r.called())
}

// Reading is the spec: every node, in order, with the session's names. What this
// cell recorded is set off from what was there before.
func (b *Book) Reading() *topos.Reading {
	r := withNames(b.r.tape.Reading(), b.r.called())
	if b.r.base > 0 && b.r.base < b.r.tape.Len() {
		r.Marks = []topos.Mark{{Before: b.r.base, Text: "segment " + decimal(b.r.segment)}}
	}
	return r
}

// Picture is the tape as a reading to be drawn, with the session's names.
func (b *Book) Picture() *topos.Reading {
	return withNames(b.r.tape.Picture(), b.r.called())
}

// String says what the session holds: its nodes and its names.
func (b *Book) String() string {
	t := b.r.tape
	return fmt.Sprintf("session: %s, %s, %s; names: %s", counted(t.Len(), "node"),
		counted(len(t.Parameters()), "parameter"), counted(len(t.Inputs()), "input"), orNone(b.Names()))
}
