package language

import (
	"slices"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/nn"
)

// table is every function of the language: how it is called, what it says of
// itself, what it records. The operators stand for the rows they are named
// after.
func table() []entry {
	return slices.Concat(arithmetic(), reductions(), layouts(), layers())
}

func arithmetic() []entry {
	type V = topos.Trace
	return []entry{
		elementwise("add", "the elementwise sum; a + b", V.Add),
		elementwise("sub", "the elementwise difference; a - b", V.Sub),
		elementwise("mul", "the elementwise product; a * b", V.Mul),
		elementwise("div", "the elementwise quotient; a / b", V.Div),
		unary("neg", "the sign changed; -a", V.Neg),
		binary("matmul", "a", "b", "the matrix product of the last two axes, leading axes are batches; a @ b", V.MatMul),
		unary("exp", "e to the power a", V.Exp),
		unary("ln", "the natural logarithm", V.Ln),
		unary("sqrt", "the square root", V.Sqrt),
		unary("tanh", "the hyperbolic tangent", V.Tanh),
		unary("sin", "the sine of radians", V.Sin),
		unary("cos", "the cosine of radians", V.Cos),
		unary("log1p", "ln(1 + a)", V.Log1p),
		unary("expm1", "exp(a) - 1", V.Expm1),
		unary("erf", "the error function", V.Erf),
		unary("erf_derivative", "2/sqrt(pi) * exp(-a*a)", V.ErfDerivative),
		elementwise("powf", "a to the power b", V.Powf),
		elementwise("maximum", "the larger of two; NaN from either side, a tie sends its gradient to a", V.Maximum),
		elementwise("step", "1 where a >= b, else 0; no gradient flows through it", V.StepAt),
		unary("abs", "maximum(a, -a)", V.Abs),
		unary("relu", "maximum(a, 0); its gradient at 0 is 1", V.Relu),
		unary("softplus", "ln(1 + exp(a)), stable for large a", V.Softplus),
		unary("gelu", "a * (1 + erf(a / sqrt 2)) / 2", V.Gelu),
	}
}

func reductions() []entry {
	type V = topos.Trace
	return []entry{
		unary("sum", "the sum of every element, rank 0", V.Sum),
		along("sum_along", "the sum along an axis, which it removes", V.SumAlong),
		along("mean_along", "the mean along an axis, which it removes", V.MeanAlong),
		along("logsumexp", "ln(sum(exp(a))) along an axis, which it removes", V.LogSumExp),
		along("log_softmax", "a - logsumexp(a) along an axis", V.LogSoftmax),
		along("softmax", "exp(log_softmax(a)) along an axis", V.Softmax),
	}
}

func layouts() []entry {
	type V = topos.Trace
	return []entry{
		unary("transpose", "the axes reversed: those of a matrix, swapped", V.Transpose),
		shaped("permute", "order", "the axes reordered: axis i of the answer is axis order[i] of a", func(a V, order []int) V { return a.Permute(order...) }),
		shaped("reshape", "shape", "the same elements, row-major, in another shape", func(a V, shape []int) V { return a.Reshape(shape) }),
		along("squeeze", "an axis of extent 1 removed", V.Squeeze),
		along("unsqueeze", "an axis of extent 1 inserted", V.Unsqueeze),
		shaped("broadcast", "shape", "one element spread over a shape", func(a V, shape []int) V { return a.Broadcast(shape) }),
		numbered("broadcast_along", []string{"axis", "extent"}, "repeated along a new axis", func(a V, n []int) V { return a.BroadcastAlong(n[0], n[1]) }),
		shaped("broadcast_to", "shape", "spread over a shape whose last axes it fits: equal extents, or 1", func(a V, shape []int) V { return a.BroadcastTo(shape) }),
		numbered("narrow", []string{"axis", "start", "length"}, "length positions of an axis from start", func(a V, n []int) V { return a.Narrow(n[0], n[1], n[2]) }),
		numbered("pad", []string{"axis", "start", "full_extent"}, "placed at start of a longer axis of zeros", func(a V, n []int) V { return a.Pad(n[0], n[1], n[2]) }),
		numbered("unfold", []string{"axis", "size", "step", "dilation"}, "windows along an axis: (count, size) in its place", func(a V, n []int) V { return a.Unfold(n[0], n[1], n[2], n[3]) }),
		numbered("fold", []string{"axis", "size", "step", "dilation", "extent"}, "windows added back into an axis: the adjoint of unfold", func(a V, n []int) V { return a.Fold(n[0], n[1], n[2], n[3], n[4]) }),
		joined("concat", "joined along an axis", V.Concat),
		joined("stack", "values of one shape joined along a new axis", V.Stack),
		binary("gather", "table", "selection", "rows of a table, chosen by a one-hot selection [rows, vocabulary]", V.Gather),
		binary("scatter", "rows", "selection", "rows added where a one-hot selection [rows, vocabulary] points", V.Scatter),
	}
}

// layers are compositions of package nn.
func layers() []entry {
	type V = topos.Trace
	return []entry{
		binary("cross_entropy", "logits", "targets", "the mean cross entropy of rows of logits, by rows of targets", nn.CrossEntropy),
		binary("masked_cross_entropy", "logits", "targets", "cross_entropy where logits of -inf mask their classes", nn.MaskedCrossEntropy),
		row("scaled_dot_product", values("queries", "keys", "values", "scale", "mask"), "softmax(queries @ keys^T * scale + mask, 1) @ values: attention of one head",
			func(g given) V {
				return nn.ScaledDotProduct(g.values[0], g.values[1], g.values[2], g.values[3], g.values[4])
			}),
		row("conv2d", append(values("input", "weights", "bias"), integers("stride", "padding")...), "windows of weights slid over [batch, channels, height, width], and a bias",
			func(g given) V {
				return nn.Convolve2d(g.values[0], g.values[1], g.values[2], g.integers[0], g.integers[1])
			}),
		numbered("max_pool", []string{"size", "step"}, "the largest of each window over the last two of four axes", func(a V, n []int) V { return nn.MaxPool(a, n[0], n[1]) }),
		numbered("average_pool", []string{"size", "step"}, "the mean of each window over the last two of four axes", func(a V, n []int) V { return nn.AveragePool(a, n[0], n[1]) }),
	}
}

func values(names ...string) []Argument { return arguments(ValueArgument, names) }

func integers(names ...string) []Argument { return arguments(IntegerArgument, names) }

func arguments(kind ArgumentKind, names []string) []Argument {
	list := make([]Argument, len(names))
	for i, name := range names {
		list[i] = Argument{name, kind}
	}
	return list
}
