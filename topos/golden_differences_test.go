package topos_test

import (
	"slices"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// difference is a golden row that is answered otherwise on purpose.
type difference struct {
	lanes  int // of the output; of text, how many texts
	reason string
}

const (
	ieeeMaximum  = "maximum is IEEE 754-2019 maximum: NaN from either side, +0 above -0"
	keptLiterals = "literals keep their bits: a payload of zeros of both signs is written out"
	exactSpells  = "text under Exact never raises: it keeps the recorded order"
	unharmedTape = "a refused recording leaves the tape as it was, and usable"
)

// deliberate lists the rows that may differ, by suite and id, and no others. A
// row that is listed and does not differ, or in another number of lanes, fails.
var deliberate = map[string]difference{
	"ops abs/specials":                   {1, ieeeMaximum},
	"ops maximum/specials":               {29, ieeeMaximum},
	"ops maximum/ties":                   {1, ieeeMaximum},
	"ops max_pool/nan":                   {1, ieeeMaximum},
	"bf16 max 7fc4 a4a4":                 {1, ieeeMaximum},
	"bf16 max 7f9f a46f":                 {1, ieeeMaximum},
	"emission leaf zeros of both signs":  {1, keptLiterals},
	"exact text of conv_s1p0":            {1, exactSpells},
	"exact text of conv_s1p1":            {1, exactSpells},
	"exact text of conv_barrier":         {1, exactSpells},
	"exact text of batch_norm_training":  {1, exactSpells},
	"exact text of batch_norm_inference": {1, exactSpells},
	"refusals symbol/poisoned tape":      {1, unharmedTape},
	"refusals symbol/poisoned tape seal": {1, unharmedTape},
}

// kindsOfDifference are the beginnings of ids that further rows of the same
// kinds may have. Such a row differs by the reason that its suite recomputes for
// it; in how many lanes is told.
var kindsOfDifference = []string{
	"ops abs/", "ops maximum/", "ops max_pool/", "ops relu/", "ops softplus/", "bf16 max ",
	"emission leaf ", "exact text of conv", "exact text of batch_norm",
}

// differs holds to the table in how many lanes a row differs by a reason that its
// suite has recomputed. Any other difference the suite has complained of itself.
func differs(t *testing.T, id string, lanes int) {
	t.Helper()
	listed, ok := deliberate[id]
	ofAKind := slices.ContainsFunc(kindsOfDifference, func(kind string) bool { return strings.HasPrefix(id, kind) })
	switch {
	case ok && lanes != listed.lanes:
		t.Errorf("%s differs in %d lanes, the table of deliberate differences says %d (%s)", id, lanes, listed.lanes, listed.reason)
	case !ok && lanes > 0 && !ofAKind:
		t.Errorf("%s differs in %d lanes and is not in the table of deliberate differences", id, lanes)
	case !ok && lanes > 0:
		t.Logf("%s differs in %d lanes, as rows of its kind may", id, lanes)
	}
}

// goldenMaximum is the maximum that the golden data was made with: NaN yields to
// a number, and of two zeros the left one stays.
func (n number[T]) goldenMaximum(a, b *Tensor[T]) *Tensor[T] {
	x, y := a.Data(), b.Data()
	for i := range x {
		if p, q := n.real(x[i]), n.real(y[i]); p != p || p < q {
			x[i] = y[i]
		}
	}
	return n.Tensor(a.Shape(), x...)
}

// goldenValues evaluates every node as the golden data did: with its maximum,
// and in all else by the public vocabulary. Where no maximum saw a NaN or zeros
// of both signs these are the product's own values.
func (n number[T]) goldenValues(net *Network[T]) []*Tensor[T] {
	values := make([]*Tensor[T], net.Len())
	for i, x := range net.Nodes() {
		operands := Pick(values, x.Operands())
		switch {
		case x.IsSource():
			values[i] = net.Payload(x.Symbol())
		case x.Opcode().Kind == OpMaximum:
			values[i] = n.goldenMaximum(operands[0], operands[1])
		default:
			values[i] = Express(x.Opcode(), operands...)
		}
	}
	return values
}

// unequalLanes counts the elements whose bits differ; NaN is a class.
func (n number[T]) unequalLanes(a, b *Tensor[T]) (lanes int) {
	y := b.Data()
	for i, x := range a.Data() {
		if p, q := n.real(x), n.real(y[i]); n.Bits(x) != n.Bits(y[i]) && !(p != p && q != q) {
			lanes++
		}
	}
	return lanes
}
