package readings

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/topos-notebook/topos/topos"
)

// widestName is how far the names of a list are padded.
const widestName = 24

// ListNames is one line for each name, oldest first: the name, its node's
// number, operation and shape.
func (s Scene[T]) ListNames() *topos.Reading {
	width := 0
	for name := range s.Names.All() {
		width = max(width, min(widestName, utf8.RuneCountInString(name)))
	}
	var b strings.Builder
	for name := range s.Names.All() {
		v, err := s.resolve(name)
		if err != nil {
			continue
		}
		n := s.Tape.Node(v)
		fmt.Fprintf(&b, "%-*s  #%d %v %v\n", width, name, v.Symbol().Index(), n.Opcode(), n.Shape())
	}
	if b.Len() == 0 {
		b.WriteString("no names\n")
	}
	return &topos.Reading{Kind: topos.TextReading, Text: b.String()}
}

// Why says where a node comes from: the segment and line that recorded it and,
// for a node of a derivative, which rule spoke. The node is given by its number,
// with or without a number sign, or by a name.
func (s Scene[T]) Why(which string) (*topos.Reading, error) {
	v, err := s.node(which)
	if err != nil {
		return nil, err
	}
	n := s.Tape.Node(v)
	row := topos.Row{
		Index: v.Symbol().Index(), Opcode: n.Opcode().String(), Attributes: n.Opcode().Attributes(),
		Shape: n.Shape(), Origin: n.Why(), Name: s.labels().of(v.Symbol()),
	}
	for _, o := range n.Operands() {
		row.Operands = append(row.Operands, o.Index())
	}
	origin := row.Origin
	switch line := n.Origin().Line; {
	case origin != "":
	case line > 0: // of a program outside a session
		origin = fmt.Sprintf("line %d", line)
	default:
		origin = "nothing is known of where it was recorded"
	}
	return &topos.Reading{
		Kind: topos.NodeReading, Element: s.Tape.Element().Name(), Subject: fmt.Sprintf("#%d", row.Index),
		Text: fmt.Sprintf("%v: %s\n", v, origin), Rows: []topos.Row{row}, Nodes: s.Tape.Len(),
	}, nil
}

func (s Scene[T]) node(which string) (v topos.Value[T], err error) {
	index, err := strconv.Atoi(strings.TrimPrefix(which, "#"))
	if err != nil {
		return s.resolve(which)
	}
	if index < 0 || index >= s.Tape.Len() {
		return v, fmt.Errorf("there is no node %s: the tape holds %d", short(which), s.Tape.Len())
	}
	return s.Tape.Value(index), nil
}
