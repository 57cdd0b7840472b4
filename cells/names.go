package cells

import (
	"slices"
	"strings"
	"unicode"

	"github.com/topos-notebook/topos/topos"
)

// binding is a name and the node that it was bound to.
type binding struct {
	name   string
	symbol topos.Symbol
}

// Name binds a name to a node, for this cell and, once it has ended well, for
// every later one. A name may be bound again. It is spelled as in the tape
// language: a letter or an underscore, then letters, digits and underscores.
//
// Name panics with a [*topos.Refusal] where the name is not spelled so, and
// where the node is not on the session's tape.
func (s *Session[T]) Name(name string, n topos.Named) {
	if !isName(name) {
		refuse("name", topos.ErrForeign, "%q cannot be a name: a name is a letter or _, then letters, digits and _", name)
	}
	if !s.owns(n.Symbol()) {
		refuse("name", topos.ErrForeign, "name %s cannot be bound to node %d: it is not on the session's tape", name, n.Symbol().Index())
	}
	s.bind(name, n.Symbol())
	s.resume(name, n.Symbol())
	if s.ledger != nil {
		if err := s.ledger.Name(name, n.Symbol().Index()); err != nil {
			panic(unwritable(err))
		}
	}
}

func (s *Session[T]) bind(name string, at topos.Symbol) {
	s.names = append(s.names, binding{name, at})
}

// resume gives a parameter that is recorded again the payload it had.
func (s *Session[T]) resume(name string, at topos.Symbol) {
	payload, ok := s.again[name]
	if !ok {
		return
	}
	if n := s.Node(at); n.Opcode().Kind == topos.OpParameter && n.Shape().Equal(payload.Shape()) {
		s.live[at] = payload
		delete(s.again, name)
	}
}

// isName says whether a name is spelled as the tape language has it.
func isName(name string) bool {
	for i, c := range name {
		if c != '_' && !unicode.IsLetter(c) && (i == 0 || !unicode.IsDigit(c)) {
			return false
		}
	}
	return name != ""
}

// Get gives the value that a name is bound to, to go on recording from it.
//
// Get panics with a [*topos.Refusal] where there is no such name, and where the
// tape was sealed.
func (s *Session[T]) Get(name string) topos.Value[T] {
	for _, b := range slices.Backward(s.names) {
		if b.name == name {
			return s.Resolve(b.symbol)
		}
	}
	refuse("get", topos.ErrUndeclared, "the session has no name %s; its names: %s", name, orNone(s.Names()))
	panic("unreachable")
}

// Names lists the names in force, in alphabetical order.
func (s *Session[T]) Names() []string {
	var names []string
	for _, b := range s.names {
		names = append(names, b.name)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Naming gives the name of a node for readings, "" where it has none: the one
// bound last, of those that still mean the node.
func (s *Session[T]) Naming() topos.Naming { return s.label }

func (s *Session[T]) label(at topos.Symbol) string {
	for i, b := range slices.Backward(s.names) {
		if b.symbol == at && !s.rebound(i) {
			return b.name
		}
	}
	return ""
}

// rebound says whether the name of a binding means another node by now.
func (s *Session[T]) rebound(i int) bool {
	for _, b := range s.names[i+1:] {
		if b.name == s.names[i].name {
			return true
		}
	}
	return false
}

// spoken is how a node is spoken of: by name, else by number.
func (s *Session[T]) spoken(at topos.Symbol) string {
	if name := s.label(at); name != "" {
		return name
	}
	return "#" + decimal(at.Index())
}

// derived says what a node is the gradient of: "d loss / d w", or "". The node's
// origin tells: it is the last sum of cotangents for a node in a derivative,
// which begins with the seed of its target.
func (s *Session[T]) derived(at topos.Symbol) string {
	nodes := s.Nodes()
	i := at.Index()
	o := nodes[i].Origin()
	if o.Part != topos.PartSum && o.Part != topos.PartStart {
		return ""
	}
	for _, later := range nodes[i+1:] {
		x := later.Origin()
		if x.Part <= topos.PartSeed {
			break
		}
		if x.Part == topos.PartSum && x.Of == o.Of {
			return ""
		}
	}
	for i >= 0 && nodes[i].Origin().Part != topos.PartSeed {
		i--
	}
	if i < 0 {
		return ""
	}
	target := nodes[nodes[i].Origin().Of].Symbol()
	return strings.Join([]string{"d ", s.spoken(target), " / d ", s.spoken(nodes[o.Of].Symbol())}, "")
}
