package training

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"

	"github.com/topos-notebook/topos/topos"
)

// Memory is what an optimizer remembers between trainings: how many steps it
// took, and the moments of each parameter it stepped. It is never changed.
type Memory[T any] struct {
	Steps   int
	Moments map[topos.Symbol]Moments[T]
}

// Moments are Adam's averages of one parameter's gradient, and of its square.
type Moments[T any] struct{ First, Second *topos.Tensor[T] }

// With is the memory with the moments of one parameter under another name too.
func (m *Memory[T]) With(from, to topos.Symbol) *Memory[T] {
	x, ok := m.Moments[from]
	if !ok {
		return m
	}
	r := &Memory[T]{m.Steps, map[topos.Symbol]Moments[T]{to: x}}
	for at, x := range m.Moments {
		if at != to {
			r.Moments[at] = x
		}
	}
	return r
}

// Of is the memory of some parameters alone; the same one where it has no others.
func (m *Memory[T]) Of(some []topos.Symbol) *Memory[T] {
	r := &Memory[T]{m.Steps, map[topos.Symbol]Moments[T]{}}
	for _, at := range some {
		if x, ok := m.Moments[at]; ok {
			r.Moments[at] = x
		}
	}
	if len(r.Moments) == len(m.Moments) {
		return m
	}
	return r
}

// Knows says whether it holds moments of one of some parameters.
func (m *Memory[T]) Knows(some []topos.Symbol) bool {
	for _, at := range some {
		if _, ok := m.Moments[at]; ok {
			return true
		}
	}
	return false
}

// tables are the moments over the slots of a table of parameters: zeros where
// there are none.
func (m *Memory[T]) tables(p *topos.Parameters[T]) (first, second *topos.Parameters[T]) {
	zeros := p.Map(func(t *topos.Tensor[T]) *topos.Tensor[T] { return t.Filled(0) })
	var firsts, seconds []topos.Feed[T]
	for _, at := range p.Names() {
		if x, ok := m.Moments[at]; ok {
			firsts, seconds = append(firsts, topos.With(at, x.First)), append(seconds, topos.With(at, x.Second))
		}
	}
	return zeros.WithPayloads(firsts...), zeros.WithPayloads(seconds...)
}

var errShort = errors.New("it ends early")

// Decode reads what [Memory.Encode] wrote, for the parameters of a tape. It is
// checked as if a stranger had written it.
func Decode[T any](e topos.Element[T], p *topos.Parameters[T], b []byte) (*Memory[T], error) {
	steps, b, err := number(b)
	if err != nil {
		return nil, err
	}
	m := &Memory[T]{steps, map[topos.Symbol]Moments[T]{}}
	names, last := p.Names(), -1
	for len(b) > 0 {
		var slot int
		if slot, b, err = number(b); err != nil {
			return nil, err
		}
		if slot <= last || slot >= len(names) {
			return nil, fmt.Errorf("it holds moments of parameter slot %d after %d, of %d", slot, last, len(names))
		}
		last = slot
		var both [2]*topos.Tensor[T]
		for i := range both {
			var n int
			if n, b, err = number(b); err == nil && n > len(b) {
				err = errShort
			}
			if err == nil {
				both[i], err = e.Decode(p.Slot(slot).Shape(), b[:n])
			}
			if err != nil {
				return nil, err
			}
			b = b[n:]
		}
		m.Moments[names[slot]] = Moments[T]{both[0], both[1]}
	}
	return m, nil
}

func number(b []byte) (int, []byte, error) {
	x, n := binary.Uvarint(b)
	if n <= 0 || x > math.MaxInt64/2 { // so that steps can be added
		return 0, nil, errShort
	}
	return int(x), b[n:], nil
}
