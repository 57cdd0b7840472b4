package nn

import (
	"iter"
	"strconv"

	"github.com/topos-notebook/topos/topos"
)

// Module is a recording function with parameters: a layer, or layers in a row.
// A type of a program's own may be one.
type Module interface {
	// Express records the module over a value, on the value's tape, and gives
	// its output. It panics with a [*topos.Refusal], and records nothing, where
	// Over refuses.
	Express(x topos.Trace) topos.Trace

	// Over is the shape of the output for an input of a shape. It panics with a
	// [*topos.Refusal] where the module cannot take it.
	Over(input topos.Shape) topos.Shape

	// Parameters lists the paths and the names of what is trained, in the order
	// in which it was recorded: "weights", "2.0.scale".
	Parameters() iter.Seq2[string, topos.Symbol]
}

// layer is a composition whose operands after the first were recorded before:
// its parameters, which have a path, and constants, which have none.
type layer struct {
	composition
	paths  []string
	held   []topos.Symbol
	shapes []topos.Shape
}

// holding makes a layer of values, which must be of one tape. The check says
// what is wrong with their shapes, or "".
func holding(c composition, paths []string, check func(held []topos.Shape) string, values ...topos.Trace) layer {
	l := layer{composition: c, paths: paths}
	for _, v := range values {
		own := values[0].Resolve(v)
		l.held, l.shapes = append(l.held, own.Symbol()), append(l.shapes, own.Shape())
	}
	if fault := check(l.shapes); fault != "" {
		topos.Refuse(c.op, l.shapes, "%s cannot be made of %s: %s", c.op, named(c.operands[1:], l.shapes), fault)
	}
	return l
}

// operands is the input and what the layer holds, on the tape of the input.
func (l *layer) operands(x topos.Trace) []topos.Trace {
	all := []topos.Trace{x}
	for _, s := range l.held {
		all = append(all, x.Resolve(s))
	}
	return all
}

func (l *layer) Express(x topos.Trace) topos.Trace { return l.over(l.operands(x)...) }

func (l *layer) Over(input topos.Shape) topos.Shape {
	// Of shapes alone any element will do.
	return l.rehearse(append([]topos.Shape{input}, l.shapes...), topos.New(topos.F32).Leaf(nil, 0).Rehearse)
}

func (l *layer) Parameters() iter.Seq2[string, topos.Symbol] {
	return func(yield func(string, topos.Symbol) bool) {
		for i, path := range l.paths {
			if !yield(path, l.held[i]) {
				return
			}
		}
	}
}

// under puts the paths of a module under a position.
func under(position int, m Module) iter.Seq2[string, topos.Symbol] {
	return func(yield func(string, topos.Symbol) bool) {
		for path, s := range m.Parameters() {
			if !yield(strconv.Itoa(position)+"."+path, s) {
				return
			}
		}
	}
}

// Sequential is modules in a row: each takes what the one before gives. A path
// of its parameters starts with the position of the module.
type Sequential []Module

// Express records every module. See [Module].
func (s Sequential) Express(x topos.Trace) topos.Trace {
	s.Over(x.Shape())
	s.resolve(x)
	for _, m := range s {
		x = m.Express(x)
	}
	return x
}

// Over is the shape of the last output. See [Module].
func (s Sequential) Over(input topos.Shape) topos.Shape {
	shape := input
	for i, m := range s {
		if r := topos.Refused(func() { shape = m.Over(shape) }); r != nil {
			topos.Refuse("sequential", []topos.Shape{input}, "sequential cannot take input %v: at %d, %s", input, i, r.Reason)
		}
	}
	return shape
}

// Parameters lists those of every module. See [Module].
func (s Sequential) Parameters() iter.Seq2[string, topos.Symbol] {
	return func(yield func(string, topos.Symbol) bool) {
		for i, m := range s {
			for path, symbol := range under(i, m) {
				if !yield(path, symbol) {
					return
				}
			}
		}
	}
}

// resolve refuses where a module holds a name that the tape of x does not know.
func (s Sequential) resolve(x topos.Trace) {
	for _, m := range s {
		switch m := m.(type) {
		case interface{ resolve(topos.Trace) }:
			m.resolve(x)
		default:
			for _, symbol := range m.Parameters() {
				x.Resolve(symbol)
			}
		}
	}
}

func (l *layer) resolve(x topos.Trace) { l.operands(x) }

// Stage makes a module without parameters of a function, such as a pooling, that
// records over its operand alone. Its name is what a refusal calls it.
func Stage(name string, record func(x topos.Trace) topos.Trace) Module {
	return &layer{composition: composition{
		op: name, operands: []string{"input"},
		record: func(x []topos.Trace) topos.Trace { return record(x[0]) },
	}}
}

// Flatten merges every axis but the first: [batch, ...] becomes [batch, volume].
// It panics with a [*topos.Refusal] for rank 0.
func Flatten(x topos.Trace) topos.Trace {
	shape := x.Shape()
	if shape.Rank() == 0 {
		topos.Refuse("flatten", []topos.Shape{shape}, "flatten cannot take input %v: it needs an axis for the batch", shape)
	}
	return x.Reshape(topos.Shape{shape[0], shape[1:].Volume()})
}
