package render

import "slices"

// layers is a graph cut into columns: every edge that spans several columns is
// a chain of bends, one in each column it crosses.
//
// The method is the usual one for layered drawings: give each node a column,
// order each column so that few edges cross, then give coordinates. All steps
// are bounded by counts, and ties are broken by place, so that a graph has one
// drawing.
type layers struct {
	column  []int   // of each node
	items   []item  // nodes first, at their own places, then bends
	columns [][]int // items in each column, from top to bottom
	chains  [][]int // of each edge: its items from operand to reader
}

// item is a node or a bend in a column, with its neighbours to both sides.
type item struct {
	column      int
	bend        bool
	left, right []int
}

// sweeps is how often the order is improved each way.
const sweeps = 12

func newLayers(g *graph) *layers {
	l := &layers{column: columnsOf(g)}
	count := 0
	for _, c := range l.column {
		l.items = append(l.items, item{column: c})
		count = max(count, c+1)
	}
	for _, e := range g.edges {
		chain := []int{e.from}
		for c := l.column[e.from] + 1; c < l.column[e.to]; c++ {
			l.items = append(l.items, item{column: c, bend: true})
			chain = append(chain, len(l.items)-1)
		}
		chain = append(chain, e.to)
		for i := 1; i < len(chain); i++ {
			l.items[chain[i-1]].right = append(l.items[chain[i-1]].right, chain[i])
			l.items[chain[i]].left = append(l.items[chain[i]].left, chain[i-1])
		}
		l.chains = append(l.chains, chain)
	}
	l.columns = make([][]int, count)
	for i, it := range l.items {
		l.columns[it.column] = append(l.columns[it.column], i)
	}
	l.order()
	return l
}

// columnsOf places each node one column after the last of its operands, then
// pulls a node towards its readers where that shortens more edges than it
// lengthens: a constant stands beside what reads it.
func columnsOf(g *graph) []int {
	column := make([]int, len(g.nodes))
	operands, readers := make([][]int, len(g.nodes)), make([][]int, len(g.nodes))
	for _, e := range g.edges {
		operands[e.to] = append(operands[e.to], e.from)
		readers[e.from] = append(readers[e.from], e.to)
		column[e.to] = max(column[e.to], column[e.from]+1)
	}
	for range 3 {
		for i := len(g.nodes) - 1; i >= 0; i-- {
			if len(readers[i]) == 0 || len(readers[i]) <= len(operands[i]) {
				continue
			}
			nearest := column[readers[i][0]]
			for _, reader := range readers[i] {
				nearest = min(nearest, column[reader])
			}
			column[i] = max(column[i], nearest-1)
		}
	}
	return column
}

// order sorts each column by the mean place of its neighbours, sweeping right
// and left, and keeps the order with the fewest crossings.
func (l *layers) order() {
	place := make([]int, len(l.items))
	l.number(place)
	best, fewest := l.copyColumns(), l.crossings(place)
	for sweep := range 2 * sweeps {
		if fewest == 0 {
			break
		}
		rightward := sweep%2 == 0
		for k := range l.columns {
			c := k
			if !rightward {
				c = len(l.columns) - 1 - k
			}
			l.sortColumn(l.columns[c], place, rightward)
		}
		l.exchange(place)
		if n := l.crossings(place); n < fewest {
			best, fewest = l.copyColumns(), n
		}
	}
	l.columns = best
}

func (l *layers) number(place []int) {
	for _, column := range l.columns {
		for i, it := range column {
			place[it] = i
		}
	}
}

func (l *layers) copyColumns() [][]int {
	out := make([][]int, len(l.columns))
	for i, column := range l.columns {
		out[i] = slices.Clone(column)
	}
	return out
}

// sortColumn orders one column by the mean place of the neighbours on one side.
// An item without any keeps its place.
func (l *layers) sortColumn(column, place []int, rightward bool) {
	key := make(map[int]float64, len(column))
	for i, it := range column {
		neighbours := l.items[it].right
		if rightward {
			neighbours = l.items[it].left
		}
		sum := 0
		for _, n := range neighbours {
			sum += place[n]
		}
		key[it] = float64(i)
		if len(neighbours) > 0 {
			key[it] = float64(sum) / float64(len(neighbours))
		}
	}
	slices.SortStableFunc(column, func(a, b int) int {
		switch {
		case key[a] < key[b]:
			return -1
		case key[a] > key[b]:
			return 1
		}
		return 0
	})
	for i, it := range column {
		place[it] = i
	}
}

// exchange swaps neighbours in a column while that removes crossings, once over
// all columns.
func (l *layers) exchange(place []int) {
	for _, column := range l.columns {
		for i := 1; i < len(column); i++ {
			a, b := column[i-1], column[i]
			now := inversions(l.items[a].left, l.items[b].left, place) + inversions(l.items[a].right, l.items[b].right, place)
			then := inversions(l.items[b].left, l.items[a].left, place) + inversions(l.items[b].right, l.items[a].right, place)
			if then < now {
				column[i-1], column[i] = b, a
				place[a], place[b] = i, i-1
			}
		}
	}
}

// inversions counts the crossings of edges to two sets of neighbours, the first
// of which start above the second.
func inversions(above, below, place []int) int {
	n := 0
	for _, a := range above {
		for _, b := range below {
			if place[a] > place[b] {
				n++
			}
		}
	}
	return n
}

// crossings counts the pairs of edges that cross between neighbouring columns.
func (l *layers) crossings(place []int) int {
	total := 0
	for _, column := range l.columns {
		var ends []int // where the edges of this column end, from top to bottom
		for _, it := range column {
			start := len(ends)
			for _, n := range l.items[it].right {
				ends = append(ends, place[n])
			}
			slices.Sort(ends[start:])
		}
		for i, a := range ends {
			for _, b := range ends[i+1:] {
				if b < a {
					total++
				}
			}
		}
	}
	return total
}
