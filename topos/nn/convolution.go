package nn

import (
	"fmt"

	"github.com/topos-notebook/topos/topos"
)

// convolution is conv2d of a stride and a padding.
func convolution(stride, padding int) *composition {
	return &composition{
		op: "conv2d", operands: []string{"input", "weights", "bias"},
		with: fmt.Sprintf(" with stride %d and padding %d", stride, padding),
		fault: func(x []topos.Shape) string {
			input, weights, bias := x[0], x[1], x[2]
			if fault := kernelFault(weights, bias, stride, padding); fault != "" {
				return fault
			}
			switch {
			case input.Rank() != 4:
				return "the input needs four axes, [batch, channels, height, width]"
			case input[1] != weights[1]:
				return fmt.Sprintf("the weights have %d channels, the input %d", weights[1], input[1])
			case weights[2] > input[2]+2*padding || weights[3] > input[3]+2*padding:
				return "the window is larger than the padded input"
			}
			return ""
		},
		record: func(x []topos.Trace) topos.Trace { return convolve(x[0], x[1], x[2], stride, padding) },
	}
}

// kernelFault checks what a convolution has before its input.
func kernelFault(weights, bias topos.Shape, stride, padding int) string {
	switch {
	case weights.Rank() != 4:
		return "the weights need four axes, [outputs, channels, height, width]"
	case bias.Rank() != 1 || bias[0] != weights[0]:
		return fmt.Sprintf("the bias must be [%d], one element an output", weights[0])
	case stride < 1:
		return "the stride must be at least 1"
	case padding < 0 || padding > topos.MaxVolume:
		return fmt.Sprintf("the padding must be from 0 to %d", topos.MaxVolume)
	}
	return ""
}

// convolve lays every window out as a row of a matrix and multiplies: im2col.
func convolve(input, weights, bias topos.Trace, stride, padding int) topos.Trace {
	kernel := weights.Shape()
	x := input
	if padding > 0 {
		shape := input.Shape()
		x = x.Pad(2, padding, shape[2]+2*padding).Pad(3, padding, shape[3]+2*padding)
	}
	windows := x.Unfold(2, kernel[2], stride, 1).Unfold(4, kernel[3], stride, 1).Permute(0, 2, 4, 1, 3, 5)
	w := windows.Shape()
	batch, height, width := w[0], w[1], w[2]
	outputs, patch := kernel[0], kernel[1]*kernel[2]*kernel[3]
	rows := windows.Reshape(topos.Shape{batch * height * width, patch})
	columns := weights.Permute(1, 2, 3, 0).Reshape(topos.Shape{patch, outputs})
	sum := rows.MatMul(columns)
	y := sum.Add(bias.BroadcastAlong(0, batch*height*width))
	return y.Reshape(topos.Shape{batch, height, width, outputs}).Permute(0, 3, 1, 2)
}

// Convolve2d slides windows of weights [outputs, channels, h, w] over an input
// [batch, channels, height, width], padded by zeros on all four sides, and adds
// a bias [outputs]. The answer is [batch, outputs, rows, columns], where rows is
// (height + 2*padding - h) / stride + 1, rounded down. It is a cross-correlation:
// windows are not flipped. It panics with a [*topos.Refusal] where the shapes do
// not fit.
func Convolve2d(input, weights, bias topos.Trace, stride, padding int) topos.Trace {
	return convolution(stride, padding).over(input, weights, bias)
}
