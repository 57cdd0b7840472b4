package session

import "github.com/topos-notebook/topos/topos"

// view is what completion and inspection know of a notebook. It is never
// changed, so that they may ask while a cell runs.
type view struct {
	element string
	names   []seen // oldest first
}

// seen is a name and the line that its node prints as.
type seen struct {
	name, node string
	at         topos.Symbol
}

// view implements [notebook]. What a symbol names never changes, so the lines of
// names that the view before knew are taken from it. New names come last.
func (s *state[T]) view(before *view) *view {
	v := &view{element: s.element(), names: make([]seen, 0, s.names.Len())}
	known := before.names
	for name, at := range s.names.All() {
		for len(known) > 0 && (known[0].at != at || known[0].name != name) {
			known = known[1:]
		}
		if len(known) > 0 {
			v.names = append(v.names, known[0])
			continue
		}
		v.names = append(v.names, seen{name, s.tape.Resolve(at).String(), at})
	}
	return v
}
