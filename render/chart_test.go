package render

import (
	"encoding/xml"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/topos"
)

func TestTicks(t *testing.T) {
	for _, c := range []struct {
		scale scale
		want  []float64
	}{
		{scale{low: 0, high: 15}, []float64{0, 5, 10, 15}},
		{scale{low: 0, high: 6}, []float64{0, 1, 2, 3, 4, 5, 6}},
		{scale{low: 0, high: 0.83}, []float64{0, 0.2, 0.4, 0.6, 0.8}},
		{scale{low: -3, high: 3}, []float64{-3, -2, -1, 0, 1, 2, 3}},
		{scale{low: 1.001, high: 1.003}, []float64{1.001, 1.0015, 1.002, 1.0025, 1.003}},
		{scale{low: 1e-8, high: 1, log: true}, []float64{1e-8, 1e-6, 1e-4, 1e-2, 1}},
		{scale{low: 2, high: 3, log: true}, []float64{2, 3}},
		{scale{low: 4, high: 4}, []float64{4}},
	} {
		if got := c.scale.ticks(); !slices.Equal(got, c.want) {
			t.Errorf("%+v: %v, want %v", c.scale, got, c.want)
		}
	}
}

// TestTicksAnywhere: whatever the ends, ticks are few, ascending and inside.
func TestTicksAnywhere(t *testing.T) {
	ends := []float64{-math.MaxFloat64, -1e30, -7, -1e-9, 0, 5e-324, 1e-300, 1e-9, 0.1, 1, 1 + 1e-15, 3, 1e15, 1e30, math.MaxFloat64}
	for _, low := range ends {
		for _, high := range ends {
			for _, log := range []bool{false, true} {
				if high < low || log && low <= 0 {
					continue
				}
				list := scale{low: low, high: high, log: log}.ticks()
				slack := (high - low) * 1e-6
				if math.IsInf(slack, 0) {
					slack = 0
				}
				if len(list) == 0 || len(list) > maxTicks || !slices.IsSorted(list) || list[0] < low-slack-low*1e-6*b2f(log) || list[len(list)-1] > high+slack {
					t.Errorf("%g to %g log=%v: %v", low, high, log, list)
				}
			}
		}
	}
}

func TestTickText(t *testing.T) {
	for x, want := range map[float64]string{
		0: "0", 0.25: "0.25", -2000: "-2000", 1e-8: "1e-08", 1e7: "1e+07", 1.25e-5: "1.25e-05",
		1.0000000001: "1", -math.MaxFloat64: "-1.8e+308", 123456.789012: "1.23e+05",
	} {
		if got := tickText(x); got != want {
			t.Errorf("%g: %s, want %s", x, got, want)
		}
	}
}

func b2f(b bool) float64 { return float64(b2i(b)) }

// strokes are the points of a drawing's blue curves.
func strokes(t *testing.T, svg string) []string {
	t.Helper()
	var list []string
	decoder := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		if start, ok := token.(xml.StartElement); ok && start.Name.Local == "path" {
			attributes := map[string]string{}
			for _, a := range start.Attr {
				attributes[a.Name.Local] = a.Value
			}
			if attributes["stroke"] == blueInk {
				list = append(list, attributes["d"])
			}
		}
	}
}

func TestStepCorners(t *testing.T) {
	c := newChart(&topos.Plot{Step: true, Values: []float64{1, 2, 0}})
	got := strokes(t, c.picture().SVG)
	y := func(v float64) string { return coordinate(c.height(v)) }
	x := func(v float64) string { return coordinate(c.x(v)) }
	want := "M" + x(0) + " " + y(1) + "H" + x(1) + "V" + y(2) + "H" + x(2) + "V" + y(0) + "H" + x(3)
	if len(got) != 1 || got[0] != want {
		t.Errorf("%q, want %q", got, want)
	}
	if c.y.low != 0 {
		t.Error("the axis of a volume does not start from zero")
	}
}

// TestGaps: a value that is not finite breaks the curve and is counted.
func TestGaps(t *testing.T) {
	c := newChart(&topos.Plot{Title: "loss", Values: []float64{1, 2, math.NaN(), 3, math.Inf(1), 1}})
	if got := strokes(t, c.picture().SVG); len(got) != 3 {
		t.Errorf("%d runs of finite values: %q", len(got), got)
	}
	if got := c.caption(); got != "loss: 6 values, from 1 to 1; 2 non-finite not drawn" {
		t.Errorf("caption %q", got)
	}
}

func TestLogNeedsPositive(t *testing.T) {
	c := newChart(&topos.Plot{Log: true, Values: []float64{1, 0, 2}})
	if c.y.log || !strings.Contains(c.caption(), "not all positive") {
		t.Errorf("a zero on a log axis: %q", c.caption())
	}
	if c := newChart(&topos.Plot{Log: true, Values: []float64{1, 0.1, 2}}); !c.y.log {
		t.Error("positive values have a linear axis")
	}
}

// TestThinning: a long curve is drawn by few points and loses no extreme.
func TestThinning(t *testing.T) {
	values := make([]float64, 100_000)
	for i := range values {
		values[i] = math.Sin(float64(i) / 9000)
	}
	values[54_321], values[77_777] = 7, -7
	c := newChart(&topos.Plot{Values: values})
	drawn := c.picture()
	curve := strings.Join(strokes(t, drawn.SVG), "")
	if n := len(regexp.MustCompile(`[ML]`).FindAllString(curve, -1)); n > 1200 {
		t.Errorf("%d points are drawn", n)
	}
	for _, extreme := range []float64{7, -7} {
		if !strings.Contains(curve, " "+coordinate(c.height(extreme))) {
			t.Errorf("the value %g is not drawn", extreme)
		}
	}
	if !strings.Contains(c.caption(), "lowest and highest of each column") {
		t.Errorf("the caption does not say so: %q", c.caption())
	}
}

// TestDegenerateCharts: no curve makes a drawing that is not one.
func TestDegenerateCharts(t *testing.T) {
	nan := math.NaN()
	for _, values := range [][]float64{nil, {}, {3}, {nan}, {nan, nan}, {5, 5, 5}, {-math.MaxFloat64, math.MaxFloat64}, {5e-324, 0}, {math.Inf(-1)}} {
		for _, step := range []bool{false, true} {
			for _, log := range []bool{false, true} {
				for _, rule := range []*float64{nil, &nan} {
					drawn := newChart(&topos.Plot{Values: values, Step: step, Log: log, Rule: rule}).picture()
					if strings.Contains(drawn.SVG, "NaN") || strings.Contains(drawn.SVG, "Inf") {
						t.Errorf("%v step=%v log=%v: %s", values, step, log, drawn.SVG)
					}
					strokes(t, drawn.SVG)
				}
			}
		}
	}
}

// TestGrids: the cells of a payload under their indices.
func TestGrids(t *testing.T) {
	for _, c := range []struct {
		shape []int
		lines []string
		width int
	}{
		{[]int{3}, []string{"[:]"}, 3},
		{[]int{2, 2}, []string{"[0, :]", "[1, :]"}, 2},
		{[]int{2, 1, 2}, []string{"[0, 0, :]", "[1, 0, :]"}, 2},
		{[]int{30}, []string{"[0:]", "[12:]", "[24:]"}, 12},
		{[]int{2, 13}, []string{"[0, 0:]", "[0, 12:]", "[1, 0:]", "[1, 12:]"}, 12},
	} {
		n := 1
		for _, extent := range c.shape {
			n *= extent
		}
		p := topos.PayloadReading{Shape: c.shape}
		for i := range n {
			p.Cells = append(p.Cells, strconv.Itoa(i))
		}
		grid := payloadBody(p)[0].Table
		var lines, cells []string
		for _, row := range grid.Rows {
			lines = append(lines, row.Lead.Text)
			if len(row.Cells) != c.width {
				t.Errorf("%v: a line of %d cells, want %d", c.shape, len(row.Cells), c.width)
			}
			for _, cell := range row.Cells {
				if text := plain(cell.Spans); text != "" {
					cells = append(cells, text)
				}
			}
		}
		if !slices.Equal(lines, c.lines) || !slices.Equal(cells, p.Cells) {
			t.Errorf("%v: %q %q", c.shape, lines, cells)
		}
	}
}

// TestSamples: a payload too large for a table is a curve whose caption keeps
// both counts.
func TestSamples(t *testing.T) {
	r := &topos.Reading{Kind: topos.TensorReading, Payloads: []topos.PayloadReading{{
		Node: -1, Shape: []int{100, 100}, Text: "[[0, ...", Count: 10_000, NonFinite: 3, Min: "-1", Max: "2", Samples: []float64{0, 1, 2, -1},
	}}}
	page := show(t, r, Options{}, HTMLType)
	for _, want := range []string{"4 of 10,000 values drawn", "from -1 to 2, 3 non-finite", "tensor: [100, 100]; min -1 max 2; 3 non-finite"} {
		if !strings.Contains(page, want) {
			t.Errorf("the card does not say %q: %.1500s", want, page)
		}
	}
}
