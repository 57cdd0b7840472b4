package language

import (
	"iter"
	"maps"
	"slices"

	"github.com/topos-notebook/topos/topos"
)

// Binding is a name and the node it stands for.
type Binding struct {
	Name   string
	Symbol topos.Symbol
}

// Names are the bindings a program sees, oldest first; a name that is bound
// again becomes the newest. The zero value has no names. It is not safe for
// concurrent use.
type Names struct {
	order []Binding      // in which they were bound, those that were bound again since included
	at    map[string]int // where in the order the one in force is
}

// Bind binds a name, in place of what it was bound to before.
func (n *Names) Bind(name string, to topos.Named) {
	symbol := to.Symbol()
	if n.at == nil {
		n.at = map[string]int{}
	}
	n.at[name] = len(n.order)
	n.order = append(n.order, Binding{name, symbol})
	n.sweep()
}

// Unbind forgets a name.
func (n *Names) Unbind(name string) {
	delete(n.at, name)
	n.sweep()
}

// sweep leaves out what is no longer in force once it is most of the order, so that
// a binding takes constant time on average however often its name was bound.
func (n *Names) sweep() {
	if len(n.order) < 2*len(n.at)+16 {
		return
	}
	order := make([]Binding, 0, len(n.at))
	for name, symbol := range n.All() {
		order = append(order, Binding{name, symbol})
	}
	for i, b := range order {
		n.at[b.Name] = i
	}
	n.order = order
}

// Lookup gives the node that a name stands for.
func (n *Names) Lookup(name string) (topos.Symbol, bool) {
	i, ok := n.at[name]
	if !ok {
		return topos.Symbol{}, false
	}
	return n.order[i].Symbol, true
}

// Len is the number of names.
func (n *Names) Len() int { return len(n.at) }

// All lists the bindings, oldest first.
func (n *Names) All() iter.Seq2[string, topos.Symbol] {
	return func(yield func(string, topos.Symbol) bool) {
		for i, b := range n.order {
			if at, ok := n.at[b.Name]; ok && at == i && !yield(b.Name, b.Symbol) {
				return
			}
		}
	}
}

// Clone is a copy that later bindings do not reach.
func (n *Names) Clone() *Names {
	return &Names{order: slices.Clone(n.order), at: maps.Clone(n.at)}
}

// Near is the name that an unknown word was most likely meant to be, or "".
func (n *Names) Near(word string) string {
	var known []string
	for name := range n.All() {
		known = append(known, name)
	}
	return nearest(word, known)
}
