package render

import "math"

// Room between the parts of a layered drawing.
const (
	columnGap = 34.0
	itemGap   = 12.0
	margin    = 10.0
	bendSize  = 14.0
)

// settlings is how often the coordinates are improved: the first few from one
// side at a time, to bring relatives near, the rest from both.
const (
	settlings = 80
	oneSided  = 8
)

// placement is a layered drawing's coordinates: the middle of each item.
type placement struct {
	*layers
	x, y          []float64
	wide, high    []float64 // of each item
	columnWidth   []float64
	columnLeft    []float64
	width, height float64
}

// place gives coordinates. Within a column each item is drawn as near to its
// neighbours' middle as the room and the order allow; that is a least squares
// problem with ordered gaps, solved exactly by pooling.
func place(g *graph, l *layers) *placement {
	p := &placement{layers: l}
	n := len(l.items)
	p.x, p.y = make([]float64, n), make([]float64, n)
	p.wide, p.high = make([]float64, n), make([]float64, n)
	for i := range l.items {
		p.wide[i], p.high[i] = 0, bendSize
		if i < len(g.nodes) {
			p.wide[i], p.high[i] = nodeSize(g.nodes[i])
		}
	}
	p.spreadColumns()
	for _, column := range l.columns {
		y := 0.0
		for _, it := range column {
			p.y[it] = y + p.high[it]/2
			y += p.high[it] + itemGap
		}
	}
	for sweep := range settlings {
		for k := range l.columns {
			c := k
			if sweep%2 == 1 {
				c = len(l.columns) - 1 - k
			}
			p.settle(l.columns[c], sweep)
		}
	}
	p.shift()
	return p
}

// spreadColumns sets the columns side by side.
func (p *placement) spreadColumns() {
	left := margin
	for _, column := range p.columns {
		width := 0.0
		for _, it := range column {
			width = math.Max(width, p.wide[it])
		}
		for _, it := range column {
			p.x[it] = left + width/2
		}
		p.columnLeft = append(p.columnLeft, left)
		p.columnWidth = append(p.columnWidth, width)
		left += width + columnGap
	}
	p.width = left - columnGap + margin
}

// settle moves the items of one column to their neighbours. Later sweeps look
// at both sides.
func (p *placement) settle(column []int, sweep int) {
	wish, weight := make([]float64, len(column)), make([]float64, len(column))
	for i, it := range column {
		both := sweep >= oneSided
		sum, total := 0.0, 0.0
		pull := func(neighbours []int) {
			for _, n := range neighbours {
				w := p.tension(it, n)
				sum += float64(w * p.y[n])
				total += w
			}
		}
		if both || sweep%2 == 0 {
			pull(p.items[it].left)
		}
		if both || sweep%2 == 1 {
			pull(p.items[it].right)
		}
		wish[i], weight[i] = p.y[it], 0.1
		if total > 0 {
			wish[i], weight[i] = sum/total, total
		}
	}
	for i, y := range p.pool(column, wish, weight) {
		p.y[column[i]] = y
	}
}

// tension keeps long edges straight: bends pull on each other the most.
func (p *placement) tension(a, b int) float64 {
	switch {
	case p.items[a].bend && p.items[b].bend:
		return 8
	case p.items[a].bend || p.items[b].bend:
		return 2
	}
	return 1
}

// pool finds the coordinates nearest to the wishes that keep the order and the
// gaps: items that want to overlap form a block which moves as one.
func (p *placement) pool(column []int, wish, weight []float64) []float64 {
	type block struct {
		sum, weight float64
		count       int
	}
	offset := make([]float64, len(column))
	for i := 1; i < len(column); i++ {
		a, b := column[i-1], column[i]
		gap := itemGap
		if p.items[a].bend && p.items[b].bend {
			gap = itemGap / 2
		}
		offset[i] = offset[i-1] + (p.high[a]+p.high[b])/2 + gap
	}
	var blocks []block
	for i := range column {
		blocks = append(blocks, block{float64(weight[i] * (wish[i] - offset[i])), weight[i], 1})
		for len(blocks) > 1 {
			last, before := blocks[len(blocks)-1], blocks[len(blocks)-2]
			if before.sum/before.weight <= last.sum/last.weight {
				break
			}
			blocks = append(blocks[:len(blocks)-2], block{before.sum + last.sum, before.weight + last.weight, before.count + last.count})
		}
	}
	out := make([]float64, 0, len(column))
	for _, b := range blocks {
		for range b.count {
			out = append(out, b.sum/b.weight+offset[len(out)])
		}
	}
	return out
}

// shift moves the drawing so that it starts at the margin.
func (p *placement) shift() {
	top, bottom := math.Inf(1), math.Inf(-1)
	for i, y := range p.y {
		top, bottom = math.Min(top, y-p.high[i]/2), math.Max(bottom, y+p.high[i]/2)
	}
	if top > bottom {
		top, bottom = 0, 0
	}
	for i := range p.y {
		p.y[i] += margin - top
	}
	p.height = bottom - top + 2*margin
}
