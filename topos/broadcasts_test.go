package topos_test

import (
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

func TestBroadcasts(t *testing.T) { broadcastPromises.check(t) }

func broadcast(shape ...int) Opcode { return Opcode{Kind: OpBroadcast, Dims: shape} }

func broadcastAlong(axis, extent int) Opcode {
	return Opcode{Kind: OpBroadcastAlong, Axis: axis, Extent: extent}
}

var broadcastPromises = family{
	shapes: []shapeRow{
		{op: broadcast(2, 3), of: []Shape{{}}, made: Shape{2, 3}},
		{op: broadcast(2), of: []Shape{{1, 1}}, made: Shape{2}},
		{op: broadcast(), of: []Shape{{1}}, made: Shape{}},
		{op: broadcast(2, 2), of: []Shape{{2}}, says: "broadcast spreads one element, not [2] over [2, 2]"},
		{op: broadcast(2, 0), of: []Shape{{}}, says: "broadcast of [] cannot make [2, 0]: an extent must be at least 1"},
		{op: broadcastAlong(0, 3), of: []Shape{{2}}, made: Shape{3, 2}},
		{op: broadcastAlong(1, 3), of: []Shape{{2}}, made: Shape{2, 3}},
		{op: broadcastAlong(0, 3), of: []Shape{{}}, made: Shape{3}},
		{op: broadcastAlong(2, 3), of: []Shape{{2}}, says: "broadcast_along cannot insert axis 2 of extent 3 into [2]"},
		{op: broadcastAlong(-1, 3), of: []Shape{{2}}, says: "broadcast_along cannot insert axis -1 of extent 3 into [2]"},
		{op: broadcastAlong(0, 0), of: []Shape{{2}}, says: "broadcast_along cannot insert axis 0 of extent 0 into [2]"},
		{op: broadcastAlong(0, MaxVolume), of: []Shape{{2}}, says: "broadcast_along of [2] cannot make [2147483648, 2]: more than 2147483648 elements"},
	},
	computes: []computeRow{
		{op: broadcast(2, 2), of: []numbers{of(Shape{1}, zero)}, want: of(Shape{2, 2}, zero, zero, zero, zero)},
		{op: broadcastAlong(0, 2), of: []numbers{of(Shape{2}, 1, nan)}, want: of(Shape{2, 2}, 1, nan, 1, nan)},
		{op: broadcastAlong(1, 2), of: []numbers{of(Shape{2}, 1, nan)}, want: of(Shape{2, 2}, 1, 1, nan, nan)},
		{op: broadcastAlong(1, 2), of: []numbers{of(Shape{2, 2}, 1, 2, 3, 4)}, want: of(Shape{2, 2, 2}, 1, 2, 1, 2, 3, 4, 3, 4)},
	},
	rules: []ruleRow{
		{op: broadcast(2, 3), of: []Shape{{}}, records: "Sum g; Broadcast 0 shape=[]; Leaf; Add 2, 1"},
		{op: broadcast(2, 3), of: []Shape{{1, 1}}, records: "Sum g; Broadcast 0 shape=[1, 1]; Leaf; Add 2, 1"},
		{op: broadcastAlong(1, 3), of: []Shape{{2}}, records: "SumAlong g axis=1; Leaf; Add 1, 0"},
	},
	gradients: []gradientRow{
		{op: broadcast(2, 3), of: []numbers{of(Shape{1}, 0.5)}},
		{op: broadcastAlong(0, 3), of: []numbers{of(Shape{2}, 1, -2)}},
		{op: broadcastAlong(1, 3), of: []numbers{of(Shape{2}, 1, -2)}},
	},
}
