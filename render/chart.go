package render

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// Room of a chart, in pixels.
const (
	chartWidth  = 640.0
	chartHeight = 250.0
	chartLeft   = 76.0
	chartRight  = 16.0
	chartTop    = 38.0
	chartBottom = 40.0
)

// chart is one curve of numbers against their position, ready to be drawn.
type chart struct {
	*topos.Plot
	y        scale
	rule     string           // what the horizontal line is called
	position func(int) string // what a position is called at the axis
	span     int              // positions that the values stand for; 0: one each
	missing  int              // values that cannot be drawn
	thinned  bool             // the curve is reduced to extremes by column
}

// newChart chooses the scales. A log axis needs every value to be positive; a
// step curve is a volume and starts from zero.
func newChart(p *topos.Plot) *chart {
	c := &chart{Plot: p, position: strconv.Itoa}
	low, high := math.Inf(1), math.Inf(-1)
	include := func(x float64) {
		low, high = math.Min(low, x), math.Max(high, x)
	}
	for _, x := range p.Values {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			c.missing++
			continue
		}
		include(x)
	}
	if c.hasRule() {
		include(*p.Rule)
		c.rule = number(*p.Rule)
	}
	if low > high {
		low, high = 0, 1
	}
	c.y = scale{low: low, high: high, log: p.Log && low > 0}
	if !c.y.log {
		if p.Step {
			c.y.low, c.y.high = math.Min(0, low), math.Max(0, high)
		}
		if c.y.low == c.y.high {
			c.y.low, c.y.high = c.y.low-1, c.y.high+1
		}
	}
	return c
}

func (c *chart) hasRule() bool {
	return c.Rule != nil && !math.IsNaN(*c.Rule) && !math.IsInf(*c.Rule, 0)
}

// x is where a position lies; a step curve gives each position a width.
func (c *chart) x(position float64) float64 {
	last := float64(len(c.Values) - 1)
	if c.Step {
		last++
	}
	if last <= 0 {
		last = 1
	}
	return chartLeft + float64((chartWidth-chartLeft-chartRight)*(position/last))
}

func (c *chart) height(value float64) float64 {
	return chartHeight - chartBottom - float64((chartHeight-chartTop-chartBottom)*c.y.at(value))
}

// picture draws the chart with a sentence for those who do not see it.
func (c *chart) picture() *picture {
	d := &drawing{width: chartWidth, height: chartHeight}
	c.axes(d)
	for _, data := range c.curve() {
		d.path(data, blueInk, 1.8, "")
	}
	if c.hasRule() {
		y := c.height(*c.Rule)
		d.path("M"+point(chartLeft, y)+"H"+coordinate(chartWidth-chartRight), redInk, 1.5, "6 3")
		d.label(chartWidth-chartRight-4, y-4, "end", c.rule)
	}
	d.label(chartLeft, 14, "start", shorten(c.Title, 80))
	return &picture{Alt: c.sentence(), Width: chartWidth, Height: chartHeight, SVG: d.text(c.Title)}
}

// sentence says what the curve shows in words.
func (c *chart) sentence() string {
	text := fmt.Sprintf("Curve of %s: %s", c.Title, counted(len(c.Values), "value"))
	if low, high, ok := c.ends(); ok {
		text += fmt.Sprintf(", from %s to %s", number(low), number(high))
	}
	if c.hasRule() {
		text += ", line at " + c.rule
	}
	return text + "."
}

// ends are the first and last values.
func (c *chart) ends() (first, last float64, ok bool) {
	if len(c.Values) == 0 {
		return 0, 0, false
	}
	return c.Values[0], c.Values[len(c.Values)-1], true
}

// number prints a value as a payload's text does: the shortest form that reads
// back, without an exponent. A plot holds float64 whatever its numbers came
// from; one that is a float32 reads back as such.
func number(x float64) string {
	switch {
	case math.IsNaN(x):
		return "NaN"
	case math.IsInf(x, 1):
		return "inf"
	case math.IsInf(x, -1):
		return "-inf"
	}
	size := 64
	if float64(float32(x)) == x {
		size = 32
	}
	return strconv.FormatFloat(x, 'f', -1, size)
}

func (c *chart) axes(d *drawing) {
	bottom, right := chartHeight-chartBottom, chartWidth-chartRight
	for _, y := range c.y.ticks() {
		at := c.height(y)
		d.path("M"+point(chartLeft-4, at)+"H"+coordinate(right), greyInk, 0.3, "")
		d.label(chartLeft-8, at+4, "end", tickText(y))
	}
	span := len(c.Values)
	if c.span > 0 {
		span = c.span
	}
	stretch := 1.0
	if span > 1 && len(c.Values) > 1 {
		stretch = float64(len(c.Values)-1) / float64(span-1)
	}
	for _, x := range roundTicks(0, float64(span-1)) {
		if x < 0 || x != math.Trunc(x) {
			continue
		}
		at := c.x(float64(x * stretch))
		if c.Step {
			at = c.x(x + 0.5)
		}
		d.path("M"+point(at, bottom)+"V"+coordinate(bottom+4), greyInk, 1, "")
		d.label(at, bottom+16, "middle", c.position(int(x)))
	}
	d.path("M"+point(chartLeft, chartTop)+"V"+coordinate(bottom)+"H"+coordinate(right), greyInk, 1, "")
	d.label((chartLeft+right)/2, chartHeight-6, "middle", shorten(c.XLabel, 60))
	unit := c.YLabel
	if c.y.log {
		unit += " (log)"
	}
	d.label(right, 14, "end", shorten(unit, 40))
}

// curve is the path of each run of finite values.
func (c *chart) curve() []string {
	var paths []string
	var b strings.Builder
	count, lone := 0, 0.0
	flush := func(end float64) {
		if count == 1 && !c.Step {
			b.WriteString("H" + coordinate(lone+2)) // a single value is a dot
		}
		if count > 0 && c.Step {
			b.WriteString("H" + coordinate(end))
		}
		if count > 0 {
			paths = append(paths, b.String())
		}
		b.Reset()
		count = 0
	}
	for _, i := range c.thin() {
		value := c.Values[i]
		x := c.x(float64(i))
		if math.IsNaN(value) || math.IsInf(value, 0) {
			flush(x)
			continue
		}
		y := c.height(value)
		switch {
		case count == 0:
			b.WriteString("M" + point(x, y))
		case c.Step:
			b.WriteString("H" + coordinate(x) + "V" + coordinate(y))
		default:
			b.WriteString("L" + point(x, y))
		}
		count++
		lone = x
	}
	flush(c.x(float64(len(c.Values))))
	return paths
}

// thin chooses the positions to draw: all of a short curve, else the lowest, the
// highest and any missing value of each column of pixels, so that no extreme is
// lost.
func (c *chart) thin() []int {
	columns := int(chartWidth - chartLeft - chartRight)
	n := len(c.Values)
	var list []int
	if n <= 2*columns {
		for i := range n {
			list = append(list, i)
		}
		return list
	}
	c.thinned = true
	for column := range columns {
		from, to := column*n/columns, (column+1)*n/columns
		low, high, gap := -1, -1, -1
		for i := from; i < to; i++ {
			switch x := c.Values[i]; {
			case math.IsNaN(x) || math.IsInf(x, 0):
				gap = i
			case low < 0:
				low, high = i, i
			case x < c.Values[low]:
				low = i
			case x > c.Values[high]:
				high = i
			}
		}
		list = append(list, ascending(low, high, gap)...)
	}
	return list
}

// ascending orders the positions that exist, without repeats.
func ascending(list ...int) []int {
	var out []int
	for _, x := range list {
		at := len(out)
		for at > 0 && out[at-1] > x {
			at--
		}
		if x < 0 || at > 0 && out[at-1] == x {
			continue
		}
		out = append(out[:at], append([]int{x}, out[at:]...)...)
	}
	return out
}
