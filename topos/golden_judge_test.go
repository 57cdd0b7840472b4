package topos_test

import (
	"fmt"
	"math"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// depth says how far a node lies behind maps, which the golden data does not
// round correctly.
type depth int

const (
	noMap depth = iota // to the bit
	oneMap
	behindMaps
)

// mapKinds are the operations whose golden values are approximations. A square
// root is rounded correctly there too.
var mapKinds = map[Kind]bool{
	OpExp: true, OpLn: true, OpTanh: true, OpSin: true, OpCos: true, OpLog1p: true, OpExpm1: true,
	OpErf: true, OpErfDerivative: true, OpPowf: true,
}

// depths walks the recorded graph.
func depths(nodes []Node) []depth {
	r := make([]depth, len(nodes))
	for i, n := range nodes {
		behind := false
		for _, x := range n.Operands() {
			behind = behind || r[x.Index()] != noMap
		}
		switch kind := n.Opcode().Kind; {
		case behind, kind == OpLogSoftmax, kind == OpLogSumExp: // these hold exp and ln
			r[i] = behindMaps
		case mapKinds[kind]:
			r[i] = oneMap
		}
	}
	return r
}

// judge compares values of one run with golden ones.
type judge[T any] struct {
	*testing.T
	number[T]
	depths []depth
	scale  float64 // the largest magnitude among the run's gradients, or its loss
}

// newJudge takes the golden loss and gradients for their scale.
func newJudge[T any](t *testing.T, n number[T], nodes []Node, loss goldenTensor, gradients ...goldenTensor) judge[T] {
	j := judge[T]{t, n, depths(nodes), 0}
	for _, g := range append([]goldenTensor{loss}, gradients...) {
		for _, bits := range g.words() {
			if x := math.Abs(n.float(bits)); !math.IsInf(x, 0) && x > j.scale {
				j.scale = x
			}
		}
	}
	return j
}

// compare holds the value of a node to a golden one: to the bit where no map
// lies upstream; a single map's value within a few units in the last place;
// anything behind maps within 16 eps of the run's scale or 2 units. NaN is a
// class. It names the first lane that is off.
func (j judge[T]) compare(what string, node int, got *Tensor[T], want goldenTensor) {
	j.Helper()
	if !got.Shape().Equal(want.Shape) {
		j.Errorf("%s: node %d has the shape %v, want %v", what, node, got.Shape(), want.Shape)
		return
	}
	words := want.words()
	for i, x := range got.Data() {
		bits := words[min(i, len(words)-1)]
		if why := j.off(node, j.Bits(x), bits); why != "" {
			j.Errorf("%s: node %d at %d is %0*x (%v), want %0*x (%v): %s", what, node, i,
				j.digits, j.Bits(x), j.real(x), j.digits, bits, j.float(bits), why)
			return
		}
	}
}

// off says why bits of a node are too far from golden ones.
func (j judge[T]) off(node int, got, want uint64) string {
	a, b := j.float(got), j.float(want)
	if got == want || a != a && b != b {
		return ""
	}
	units := j.unitsApart(got, want)
	switch j.depths[node] {
	case noMap:
		return "no map lies upstream"
	case oneMap:
		if units > j.mapUnits || a == 0 && b == 0 {
			return fmt.Sprintf("%.0f units after one map", units)
		}
	case behindMaps:
		if units > 2 && !(math.Abs(a-b) <= 16*j.eps*j.scale) {
			return fmt.Sprintf("%.0f units and %g, at a scale of %g", units, math.Abs(a-b), j.scale)
		}
	}
	return ""
}

// unitsApart counts the numbers from one to the other; infinite where only one
// is NaN.
func (f format) unitsApart(a, b uint64) float64 {
	if x, y := f.float(a), f.float(b); x != x || y != y {
		return math.Inf(1)
	}
	x, y := f.rank(a), f.rank(b)
	if (x < 0) != (y < 0) {
		return math.Abs(float64(x)) + math.Abs(float64(y))
	}
	return math.Abs(float64(x - y))
}

// rank numbers the format's values in their order; both zeros are 0.
func (f format) rank(bits uint64) int64 {
	sign := uint64(1) << (f.digits*4 - 1)
	if bits&sign != 0 {
		return -int64(bits &^ sign)
	}
	return int64(bits)
}
