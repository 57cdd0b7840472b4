package readings

import (
	"errors"
	"fmt"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// Trained is what a training is about.
type Trained struct {
	Name       string         // of the loss
	Loss       topos.Symbol   // of rank 0
	Parameters []topos.Symbol // that are stepped, by slot
	Inputs     []string       // that the loss reads, by name or number
}

// Trained finds what a request's Target and Wrt train: with respect to no names,
// every parameter that the loss reads. Errors are one line about the request.
func (s Scene[T]) Trained(q Request) (*Trained, error) {
	if len(s.Tape.Parameters()) == 0 {
		return nil, errors.New("the tape has no parameters, so there is nothing to train: w = parameter [2, 2] records one")
	}
	loss, name, err := s.target(q)
	if err != nil {
		return nil, err
	}
	wanted, err := s.parameters(q.Wrt)
	if err != nil {
		return nil, err
	}
	plan, err := s.Tape.View().Entry(loss).Lower()
	if err != nil {
		return nil, err
	}
	t := &Trained{Name: name, Loss: loss}
	labels := s.labels()
	for _, n := range plan.Schedule().Nodes() {
		at := n.Symbol()
		switch n.Opcode().Kind {
		case topos.OpInput:
			t.Inputs = append(t.Inputs, labels.called(at))
		case topos.OpParameter:
			if _, ok := wanted[at]; ok || len(q.Wrt) == 0 {
				t.Parameters = append(t.Parameters, at)
				delete(wanted, at)
			}
		}
	}
	for _, name := range q.Wrt {
		at, _ := s.Names.Lookup(name)
		if _, left := wanted[at]; left {
			return nil, fmt.Errorf("%s does not depend on %s, so that no step would change it", t.Name, name)
		}
	}
	if len(t.Parameters) == 0 {
		return nil, fmt.Errorf("%s reads no parameter, so there is nothing to train", t.Name)
	}
	return t, nil
}

// parameters resolves names, all of which must be of parameters.
func (s Scene[T]) parameters(names []string) (map[topos.Symbol]string, error) {
	all := map[topos.Symbol]string{}
	for _, name := range names {
		v, err := s.resolve(name)
		if err != nil {
			return nil, err
		}
		if kind := s.Tape.Node(v).Opcode().Kind; kind != topos.OpParameter {
			return nil, fmt.Errorf("%s is %s %v, not a parameter: only parameters are trained", name, article(kind.String()), kind)
		}
		all[v.Symbol()] = name
	}
	return all, nil
}

func article(word string) string {
	if strings.ContainsAny(word[:1], "AEIOU") {
		return "an"
	}
	return "a"
}

// Adjoints records the derivative of a request, unless one is there. On an error
// the tape is as it was.
func (s Scene[T]) Adjoints(q Request) (a topos.Adjoints, reused bool, err error) {
	d, err := s.differentiate(q)
	if err != nil {
		return a, false, err
	}
	return d.Adjoints, d.reused, nil
}
