package topos_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// The golden suites are driven by their data alone: a row with a field, a call,
// an element or a count that they do not know fails and says which.

// goldenSuite runs the rows of one suite and counts them.
type goldenSuite struct {
	*testing.T
	name        string
	ran, passed int
}

// row runs one row. A panic is the row's failure, not the suite's end.
func (s *goldenSuite) row(name string, f func(t *testing.T)) {
	s.ran++
	passed := s.Run(name, func(t *testing.T) {
		defer func() {
			if p := recover(); p != nil {
				t.Errorf("the row panics: %v", p)
			}
		}()
		f(t)
	})
	if passed {
		s.passed++
	}
}

// ended prints the counts in one line, which the Makefile's targets look for.
func (s *goldenSuite) ended() {
	s.Logf("golden: %s: %d rows, %d passed", s.name, s.ran, s.passed)
	if s.ran == 0 {
		s.Errorf("golden: %s: no row ran", s.name)
	}
}

// goldenFile reads a golden file, of testdata or of the folder that the
// environment names.
func goldenFile[R any](t *testing.T, name string) R {
	t.Helper()
	folder := "testdata"
	if other := os.Getenv("TOPOS_GOLDEN"); other != "" {
		folder = other
	}
	text, err := os.ReadFile(filepath.Join(folder, name))
	if err != nil {
		t.Fatal(err)
	}
	return understood[R](t, text)
}

// goldenDumps are the sections of dumps.json, row by row.
type goldenDumps struct {
	About    string            `json:"about"`
	Graphs   []json.RawMessage `json:"graphs"`
	Emission []json.RawMessage `json:"emission"`
	HVP      []json.RawMessage `json:"hvp"`
	Reopened []json.RawMessage `json:"reopened"`
}

// goldenRows runs rows, each under its id and, where it has one apart, its
// element.
func goldenRows[C any](t *testing.T, name string, rows []json.RawMessage, run func(t *testing.T, e tested, c C)) {
	s := goldenSuite{T: t, name: name}
	for i, raw := range rows {
		var row struct{ ID, Name, Element string }
		_ = json.Unmarshal(raw, &row) // a row that is not an object fails below
		id := row.ID
		if id == "" {
			id = row.Name + "/" + row.Element
		}
		if row.ID == "" && row.Name == "" {
			id = fmt.Sprintf("row %d", i)
		}
		s.row(id, func(t *testing.T) {
			c := understood[C](t, raw)
			e, ok := elementOf(row.Element)
			if !ok {
				t.Fatalf("the suite does not know the element %q", row.Element)
			}
			run(t, e, c)
		})
	}
	s.ended()
}

// understood decodes JSON and fails where it holds what the type does not name.
func understood[R any](t *testing.T, text []byte) (r R) {
	t.Helper()
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&r); err != nil {
		t.Fatalf("the suite does not understand the row: %v", err)
	}
	return r
}

// goldenTensor is a payload: bits in hex, row-major, or one constant for all.
type goldenTensor struct {
	Shape    []int  `json:"shape"`
	Bits     string `json:"bits"`
	Constant string `json:"constant"`
	Dec      string `json:"dec"` // the same for people
}

// words are the bits, one per element or one for all.
func (g goldenTensor) words() (bits []uint64) {
	text := g.Bits
	if text == "" {
		text = g.Constant
	}
	for _, f := range strings.Fields(text) {
		b, err := strconv.ParseUint(f, 16, 64)
		if err != nil {
			panic(err)
		}
		bits = append(bits, b)
	}
	if len(bits) != 1 && len(bits) != Shape(g.Shape).Volume() {
		panic(fmt.Sprintf("%v does not hold %d words", g.Shape, len(bits)))
	}
	return bits
}

// oneHot is a selection given by the index of each row's one.
type oneHot struct {
	Indices    []int `json:"indices"`
	Vocabulary int   `json:"vocab"`
}

// payload is the tensor that the data describes.
func (n number[T]) payload(g goldenTensor, s oneHot) *Tensor[T] {
	var data []T
	if s.Indices == nil {
		for _, bits := range g.words() {
			data = append(data, n.FromBits(bits))
		}
		return n.Tensor(g.Shape, data...)
	}
	data = make([]T, len(s.Indices)*s.Vocabulary)
	for row, i := range s.Indices {
		for v := range s.Vocabulary {
			x := 0.0
			if v == i {
				x = 1
			}
			data[row*s.Vocabulary+v] = n.FromFloat64(x)
		}
	}
	return n.Tensor(Shape{len(s.Indices), s.Vocabulary}, data...)
}

// goldenProgram is recorded source by source, then call by call; arguments
// count sources, then the results of calls.
type goldenProgram struct {
	Sources []struct {
		goldenTensor
		oneHot
		Kind    string `json:"kind"`
		Storage string `json:"storage"`
	} `json:"sources"`
	Calls []opCall `json:"calls"`
}

// record records a program and answers the values of its sources and calls. It
// names Trace, not []Value[T], which go 1.26 cannot always compile from here.
func (n number[T]) record(t *testing.T, tape *Tape[T], p goldenProgram) []Trace {
	t.Helper()
	var values []Trace
	for i, s := range p.Sources {
		x := n.payload(s.goldenTensor, s.oneHot)
		if wanted := map[string]bool{"dense": true, "constant": s.Indices == nil, "selection": s.Indices != nil}; !wanted[s.Storage] {
			t.Fatalf("source %d is stored as %q, which the suite does not understand", i, s.Storage)
		}
		switch s.Kind {
		case "parameter":
			values = append(values, tape.ParameterOf(x))
		case "input":
			values = append(values, tape.InputOf(x))
		case "leaf":
			values = append(values, tape.LeafOf(x))
		default:
			t.Fatalf("source %d is a %q, which the suite does not understand", i, s.Kind)
		}
	}
	for _, call := range p.Calls {
		values = append(values, perform(t, call, values))
	}
	return values
}
