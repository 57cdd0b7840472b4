package nn

import (
	"fmt"
	"iter"

	"github.com/topos-notebook/topos/topos"
)

// Linear is x @ weights + bias, the bias along axis 0. Weights are [inputs,
// outputs], the bias [outputs]; it takes [rows, inputs] and gives [rows,
// outputs]. Paths: weights, bias.
type Linear struct{ layer }

// NewLinear makes a linear layer of recorded parameters. It panics with a
// [*topos.Refusal] where their shapes do not fit.
func NewLinear(weights, bias topos.Trace) *Linear {
	c := composition{
		op: "linear", operands: []string{"input", "weights", "bias"},
		fault: func(x []topos.Shape) string {
			if x[0].Rank() != 2 || x[0][1] != x[1][0] {
				return fmt.Sprintf("the input must be [rows, %d]", x[1][0])
			}
			return ""
		},
		record: func(x []topos.Trace) topos.Trace {
			return x[0].MatMul(x[1]).Add(x[2].BroadcastAlong(0, x[0].Shape()[0]))
		},
	}
	return &Linear{holding(c, []string{"weights", "bias"}, func(held []topos.Shape) string {
		switch weights, bias := held[0], held[1]; {
		case weights.Rank() != 2:
			return "the weights need two axes, [inputs, outputs]"
		case bias.Rank() != 1 || bias[0] != weights[1]:
			return fmt.Sprintf("the bias must be [%d], one element an output", weights[1])
		}
		return ""
	}, weights, bias)}
}

// Drawing records parameters of some shapes, in order, or none.
type Drawing func(shapes ...topos.Shape) []topos.Trace

// Drawn records parameters whose payloads a function draws, such as those of
// package initial. Every payload is drawn before the first is recorded.
func Drawn[T any](t *topos.Tape[T], draw func(topos.Shape) *topos.Tensor[T]) Drawing {
	return func(shapes ...topos.Shape) []topos.Trace {
		payloads := make([]*topos.Tensor[T], len(shapes))
		for i, shape := range shapes {
			payloads[i] = draw(shape)
			fitting(shape, payloads[i].Shape())
		}
		values := make([]topos.Trace, len(shapes))
		for i, payload := range payloads {
			values[i] = t.ParameterOf(payload)
		}
		return values
	}
}

// fitting refuses a payload that was drawn in another shape.
func fitting(want, got topos.Shape) {
	if !got.Equal(want) {
		topos.Refuse("parameter", []topos.Shape{want, got}, "parameter of %v was drawn as %v", want, got)
	}
}

// Mlp is linear layers with an activation between them, and none on the last: a
// multilayer perceptron. Paths: 0.weights, 0.bias, 1.weights, ...
type Mlp struct {
	layers     []*Linear
	activation Module
}

// NewMlp draws a perceptron of the sizes of its input, its hidden layers and its
// output: NewMlp(from, Tanh, 2, 4, 1) holds [2, 4], [4], [4, 1] and [1], recorded
// in that order. It panics with a [*topos.Refusal] for fewer than two sizes or
// one below 1, and records nothing then.
func NewMlp(from Drawing, activation Module, sizes ...int) *Mlp {
	if len(sizes) < 2 {
		topos.Refuse("mlp", nil, "mlp cannot be made of sizes %v: it needs those of an input and an output", topos.Shape(sizes))
	}
	for _, size := range sizes {
		if size < 1 {
			topos.Refuse("mlp", nil, "mlp cannot be made of sizes %v: each must be at least 1", topos.Shape(sizes))
		}
	}
	var shapes []topos.Shape
	for i, outputs := range sizes[1:] {
		shapes = append(shapes, topos.Shape{sizes[i], outputs}, topos.Shape{outputs})
	}
	m := &Mlp{activation: activation}
	for values := from(shapes...); len(values) > 1; values = values[2:] {
		m.layers = append(m.layers, NewLinear(values[0], values[1]))
	}
	return m
}

// Layers lists the linear layers.
func (m *Mlp) Layers() []*Linear { return m.layers }

// stages is the perceptron as modules in a row.
func (m *Mlp) stages() Sequential {
	var s Sequential
	for i, l := range m.layers {
		if i > 0 {
			s = append(s, m.activation)
		}
		s = append(s, l)
	}
	return s
}

// Express records [rows, inputs] into [rows, outputs]. See [Module].
func (m *Mlp) Express(x topos.Trace) topos.Trace {
	m.Over(x.Shape())
	return m.stages().Express(x)
}

// Over is the shape of the last output. See [Module].
func (m *Mlp) Over(input topos.Shape) (shape topos.Shape) {
	if r := topos.Refused(func() { shape = m.stages().Over(input) }); r != nil {
		topos.Refuse("mlp", []topos.Shape{input}, "mlp cannot take input %v: %s", input, r.Reason)
	}
	return shape
}

// Parameters lists those of every linear layer, by its position among them. See
// [Module].
func (m *Mlp) Parameters() iter.Seq2[string, topos.Symbol] {
	return func(yield func(string, topos.Symbol) bool) {
		for i, l := range m.layers {
			for path, symbol := range under(i, l) {
				if !yield(path, symbol) {
					return
				}
			}
		}
	}
}

func (m *Mlp) resolve(x topos.Trace) { m.stages().resolve(x) }
