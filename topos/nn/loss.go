package nn

import "github.com/topos-notebook/topos/topos"

var crossEntropy = composition{
	op: "cross_entropy", operands: []string{"logits", "targets"}, fault: rowsFault,
	record: func(x []topos.Trace) topos.Trace {
		logits, targets := x[0], x[1]
		normalisers := targets.SumAlong(1).Mul(logits.LogSumExp(1)).Sum()
		return normalisers.Sub(targets.Mul(logits).Sum()).Div(targets.Sum())
	},
}

// CrossEntropy is the mean cross entropy between rows of logits and rows of
// targets, both [rows, classes], in nats and of rank 0:
//
//	(sum(sum_along(targets, 1) * logsumexp(logits, 1)) - sum(targets * logits)) / sum(targets)
//
// Targets are one-hot rows, or weights of any other total. Each logit is
// multiplied by its target, so one of -inf, which masks its class, makes the loss
// NaN: see [MaskedCrossEntropy]. It panics with a [*topos.Refusal] where the
// shapes do not fit.
func CrossEntropy(logits, targets topos.Trace) topos.Trace {
	return crossEntropy.over(logits, targets)
}

// masked is the logarithm of a probability that counts as none. Every element
// holds it.
const masked = -6e4

var maskedCrossEntropy = composition{
	op: "masked_cross_entropy", operands: []string{"logits", "targets"}, fault: rowsFault,
	record: func(x []topos.Trace) topos.Trace {
		logits, targets := x[0], x[1]
		logarithms := logits.LogSoftmax(1)
		return targets.Mul(logarithms.Maximum(logarithms.Filled(masked))).Sum().Neg().Div(targets.Sum())
	},
}

// MaskedCrossEntropy is [CrossEntropy] for logits of which some may be -inf: such
// a class has no probability and no gradient, and the loss is finite.
//
//	-sum(targets * maximum(log_softmax(logits, 1), -60000)) / sum(targets)
//
// A target on a masked class counts 60000. It panics with a [*topos.Refusal]
// where the shapes do not fit.
func MaskedCrossEntropy(logits, targets topos.Trace) topos.Trace {
	return maskedCrossEntropy.over(logits, targets)
}

func rowsFault(x []topos.Shape) string {
	switch {
	case x[0].Rank() != 2:
		return "it needs two axes, [rows, classes]"
	case !x[0].Equal(x[1]):
		return "their shapes must be equal"
	}
	return ""
}
