package nn

import (
	"iter"
	"math"

	"github.com/topos-notebook/topos/topos"
)

// Activation is an elementwise module without parameters. Any other than these
// is a [Stage].
type Activation uint8

const (
	Tanh Activation = iota // the hyperbolic tangent
	Relu                   // maximum(x, 0); its gradient at 0 is 1
)

// Gain is the factor by which weights are drawn wider so that values keep their
// spread through the activation: 5/3 for Tanh, sqrt 2 for Relu (He and others
// 2015).
func (a Activation) Gain() float64 {
	if a == Relu {
		return math.Sqrt2
	}
	return 5.0 / 3
}

// Express records the activation. See [Module].
func (a Activation) Express(x topos.Trace) topos.Trace {
	if a == Relu {
		return x.Relu()
	}
	return x.Tanh()
}

// Over is the shape of the input. See [Module].
func (a Activation) Over(input topos.Shape) topos.Shape { return input }

// Parameters lists none. See [Module].
func (a Activation) Parameters() iter.Seq2[string, topos.Symbol] {
	return func(func(string, topos.Symbol) bool) {}
}

// String is the activation's name: "tanh".
func (a Activation) String() string {
	if a == Relu {
		return "relu"
	}
	return "tanh"
}
