package cells

import (
	"slices"
	"strings"
	"unicode"

	"github.com/topos-notebook/topos/cells/wire"
	"github.com/topos-notebook/topos/topos"
)

// binding is a name and the node that it was bound to.
type binding struct {
	name   string
	symbol topos.Symbol
}

// derivative is a recorded derivative.
type derivative struct {
	target         topos.Symbol
	wrt, gradients []topos.Symbol
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

// Differentiate appends the gradient of a rank-0 target, as
// [topos.Tape.Differentiate] does, and remembers it: later readings say which
// node is the gradient of what.
func (s *Session[T]) Differentiate(target topos.Named, wrt ...topos.Named) topos.Adjoints {
	a := s.Tape.Differentiate(target, wrt...)
	s.derivatives = append(s.derivatives, derivative{a.Target(), a.Wrt(), a.Gradients()})
	if s.ledger == nil {
		return a
	}
	at := make([]int, len(a.Wrt()))
	for i, w := range a.Wrt() {
		at[i] = w.Index()
	}
	from, _ := a.Appended()
	if err := s.ledger.Derivative(a.Target().Index(), at, from); err != nil {
		panic(unwritable(err))
	}
	return a
}

func (s *Session[T]) loadDerivative(x wire.Derivative) (err error) {
	d := derivative{}
	refusal := topos.Refused(func() {
		d.target = s.Value(x.Target).Symbol()
		for i := range x.Wrt {
			d.wrt = append(d.wrt, s.Value(x.Wrt[i]).Symbol())
			d.gradients = append(d.gradients, s.Value(x.Gradients[i]).Symbol())
		}
	})
	if refusal != nil {
		return refusal
	}
	s.derivatives = append(s.derivatives, d)
	return nil
}

// derived says what a node is the gradient of: "d loss / d w", or "".
func (s *Session[T]) derived(at topos.Symbol) string {
	for _, d := range slices.Backward(s.derivatives) {
		if i := slices.Index(d.gradients, at); i >= 0 {
			return strings.Join([]string{"d ", s.spoken(d.target), " / d ", s.spoken(d.wrt[i])}, "")
		}
	}
	return ""
}
