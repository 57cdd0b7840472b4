package topos

import "slices"

// Compositions: everything here is spelled in the vocabulary, and a dump shows
// the spelling. One that records several nodes checks all of them first, since a
// refused call records none.

// Abs is maximum(v, -v).
func (v Trace) Abs() Trace {
	v.needs("abs", OpMaximum)
	return v.Maximum(v.Neg())
}

// Relu is maximum(v, 0). Its gradient at 0 is 1.
func (v Trace) Relu() Trace {
	v.needs("relu", OpMaximum)
	zero := v.Filled(0)
	return v.Maximum(zero)
}

// Softplus is ln(1 + exp(v)), spelled relu(v) + log1p(exp(-|v|)).
func (v Trace) Softplus() Trace {
	v.needs("softplus", OpMaximum, OpExp, OpLog1p)
	above := v.Relu()
	return above.Add(v.Abs().Neg().Exp().Log1p())
}

// Gelu is v * (1 + erf(v / sqrt 2)) / 2 (Hendrycks and Gimpel 2016).
func (v Trace) Gelu() Trace {
	v.needs("gelu", OpSqrt, OpDiv, OpErf)
	one, two := v.Filled(1), v.Filled(2)
	return v.Mul(one.Add(v.Div(two.Sqrt()).Erf())).Div(two)
}

// Softmax is exp(log_softmax(v)) along an axis.
func (v Trace) Softmax(axis int) Trace {
	if shape := v.shape("softmax"); axis < 0 || axis >= len(shape) {
		refuse("softmax", []Shape{shape}, "", "softmax finds no axis %d in %v", axis, shape)
	}
	return v.LogSoftmax(axis).Exp()
}

// needs refuses a composition before any of it is recorded, where the element
// cannot do all of it.
func (v Trace) needs(op string, of ...Kind) {
	v.tape.open(op)
	if k := v.tape.s.k; k.lacking != nil {
		for _, kind := range of {
			k.need(op, kind, v.Shape())
		}
	}
}

// MeanAlong is the mean along an axis, which it removes.
func (v Trace) MeanAlong(axis int) Trace {
	shape := v.shape("mean_along")
	if axis < 0 || axis >= len(shape) {
		refuse("mean_along", []Shape{shape}, "", "mean_along finds no axis %d in %v", axis, shape)
	}
	v.needs("mean_along", OpDiv)
	total := v.SumAlong(axis)
	return total.Div(total.Filled(float64(shape[axis])))
}

// Transpose swaps the two axes of a matrix; lower ranks are permuted as they are.
func (v Trace) Transpose() Trace {
	shape := v.shape("transpose")
	if len(shape) > 2 {
		refuse("transpose", []Shape{shape}, "", "transpose swaps two axes, not those of %v: permute them", shape)
	}
	if len(shape) < 2 {
		return v.Permute(axes(len(shape))...)
	}
	return v.Permute(1, 0)
}

// Squeeze removes an axis of extent 1.
func (v Trace) Squeeze(axis int) Trace {
	shape := v.shape("squeeze")
	if axis < 0 || axis >= len(shape) || shape[axis] != 1 {
		refuse("squeeze", []Shape{shape}, "", "squeeze finds no axis %d of extent 1 in %v", axis, shape)
	}
	return v.Reshape(shape.without(axis))
}

// Unsqueeze inserts an axis of extent 1.
func (v Trace) Unsqueeze(axis int) Trace {
	shape := v.shape("unsqueeze")
	if axis < 0 || axis > len(shape) {
		refuse("unsqueeze", []Shape{shape}, "", "unsqueeze cannot insert axis %d into %v", axis, shape)
	}
	return v.Reshape(shape.inserted(axis, 1))
}

// BroadcastTo spreads v over a shape whose trailing axes it fits: each axis of
// v has the extent asked for, or 1.
func (v Trace) BroadcastTo(shape Shape) Trace {
	own := v.shape("broadcast_to")
	if own.Equal(shape) {
		return v
	}
	if own.Volume() == 1 {
		return v.Broadcast(shape)
	}
	lead := len(shape) - len(own)
	fits := lead >= 0
	for i := range own {
		fits = fits && (own[i] == 1 || own[i] == shape[lead+i])
	}
	if !fits {
		refuse("broadcast_to", []Shape{own, shape}, "", "broadcast_to cannot spread %v over %v", own, shape)
	}
	possible("broadcast_to", own, shape)
	padded := append(slices.Repeat(Shape{1}, lead), own...)
	r := v
	if lead > 0 {
		r = r.Reshape(padded)
	}
	for axis, extent := range shape {
		if padded[axis] != extent {
			padded = padded.without(axis)
			r = r.Reshape(padded).BroadcastAlong(axis, extent)
			padded = padded.inserted(axis, extent)
		}
	}
	return r
}

// BroadcastLike spreads a value of one element over the shape of o.
func (v Trace) BroadcastLike(o Trace) Trace {
	own, like := v.shape("broadcast_like"), v.shapeBeside("broadcast_like", o)
	if own.Volume() != 1 {
		refuse("broadcast_like", []Shape{own, like}, "", "broadcast_like spreads one element, not %v over %v", own, like)
	}
	return v.Broadcast(like)
}

// BroadcastAlongLike repeats the value along a new axis so that it has the
// shape of o.
func (v Trace) BroadcastAlongLike(axis int, o Trace) Trace {
	own, like := v.shape("broadcast_along_like"), v.shapeBeside("broadcast_along_like", o)
	if axis < 0 || axis >= len(like) || !like.without(axis).Equal(own) {
		refuse("broadcast_along_like", []Shape{own, like}, "", "broadcast_along_like cannot insert axis %d into %v to make %v", axis, own, like)
	}
	return v.BroadcastAlong(axis, like[axis])
}

// Concat joins values along an axis.
func (v Trace) Concat(axis int, others ...Trace) Trace {
	all := append([]Trace{v}, others...)
	first := v.shape("concat")
	full := 0
	for _, x := range all {
		s := v.shapeBeside("concat", x)
		if axis < 0 || axis >= len(s) || !s.without(axis).Equal(first.without(axis)) {
			refuse("concat", []Shape{first, s}, "", "concat cannot join %v and %v along axis %d", first, s, axis)
		}
		full += s[axis]
	}
	if len(others) == 0 {
		return v
	}
	possible("concat", first, first.with(axis, full))
	var r Trace
	at := 0
	for i, x := range all {
		padded := x.Pad(axis, at, full)
		at += x.Shape()[axis]
		if i == 0 {
			r = padded
		} else {
			r = r.Add(padded)
		}
	}
	return r
}

// Stack joins values of one shape along a new axis.
func (v Trace) Stack(axis int, others ...Trace) Trace {
	first := v.shape("stack")
	for _, x := range others {
		if s := v.shapeBeside("stack", x); !s.Equal(first) {
			refuse("stack", []Shape{first, s}, "", "stack needs equal shapes, not %v and %v", first, s)
		}
	}
	if axis < 0 || axis > len(first) {
		refuse("stack", []Shape{first}, "", "stack cannot insert axis %d into %v", axis, first)
	}
	possible("stack", first, first.inserted(axis, 1+len(others)))
	rows := make([]Trace, len(others))
	r := v.Unsqueeze(axis)
	for i, x := range others {
		rows[i] = x.Unsqueeze(axis)
	}
	return r.Concat(axis, rows...)
}

// possible refuses a composition whose answer no node can have.
func possible(op string, of, made Shape) {
	if fault := made.fault(); fault != "" {
		refuse(op, []Shape{of}, "", "%s of %v cannot make %v: %s", op, of, made, fault)
	}
}
