package topos

import "slices"

// Compositions: everything here is spelled in the vocabulary, and a dump shows
// the spelling. Documented on [Value].

func (v trace) Abs() trace { return v.Maximum(v.Neg()) }

func (v trace) Relu() trace {
	zero := v.Filled(0)
	return v.Maximum(zero)
}

func (v trace) Softplus() trace {
	above := v.Relu()
	return above.Add(v.Abs().Neg().Exp().Log1p())
}

func (v trace) Gelu() trace {
	one, two := v.Filled(1), v.Filled(2)
	return v.Mul(one.Add(v.Div(two.Sqrt()).Erf())).Div(two)
}

func (v trace) Softmax(axis int) trace { return v.LogSoftmax(axis).Exp() }

func (v trace) MeanAlong(axis int) trace {
	shape := v.Shape()
	if axis < 0 || axis >= len(shape) {
		refuse("mean_along", []Shape{shape}, "", "mean_along finds no axis %d in %v", axis, shape)
	}
	total := v.SumAlong(axis)
	return total.Div(total.Filled(float64(shape[axis])))
}

func (v trace) Transpose() trace {
	shape := v.Shape()
	if len(shape) > 2 {
		refuse("transpose", []Shape{shape}, "", "transpose swaps two axes, not those of %v: permute them", shape)
	}
	if len(shape) < 2 {
		return v.Permute(axes(len(shape))...)
	}
	return v.Permute(1, 0)
}

func (v trace) Squeeze(axis int) trace {
	shape := v.Shape()
	if axis < 0 || axis >= len(shape) || shape[axis] != 1 {
		refuse("squeeze", []Shape{shape}, "", "squeeze finds no axis %d of extent 1 in %v", axis, shape)
	}
	return v.Reshape(shape.without(axis))
}

func (v trace) Unsqueeze(axis int) trace {
	shape := v.Shape()
	if axis < 0 || axis > len(shape) {
		refuse("unsqueeze", []Shape{shape}, "", "unsqueeze cannot insert axis %d into %v", axis, shape)
	}
	return v.Reshape(shape.inserted(axis, 1))
}

func (v trace) BroadcastTo(shape Shape) trace {
	own := v.Shape()
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

func (v trace) BroadcastLike(o trace) trace { return v.Broadcast(o.Shape()) }

func (v trace) BroadcastAlongLike(axis int, o trace) trace {
	own, like := v.Shape(), o.Shape()
	if axis < 0 || axis >= len(like) || !like.without(axis).Equal(own) {
		refuse("broadcast_along_like", []Shape{own, like}, "", "broadcast_along_like cannot insert axis %d into %v to make %v", axis, own, like)
	}
	return v.BroadcastAlong(axis, like[axis])
}

func (v trace) Concat(axis int, others ...trace) trace {
	all := append([]trace{v}, others...)
	first := v.Shape()
	full := 0
	for _, x := range all {
		s := x.Shape()
		if axis < 0 || axis >= len(s) || !s.without(axis).Equal(first.without(axis)) {
			refuse("concat", []Shape{first, s}, "", "concat cannot join %v and %v along axis %d", first, s, axis)
		}
		full += s[axis]
	}
	if len(others) == 0 {
		return v
	}
	var r trace
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

func (v trace) Stack(axis int, others ...trace) trace {
	first := v.Shape()
	for _, x := range others {
		if s := x.Shape(); !s.Equal(first) {
			refuse("stack", []Shape{first, s}, "", "stack needs equal shapes, not %v and %v", first, s)
		}
	}
	if axis < 0 || axis > len(first) {
		refuse("stack", []Shape{first}, "", "stack cannot insert axis %d into %v", axis, first)
	}
	rows := make([]trace, len(others))
	r := v.Unsqueeze(axis)
	for i, x := range others {
		rows[i] = x.Unsqueeze(axis)
	}
	return r.Concat(axis, rows...)
}
