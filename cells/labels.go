package cells

import (
	"fmt"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// withNames puts names, by node, on the rows, pairs and payloads of a reading.
func withNames(r *topos.Reading, names map[int]string) *topos.Reading {
	r.Named(func(index int) string { return names[index] })
	for i, p := range r.Payloads {
		// A label that is the node's number gives way to its name, which each
		// line of the text starts with.
		number, name := "#"+decimal(p.Node), names[p.Node]
		if p.Label != number || name == "" {
			continue
		}
		r.Payloads[i].Label = name
		text := strings.Replace("\n"+r.Text, "\n"+number+" ", "\n"+name+" ", 1)
		r.Text = text[1:]
	}
	return r
}

// called gives the names in force, by node.
func (b *record) called() map[int]string {
	last := map[string]topos.Symbol{}
	for _, x := range b.names {
		last[x.name] = x.symbol
	}
	names := map[int]string{}
	for _, x := range b.names {
		if last[x.name] == x.symbol && b.owns(x.symbol) {
			names[x.symbol.Index()] = x.name
		}
	}
	return names
}

// owns says whether a symbol names a node of the session's tape.
func (b *record) owns(at topos.Symbol) bool {
	return topos.Refused(func() { b.tape.Node(at) }) == nil
}

// mentions says whether a value is of the session's tape.
func (b *record) mentions(x any) bool {
	var at []topos.Symbol
	switch x := x.(type) {
	case interface{ Results() []topos.Symbol }: // a plan
		at = x.Results()
	case interface{ Target() topos.Symbol }: // a derivative
		at = []topos.Symbol{x.Target()}
	case interface{ Names() []topos.Symbol }: // a table of parameters
		at = x.Names()
	case interface{ Node(topos.Named) topos.Node }: // a tape or network
		for _, n := range b.names {
			if topos.Refused(func() { x.Node(n.symbol) }) == nil {
				return true
			}
		}
	}
	return len(at) > 0 && b.owns(at[0])
}

// read is the reading of one node, its payload under the live parameters.
func (b *record) read(at topos.Symbol) *topos.Reading {
	var r *topos.Reading
	if topos.Refused(func() { r = b.tape.Resolve(at).Reading() }) != nil {
		return withNames(b.sealedNode(at), b.called())
	}
	if len(b.live) > 0 {
		if p, err := b.value(at); err == nil {
			p.Node = at.Index()
			r.Payloads = []topos.PayloadReading{p}
		}
	}
	return withNames(r, b.called())
}

// sealedNode is the row of a node of a sealed tape, which nothing can run on.
func (b *record) sealedNode(at topos.Symbol) *topos.Reading {
	n := b.tape.Node(at)
	row := topos.Row{Index: at.Index(), Opcode: n.Opcode().Kind.String(), Attributes: n.Opcode().Attributes(), Shape: n.Shape(), Origin: n.Why()}
	for _, x := range n.Operands() {
		row.Operands = append(row.Operands, x.Index())
	}
	return &topos.Reading{
		Kind: topos.NodeReading, Element: b.element, Subject: "#" + decimal(at.Index()), Nodes: b.tape.Len(), Rows: []topos.Row{row},
		Text: fmt.Sprintf("#%d %v %v %s\n", at.Index(), n.Opcode(), n.Shape(), b.element),
	}
}
