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
func (s *Session[T]) called() map[int]string {
	last := map[string]topos.Symbol{}
	for _, b := range s.names {
		last[b.name] = b.symbol
	}
	names := map[int]string{}
	for _, b := range s.names {
		if last[b.name] == b.symbol && s.owns(b.symbol) {
			names[b.symbol.Index()] = b.name
		}
	}
	return names
}

// owns says whether a symbol names a node of the session's tape.
func (s *Session[T]) owns(at topos.Symbol) bool {
	return topos.Refused(func() { s.Node(at) }) == nil
}

// mentions says whether a value is of the session's tape.
func (s *Session[T]) mentions(x any) bool {
	var at []topos.Symbol
	switch x := x.(type) {
	case *Session[T]:
		return x == s
	case *topos.Tape[T]:
		return x == &s.Tape
	case interface{ Results() []topos.Symbol }: // a plan
		at = x.Results()
	case interface{ Target() topos.Symbol }: // a derivative
		at = []topos.Symbol{x.Target()}
	case interface{ Names() []topos.Symbol }: // a table of parameters
		at = x.Names()
	case interface{ Node(topos.Named) topos.Node }: // a network
		for _, b := range s.names {
			if topos.Refused(func() { x.Node(b.symbol) }) == nil {
				return true
			}
		}
	}
	return len(at) > 0 && s.owns(at[0])
}

// read is the reading of one node, its payload under the live parameters.
func (s *Session[T]) read(at topos.Symbol) *topos.Reading {
	var r *topos.Reading
	if topos.Refused(func() { r = s.Resolve(at).Reading() }) != nil {
		return withNames(s.sealedNode(at), s.called())
	}
	if len(s.live) > 0 {
		if run, err := s.View().Entry(at).Interpret(s.Parameters()); err == nil {
			r.Payloads = run.Of(at).Reading().Payloads
			r.Payloads[0].Node = at.Index()
		}
	}
	return withNames(r, s.called())
}

// sealedNode is the row of a node of a sealed tape, which nothing can run on.
func (s *Session[T]) sealedNode(at topos.Symbol) *topos.Reading {
	n := s.Node(at)
	row := topos.Row{Index: at.Index(), Opcode: n.Opcode().Kind.String(), Attributes: n.Opcode().Attributes(), Shape: n.Shape(), Origin: n.Why()}
	for _, x := range n.Operands() {
		row.Operands = append(row.Operands, x.Index())
	}
	return &topos.Reading{
		Kind: topos.NodeReading, Element: s.Element().Name(), Subject: "#" + decimal(at.Index()), Nodes: s.Len(), Rows: []topos.Row{row},
		Text: fmt.Sprintf("#%d %v %v %s\n", at.Index(), n.Opcode(), n.Shape(), s.Element().Name()),
	}
}

// Gradient is the reading of the tape with a derivative's nodes set off from
// those before it, as a cell shows it with cells.Show(s.Gradient(a)).
func (s *Session[T]) Gradient(a topos.Adjoints) *topos.Reading {
	return withNames(s.ReadGradient(a, s.label), s.called())
}

// Reading is the spec: every node, in order, with the session's names. What this
// cell recorded is set off from what was there before.
func (s *Session[T]) Reading() *topos.Reading {
	r := withNames(s.Tape.Reading(), s.called())
	if s.base > 0 && s.base < s.Len() {
		r.Marks = []topos.Mark{{Before: s.base, Text: "segment " + decimal(s.segment)}}
	}
	return r
}

// Picture is the tape as a reading to be drawn, with the session's names.
func (s *Session[T]) Picture() *topos.Reading {
	return withNames(s.Tape.Picture(), s.called())
}
