package topos

import "slices"

// gatheredPart is what an axis of gathered windows holds of an axis of the image.
type gatheredPart uint8

const (
	wholeAxis gatheredPart = iota
	windowCount
	windowPosition
)

// gatheredAxis is one axis of gathered windows.
type gatheredAxis struct {
	of   int // the image's axis
	part gatheredPart
}

// gathering is a chain of pads and unfolds, read as windows over an image.
type gathering struct {
	image   int   // the node that the chain starts from
	chain   []int // its nodes
	axes    []gatheredAxis
	windows []Window // by ascending axis
}

// gather reads back the chain that ends at a node. Pads belong to it only where
// zeros around the image mean the same to the formula.
func (d *discovery) gather(last int, pads bool) (gathering, bool) {
	g := gathering{image: last}
	for i := last; i == last || d.hidden(i); i = g.image {
		if kind := d.g.records[i].kind; kind != OpUnfold && !(pads && kind == OpPad) {
			break
		}
		g.chain = append(g.chain, i)
		g.image = int(d.g.records[i].left)
	}
	slices.Reverse(g.chain)
	for len(g.chain) > 0 {
		alien := g.follow(d.g)
		if alien < 0 {
			return g, len(g.windows) > 0
		}
		g.image, g.chain = g.chain[alien], g.chain[alien+1:]
	}
	return g, false
}

// follow derives axes and windows from the chain. It gives the last place of the
// chain that is no part of windows over the image, or -1.
func (g *gathering) follow(in *graph) (alien int) {
	image := in.shape(g.image)
	windows, padded := make([]Window, len(image)), make([]int, len(image))
	g.axes, g.windows = nil, nil
	for a := range image {
		g.axes = append(g.axes, gatheredAxis{of: a})
		padded[a] = -1
	}
	for at, i := range g.chain {
		op := in.opcode(i)
		axis := g.axes[op.Axis]
		w := &windows[axis.of]
		if axis.part != wholeAxis {
			return at
		}
		if op.Kind == OpPad {
			before := in.shape(int(in.records[i].left))[op.Axis]
			w.Low, w.High, padded[axis.of] = w.Low+op.Start, w.High+op.Extent-op.Start-before, at
			continue
		}
		w.Axis, w.Size, w.Step, w.Dilation = axis.of, op.Size, op.Step, op.Dilation
		g.axes[op.Axis].part = windowCount
		g.axes = slices.Insert(g.axes, op.Axis+1, gatheredAxis{axis.of, windowPosition})
	}
	alien = -1
	for a, w := range windows {
		if w.Size > 0 {
			g.windows = append(g.windows, w)
		} else {
			alien = max(alien, padded[a])
		}
	}
	return alien
}

// permuted takes the axes through an order.
func (g *gathering) permuted(order Shape) {
	axes := make([]gatheredAxis, len(order))
	for to, from := range order {
		axes[to] = g.axes[from]
	}
	g.axes = axes
}

// windowProduct matches the product of windows, gathered into rows, with a
// kernel matrix. Rows are made up of one whole axis and the counts of the windows, and
// what is summed over of another whole axis and the positions, in any order.
func (d *discovery) windowProduct(root int) (p Pattern, m matched, ok bool) {
	rows, kernel, _ := d.operation(root, OpMatMul)
	if len(d.g.shape(root)) != 2 {
		return
	}
	order, _, ok := d.operation(rows, OpReshape)
	if !ok || !d.hidden(rows) {
		return p, m, false
	}
	last, _, ok := d.operation(order, OpPermute)
	if !ok || !d.hidden(order) {
		return p, m, false
	}
	g, ok := d.gather(last, true)
	if !ok {
		return
	}
	g.permuted(d.g.opcode(order).Dims)
	split := 1 + len(g.windows)
	if len(g.axes) != 2*split {
		return p, m, false
	}
	p = Pattern{Kind: WindowProduct, Windows: g.windows}
	var fit [2]bool
	p.Rows, fit[0] = axesOf(g.axes[:split], windowCount)
	p.Columns, fit[1] = axesOf(g.axes[split:], windowPosition)
	if !fit[0] || !fit[1] || d.g.shape(order)[:split].Volume() != d.g.shape(rows)[0] {
		return p, m, false
	}
	m.members = append(append(g.chain, order), rows)
	m.operands = []int{g.image, kernel}
	return p, m, true
}

// axesOf gives the image's axes of gathered ones: one whole, the others of the
// part.
func axesOf(axes []gatheredAxis, part gatheredPart) (of []int, ok bool) {
	whole := 0
	for _, a := range axes {
		of = append(of, a.of)
		switch a.part {
		case wholeAxis:
			whole++
		case part:
		default:
			return nil, false
		}
	}
	return of, whole == 1
}

// reduceWindow matches the maximum over the lanes of gathered windows: a
// reshape that drops the lane axis of a chain of maximums, over narrows of the
// lanes one by one.
func (d *discovery) reduceWindow(root int) (p Pattern, m matched, ok bool) {
	top, _, _ := d.operation(root, OpReshape)
	lanes, members, ok := d.lanes(top)
	if !ok {
		return
	}
	shape := d.g.shape(lanes)
	if !d.g.shape(root).Equal(shape[:len(shape)-1]) {
		return p, m, false
	}
	m.members = append(members, lanes)
	last := lanes
	if from, _, ok := d.operation(last, OpReshape); ok {
		last, m.members = from, append(m.members, from)
	}
	apart := d.g.shape(last)
	var order Shape
	if from, _, ok := d.operation(last, OpPermute); ok {
		order = d.g.opcode(last).Dims
		last, m.members = from, append(m.members, from)
	}
	g, ok := d.gather(last, false)
	if !ok {
		return p, m, false
	}
	if order != nil {
		g.permuted(order)
	}
	rank := len(d.g.shape(g.image))
	for at, a := range g.axes {
		if at < rank && (a.of != at || a.part == windowPosition) || at >= rank && a.part != windowPosition {
			return p, m, false
		}
	}
	if len(shape) != rank+1 || !shape[:rank].Equal(apart[:rank]) {
		return p, m, false
	}
	m.members = append(m.members, g.chain...)
	m.operands = []int{g.image}
	return Pattern{Kind: ReduceWindow, Windows: g.windows}, m, true
}

// lanes reads back a chain of maximums from its newest node: the narrows of the
// last axis of one node, in ascending order, associated to the left.
func (d *discovery) lanes(top int) (lanes int, members []int, ok bool) {
	_, newest, ok := d.operation(top, OpMaximum)
	if !ok || d.g.records[newest].kind != OpNarrow {
		return top, nil, false
	}
	lanes = int(d.g.records[newest].left)
	shape := d.g.shape(lanes)
	axis := len(shape) - 1
	lane := func(i, start int) bool {
		op := d.g.opcode(i)
		return op.Kind == OpNarrow && int(d.g.records[i].left) == lanes && op.Axis == axis && op.Start == start && op.Length == 1 && d.hidden(i)
	}
	at := top
	for start := shape[axis] - 1; start > 0; start-- {
		older, newer, ok := d.operation(at, OpMaximum)
		if !ok || !d.hidden(at) || !lane(newer, start) {
			return lanes, nil, false
		}
		members = append(members, at, newer)
		at = older
	}
	return lanes, append(members, at), len(members) > 0 && lane(at, 0)
}
