package topos

import (
	"fmt"
	"strconv"
)

// Part says which part of a derivative recorded a node.
type Part uint8

// The parts. PartOperand + i is the cotangent a rule gives operand i.
const (
	PartNone    Part = iota // not recorded by a derivative
	PartSeed                // the cotangent planted at the target
	PartStart               // the zeros an accumulation starts from
	PartSum                 // the addition of one consumer's share
	PartOperand             // a rule's cotangent of operand 0, 1 above it
)

// Origin is where a node comes from. It never shows in a dump.
type Origin struct {
	Segment int // the segment that recorded it, 0 outside a session
	Line    int // the line within the segment, 0 where unknown
	Of      int // the forward node that was being differentiated, -1 for none
	Part    Part
}

func (g *graph) origin(i int) Origin {
	r := &g.records[i]
	return Origin{int(r.segment), int(r.line), int(r.of), r.part}
}

// why says in words where a node comes from.
func (g *graph) why(i int) string {
	b := make([]byte, 0, 64)
	r := &g.records[i]
	switch {
	case r.part == PartSeed:
		b = fmt.Appendf(b, "the seed of the derivative of %s", g.naming(int(r.of)))
	case r.part == PartStart:
		b = fmt.Appendf(b, "zeros, where the cotangent of %s starts", g.naming(int(r.of)))
	case r.part == PartSum:
		b = fmt.Appendf(b, "one consumer's share added to the cotangent of %s", g.naming(int(r.of)))
	case r.part >= PartOperand:
		b = fmt.Appendf(b, "%s, from the rule of %s", g.formula(i, int(r.of), r.part, 0), g.naming(int(r.of)))
		if kindFacts[g.records[r.of].kind].arity > 1 {
			b = fmt.Appendf(b, ", operand %d", r.part-PartOperand)
		}
	}
	if r.segment > 0 {
		if len(b) > 0 {
			b = append(b, "; "...)
		}
		b = strconv.AppendUint(append(b, "segment "...), uint64(r.segment), 10)
		if r.line > 0 {
			b = strconv.AppendUint(append(b, " line "...), uint64(r.line), 10)
		}
	}
	return string(b)
}

func (g *graph) naming(i int) string { return fmt.Sprintf("%d %v", i, g.records[i].kind) }

// formula spells a node that a rule recorded in the terms of that rule: g is
// the incoming cotangent, out the node's output, x or a and b its operands.
func (g *graph) formula(i, of int, part Part, depth int) string {
	r, forward := &g.records[i], &g.records[of]
	xs, arity := forward.operands()
	switch {
	case i == of:
		return "out"
	case int(r.of) != of || r.part < PartOperand || i < of:
		for j, x := range xs[:arity] {
			if x == i && arity == 1 {
				return "x"
			} else if x == i {
				return string(rune('a' + j))
			}
		}
		return "g"
	case depth > 4:
		return "..."
	case r.kind == OpLeaf:
		return "one" // the only constant a rule records
	}
	ys, n := r.operands()
	left := g.formula(ys[0], of, part, depth+1)
	if n == 1 {
		if r.kind == OpNeg {
			return "-" + parenthesised(left)
		}
		return r.kind.Spelling() + "(" + left + ")"
	}
	right := g.formula(ys[1], of, part, depth+1)
	switch r.kind {
	case OpAdd:
		return left + " + " + right
	case OpSub:
		return left + " - " + parenthesised(right)
	case OpMul:
		return parenthesised(left) + "*" + parenthesised(right)
	case OpDiv:
		return parenthesised(left) + "/" + parenthesised(right)
	case OpMatMul:
		return parenthesised(left) + " @ " + parenthesised(right)
	}
	return r.kind.Spelling() + "(" + left + ", " + right + ")"
}

// parenthesised wraps what binds looser than a product. A product itself is
// left bare: the reader of out*out needs no brackets.
func parenthesised(s string) string {
	depth := 0
	for i, c := range s {
		switch c {
		case '(':
			depth++
		case ')':
			depth--
		case ' ', '/', '@':
			if depth == 0 && i > 0 {
				return "(" + s + ")"
			}
		}
	}
	return s
}
