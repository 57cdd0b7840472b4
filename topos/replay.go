package topos

import "slices"

// Replay appends to t copies of the nodes of o, a tape of the same element, from an
// index up to, but not including, another, in order. moved says where nodes of o
// are on t, -1 for nowhere; the copies are entered in it. Shapes are inferred and
// checked anew. A copy has the origin of its node, in the segment that is given, 0 for its own.
// The zeros where a derivative would start the cotangent of a node that is nowhere
// are left out.
//
// Where a node reads one that is nowhere, and where shapes do not fit, nothing
// is appended, moved is as it was, and the error, of [ErrUndeclared] or
// [ErrShape], says which node of o it was.
//
// It is no method, since each of those of a tape is compiled again with every cell.
func Replay(t, o *Recording, from, to int, moved []int, segment int) (err error) {
	g, old := t.t.open("replay"), o.t.open("replay")
	if !t.t.s.k.is(o.t.s.k) {
		return failed(ErrElement, "replay", "replay on a tape of %s was given one of %s", t.t.s.k.name, o.t.s.k.name)
	}
	if from < 0 || to < from || to > len(old.records) || len(moved) < to {
		return failed(ErrStale, "replay", "replay was given the nodes %d to %d of a tape of %d", from, to, len(old.records))
	}
	start, was, before, done := len(g.records), g.place, slices.Clone(moved[from:to]), false
	defer func() {
		g.place = was
		if !done {
			t.Cut(start)
			copy(moved[from:to], before)
		}
	}()
	for i := from; i < to; i++ {
		g.pause(i)
		var missing error
		at := len(g.records)
		if r := Refused(func() { missing = t.t.replay(&o.t, i, moved, segment) }); r != nil {
			return failed(r.Err, "replay", "node %d %v does not fit: %v", i, old.records[i].kind, r)
		}
		if missing != nil {
			return missing
		}
		if moved[i] = -1; len(g.records) > at {
			moved[i] = at
		}
	}
	done = true
	return nil
}

// replay copies one node.
func (t *tape) replay(o *tape, i int, moved []int, segment int) error {
	g, r := t.s.g, o.s.g.records[i]
	if r.part == PartStart && moved[r.of] < 0 {
		return nil
	}
	xs, n := r.operands()
	at := [2]int{-1, -1}
	for j, x := range xs[:n] {
		if at[j] = moved[x]; at[j] < 0 {
			return failed(ErrUndeclared, "replay", "node %s reads %s, which is not there", o.s.g.naming(i), o.s.g.naming(x))
		}
	}
	g.place = place{segment: uint32(segment), line: r.line, of: -1}
	if segment == 0 {
		g.place.segment = r.segment
	}
	if r.of >= 0 && moved[r.of] >= 0 {
		g.place.of, g.place.part, g.place.opens = int32(moved[r.of]), r.part, r.opens
	}
	if n == 0 {
		t.source(r.kind, o.s.payload(i))
		return nil
	}
	t.able(r.kind, at[0], at[1])
	t.recorded(g.apply(o.s.g.opcode(i), at[0], at[1]))
	return nil
}
