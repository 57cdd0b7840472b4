package topos

import "slices"

// Tail is what [Tape.Cut] removed, so that it can be put back.
type Tail struct {
	at         int
	records    []record
	attributes []attributes
	leaves     []*dense
	initials   []*dense
	defaults   []*dense
}

// Cut removes the nodes from an index on and answers them. Symbols of cut nodes
// are refused from then on, also when other nodes are recorded in their place;
// views and plans made before keep what they hold.
func (t *Recording) Cut(at int) *Tail { return t.t.cut(at) }

func (t *tape) cut(at int) *Tail {
	g := t.open("cut")
	c := &Tail{at: at, records: slices.Clone(g.records[at:])}
	if len(c.records) == 0 {
		return c
	}
	var attributed, leaves, parameters, inputs int
	for _, r := range c.records {
		if r.attributes >= 0 {
			attributed++
		}
		switch r.kind {
		case OpLeaf:
			leaves++
		case OpParameter:
			parameters++
		case OpInput:
			inputs++
		}
	}
	// Cloned, so that later nodes are not written into what a view reads.
	g.records = slices.Clone(g.records[:at])
	g.leaves = slices.Clone(g.leaves[:len(g.leaves)-leaves])
	g.parameters = slices.Clone(g.parameters[:len(g.parameters)-parameters])
	g.inputs = slices.Clone(g.inputs[:len(g.inputs)-inputs])
	c.attributes, g.attributes = split(g.attributes, attributed)
	c.leaves, t.s.leaves = split(t.s.leaves, leaves)
	c.initials, t.s.initials = split(t.s.initials, parameters)
	c.defaults, t.s.defaults = split(t.s.defaults, inputs)
	g.generation++
	return c
}

func split[E any](s []E, n int) (tail, head []E) {
	at := len(s) - n
	return slices.Clone(s[at:]), slices.Clone(s[:at])
}

// Restore cuts what was recorded since and puts a tail back where it was. Its
// symbols name the same nodes again.
func (t *Recording) Restore(c *Tail) {
	g := t.t.open("restore")
	t.Cut(c.at)
	for _, r := range c.records {
		at := int32(len(g.records))
		switch r.kind {
		case OpLeaf:
			g.leaves = append(g.leaves, at)
		case OpParameter:
			g.parameters = append(g.parameters, at)
		case OpInput:
			g.inputs = append(g.inputs, at)
		}
		g.records = append(g.records, r)
	}
	g.attributes = append(g.attributes, c.attributes...)
	t.t.s.leaves = append(t.t.s.leaves, c.leaves...)
	t.t.s.initials = append(t.t.s.initials, c.initials...)
	t.t.s.defaults = append(t.t.s.defaults, c.defaults...)
}

// Len is the number of nodes in the tail.
func (c *Tail) Len() int { return len(c.records) }
