package nn

import (
	"fmt"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// composition is an operation made of others: what it is called, what its
// operands are called, a check of its own, and what it records.
type composition struct {
	op       string
	operands []string                     // by position
	with     string                       // attributes as a message names them, or ""
	fault    func(x []topos.Shape) string // what does not fit, or ""; may be nil
	record   func(x []topos.Trace) topos.Trace
}

// over records the composition on the tape of its operands. It is rehearsed
// first, so that a refusal appends nothing.
func (c *composition) over(x ...topos.Trace) topos.Trace {
	own := make([]topos.Trace, len(x))
	shapes := make([]topos.Shape, len(x))
	for i := range x {
		own[i] = x[0].Resolve(x[i])
		shapes[i] = own[i].Shape()
	}
	c.rehearse(shapes, x[0].Rehearse)
	return c.record(own)
}

// rehearse gives the shape of the composition over operands of some shapes, or
// refuses in its name. What the check does not see, such as a volume that
// overflows halfway or an operation that the element cannot do, recording on a
// tape of its own does, where inputs makes the operands.
func (c *composition) rehearse(shapes []topos.Shape, inputs func(...topos.Shape) []topos.Trace) (result topos.Shape) {
	if c.fault != nil {
		if fault := c.fault(shapes); fault != "" {
			c.refuse(shapes, fault)
		}
	}
	refusal := topos.Refused(func() { result = c.record(inputs(shapes...)).Shape() })
	if refusal != nil {
		c.refuse(shapes, refusal.Reason)
	}
	return result
}

// refuse says in one line which operands the composition cannot take, and why.
func (c *composition) refuse(shapes []topos.Shape, why string) {
	topos.Refuse(c.op, shapes, "%s cannot take %s%s: %s", c.op, named(c.operands, shapes), c.with, why)
}

// named lists operands with their shapes: "weights [2, 3] and bias [3]".
func named(operands []string, shapes []topos.Shape) string {
	var b strings.Builder
	for i, shape := range shapes {
		switch {
		case i > 0 && i == len(shapes)-1:
			b.WriteString(" and ")
		case i > 0:
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%s %v", operands[i], shape)
	}
	return b.String()
}
