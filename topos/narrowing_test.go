package topos_test

import (
	"math"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

func TestNarrowing(t *testing.T) { narrowingPromises.check(t) }

func narrowed(axis, start, length int) Opcode {
	return Opcode{Kind: OpNarrow, Axis: axis, Start: start, Length: length}
}

func padded(axis, start, extent int) Opcode {
	return Opcode{Kind: OpPad, Axis: axis, Start: start, Extent: extent}
}

var narrowingPromises = family{
	shapes: []shapeRow{
		{op: narrowed(1, 1, 2), of: []Shape{{2, 4}}, made: Shape{2, 2}},
		{op: narrowed(0, 0, 4), of: []Shape{{4}}, made: Shape{4}},
		{op: narrowed(1, 0, 1), of: []Shape{{4}}, says: "narrow finds no axis 1 in [4]"},
		{op: narrowed(0, 0, 0), of: []Shape{{4}}, says: "narrow cannot keep 0 from 0 of axis 0 of [4]"},
		{op: narrowed(0, 2, 3), of: []Shape{{4}}, says: "narrow cannot keep 3 from 2 of axis 0 of [4]"},
		{op: narrowed(0, -1, 2), of: []Shape{{4}}, says: "narrow cannot keep 2 from -1 of axis 0 of [4]"},
		{op: narrowed(0, math.MaxInt, 2), of: []Shape{{4}}, says: "narrow cannot keep 2 from 9223372036854775807 of axis 0 of [4]"},
		{op: padded(0, 1, 6), of: []Shape{{4, 2}}, made: Shape{6, 2}},
		{op: padded(0, 0, 4), of: []Shape{{4}}, made: Shape{4}},
		{op: padded(1, 0, 4), of: []Shape{{4}}, says: "pad finds no axis 1 in [4]"},
		{op: padded(0, 2, 5), of: []Shape{{4}}, says: "pad cannot place axis 0 of [4] at 2 of 5"},
		{op: padded(0, -1, 5), of: []Shape{{4}}, says: "pad cannot place axis 0 of [4] at -1 of 5"},
		{op: padded(0, math.MaxInt, 5), of: []Shape{{4}}, says: "pad cannot place axis 0 of [4] at 9223372036854775807 of 5"},
		{op: padded(0, 0, MaxVolume), of: []Shape{{1, 2}}, says: "pad of [1, 2] cannot make [2147483648, 2]: more than 2147483648 elements"},
	},
	computes: []computeRow{
		{op: narrowed(0, 1, 2), of: []numbers{of(Shape{4}, 1, 2, nan, 4)}, want: of(Shape{2}, 2, nan)},
		{op: narrowed(1, 1, 1), of: []numbers{of(Shape{2, 2}, 1, 2, 3, 4)}, want: of(Shape{2, 1}, 2, 4)},
		{op: padded(0, 1, 4), of: []numbers{of(Shape{2}, zero, nan)}, want: of(Shape{4}, 0, zero, nan, 0)},
		{op: padded(1, 0, 3), of: []numbers{of(Shape{2, 2}, 1, 2, 3, 4)}, want: of(Shape{2, 3}, 1, 2, 0, 3, 4, 0)},
	},
	rules: []ruleRow{
		{op: narrowed(0, 1, 2), of: []Shape{{4, 2}}, records: "Pad g axis=0 start=1 full_extent=4; Leaf; Add 1, 0"},
		{op: padded(0, 1, 6), of: []Shape{{4, 2}}, records: "Narrow g axis=0 start=1 len=4; Leaf; Add 1, 0"},
	},
	gradients: []gradientRow{
		{op: narrowed(1, 1, 2), of: []numbers{of(Shape{2, 3}, 1, -2, 0.5, 3, 0, 1)}},
		{op: padded(1, 2, 6), of: []numbers{of(Shape{2, 3}, 1, -2, 0.5, 3, 0, 1)}},
	},
}
