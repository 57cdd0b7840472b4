package nn

import (
	"fmt"

	"github.com/topos-notebook/topos/topos"
)

// Embedding is a table [vocabulary, features] of one row for each of a
// vocabulary. It takes a one-hot selection [rows, vocabulary], such as
// [topos.Element.Selection] makes of indices, and gives [rows, features]. Tying
// reads Table. Path: weights.
type Embedding struct{ layer }

// NewEmbedding makes an embedding of a recorded table. It panics with a
// [*topos.Refusal] where it has not two axes.
func NewEmbedding(weights topos.Trace) *Embedding {
	c := composition{
		op: "embedding", operands: []string{"selection", "weights"},
		fault: func(x []topos.Shape) string {
			if x[0].Rank() != 2 || x[0][1] != x[1][0] {
				return fmt.Sprintf("the selection must be [rows, %d]", x[1][0])
			}
			return ""
		},
		record: func(x []topos.Trace) topos.Trace { return x[1].Gather(x[0]) },
	}
	return &Embedding{holding(c, []string{"weights"}, func(held []topos.Shape) string {
		if held[0].Rank() != 2 {
			return "the table needs two axes, [vocabulary, features]"
		}
		return ""
	}, weights)}
}

// Table is the name of the table.
func (e *Embedding) Table() topos.Symbol { return e.held[0] }

// Conv2d is [Convolve2d] with weights [outputs, channels, height, width] and a
// bias [outputs] of its own. It takes [batch, channels, height, width] and gives
// [batch, outputs, rows, columns]. Paths: weights, bias.
type Conv2d struct{ layer }

// NewConv2d makes a convolution of recorded parameters. It panics with a
// [*topos.Refusal] where their shapes do not fit, for a stride below 1 and for a
// padding below 0.
func NewConv2d(weights, bias topos.Trace, stride, padding int) *Conv2d {
	c := convolution(stride, padding)
	return &Conv2d{holding(*c, []string{"weights", "bias"}, func(held []topos.Shape) string {
		return kernelFault(held[0], held[1], stride, padding)
	}, weights, bias)}
}

// Dropout multiplies by a mask, an input whose default is ones: without a mask
// nothing is dropped. Masks are drawn outside, such as by [initial.Dropout], and
// fed to each training run. The input has the mask's shape. No paths.
//
// [initial.Dropout]: https://pkg.go.dev/github.com/topos-notebook/topos/topos/initial#Dropout
type Dropout struct{ layer }

// NewDropout makes a dropout of a recorded mask.
func NewDropout(mask topos.Trace) *Dropout {
	c := composition{
		op: "dropout", operands: []string{"input", "mask"},
		fault: func(x []topos.Shape) string {
			if !x[0].Equal(x[1]) {
				return "their shapes must be equal"
			}
			return ""
		},
		record: func(x []topos.Trace) topos.Trace { return x[0].Mul(x[1]) },
	}
	return &Dropout{holding(c, nil, func([]topos.Shape) string { return "" }, mask)}
}

// Mask is the name of the mask, to feed it.
func (d *Dropout) Mask() topos.Symbol { return d.held[0] }
