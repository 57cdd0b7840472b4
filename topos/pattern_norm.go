package topos

import "math"

// normalized is what both batch norms share: (x - mean) / sqrt(variance +
// epsilon) * scale + shift over a matrix, with statistics along one of its axes.
type normalized struct {
	axis, extent            int
	x, centered             int
	mean, variance, epsilon int
	scale, shift            int
	members                 []int
}

// spread gives what is repeated along the axis, as wide as the batch.
func (n *normalized) spread(d *discovery, i int) (of int, ok bool) {
	of, _, ok = d.operation(i, OpBroadcastAlong)
	op := d.g.opcode(i)
	n.members = append(n.members, i)
	return of, ok && op.Axis == n.axis && op.Extent == n.extent
}

// normalized matches from the addition of the shift.
func (d *discovery) normalized(root int) (n normalized, ok bool) {
	scaled, shift, _ := d.operation(root, OpAdd)
	if d.g.records[shift].kind != OpBroadcastAlong || d.g.records[scaled].kind != OpMul || len(d.g.shape(root)) != 2 {
		return n, false
	}
	op := d.g.opcode(shift)
	n.axis, n.extent = op.Axis, op.Extent
	quotient, scale, _ := d.operation(scaled, OpMul)
	centered, deviation, isQuotient := d.operation(quotient, OpDiv)
	if !isQuotient {
		return n, false
	}
	x, mean, isDifference := d.operation(centered, OpSub)
	if !isDifference {
		return n, false
	}
	n.x, n.centered = x, centered
	n.members = []int{scaled, quotient, centered}
	var fit [4]bool
	n.shift, fit[0] = n.spread(d, shift)
	n.scale, fit[1] = n.spread(d, scale)
	n.mean, fit[2] = n.spread(d, mean)
	deviation, fit[3] = n.spread(d, deviation)
	if fit != [4]bool{true, true, true, true} {
		return n, false
	}
	return n, n.steadied(d, deviation)
}

// steadied matches sqrt(variance + epsilon), where epsilon is a recorded number.
func (n *normalized) steadied(d *discovery, deviation int) bool {
	sum, _, isRoot := d.operation(deviation, OpSqrt)
	if !isRoot {
		return false
	}
	variance, added, isSum := d.operation(sum, OpAdd)
	if !isSum {
		return false
	}
	epsilon, _, isSpread := d.operation(added, OpBroadcast)
	if !isSpread || d.g.records[epsilon].kind != OpLeaf {
		return false
	}
	n.variance, n.epsilon = variance, epsilon
	n.members = append(n.members, deviation, sum, added)
	x := n.steadiness(d)
	return !math.IsNaN(x) && !math.IsInf(x, 0)
}

// steadiness is epsilon as a number; NaN where the element's is no float64.
func (n *normalized) steadiness(d *discovery) float64 {
	payload := d.s.payload(n.epsilon)
	if payload.k.float == nil {
		return math.NaN()
	}
	return payload.k.float(payload.data, 0)
}

func (n *normalized) pattern(d *discovery, kind PatternKind) Pattern {
	return Pattern{Kind: kind, Feature: 1 - n.axis, Epsilon: n.steadiness(d)}
}

// batchNormInference matches the normalisation by statistics that are given.
func (d *discovery) batchNormInference(root int) (p Pattern, m matched, ok bool) {
	n, ok := d.normalized(root)
	if !ok {
		return
	}
	m = matched{members: n.members, operands: []int{n.x, n.scale, n.shift, n.mean, n.variance, n.epsilon}}
	return n.pattern(d, BatchNormInference), m, true
}

// batchNormTraining matches the normalisation by the batch's own statistics:
// mean = sum(x) / count, variance = sum((x - mean)^2) / count.
func (d *discovery) batchNormTraining(root int) (p Pattern, m matched, ok bool) {
	n, ok := d.normalized(root)
	if !ok {
		return
	}
	members := append(n.members, n.mean, n.variance)
	x, ofMean, fit := n.averaged(d, n.mean)
	square, ofVariance, fits := n.averaged(d, n.variance)
	if !fit || !fits || x != n.x {
		return p, m, false
	}
	a, b, isSquare := d.operation(square, OpMul)
	if !isSquare || a != n.centered || b != n.centered {
		return p, m, false
	}
	members = append(append(append(members, ofMean[:]...), ofVariance[:]...), square)
	m = matched{members: members, operands: []int{n.x, n.scale, n.shift, n.epsilon}, results: []int{n.mean, n.variance}}
	return n.pattern(d, BatchNormTraining), m, true
}

// averaged matches a mean along the axis: the sum over a leaf that counts.
func (n *normalized) averaged(d *discovery, i int) (of int, members [2]int, ok bool) {
	sum, count, ok := d.operation(i, OpDiv)
	if !ok {
		return
	}
	of, _, ok = d.operation(sum, OpSumAlong)
	if !ok || d.g.opcode(sum).Axis != n.axis || d.g.records[count].kind != OpLeaf {
		return of, members, false
	}
	payload := d.s.payload(count)
	return of, [2]int{sum, count}, payload.Equal(payload.k.constant(payload.shape, float64(n.extent)))
}
