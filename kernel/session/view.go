package session

// view is what completion and inspection know of a notebook. It is never
// changed, so that they may ask while a cell runs.
type view struct {
	element string
	names   []seen // oldest first
}

// seen is a name and the line that its node prints as.
type seen struct{ name, node string }

// view implements [notebook].
func (s *state[T]) view() *view {
	v := &view{element: s.element()}
	for name, at := range s.names.All() {
		v.names = append(v.names, seen{name, s.tape.Resolve(at).String()})
	}
	return v
}
