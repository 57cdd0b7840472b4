package seams

import . "github.com/topos-notebook/topos/topos"

// dual is a value and its derivative along one direction: forward mode (Wengert
// 1964; Griewank and Walther 2008, section 3.1). Replaying a spec over duals is
// all it takes, since every method says how one operation moves both.
type dual struct{ value, tangent *Tensor[float32] }

// linear moves both parts by an operation that is linear in its operand.
func (d dual) linear(f func(*Tensor[float32]) *Tensor[float32]) dual {
	return dual{f(d.value), f(d.tangent)}
}

// along moves the value by f and the tangent by the slope of f there.
func (d dual) along(out, slope *Tensor[float32]) dual { return dual{out, d.tangent.Mul(slope)} }

func one(t *Tensor[float32]) *Tensor[float32] { return t.Filled(1) }

func (d dual) Shape() Shape { return d.value.Shape() }

func (d dual) Add(o dual) dual { return dual{d.value.Add(o.value), d.tangent.Add(o.tangent)} }

func (d dual) Sub(o dual) dual { return dual{d.value.Sub(o.value), d.tangent.Sub(o.tangent)} }

func (d dual) Mul(o dual) dual {
	return dual{d.value.Mul(o.value), d.tangent.Mul(o.value).Add(d.value.Mul(o.tangent))}
}

func (d dual) Div(o dual) dual {
	out := d.value.Div(o.value)
	return dual{out, d.tangent.Sub(out.Mul(o.tangent)).Div(o.value)}
}

func (d dual) Neg() dual { return d.linear((*Tensor[float32]).Neg) }

func (d dual) Exp() dual { out := d.value.Exp(); return d.along(out, out) }

func (d dual) Ln() dual { return dual{d.value.Ln(), d.tangent.Div(d.value)} }

func (d dual) Sqrt() dual {
	out := d.value.Sqrt()
	return dual{out, d.tangent.Div(out.Add(out))}
}

func (d dual) Tanh() dual {
	out := d.value.Tanh()
	return d.along(out, one(out).Sub(out.Mul(out)))
}

func (d dual) Sin() dual { return d.along(d.value.Sin(), d.value.Cos()) }

func (d dual) Cos() dual { return d.along(d.value.Cos(), d.value.Sin().Neg()) }

func (d dual) Log1p() dual {
	return dual{d.value.Log1p(), d.tangent.Div(one(d.value).Add(d.value))}
}

func (d dual) Expm1() dual { out := d.value.Expm1(); return d.along(out, out.Add(one(out))) }

func (d dual) Erf() dual { return d.along(d.value.Erf(), d.value.ErfDerivative()) }

func (d dual) ErfDerivative() dual {
	out := d.value.ErfDerivative()
	return d.along(out, d.value.Add(d.value).Mul(out).Neg())
}

func (d dual) Powf(o dual) dual {
	out := d.value.Powf(o.value)
	base := o.value.Mul(d.value.Powf(o.value.Sub(one(o.value)))).Mul(d.tangent)
	return dual{out, base.Add(out.Mul(d.value.Ln()).Mul(o.tangent))}
}

// Maximum follows the larger operand; a tie follows d, as the reverse rule does.
func (d dual) Maximum(o dual) dual {
	wins := d.value.StepAt(o.value)
	return dual{d.value.Maximum(o.value), d.tangent.Mul(wins).Add(o.tangent.Mul(one(wins).Sub(wins)))}
}

func (d dual) StepAt(o dual) dual {
	out := d.value.StepAt(o.value)
	return dual{out, out.Filled(0)}
}

func (d dual) MatMul(o dual) dual {
	return dual{d.value.MatMul(o.value), d.tangent.MatMul(o.value).Add(d.value.MatMul(o.tangent))}
}

func (d dual) Sum() dual { return d.linear((*Tensor[float32]).Sum) }

func (d dual) SumAlong(axis int) dual {
	return d.linear(func(t *Tensor[float32]) *Tensor[float32] { return t.SumAlong(axis) })
}

func (d dual) Broadcast(shape Shape) dual {
	return d.linear(func(t *Tensor[float32]) *Tensor[float32] { return t.Broadcast(shape) })
}

func (d dual) BroadcastAlong(axis, extent int) dual {
	return d.linear(func(t *Tensor[float32]) *Tensor[float32] { return t.BroadcastAlong(axis, extent) })
}

func (d dual) Reshape(shape Shape) dual {
	return d.linear(func(t *Tensor[float32]) *Tensor[float32] { return t.Reshape(shape) })
}

func (d dual) Permute(order ...int) dual {
	return d.linear(func(t *Tensor[float32]) *Tensor[float32] { return t.Permute(order...) })
}

func (d dual) Narrow(axis, start, length int) dual {
	return d.linear(func(t *Tensor[float32]) *Tensor[float32] { return t.Narrow(axis, start, length) })
}

func (d dual) Pad(axis, start, fullExtent int) dual {
	return d.linear(func(t *Tensor[float32]) *Tensor[float32] { return t.Pad(axis, start, fullExtent) })
}

func (d dual) Unfold(axis, size, step, dilation int) dual {
	return d.linear(func(t *Tensor[float32]) *Tensor[float32] { return t.Unfold(axis, size, step, dilation) })
}

func (d dual) Fold(axis, size, step, dilation, extent int) dual {
	return d.linear(func(t *Tensor[float32]) *Tensor[float32] { return t.Fold(axis, size, step, dilation, extent) })
}

// A selection is data: nothing flows through it.

func (d dual) Gather(selection dual) dual {
	return d.linear(func(t *Tensor[float32]) *Tensor[float32] { return t.Gather(selection.value) })
}

func (d dual) Scatter(selection dual) dual {
	return d.linear(func(t *Tensor[float32]) *Tensor[float32] { return t.Scatter(selection.value) })
}

func (d dual) LogSoftmax(axis int) dual {
	out := d.value.LogSoftmax(axis)
	extent := d.Shape()[axis]
	mean := out.Exp().Mul(d.tangent).SumAlong(axis).BroadcastAlong(axis, extent)
	return dual{out, d.tangent.Sub(mean)}
}

func (d dual) LogSumExp(axis int) dual {
	out := d.value.LogSumExp(axis)
	share := d.value.Sub(out.BroadcastAlong(axis, d.Shape()[axis])).Exp()
	return dual{out, share.Mul(d.tangent).SumAlong(axis)}
}

func (d dual) Filled(x float64) dual { return dual{d.value.Filled(x), d.value.Filled(0)} }
