package topos

// reductions are the sums and products, in the order that is defined for every
// element.
func (o own[N]) reductions(k *kernel) {
	k.sum = func(dst, a any) {
		x := a.([]N)
		total := x[0]
		for _, y := range x[1:] {
			total = total.Add(y)
		}
		dst.([]N)[0] = total
	}
	k.sumAlong = func(dst, a any, outer, extent, inner int) { o.sumAlong(dst.([]N), a.([]N), outer, extent, inner) }
	k.matmul = func(dst, a, b any, batch, rows, inner, columns int) {
		o.matmul(dst.([]N), a.([]N), b.([]N), batch, rows, inner, columns)
	}
	k.fold = func(dst, a any, outer, inner, count, extent int, op Opcode) {
		o.fold(dst.([]N), a.([]N), outer, inner, count, extent, op)
	}
	k.gather = func(dst, table, selection any, rows, vocabulary, inner int) {
		o.gather(dst.([]N), table.([]N), selection.([]N), rows, vocabulary, inner)
	}
	k.scatter = func(dst, rows, selection any, count, vocabulary, inner int) {
		o.scatter(dst.([]N), rows.([]N), selection.([]N), count, vocabulary, inner)
	}
	k.logSoftmax = func(dst, a any, outer, extent, inner int) {
		d, x := dst.([]N), a.([]N)
		o.lanes(x, outer, extent, inner, func(at func(int) int, _, _ int, peak, below N) {
			for e := range extent {
				d[at(e)] = x[at(e)].Sub(peak).Sub(below)
			}
		})
	}
	k.logSumExp = func(dst, a any, outer, extent, inner int) {
		d := dst.([]N)
		o.lanes(a.([]N), outer, extent, inner, func(_ func(int) int, out, in int, peak, below N) {
			d[out*inner+in] = peak.Add(below)
		})
	}
}

func (own[N]) sumAlong(dst, a []N, outer, extent, inner int) {
	for out := range outer {
		d, block := dst[out*inner:(out+1)*inner], a[out*extent*inner:(out+1)*extent*inner]
		copy(d, block)
		for e := 1; e < extent; e++ {
			for i := range d {
				d[i] = d[i].Add(block[e*inner+i])
			}
		}
	}
}

func (own[N]) matmul(dst, a, b []N, batch, rows, inner, columns int) {
	for z := range batch {
		for i := range rows {
			x := a[(z*rows+i)*inner : (z*rows+i+1)*inner]
			for j := range columns {
				y := b[z*inner*columns+j:]
				total := x[0].Mul(y[0])
				for k := 1; k < inner; k++ {
					total = total.Add(x[k].Mul(y[k*columns]))
				}
				dst[(z*rows+i)*columns+j] = total
			}
		}
	}
}

func (o own[N]) fold(dst, a []N, outer, inner, count, extent int, op Opcode) {
	for out := range outer {
		for p := range op.Size {
			for w := range count {
				d := dst[(out*extent+w*op.Step+p*op.Dilation)*inner:][:inner]
				s := a[((out*count+w)*op.Size+p)*inner:][:inner]
				for i := range d {
					d[i] = d[i].Add(s[i])
				}
			}
		}
	}
}

// isZero says whether a number of a selection can be skipped. Of a number that
// cannot tell nothing is skipped.
func (o own[N]) isZero() func(x N) bool {
	if _, ok := o.zero().(interface{ IsZero() bool }); ok {
		return func(x N) bool { return any(x).(interface{ IsZero() bool }).IsZero() }
	}
	if _, ok := o.zero().(interface{ Compare(N) int }); ok {
		none := o.int(0)
		return func(x N) bool { return compared(x, none) == 0 }
	}
	return func(N) bool { return false }
}

func (o own[N]) gather(dst, table, selection []N, rows, vocabulary, inner int) {
	skipped := o.isZero()
	for r := range rows {
		d, first := dst[r*inner:(r+1)*inner], true
		for v, s := range selection[r*vocabulary : (r+1)*vocabulary] {
			if skipped(s) {
				continue
			}
			for i := range d {
				y := s.Mul(table[v*inner+i])
				if !first {
					y = d[i].Add(y)
				}
				d[i] = y
			}
			first = false
		}
	}
}

func (o own[N]) scatter(dst, rows, selection []N, count, vocabulary, inner int) {
	skipped := o.isZero()
	for r := range count {
		for v, s := range selection[r*vocabulary : (r+1)*vocabulary] {
			if skipped(s) {
				continue
			}
			d := dst[v*inner : (v+1)*inner]
			for i := range d {
				d[i] = d[i].Add(s.Mul(rows[r*inner+i]))
			}
		}
	}
}

// lanes gives each lane of an axis: where its elements lie, its peak, and the ln
// of the sum of exps below the peak.
func (o own[N]) lanes(x []N, outer, extent, inner int, f func(at func(int) int, out, in int, peak, below N)) {
	largest, maps := o.maximum(), ownMaps[N]()
	exp := func(x N) N { return maps[OpExp](x)() }
	for out := range outer {
		for in := range inner {
			at := func(e int) int { return (out*extent+e)*inner + in }
			peak := x[at(0)]
			for e := 1; e < extent; e++ {
				peak = largest(peak, x[at(e)])
			}
			total := exp(x[at(0)].Sub(peak))
			for e := 1; e < extent; e++ {
				total = total.Add(exp(x[at(e)].Sub(peak)))
			}
			f(at, out, in, peak, maps[OpLn](total)())
		}
	}
}
