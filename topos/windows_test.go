package topos_test

import (
	"math"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

func TestWindows(t *testing.T) { windowPromises.check(t) }

func unfold(axis, size, step, dilation int) Opcode {
	return Opcode{Kind: OpUnfold, Axis: axis, Size: size, Step: step, Dilation: dilation}
}

func fold(axis, size, step, dilation, extent int) Opcode {
	return Opcode{Kind: OpFold, Axis: axis, Size: size, Step: step, Dilation: dilation, Extent: extent}
}

var windowPromises = family{
	shapes: []shapeRow{
		{op: unfold(0, 2, 1, 1), of: []Shape{{4}}, made: Shape{3, 2}},
		{op: unfold(1, 2, 2, 2), of: []Shape{{3, 8, 5}}, made: Shape{3, 3, 2, 5}},
		{op: unfold(0, 4, 9, 1), of: []Shape{{4}}, made: Shape{1, 4}},
		{op: unfold(1, 2, 1, 1), of: []Shape{{4}}, says: "unfold finds no axis 1 in [4]"},
		{op: unfold(0, 0, 1, 1), of: []Shape{{4}}, says: "unfold needs a size, step and dilation of at least 1, not axis=0 size=0 step=1 dilation=1 over [4]"},
		{op: unfold(0, 2, 0, 1), of: []Shape{{4}}, says: "unfold needs a size, step and dilation of at least 1, not axis=0 size=2 step=0 dilation=1 over [4]"},
		{op: unfold(0, 2, 1, 0), of: []Shape{{4}}, says: "unfold needs a size, step and dilation of at least 1, not axis=0 size=2 step=1 dilation=0 over [4]"},
		{op: unfold(0, 5, 1, 1), of: []Shape{{4}}, says: "unfold finds no window of axis=0 size=5 step=1 dilation=1 in axis 0 of [4]"},
		{op: unfold(0, 3, 1, MaxVolume), of: []Shape{{4}}, says: "unfold finds no window of axis=0 size=3 step=1 dilation=2147483648 in axis 0 of [4]"},
		{op: unfold(0, 1, MaxVolume, MaxVolume), of: []Shape{{4}}, made: Shape{1, 1}},
		// An attribute that has no place in an encoding is not recorded.
		{op: unfold(0, 1, 1, math.MaxInt), of: []Shape{{4}}, says: "unfold takes a step and dilation of at most 2147483648, not axis=0 size=1 step=1 dilation=9223372036854775807 over [4]"},
		{op: unfold(0, 1, math.MaxInt, 1), of: []Shape{{4}}, says: "unfold takes a step and dilation of at most 2147483648, not axis=0 size=1 step=9223372036854775807 dilation=1 over [4]"},
		{op: fold(0, 2, 1, 1, 4), of: []Shape{{3, 2}}, made: Shape{4}},
		{op: fold(1, 2, 2, 2, 8), of: []Shape{{3, 3, 2, 5}}, made: Shape{3, 8, 5}},
		{op: fold(0, 2, 2, 1, 5), of: []Shape{{2, 2}}, made: Shape{5}},
		{op: fold(0, 2, 1, 1, 5), of: []Shape{{4}}, says: "fold cannot lay the windows of [4] back by axis=0 size=2 step=1 dilation=1 extent=5"},
		{op: fold(0, 3, 1, 1, 6), of: []Shape{{4, 2}}, says: "fold cannot lay the windows of [4, 2] back by axis=0 size=3 step=1 dilation=1 extent=6"},
		{op: fold(0, 2, 1, 1, 6), of: []Shape{{4, 2}}, says: "fold cannot lay the windows of [4, 2] back by axis=0 size=2 step=1 dilation=1 extent=6"},
		{op: fold(0, 2, 0, 1, 5), of: []Shape{{4, 2}}, says: "fold needs a size, step and dilation of at least 1, not axis=0 size=2 step=0 dilation=1 extent=5 over [4, 2]"},
	},
	computes: []computeRow{
		{op: unfold(0, 2, 1, 1), of: []numbers{of(Shape{4}, 1, 2, nan, 4)}, want: of(Shape{3, 2}, 1, 2, 2, nan, nan, 4)},
		{op: unfold(0, 2, 1, 2), of: []numbers{of(Shape{4}, 1, 2, 3, 4)}, want: of(Shape{2, 2}, 1, 3, 2, 4)},
		{op: unfold(0, 2, 2, 1), of: []numbers{of(Shape{5}, 1, 2, 3, 4, 5)}, want: of(Shape{2, 2}, 1, 2, 3, 4)},
		{op: unfold(0, 2, 1, 1), of: []numbers{of(Shape{3, 2}, 1, 2, 3, 4, 5, 6)}, want: of(Shape{2, 2, 2}, 1, 2, 3, 4, 3, 4, 5, 6)},
		{op: fold(0, 2, 1, 1, 4), of: []numbers{of(Shape{3, 2}, 1, 2, 3, 4, 5, 6)}, want: of(Shape{4}, 1, 5, 9, 6)},
		{op: fold(0, 2, 2, 1, 5), of: []numbers{of(Shape{2, 2}, 1, 2, 3, 4)}, want: of(Shape{5}, 1, 2, 3, 4, 0)},
		// It starts from +0, so a -0 is lost.
		{op: fold(0, 1, 1, 1, 1), of: []numbers{of(Shape{1, 1}, zero)}, want: of(Shape{1}, 0)},
		// Element 2 of the axis adds position 0 of window 2, 1 of 1, then 2 of 0:
		// 2^-24 twice, then 1.
		{op: fold(0, 3, 1, 1, 5), of: []numbers{of(Shape{3, 3}, 0, 0, 1, 0, 0x1p-24, 0, 0x1p-24, 0, 0)},
			want: of(Shape{5}, 0, 0, 1+0x1p-23, 0, 0), only: 32},
	},
	rules: []ruleRow{
		{op: unfold(0, 2, 2, 1), of: []Shape{{5}}, records: "Fold g axis=0 size=2 step=2 dilation=1 extent=5; Leaf; Add 1, 0"},
		{op: fold(0, 2, 2, 1, 5), of: []Shape{{2, 2}}, records: "Unfold g axis=0 size=2 step=2 dilation=1; Leaf; Add 1, 0"},
	},
	gradients: []gradientRow{
		{op: unfold(0, 2, 1, 2), of: []numbers{of(Shape{4, 2}, 1, -2, 0.5, 3, 0, 1, 2, -1)}},
		{op: fold(0, 2, 1, 2, 4), of: []numbers{of(Shape{2, 2}, 1, -2, 0.5, 3)}},
	},
}
