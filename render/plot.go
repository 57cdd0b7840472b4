package render

import (
	"fmt"
	"math"
	"strconv"

	"github.com/topos-notebook/topos/topos"
)

// plotCard shows a curve, and its numbers behind a fold.
func (v *view) plotCard() *card {
	if v.Plot == nil {
		return v.textCard()
	}
	drawn := newChart(v.Plot)
	image := drawn.picture()
	c := &card{Caption: []inline{{Text: drawn.caption()}}, Pieces: []piece{{Picture: image}}}
	if len(v.Plot.Values) <= topos.MaxCells {
		cells := make([]string, len(v.Plot.Values))
		for i, x := range v.Plot.Values {
			cells[i] = number(x)
		}
		grid := gridTable(topos.PayloadReading{Shape: []int{len(cells)}, Cells: cells})
		grid.Caption = v.Plot.YLabel + " by " + v.Plot.XLabel
		c.Pieces = append(c.Pieces, piece{Details: &details{Summary: counted(len(cells), "value"), Pieces: []piece{{Table: grid}}}})
		return c
	}
	return c.withText(v)
}

// caption says what the curve holds and what of it is not drawn.
func (c *chart) caption() string {
	text := c.Title
	if text != "" {
		text += ": "
	}
	text += counted(len(c.Values), "value")
	if first, last, ok := c.ends(); ok {
		text += fmt.Sprintf(", from %s to %s", number(first), number(last))
	}
	if c.missing > 0 {
		text += fmt.Sprintf("; %s non-finite not drawn", grouped(c.missing))
	}
	if c.Log && !c.y.log {
		text += "; not all positive, so the axis is linear"
	}
	if c.thinned {
		text += "; drawn by the lowest and highest of each column"
	}
	return text
}

// maxBars is the most bars of a norm picture.
const maxBars = 40

// normBars draws the norm of each payload as a bar from zero, with its number.
func (v *view) normBars() *picture {
	var names, texts []string
	var norms []float64
	high := 0.0
	for _, p := range v.Payloads {
		x, err := strconv.ParseFloat(p.Norm, 64)
		if err != nil || len(norms) == maxBars {
			continue
		}
		names, texts, norms = append(names, shorten(payloadName(p), 28)), append(texts, p.Norm), append(norms, x)
		if !math.IsInf(x, 0) && !math.IsNaN(x) {
			high = math.Max(high, x)
		}
	}
	if len(norms) < 2 {
		return nil
	}
	left := 0.0
	for _, name := range names {
		left = math.Max(left, textWidth(name))
	}
	left += 16
	d := &drawing{width: chartWidth, height: float64(float64(len(norms))*20) + 10}
	full := chartWidth - left - 140
	for i, x := range norms {
		y := float64(float64(i)*20) + 6
		d.label(left-6, y+11, "end", names[i])
		length := 0.0
		if high > 0 && !math.IsNaN(x) {
			length = float64(full * math.Min(1, x/high))
		}
		d.shape("M"+point(left, y)+"h"+coordinate(length)+"v14h"+coordinate(-length)+"z", blueInk, blueInk, 1, "")
		d.label(left+length+6, y+11, "start", texts[i])
	}
	alt := fmt.Sprintf("Bars of %s: ", counted(len(norms), "norm"))
	for i := range min(len(norms), 6) {
		if i > 0 {
			alt += ", "
		}
		alt += names[i] + " " + texts[i]
	}
	return &picture{Alt: alt + "; the table below lists all.", Width: int(d.width), Height: int(d.height), SVG: d.text("norms")}
}
