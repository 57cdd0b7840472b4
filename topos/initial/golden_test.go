package initial_test

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/initial"
)

// payload is a tensor of the golden data, as bits in hex.
type payload struct {
	Shape topos.Shape `json:"shape"`
	Bits  string      `json:"bits"`
	Dec   string      `json:"dec"`
}

func (p payload) words(t *testing.T) []uint64 {
	t.Helper()
	var words []uint64
	for _, field := range strings.Fields(p.Bits) {
		word, err := strconv.ParseUint(field, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, word)
	}
	return words
}

// draws is what one closure drew, shape after shape.
type draws struct {
	Scheme   string   `json:"scheme"`
	Seed     uint64   `json:"seed"`
	Argument *float64 `json:"argument"`
	InOrder  []struct {
		Shape topos.Shape `json:"shape"`
		F32   *payload    `json:"f32"`
		F64   *payload    `json:"f64"`
	} `json:"draws_in_order"`
}

// Uniform numbers agree to the bit. Normal ones pass through a logarithm and a
// cosine, which the golden data does not round correctly: they agree within 4
// units in the last place of an f64, 2 of an f32.
func TestGoldenDraws(t *testing.T) {
	folder := "testdata"
	if other := os.Getenv("TOPOS_GOLDEN"); other != "" {
		folder = other
	}
	text, err := os.ReadFile(filepath.Join(folder, "init.json"))
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		About string  `json:"about"`
		Cases []draws `json:"cases"`
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&all); err != nil {
		t.Fatalf("the suite does not understand the data: %v", err)
	}
	ran, passed := 0, 0
	for _, c := range all.Cases {
		name := c.Scheme + "/" + strconv.FormatUint(c.Seed, 10)
		ran++
		if t.Run(name, func(t *testing.T) { runDraws(t, c) }) {
			passed++
		}
	}
	t.Logf("golden: init: %d rows, %d passed", ran, passed)
	if ran == 0 {
		t.Error("no row ran")
	}
}

func runDraws(t *testing.T, c draws) {
	single, double := scheme(t, topos.F32, c), scheme(t, topos.F64, c)
	units := 0.0
	if c.Scheme == "normal" || c.Scheme == "kaiming" || c.Scheme == "scaled" {
		units = 1
	}
	for i, draw := range c.InOrder {
		if draw.F32 == nil || draw.F64 == nil {
			t.Fatalf("draw %d lacks an element", i)
		}
		a, b := single(draw.Shape), double(draw.Shape)
		if !a.Shape().Equal(draw.F32.Shape) || !b.Shape().Equal(draw.F64.Shape) {
			t.Fatalf("draw %d is %v", i, a.Shape())
		}
		for j, word := range draw.F32.words(t) {
			got, want := float64(a.Data()[j]), float64(math.Float32frombits(uint32(word)))
			if !within(got, want, 2*units*0x1p-23) {
				t.Errorf("draw %d at %d is %v, want %v", i, j, got, want)
			}
		}
		for j, word := range draw.F64.words(t) {
			if got, want := b.Data()[j], math.Float64frombits(word); !within(got, want, 4*units*0x1p-52) {
				t.Errorf("draw %d at %d is %v, want %v", i, j, got, want)
			}
		}
	}
}

// within holds numbers to the bit where the part is 0.
func within(got, want, part float64) bool {
	return math.Float64bits(got) == math.Float64bits(want) || part > 0 && math.Abs(got-want) <= part*math.Abs(want)
}

// scheme is the closure of a row.
func scheme[T any](t *testing.T, e topos.Element[T], c draws) func(topos.Shape) *topos.Tensor[T] {
	argument := func() float64 {
		if c.Argument == nil {
			t.Fatalf("%s without an argument", c.Scheme)
		}
		return *c.Argument
	}
	switch c.Scheme {
	case "uniform":
		return initial.Uniform(e, c.Seed, argument())
	case "normal":
		return initial.Normal(e, c.Seed, argument())
	case "dropout":
		return initial.Dropout(e, c.Seed, argument())
	case "scaled":
		return initial.Scaled(e, c.Seed, argument())
	case "xavier":
		return initial.Xavier(e, c.Seed)
	case "kaiming":
		return initial.Kaiming(e, c.Seed)
	}
	t.Fatalf("the suite does not know the scheme %s", c.Scheme)
	return nil
}
