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
	order []Binding
	at    map[string]topos.Symbol
}

// Bind binds a name, in place of what it was bound to before.
func (n *Names) Bind(name string, to topos.Named) {
	symbol := to.Symbol()
	if n.at == nil {
		n.at = map[string]topos.Symbol{}
	}
	n.remove(name)
	n.at[name] = symbol
	n.order = append(n.order, Binding{name, symbol})
}

// Unbind forgets a name.
func (n *Names) Unbind(name string) {
	n.remove(name)
	delete(n.at, name)
}

func (n *Names) remove(name string) {
	if _, ok := n.at[name]; !ok {
		return
	}
	// From the end: what is bound again is mostly what was bound last.
	for i := len(n.order) - 1; i >= 0; i-- {
		if n.order[i].Name == name {
			n.order = slices.Delete(n.order, i, i+1)
			return
		}
	}
}

// Lookup gives the node that a name stands for.
func (n *Names) Lookup(name string) (topos.Symbol, bool) {
	s, ok := n.at[name]
	return s, ok
}

// Len is the number of names.
func (n *Names) Len() int { return len(n.order) }

// All lists the bindings, oldest first.
func (n *Names) All() iter.Seq2[string, topos.Symbol] {
	return func(yield func(string, topos.Symbol) bool) {
		for _, b := range n.order {
			if !yield(b.Name, b.Symbol) {
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
	for _, b := range n.order {
		known = append(known, b.Name)
	}
	return nearest(word, known)
}
