package language

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/initial"
)

// Record records every assignment of a program and binds its names. It answers
// the bindings in the order of their lines. The error is an [*Error]; then the
// tape and the names are as they were. Readings of the program are passed over.
func Record[T any](p *Program, tape *topos.Tape[T], names *Names) ([]Binding, error) {
	start, own := tape.Len(), names.Clone()
	r := NewRecorder(tape, own, 0)
	var bindings []Binding
	for _, line := range p.lines {
		if line.Reading != "" {
			continue
		}
		b, err := r.Record(line)
		if err != nil {
			tape.Cut(start)
			return nil, err
		}
		bindings = append(bindings, b)
	}
	for _, b := range bindings {
		names.Bind(b.Name, b.Symbol)
	}
	return bindings, nil
}

// Recorder records assignments one at a time, for who does something between
// them.
type Recorder[T any] struct {
	tape    *topos.Tape[T]
	names   *Names
	segment int
	stack   []topos.Trace
}

// NewRecorder makes a recorder on a tape. Lines resolve and bind names; the
// origin of the nodes is the segment and the line's number.
func NewRecorder[T any](tape *topos.Tape[T], names *Names, segment int) *Recorder[T] {
	return &Recorder[T]{tape: tape, names: names, segment: segment}
}

// Record records an assignment and binds its name. The error is an [*Error];
// then the tape is as it was before the line and the name is not bound. It
// panics for a line that is a reading.
func (r *Recorder[T]) Record(line Line) (Binding, error) {
	if line.Reading != "" {
		panic("language: a reading is not recorded")
	}
	start := r.tape.Len()
	r.tape.Place(r.segment, line.Number)
	v, err := r.value(line)
	if err != nil {
		r.tape.Cut(start)
		return Binding{}, err
	}
	b := Binding{line.Name, v.Symbol()}
	r.names.Bind(b.Name, b.Symbol)
	return b, nil
}

func (r *Recorder[T]) value(line Line) (topos.Trace, *Error) {
	if line.source != nil {
		return r.source(line)
	}
	r.stack = r.stack[:0]
	for _, s := range line.steps {
		v, err := r.step(line, s)
		if err != nil {
			return v, err
		}
		r.stack = append(r.stack, v)
	}
	return r.stack[0], nil
}

func (r *Recorder[T]) step(line Line, s step) (v topos.Trace, err *Error) {
	refuse := func(format string, args ...any) *Error {
		return fault(line.Number, line.Source, s.span, format, args...)
	}
	switch s.kind {
	case loadStep:
		symbol, ok := r.names.Lookup(s.text)
		if !ok {
			return v, refuse("%s", r.unknown(s.text))
		}
		return r.refused(line, s.span, func() topos.Trace { return r.tape.Resolve(symbol) })
	case literalStep:
		x, err := r.number(s.text)
		if err != nil {
			return v, refuse("%s", err)
		}
		return r.tape.Leaf(topos.Shape{}, x), nil
	default:
		rest := len(r.stack) - s.values
		g := given{r.stack[rest:], s.integers, s.list}
		v, err = r.refused(line, s.span, func() topos.Trace { return functionAt[s.text].record(g) })
		r.stack = r.stack[:rest]
		return v, err
	}
}

// refused turns a refusal of the core into a fault of the span that caused it.
func (r *Recorder[T]) refused(line Line, at span, f func() topos.Trace) (v topos.Trace, err *Error) {
	if refusal := topos.Refused(func() { v = f() }); refusal != nil {
		err = fault(line.Number, line.Source, at, "%s", refusal.Reason)
		err.Err = refusal
	}
	return v, err
}

func (r *Recorder[T]) unknown(name string) string {
	switch _, isSource := sources[name]; {
	case isSource:
		return fmt.Sprintf("%s needs a shape or a number, as in %s [1, 2]", name, name)
	case r.names.Near(name) != "":
		return fmt.Sprintf("unknown name %s%s", quoted(name), meant(r.names.Near(name)))
	}
	if f, ok := lookup(name); ok {
		return fmt.Sprintf("unknown name %s: the function is called as %s", name, f.Signature())
	}
	return fmt.Sprintf("unknown name %s", quoted(name))
}

// number reads a number as the tape's element.
func (r *Recorder[T]) number(text string) (T, error) {
	x, err := r.tape.Element().Parse(text)
	switch {
	case errors.Is(err, strconv.ErrRange):
		return x, fmt.Errorf("%s is out of range for %s", quoted(text), r.tape.Element().Name())
	case err != nil: // of a number that is the program's own
		return x, fmt.Errorf("%s is no number of %s: %w", quoted(text), r.tape.Element().Name(), err)
	}
	return x, nil
}

// mostSeeded is the largest source that is drawn rather than written.
const mostSeeded = 1 << 27

// source records a source from its elements, or from the stream of its name.
func (r *Recorder[T]) source(line Line) (v topos.Trace, err *Error) {
	s := line.source
	refuse := func(at span, format string, args ...any) (topos.Trace, *Error) {
		return v, fault(line.Number, line.Source, at, format, args...)
	}
	shape := topos.Shape(s.shape)
	// The core refuses a shape that cannot be, before anything is drawn for it.
	if err := r.refusedShape(line, s.span, s.kind, shape); err != nil {
		return v, err
	}
	var payload *topos.Tensor[T]
	n := shape.Volume()
	switch {
	case s.given && len(s.elements) != n:
		return refuse(s.span, "%s %v takes %s, not %d", s.kind.Spelling(), shape, elementCount(n), len(s.elements))
	case s.given:
		data := make([]T, n)
		for i, e := range s.elements {
			x, err := r.number(e.text)
			if err != nil {
				return refuse(e.span, "%s", err)
			}
			data[i] = x
		}
		payload = r.tape.Element().Tensor(shape, data...)
	case n > mostSeeded:
		return refuse(s.span, "%s %v has %d elements; at most %d are drawn from a seed", s.kind.Spelling(), shape, n, mostSeeded)
	default:
		draw := initial.Uniform(r.tape.Element(), seedOf(line.Name), seededScale)
		if refusal := topos.Refused(func() { payload = draw(shape) }); refusal != nil {
			return refuse(s.span, "%s %v without elements is drawn as fractions: %s", s.kind.Spelling(), shape, refusal.Reason)
		}
	}
	switch s.kind {
	case topos.OpParameter:
		return r.tape.ParameterOf(payload), nil
	case topos.OpInput:
		return r.tape.InputOf(payload), nil
	default:
		return r.tape.LeafOf(payload), nil
	}
}

// refusedShape asks the core for a uniform payload of a shape, which costs
// nothing, to have the shape checked.
func (r *Recorder[T]) refusedShape(line Line, at span, kind topos.Kind, shape topos.Shape) *Error {
	var zero T
	if refusal := topos.Refused(func() { r.tape.Element().Tensor(shape, zero) }); refusal != nil {
		// The core speaks of a tensor, the program of a source.
		err := fault(line.Number, line.Source, at, "%s%s", kind.Spelling(), strings.TrimPrefix(refusal.Reason, refusal.Op))
		err.Err = refusal
		return err
	}
	return nil
}

func elementCount(n int) string {
	if n == 1 {
		return "1 element"
	}
	return fmt.Sprintf("%d elements", n)
}
