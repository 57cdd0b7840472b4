package nn

import (
	"fmt"

	"github.com/topos-notebook/topos/topos"
)

// BatchNorm normalises each feature over the rows of a batch (Ioffe and Szegedy
// 2015):
//
//	(x - mean) / sqrt(variance + epsilon) * scale + shift
//
// Scale and shift are [features], epsilon is rank 0; it takes and gives [rows,
// features]. The variance is that of the batch itself: the mean square of the
// deviations. Running estimates are the caller's, over the statistics that
// Training answers. Paths: scale, shift.
type BatchNorm struct{ layer }

// NewBatchNorm makes a batch norm of recorded values. It panics with a
// [*topos.Refusal] where their shapes do not fit.
func NewBatchNorm(scale, shift, epsilon topos.Trace) *BatchNorm {
	c := composition{
		op: "batch_norm", operands: []string{"input", "scale", "shift", "epsilon", "mean", "variance"}, fault: featuresFault,
		record: func(x []topos.Trace) topos.Trace {
			y, _, _ := normalise(x)
			return y
		},
	}
	return &BatchNorm{holding(c, []string{"scale", "shift"}, shiftedFault, scale, shift, epsilon)}
}

// shiftedFault checks scale, shift and epsilon.
func shiftedFault(held []topos.Shape) string {
	switch scale, shift, epsilon := held[0], held[1], held[2]; {
	case scale.Rank() != 1:
		return "the scale needs one axis, [features]"
	case !shift.Equal(scale):
		return "scale and shift need equal shapes"
	case epsilon.Rank() != 0:
		return "epsilon is one element of rank 0"
	}
	return ""
}

// featuresFault checks an input against the scale after it.
func featuresFault(x []topos.Shape) string {
	if x[0].Rank() != 2 || x[0][1] != x[1][0] {
		return fmt.Sprintf("the input must be [rows, %d]", x[1][0])
	}
	return ""
}

// Training records the norm by the statistics of its input, and gives them with
// the output: mean and variance, [features] each. Express is the output alone.
func (n *BatchNorm) Training(x topos.Trace) (output, mean, variance topos.Trace) {
	c := n.composition
	c.record = func(x []topos.Trace) topos.Trace {
		output, mean, variance = normalise(x)
		return output
	}
	c.over(n.operands(x)...)
	return output, mean, variance
}

// Inference records the norm by given statistics, [features] each.
func (n *BatchNorm) Inference(x, mean, variance topos.Trace) topos.Trace {
	c := n.composition
	c.fault = func(x []topos.Shape) string {
		if !x[4].Equal(x[1]) || !x[5].Equal(x[1]) {
			return fmt.Sprintf("mean and variance must be %v, one element a feature", x[1])
		}
		return featuresFault(x)
	}
	c.record = func(x []topos.Trace) topos.Trace {
		centred := x[0].Sub(x[4].BroadcastAlong(0, x[0].Shape()[0]))
		return scaled(centred, x[5], x, 0)
	}
	return c.over(append(n.operands(x), mean, variance)...)
}

// normalise records a norm over axis 0. x is input, scale, shift and epsilon.
func normalise(x []topos.Trace) (output, mean, variance topos.Trace) {
	centred, mean, variance := moments(x[0], 0)
	return scaled(centred, variance, x, 0), mean, variance
}

// moments is the deviations from the mean along an axis of a matrix, the mean,
// and the variance.
func moments(x topos.Trace, axis int) (centred, mean, variance topos.Trace) {
	mean = x.MeanAlong(axis)
	centred = x.Sub(mean.BroadcastAlong(axis, x.Shape()[axis]))
	return centred, mean, centred.Mul(centred).MeanAlong(axis)
}

// scaled divides by the deviation, the variance being along an axis, then scales
// and shifts the features. x is input, scale, shift and epsilon.
func scaled(centred, variance topos.Trace, x []topos.Trace, axis int) topos.Trace {
	shape := centred.Shape()
	deviation := variance.Add(x[3].BroadcastLike(variance)).Sqrt()
	y := centred.Div(deviation.BroadcastAlong(axis, shape[axis]))
	y = y.Mul(x[1].BroadcastAlong(0, shape[0]))
	return y.Add(x[2].BroadcastAlong(0, shape[0]))
}

// LayerNorm normalises each row over its features (Ba, Kiros and Hinton 2016),
// by the formula of [BatchNorm]. Scale and shift are [features], epsilon is rank
// 0; it takes and gives [rows, features]. Paths: scale, shift.
type LayerNorm struct{ layer }

// NewLayerNorm makes a layer norm of recorded values. It panics with a
// [*topos.Refusal] where their shapes do not fit.
func NewLayerNorm(scale, shift, epsilon topos.Trace) *LayerNorm {
	c := composition{
		op: "layer_norm", operands: []string{"input", "scale", "shift", "epsilon"}, fault: featuresFault,
		record: func(x []topos.Trace) topos.Trace {
			centred, _, variance := moments(x[0], 1)
			return scaled(centred, variance, x, 1)
		},
	}
	return &LayerNorm{holding(c, []string{"scale", "shift"}, shiftedFault, scale, shift, epsilon)}
}

// RmsNorm divides each row by the root of its mean square (Zhang and Sennrich
// 2019):
//
//	x / sqrt(mean_along(x * x, 1) + epsilon) * scale
//
// Scale is [features], epsilon is rank 0; it takes and gives [rows, features].
// Path: scale.
type RmsNorm struct{ layer }

// NewRmsNorm makes a root mean square norm of recorded values. It panics with a
// [*topos.Refusal] where their shapes do not fit.
func NewRmsNorm(scale, epsilon topos.Trace) *RmsNorm {
	c := composition{
		op: "rms_norm", operands: []string{"input", "scale", "epsilon"}, fault: featuresFault,
		record: func(x []topos.Trace) topos.Trace {
			shape := x[0].Shape()
			square := x[0].Mul(x[0]).MeanAlong(1)
			root := square.Add(x[2].BroadcastLike(square)).Sqrt()
			y := x[0].Div(root.BroadcastAlong(1, shape[1]))
			return y.Mul(x[1].BroadcastAlong(0, shape[0]))
		},
	}
	return &RmsNorm{holding(c, []string{"scale"}, func(held []topos.Shape) string {
		return shiftedFault([]topos.Shape{held[0], held[0], held[1]})
	}, scale, epsilon)}
}
