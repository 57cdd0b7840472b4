package topos

// arithmetic are the operations of two numbers, and Neg.
func (o own[N]) arithmetic(k *kernel) {
	two := func(kind Kind, f func(x, y N) N) {
		k.binary[kind] = func(dst, a, b any) {
			d, x, y := dst.([]N), a.([]N), b.([]N)
			for i := range d {
				d[i] = f(x[i], y[i])
			}
		}
	}
	two(OpAdd, N.Add)
	two(OpSub, N.Sub)
	two(OpMul, N.Mul)
	o.one(k, OpNeg, N.Neg)
	if _, ok := o.zero().(interface{ Div(N) N }); ok {
		two(OpDiv, func(x, y N) N { return any(x).(interface{ Div(N) N }).Div(y) })
	}
	if _, ok := o.zero().(interface{ Powf(N) N }); ok {
		two(OpPowf, func(x, y N) N { return any(x).(interface{ Powf(N) N }).Powf(y) })
	}
	if f := o.maximum(); f != nil {
		two(OpMaximum, f)
	}
	if f := o.step(); f != nil {
		two(OpStep, f)
	}
}

// maximum takes the left of two equal numbers, as the derivative rule does.
func (o own[N]) maximum() func(x, y N) N {
	if _, ok := o.zero().(interface{ Maximum(N) N }); ok {
		return func(x, y N) N { return any(x).(interface{ Maximum(N) N }).Maximum(y) }
	}
	if _, ok := o.zero().(interface{ Compare(N) int }); !ok {
		return nil
	}
	return func(x, y N) N {
		if compared(x, y) >= 0 {
			return x
		}
		return y
	}
}

func (o own[N]) step() func(x, y N) N {
	if _, ok := o.zero().(interface{ StepAt(N) N }); ok {
		return func(x, y N) N { return any(x).(interface{ StepAt(N) N }).StepAt(y) }
	}
	if _, ok := o.zero().(interface{ Compare(N) int }); !ok {
		return nil
	}
	return func(x, y N) N {
		if compared(x, y) >= 0 {
			return o.int(1)
		}
		return o.int(0)
	}
}

func (own[N]) one(k *kernel, kind Kind, f func(N) N) {
	k.unary[kind] = func(dst, a any) {
		d := dst.([]N)
		for i, x := range a.([]N) {
			d[i] = f(x)
		}
	}
}

// maps are those that the number has methods for.
func (o own[N]) maps(k *kernel) {
	for kind, method := range ownMaps[N]() {
		if method(o.zero()) != nil {
			o.one(k, kind, func(x N) N { return method(x)() })
		}
	}
}

// ownMaps finds the method of each map, or nil.
func ownMaps[N any]() map[Kind]func(x any) func() N {
	return map[Kind]func(x any) func() N{
		OpExp: func(x any) func() N {
			if m, ok := x.(interface{ Exp() N }); ok {
				return m.Exp
			}
			return nil
		},
		OpLn: func(x any) func() N {
			if m, ok := x.(interface{ Ln() N }); ok {
				return m.Ln
			}
			return nil
		},
		OpSqrt: func(x any) func() N {
			if m, ok := x.(interface{ Sqrt() N }); ok {
				return m.Sqrt
			}
			return nil
		},
		OpTanh: func(x any) func() N {
			if m, ok := x.(interface{ Tanh() N }); ok {
				return m.Tanh
			}
			return nil
		},
		OpSin: func(x any) func() N {
			if m, ok := x.(interface{ Sin() N }); ok {
				return m.Sin
			}
			return nil
		},
		OpCos: func(x any) func() N {
			if m, ok := x.(interface{ Cos() N }); ok {
				return m.Cos
			}
			return nil
		},
		OpLog1p: func(x any) func() N {
			if m, ok := x.(interface{ Log1p() N }); ok {
				return m.Log1p
			}
			return nil
		},
		OpExpm1: func(x any) func() N {
			if m, ok := x.(interface{ Expm1() N }); ok {
				return m.Expm1
			}
			return nil
		},
		OpErf: func(x any) func() N {
			if m, ok := x.(interface{ Erf() N }); ok {
				return m.Erf
			}
			return nil
		},
		OpErfDerivative: func(x any) func() N {
			if m, ok := x.(interface{ ErfDerivative() N }); ok {
				return m.ErfDerivative
			}
			return nil
		},
	}
}
