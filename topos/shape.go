package topos

import (
	"fmt"
	"slices"
	"strconv"
)

// Shape is the extent along every axis; a scalar has rank 0.
type Shape []int

// MaxVolume is the largest number of elements one node may have.
const MaxVolume = 1 << 31

// MaxRank is the largest number of axes one node may have.
const MaxRank = 64

// Volume is the number of elements: 1 for a scalar.
func (s Shape) Volume() int {
	v := 1
	for _, x := range s {
		v *= x
	}
	return v
}

// Rank is the number of axes.
func (s Shape) Rank() int { return len(s) }

// Equal says whether both shapes have the same extents.
func (s Shape) Equal(o Shape) bool { return slices.Equal(s, o) }

// String prints the shape as describe does: [2, 3], or [] for a scalar.
func (s Shape) String() string { return string(s.append(nil)) }

func (s Shape) append(b []byte) []byte {
	b = append(b, '[')
	for i, x := range s {
		if i > 0 {
			b = append(b, ", "...)
		}
		b = strconv.AppendInt(b, int64(x), 10)
	}
	return append(b, ']')
}

// without is the shape with one axis removed.
func (s Shape) without(axis int) Shape {
	r := make(Shape, 0, len(s)-1)
	return append(append(r, s[:axis]...), s[axis+1:]...)
}

// with is the shape with the extent of one axis replaced.
func (s Shape) with(axis, extent int) Shape {
	r := slices.Clone(s)
	r[axis] = extent
	return r
}

// inserted is the shape with extents inserted before an axis.
func (s Shape) inserted(axis int, extents ...int) Shape {
	return slices.Insert(slices.Clone(s), axis, extents...)
}

// around splits the volume at an axis: the number of blocks before it, its
// extent, and the number of elements after it.
func (s Shape) around(axis int) (outer, extent, inner int) {
	return s[:axis].Volume(), s[axis], s[axis+1:].Volume()
}

// fault says why a shape cannot be recorded, or "".
func (s Shape) fault() string {
	if len(s) > MaxRank {
		return fmt.Sprintf("%d axes are more than %d", len(s), MaxRank)
	}
	volume := 1
	for _, x := range s {
		if x < 1 {
			return "an extent must be at least 1"
		}
		if x > MaxVolume/volume {
			return "more than 2147483648 elements"
		}
		volume *= x
	}
	return ""
}
