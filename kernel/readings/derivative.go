package readings

import (
	"slices"

	"github.com/topos-notebook/topos/topos"
)

// derivative is a derivative on the tape, with the names to speak of it.
type derivative struct {
	topos.Adjoints
	labels  labels // of nodes, the ones asked for under the names they were asked by
	reused  bool
	release func() // cuts a scratch extension
}

// differentiate records the derivative of a request, unless one is there.
func (s Scene[T]) differentiate(q Request) (*derivative, error) {
	target, name, err := s.target(q)
	if err != nil {
		return nil, err
	}
	d := &derivative{labels: s.labels(), release: func() {}}
	d.labels[target.Index()] = name
	wrt, err := s.parametersOf(target)
	if err != nil {
		return nil, err
	}
	if len(q.Wrt) > 0 {
		wrt = nil
		named, err := s.resolveAll(q.Wrt)
		if err != nil {
			return nil, err
		}
		for i, n := range named {
			wrt = append(wrt, n.Symbol())
			d.labels[n.Symbol().Index()] = q.Wrt[i]
		}
	}
	named := make([]topos.Named, len(wrt))
	for i, w := range wrt {
		named[i] = w
	}
	if d.Adjoints, d.reused = s.Tape.Recorded(target, named...); d.reused {
		return d, nil
	}
	start := s.Tape.Len()
	if r := topos.Refused(func() { d.Adjoints = s.Tape.Differentiate(target, named...) }); r != nil {
		s.Tape.Cut(start)
		return nil, r
	}
	d.release = func() { s.Tape.Cut(start) }
	return d, nil
}

// parametersOf are the parameters that a target is differentiated with respect to
// where none are named.
func (s Scene[T]) parametersOf(target topos.Symbol) ([]topos.Symbol, error) {
	all := s.Tape.Parameters()
	if s.Superseded == nil || !slices.ContainsFunc(all, s.Superseded) {
		return all, nil
	}
	plan, err := s.Tape.View().Entry(target).Lower()
	if err != nil {
		return nil, err
	}
	read := map[topos.Symbol]bool{}
	for _, n := range plan.Schedule().Nodes() {
		read[n.Symbol()] = true
	}
	return slices.DeleteFunc(all, func(at topos.Symbol) bool { return s.Superseded(at) && !read[at] }), nil
}

// Differentiate records the derivative that a request's Target and Wrt ask for
// and answers it with its reading. Where the tape holds one, nothing is
// appended and reused is true. On an error the tape is as it was.
func (s Scene[T]) Differentiate(q Request) (a topos.Adjoints, r *topos.Reading, reused bool, err error) {
	d, err := s.differentiate(q)
	if err != nil {
		return a, nil, false, err
	}
	return d.Adjoints, s.gradient(d), d.reused, nil
}

func (s Scene[T]) gradient(d *derivative) *topos.Reading {
	return s.Tape.ReadGradient(d.Adjoints, d.labels.of).Named(d.labels.at)
}

// results calls the nodes that a run answers: the gradients by what they are.
func (d *derivative) results() labels {
	l := labels{}
	for i, name := range d.labels {
		l[i] = name
	}
	for i, g := range d.Gradients() {
		l[g.Index()] = "d " + d.labels.called(d.Target()) + " / d " + d.labels.called(d.Wrt()[i])
	}
	return l
}
