package topos_test

import (
	"encoding/json"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

func TestGoldenDisplay(t *testing.T) {
	sections := goldenFile[map[string]json.RawMessage](t, "display.json")
	s := goldenSuite{T: t, name: "display"}
	for _, name := range slices.Sorted(maps.Keys(sections)) {
		section := sections[name]
		switch name {
		case "about":
		case "tensors":
			s.row("tensors", func(t *testing.T) { displayTensors(t, understood[[]string](t, section)) })
		default:
			for _, row := range understood[[][4]string](t, section) {
				s.row(name+"/"+row[0], func(t *testing.T) {
					e, ok := elementOf(name)
					if !ok {
						t.Fatalf("the suite does not know the element %q", name)
					}
					e.goldenNumber(t, row)
				})
			}
		}
	}
	s.ended()
}

// goldenNumber checks bits, the printed form, a form for people that we do not
// have, and the literal of emitted text; and that the printed form reads back.
func (n number[T]) goldenNumber(t *testing.T, row [4]string) {
	x := n.Tensor(nil, n.FromBits(goldenTensor{Bits: row[0]}.words()[0]))
	same(t, "printed", x.String(), row[1])
	back, err := n.Parse(row[1])
	if err != nil || n.unequalLanes(x, n.Tensor(nil, back)) > 0 {
		t.Errorf("%s reads back as %v, %v", row[1], back, err)
	}
	tape := New(n.Element)
	leaf := tape.LeafOf(x)
	text := Must(Must(tape.View().Entry(leaf).Lower()).StableHLO()).String()
	if want := "dense<" + row[3] + ">"; !strings.Contains(text, want) {
		t.Errorf("emitted as %s, want %s", text, want)
	}
}

// displayTensors makes tensors again from what they print: the brackets tell the
// shape. Every element that has all the numbers must print the same.
func displayTensors(t *testing.T, rows []string) {
	numeral := regexp.MustCompile(`[^\[\], ]+`)
	for _, text := range rows {
		if text == "[]" { // no tensor is empty: this is the shape of a scalar
			same(t, "shape", Shape{}.String(), text)
			continue
		}
		printed := 0
		for _, e := range elements {
			printed += e.displayTensor(t, text, nestedShape(text), numeral.FindAllString(text, -1))
		}
		if printed == 0 {
			t.Errorf("no element prints %s", text)
		}
	}
}

// displayTensor answers 1 if the element has all the numerals.
func (n number[T]) displayTensor(t *testing.T, text string, shape Shape, numerals []string) int {
	t.Helper()
	var data []T
	for _, numeral := range numerals {
		x, err := n.Parse(numeral)
		if err != nil || n.Tensor(nil, x).String() != numeral {
			return 0
		}
		data = append(data, x)
	}
	same(t, "tensor", n.Tensor(shape, data...).String(), text)
	return 1
}

// nestedShape reads the extents off the first entry of each level.
func nestedShape(text string) Shape {
	shape := Shape{}
	for strings.HasPrefix(text, "[") {
		depth, entries := 0, 1
		for _, c := range text {
			switch {
			case c == '[':
				depth++
			case c == ']':
				depth--
			case c == ',' && depth == 1:
				entries++
			}
		}
		shape = append(shape, entries)
		text = text[1:]
		if end := firstEntry(text); end > 0 {
			text = text[:end]
		}
	}
	return shape
}

// firstEntry is where the first entry of an opened bracket ends.
func firstEntry(text string) int {
	depth := 0
	for i, c := range text {
		switch c {
		case '[':
			depth++
		case ']', ',':
			if depth == 0 {
				return i
			}
			if c == ']' {
				depth--
			}
		}
	}
	return 0
}
