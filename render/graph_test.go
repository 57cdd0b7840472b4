package render

import (
	"encoding/base64"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/topos"
)

// randomReading is a graph of n nodes in which each operation reads up to three
// earlier ones.
func randomReading(seed uint64, n int) *topos.Reading {
	random := rand.New(rand.NewPCG(seed, 1))
	r := &topos.Reading{Kind: topos.PictureReading}
	for i := range n {
		row := topos.Row{Index: i, Opcode: "Mul", Shape: []int{random.IntN(100)}}
		if i == 0 || random.IntN(4) == 0 {
			row.Opcode = []string{"Leaf", "Parameter", "Input"}[random.IntN(3)]
		} else {
			for range 1 + random.IntN(3) {
				row.Operands = append(row.Operands, random.IntN(i))
			}
		}
		r.Rows = append(r.Rows, row)
	}
	return r
}

// TestLayers: operands stand to the left of their readers, and the items of a
// column neither overlap nor leave the drawing.
func TestLayers(t *testing.T) {
	for _, r := range []*topos.Reading{readings(t)["picture"], randomReading(1, 40), randomReading(2, 150), chain(topos.PictureReading, 150)} {
		g := newView(r, Options{}, ample).graph()
		l := newLayers(g)
		p := place(g, l)
		for _, e := range g.edges {
			if p.x[e.from]+p.wide[e.from]/2 >= p.x[e.to]-p.wide[e.to]/2 {
				t.Errorf("node %d is not to the left of %d", g.nodes[e.from].index, g.nodes[e.to].index)
			}
		}
		count := 0
		for c, column := range l.columns {
			for i, it := range column {
				count++
				if l.items[it].column != c {
					t.Fatalf("item %d is in a column that is not its own", it)
				}
				if p.y[it]-p.high[it]/2 < margin-0.01 || p.y[it]+p.high[it]/2 > p.height-margin+0.01 {
					t.Errorf("item %d leaves the drawing", it)
				}
				if i > 0 && p.y[it]-p.high[it]/2 < p.y[column[i-1]]+p.high[column[i-1]]/2 {
					t.Errorf("items %d and %d overlap", column[i-1], it)
				}
			}
		}
		if count != len(l.items) {
			t.Errorf("%d of %d items have a place", count, len(l.items))
		}
	}
}

// TestOrderRemovesCrossings: two edges that need not cross do not.
func TestOrderRemovesCrossings(t *testing.T) {
	r := &topos.Reading{Kind: topos.PictureReading, Rows: []topos.Row{
		{Index: 0, Opcode: "Leaf"}, {Index: 1, Opcode: "Leaf"},
		{Index: 2, Opcode: "Neg", Operands: []int{1}}, {Index: 3, Opcode: "Neg", Operands: []int{0}},
	}}
	l := newLayers(newView(r, Options{}, ample).graph())
	place := make([]int, len(l.items))
	l.number(place)
	if n := l.crossings(place); n != 0 {
		t.Errorf("%d crossings are left", n)
	}
}

// TestLeafBesideReader: a constant stands in the column before what reads it.
func TestLeafBesideReader(t *testing.T) {
	g := newView(readings(t)["picture"], Options{}, ample).graph()
	column := columnsOf(g)
	if column[27] != column[28]-1 {
		t.Errorf("leaf 27 is in column %d, its reader in %d", column[27], column[28])
	}
}

// TestEdgesKeepClear: where a curve passes a column, it passes between the nodes.
func TestEdgesKeepClear(t *testing.T) {
	for seed := range uint64(5) {
		g := newView(randomReading(seed, 60), Options{}, ample).graph()
		l := newLayers(g)
		p := place(g, l)
		for i := range g.edges {
			chain := l.chains[i]
			xs, ys := []float64{p.x[chain[0]] + p.wide[chain[0]]/2}, []float64{p.y[chain[0]]}
			for _, bend := range chain[1 : len(chain)-1] {
				xs, ys = append(xs, p.x[bend]), append(ys, p.y[bend])
			}
			last := chain[len(chain)-1]
			xs, ys = level(p, chain, append(xs, p.x[last]-p.wide[last]/2), append(ys, p.y[last]))
			slope := slopes(xs, ys)
			for _, bend := range chain[1 : len(chain)-1] {
				half := p.columnWidth[p.items[bend].column] / 2
				for _, x := range []float64{p.x[bend] - half, p.x[bend], p.x[bend] + half} {
					k := 0
					for k < len(xs)-2 && xs[k+1] < x {
						k++
					}
					if y := between(xs, ys, slope, k, x); math.Abs(y-p.y[bend]) > bendSize/2 {
						t.Errorf("seed %d: an edge to node %d is %.0f away from its place in column %d", seed, g.nodes[last].index, y-p.y[bend], p.items[bend].column)
					}
				}
			}
		}
	}
}

// TestSmooth: a curve stays between the heights of the points it joins.
func TestSmooth(t *testing.T) {
	for _, c := range []struct{ ys, want []float64 }{
		{[]float64{0, 10, 20}, []float64{0, 10, 0}},
		{[]float64{0, 10, 5}, []float64{0, 0, 0}},
		{[]float64{0, 0, 5, 5}, []float64{0, 0, 0, 0}},
		{[]float64{0, 10, 40, 50}, []float64{0, 15, 15, 0}},
	} {
		xs := []float64{0, 1, 2, 3}[:len(c.ys)]
		if got := slopes(xs, c.ys); fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%v: %v, want %v", c.ys, got, c.want)
		}
	}
}

// TestPool: wishes that leave room are met; others share the lack.
func TestPool(t *testing.T) {
	p := &placement{layers: &layers{items: make([]item, 3)}, high: []float64{10, 10, 10}}
	even := []float64{1, 1, 1}
	for _, c := range []struct{ wish, want []float64 }{
		{[]float64{0, 100, 200}, []float64{0, 100, 200}},
		{[]float64{50, 50, 200}, []float64{39, 61, 200}},
		{[]float64{50, 50, 50}, []float64{28, 50, 72}},
		{[]float64{100, 0, 50}, []float64{28, 50, 72}},
	} {
		got := p.pool([]int{0, 1, 2}, c.wish, even)
		if fmt.Sprint(got) != fmt.Sprint(c.want) {
			t.Errorf("%v: %v, want %v", c.wish, got, c.want)
		}
	}
}

// TestLooks: outline and stroke say what a node is and what becomes of it.
func TestLooks(t *testing.T) {
	r := readings(t)["picture"]
	r.Payloads = []topos.PayloadReading{{Node: 17, NonFinite: 1}}
	r.Rows[9].Liveness = "fused"
	svg := show(t, r, Options{RawSVG: true}, SVGType)
	look := func(node int) string {
		_, rest, ok := strings.Cut(svg, fmt.Sprintf("<g><title>%d ", node))
		if !ok {
			t.Fatalf("node %d is not drawn", node)
		}
		group, _, _ := strings.Cut(rest, "</g>")
		return group
	}
	for _, c := range []struct {
		node  int
		holds []string
	}{
		{0, []string{`q10 0 10 10`, blueInk, `>0 Parameter<`, `>[2, 2]<`}},
		{1, []string{tealInk, `>1 Input<`}},
		{2, []string{greyInk, `>2 MatMul<`, labelInk}},
		{3, []string{`stroke-width="3"`}},
		{9, []string{`stroke-dasharray="6 3"`, lightInk, softInk}},
		{12, []string{`a12 12 0 1 1`}},
		{17, []string{redInk, `>17 Sub NaN<`, "from the rule of 3 Tanh"}},
		{21, []string{`stroke-dasharray="1.5 3"`, skippedInk}},
		{28, []string{`stroke-width="3"`, softInk}},
	} {
		for _, want := range c.holds {
			if !strings.Contains(look(c.node), want) {
				t.Errorf("node %d does not hold %s: %s", c.node, want, look(c.node))
			}
		}
	}
	if strings.Count(svg, "×2") != 2 {
		t.Error("an operand that is read twice is not marked twice in the picture")
	}
}

// TestAlt: the picture's sentence names the first nodes and what feeds them.
func TestAlt(t *testing.T) {
	page := show(t, readings(t)["picture"], Options{}, HTMLType)
	want := `alt="Graph of 29 nodes: 1 Input and 0 Parameter feed 2 MatMul; 2 MatMul feeds 3 Tanh; 3 Tanh feeds 4 Mul;`
	if !strings.Contains(page, want) || !strings.Contains(page, `full list in the table below."`) {
		t.Errorf("the picture does not say %s", want)
	}
}

// TestOutside: operands that are no rows of the reading are drawn by number.
func TestOutside(t *testing.T) {
	r := &topos.Reading{Kind: topos.PictureReading, Rows: []topos.Row{{Index: 7, Opcode: "Add", Operands: []int{3, 5}}}}
	svg := show(t, r, Options{RawSVG: true}, SVGType)
	for _, want := range []string{"<title>node 3</title>", "<title>node 5</title>", ">7 Add<"} {
		if !strings.Contains(svg, want) {
			t.Errorf("the picture does not hold %s", want)
		}
	}
}

// TestStrip: a large graph is drawn by marks in recorded order, each once.
func TestStrip(t *testing.T) {
	r := chain(topos.PictureReading, 1000)
	svg := show(t, r, Options{RawSVG: true}, SVGType)
	for _, c := range []struct {
		outline string
		want    int
	}{
		{"q0 -4 4 -4q4 0 4 4q0 4 -4 4q-4 0 -4 -4z", 2},
		{"a4 4 0 1 1 8 0a4 4 0 1 1 -8 0z", 200},
		{"v-4h8v8h-8z", 798},
	} {
		if n := strings.Count(svg, c.outline); n != c.want {
			t.Errorf("%d outlines %s, want %d", n, c.outline, c.want)
		}
	}
	checkSVG(t, "data:image/svg+xml;base64,"+base64.StdEncoding.EncodeToString([]byte(svg)))
}
