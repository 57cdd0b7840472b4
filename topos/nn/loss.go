package nn

import "github.com/topos-notebook/topos/topos"

var crossEntropy = composition{
	op: "cross_entropy", operands: []string{"logits", "targets"},
	fault: func(x []topos.Shape) string {
		switch {
		case x[0].Rank() != 2:
			return "it needs two axes, [rows, classes]"
		case !x[0].Equal(x[1]):
			return "their shapes must be equal"
		}
		return ""
	},
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
// Targets are one-hot rows, or weights of any other total. A logit is read with
// its target, so a logit of -inf that masks a class needs a weight above 0 there
// to matter and gives NaN where the weight is 0; [topos.Trace.LogSoftmax] keeps
// exact masks. It panics with a [*topos.Refusal] where the shapes do not fit.
func CrossEntropy(logits, targets topos.Trace) topos.Trace {
	return crossEntropy.over(logits, targets)
}
