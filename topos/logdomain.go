package topos

// The log domain: LogSoftmax keeps an axis, LogSumExp removes it.
//
//	kind        value along the axis                   cotangent of x
//	LogSoftmax  (x - max) - ln(sum(exp(x - max)))      g - exp(out)*BroadcastAlong(SumAlong g)
//	LogSumExp   max + ln(sum(exp(x - max)))            BroadcastAlong(g)*exp(x - BroadcastAlong(out))
//
// LogSoftmax retains out; LogSumExp retains x and out. The sum ascends and starts
// from its first term. A row that is all -inf, or that holds NaN or +inf, gives
// NaN; -inf beside a finite entry is an exact mask, whose gradient is 0 (Blanchard,
// Higham and Higham 2021 on why the maximum is taken out first).

var (
	logSoftmaxFacts = facts{name: "LogSoftmax", spelling: "log_softmax", arity: 1, family: logFamily, attributes: axisOnly, retains: output}
	logSumExpFacts  = facts{name: "LogSumExp", spelling: "logsumexp", arity: 1, family: logFamily, attributes: axisOnly, retains: left | output}
)

func logShape(op Opcode, a Shape) Shape {
	needAxis(op, a)
	if op.Kind == OpLogSoftmax {
		return a
	}
	return a.without(op.Axis)
}

// LogSoftmax is v - max - ln(sum(exp(v - max))) along an axis.
func (v Trace) LogSoftmax(axis int) Trace {
	return v.tape.apply(Opcode{Kind: OpLogSoftmax, Axis: axis}, v)
}

// LogSumExp is max + ln(sum(exp(v - max))) along an axis, which it removes.
func (v Trace) LogSumExp(axis int) Trace {
	return v.tape.apply(Opcode{Kind: OpLogSumExp, Axis: axis}, v)
}

func (t *dense) LogSoftmax(axis int) *dense {
	return t.lanes(Opcode{Kind: OpLogSoftmax, Axis: axis}, t.k.logSoftmax)
}

func (t *dense) LogSumExp(axis int) *dense {
	return t.lanes(Opcode{Kind: OpLogSumExp, Axis: axis}, t.k.logSumExp)
}

// logSoftmax is x - max - ln(sum(exp(x - max))) along an axis.
func logSoftmax[T native](dst, a []T, outer, extent, inner int) {
	exp, ln := mapOf[T](OpExp), mapOf[T](OpLn)
	overLanes(a, outer, extent, inner, func(lane func(int) *T, o, i int) {
		peak, total := laneTotal(exp, lane, extent)
		below := ln(total)
		for e := range extent {
			dst[(o*extent+e)*inner+i] = (*lane(e) - peak) - below
		}
	})
}

// logSumExp is max + ln(sum(exp(x - max))) along an axis.
func logSumExp[T native](dst, a []T, outer, extent, inner int) {
	exp, ln := mapOf[T](OpExp), mapOf[T](OpLn)
	overLanes(a, outer, extent, inner, func(lane func(int) *T, o, i int) {
		peak, total := laneTotal(exp, lane, extent)
		dst[o*inner+i] = peak + ln(total)
	})
}

func overLanes[T native](a []T, outer, extent, inner int, f func(lane func(int) *T, o, i int)) {
	for o := range outer {
		for i := range inner {
			f(func(e int) *T { return &a[(o*extent+e)*inner+i] }, o, i)
		}
	}
}

func laneTotal[T native](exp func(T) T, lane func(int) *T, extent int) (peak, total T) {
	peak = *lane(0)
	for e := 1; e < extent; e++ {
		peak = max(peak, *lane(e))
	}
	total = exp(*lane(0) - peak)
	for e := 1; e < extent; e++ {
		total += exp(*lane(e) - peak)
	}
	return peak, total
}

func logRule[R Recordable[R]](op Opcode, g, out, x R) R {
	extent := x.Shape()[op.Axis]
	if op.Kind == OpLogSoftmax {
		total := g.SumAlong(op.Axis).BroadcastAlong(op.Axis, extent)
		return g.Sub(out.Exp().Mul(total))
	}
	share := x.Sub(out.BroadcastAlong(op.Axis, extent)).Exp()
	return g.BroadcastAlong(op.Axis, extent).Mul(share)
}

// LogSoftmax is x - max - ln(sum(exp(x - max))) along an axis.
func (t *Tensor[T]) LogSoftmax(axis int) *Tensor[T] { return typed[T](t.t.LogSoftmax(axis)) }

// LogSumExp is max + ln(sum(exp(x - max))) along an axis, which it removes.
func (t *Tensor[T]) LogSumExp(axis int) *Tensor[T] { return typed[T](t.t.LogSumExp(axis)) }
