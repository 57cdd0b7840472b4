package nn

import (
	"fmt"

	"github.com/topos-notebook/topos/topos"
)

// pooling is a composition that merges the elements of windows of a size, a step
// apart, over the last two of four axes.
func pooling(op string, size, step int, merge func(lanes topos.Trace) topos.Trace) *composition {
	return &composition{
		op: op, operands: []string{"input"},
		with: fmt.Sprintf(" with windows of %d and steps of %d", size, step),
		fault: func(x []topos.Shape) string {
			switch {
			case x[0].Rank() != 4:
				return "it needs four axes, [batch, channels, height, width]"
			case size < 1 || step < 1:
				return "size and step must be at least 1"
			case size > x[0][2] || size > x[0][3]:
				return "the window is larger than the input"
			}
			return ""
		},
		record: func(x []topos.Trace) topos.Trace {
			windows := x[0].Unfold(2, size, step, 1).Unfold(4, size, step, 1).Permute(0, 1, 2, 4, 3, 5)
			return merge(windows.Reshape(append(windows.Shape()[:4:4], size*size)))
		},
	}
}

// largest is the maximum of the lanes along the last axis, the first lane on the
// left.
func largest(lanes topos.Trace) topos.Trace {
	r := lanes.Narrow(4, 0, 1)
	for i := 1; i < lanes.Shape()[4]; i++ {
		r = r.Maximum(lanes.Narrow(4, i, 1))
	}
	return r.Squeeze(4)
}

// MaxPool is the largest element of each window of size x size, a step apart,
// over the last two axes of [batch, channels, height, width]. Of equal elements
// the first in row-major order receives the gradient; a NaN in a window is its
// maximum. It panics with a [*topos.Refusal] where the shapes do not fit.
func MaxPool(x topos.Trace, size, step int) topos.Trace {
	return pooling("max_pool", size, step, largest).over(x)
}

// AveragePool is the mean of each window of size x size, a step apart, over the
// last two axes of [batch, channels, height, width]. It panics with a
// [*topos.Refusal] where the shapes do not fit.
func AveragePool(x topos.Trace, size, step int) topos.Trace {
	return pooling("average_pool", size, step, func(lanes topos.Trace) topos.Trace { return lanes.MeanAlong(4) }).over(x)
}
