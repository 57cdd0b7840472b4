package topos_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// windowed is a program of one pattern of windows, with what it was made of.
type windowed struct {
	tape    *Tape[float64]
	image   Value[float64]
	kernel  Value[float64] // of a product
	root    Value[float64]
	windows []Window
	members []Value[float64]
}

// integers fills a tensor with small whole numbers, so that sums and products
// are exact in any order.
func integers(r *rand.Rand, shape Shape) []float64 {
	data := make([]float64, shape.Volume())
	for i := range data {
		data[i] = float64(r.IntN(9) - 4)
	}
	return data
}

func (w *windowed) member(v Value[float64]) Value[float64] {
	w.members = append(w.members, v)
	return v
}

// spread draws an image with windows along some of its axes, and records pads
// and unfolds. It answers the gathered axes: image axis, and whether it holds
// positions.
func (w *windowed) spread(r *rand.Rand, rank int, along []int, pads bool) (gathered Value[float64], of []int, positions []bool) {
	shape := Shape{}
	for range rank {
		shape = append(shape, 1+r.IntN(3))
	}
	for _, a := range along {
		win := Window{Axis: a, Size: 1 + r.IntN(3), Step: 1 + r.IntN(3), Dilation: 1 + r.IntN(2)}
		if pads && r.IntN(2) == 0 {
			win.Low, win.High = r.IntN(3), r.IntN(3)
		}
		shape[a] = max(1, (win.Size-1)*win.Dilation+1-win.Low-win.High+r.IntN(4))
		w.windows = append(w.windows, win)
	}
	w.tape = New(F64)
	w.image = w.tape.Input(shape, integers(r, shape)...)
	x := w.image
	for _, win := range w.windows {
		if win.Low+win.High > 0 {
			x = w.member(x.Pad(win.Axis, win.Low, win.Low+shape[win.Axis]+win.High))
		}
	}
	for a := range rank {
		of, positions = append(of, a), append(positions, false)
	}
	for _, win := range w.windows {
		at := slices.Index(of, win.Axis)
		x = w.member(x.Unfold(at, win.Size, win.Step, win.Dilation))
		of, positions = slices.Insert(of, at+1, win.Axis), slices.Insert(positions, at+1, true)
	}
	return x, of, positions
}

// product records an image's windows as rows and multiplies by a kernel.
func product(r *rand.Rand) *windowed {
	w := &windowed{}
	rank := 3 + r.IntN(3)
	axes := r.Perm(rank)
	batch, feature, along := axes[0], axes[1], axes[2:]
	slices.Sort(along)
	x, of, positions := w.spread(r, rank, along, true)
	var rows, columns []int
	for at, a := range of {
		if a == batch || a != feature && !positions[at] {
			rows = append(rows, at)
		} else {
			columns = append(columns, at)
		}
	}
	if r.IntN(2) == 0 { // the order of a composition is ascending
		r.Shuffle(len(rows), func(i, j int) { rows[i], rows[j] = rows[j], rows[i] })
		r.Shuffle(len(columns), func(i, j int) { columns[i], columns[j] = columns[j], columns[i] })
	}
	x = w.member(x.Permute(append(rows, columns...)...))
	split := Shape{x.Shape()[:len(rows)].Volume(), x.Shape()[len(rows):].Volume()}
	x = w.member(x.Reshape(split))
	shape := Shape{split[1], 1 + r.IntN(3)}
	w.kernel = w.tape.Parameter(shape, integers(r, shape)...)
	w.root = w.member(x.MatMul(w.kernel))
	return w
}

// pooled records the maximum over an image's windows.
func pooled(r *rand.Rand) *windowed {
	w := &windowed{}
	rank := 1 + r.IntN(4)
	along := r.Perm(rank)[:1+r.IntN(min(rank, 2))]
	slices.Sort(along)
	x, _, positions := w.spread(r, rank, along, false)
	var lead, last []int
	for at := range positions {
		if positions[at] {
			last = append(last, at)
		} else {
			lead = append(lead, at)
		}
	}
	order := append(lead, last...)
	if !slices.IsSorted(order) {
		x = w.member(x.Permute(order...))
	}
	if len(last) > 1 {
		x = w.member(x.Reshape(append(slices.Clone(x.Shape()[:rank]), x.Shape()[rank:].Volume())))
	}
	y := w.member(x.Narrow(rank, 0, 1))
	for lane := 1; lane < x.Shape()[rank]; lane++ {
		y = w.member(y.Maximum(w.member(x.Narrow(rank, lane, 1))))
	}
	w.root = w.member(y.Squeeze(rank))
	return w
}

// sole is the candidates of a plan that end at a node.
func sole(plan *Plan[float64], root Named) (found []Pattern) {
	for _, p := range plan.Schedule().Candidates() {
		if p.Root == root.Symbol() {
			found = append(found, p)
		}
	}
	return found
}

func (w *windowed) lower(t *testing.T, observe ...Named) *Plan[float64] {
	t.Helper()
	return Must(w.tape.View().Entry(w.root).Observe(observe...).Lower())
}

// check compares a match with what was recorded.
func (w *windowed) check(t *testing.T, kind PatternKind) (Pattern, bool) {
	t.Helper()
	found := sole(w.lower(t), w.root)
	if len(found) != 1 {
		t.Errorf("%d candidates in\n%s", len(found), w.tape.Describe())
		return Pattern{}, false
	}
	p := found[0]
	slices.SortFunc(w.members, func(a, b Value[float64]) int { return a.Symbol().Index() - b.Symbol().Index() })
	if p.Kind != kind || !slices.Equal(p.Nodes, Detach(w.members...)) || fmt.Sprint(p.Windows) != fmt.Sprint(w.windows) || p.Operands[0] != w.image.Symbol() {
		t.Errorf("%v over %v, %s\nis not made of %v, %v in\n%s", p, p.Operands, p.Attributes(), Detach(w.members...), w.windows, w.tape.Describe())
		return p, false
	}
	return p, true
}

// visit gives every place of a shape, row-major.
func visit(shape Shape, f func(at []int)) {
	at := make([]int, len(shape))
	for range shape.Volume() {
		f(at)
		for d := len(at) - 1; d >= 0; d-- {
			if at[d]++; at[d] < shape[d] {
				break
			}
			at[d] = 0
		}
	}
}

// element is an image's number at a place, zero around it.
func element(data []float64, shape Shape, at []int) float64 {
	flat := 0
	for d, x := range at {
		if x < 0 || x >= shape[d] {
			return 0
		}
		flat = flat*shape[d] + x
	}
	return data[flat]
}

// answer computes a pattern by its attributes alone.
func (w *windowed) answer(p Pattern) []float64 {
	image, shape := w.tape.Payload(w.image).Data(), w.image.Shape()
	window := map[int]Window{}
	counts, sizes := slices.Clone(shape), Shape{}
	for range shape {
		sizes = append(sizes, 1)
	}
	for _, x := range p.Windows {
		window[x.Axis] = x
		counts[x.Axis] = (x.Low+shape[x.Axis]+x.High-(x.Size-1)*x.Dilation-1)/x.Step + 1
		sizes[x.Axis] = x.Size
	}
	place := func(count, position []int) []int {
		at := make([]int, len(shape))
		for d := range at {
			x, ok := window[d]
			if !ok {
				at[d] = count[d] + position[d]
				continue
			}
			at[d] = count[d]*x.Step + position[d]*x.Dilation - x.Low
		}
		return at
	}
	var out []float64
	if p.Kind == ReduceWindow {
		visit(counts, func(count []int) {
			largest := math.Inf(-1)
			visit(sizes, func(position []int) { largest = max(largest, element(image, shape, place(count, position))) })
			out = append(out, largest)
		})
		return out
	}
	kernel, channels := w.tape.Payload(w.kernel).Data(), w.kernel.Shape()[1]
	var rows, columns Shape
	for _, a := range p.Rows {
		rows = append(rows, counts[a])
	}
	for _, a := range p.Columns {
		if _, ok := window[a]; ok {
			columns = append(columns, sizes[a])
		} else {
			columns = append(columns, shape[a])
		}
	}
	visit(rows, func(row []int) {
		for channel := range channels {
			total, k := 0.0, 0
			visit(columns, func(column []int) {
				count, position := make([]int, len(shape)), make([]int, len(shape))
				for i, a := range p.Rows {
					count[a] = row[i]
				}
				for i, a := range p.Columns {
					position[a] = column[i]
				}
				total += float64(element(image, shape, place(count, position)) * kernel[k*channels+channel])
				k++
			})
			out = append(out, total)
		}
	})
	return out
}

// TestWindowsOfAnyKind finds products and maximums over random windows, and
// computes each from its attributes alone.
func TestWindowsOfAnyKind(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 1))
		w, kind := product(r), WindowProduct
		if seed%2 == 1 {
			for w = pooled(r); !strings.Contains(w.tape.Describe(), "Maximum"); w = pooled(r) {
			}
			kind = ReduceWindow
		}
		p, ok := w.check(t, kind)
		if !ok {
			continue
		}
		run := Must(w.lower(t).Forward(w.tape.InitialParameters()))
		if got, want := w.answer(p), run.Of(w.root).Data(); !slices.Equal(got, want) {
			t.Errorf("seed %d: %v\nfrom %s\nnot %v in\n%s", seed, got, p.Attributes(), want, w.tape.Describe())
		}
	}
}

// TestInteriorsAreBarriers: a match is gone when an interior may be read, or
// when something outside reads it. A pad may then become the image.
func TestInteriorsAreBarriers(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 2))
		make := product
		if seed%2 == 1 {
			make = pooled
		}
		w := make(r)
		for _, m := range w.members {
			if m == w.root {
				continue
			}
			hides := func(plan *Plan[float64]) bool {
				return slices.ContainsFunc(sole(plan, w.root), func(p Pattern) bool { return slices.Contains(p.Nodes, m.Symbol()) })
			}
			if hides(w.lower(t, m)) {
				t.Errorf("seed %d: %v is observed and hidden in\n%s", seed, m, w.tape.Describe())
			}
			reader := m.Sum()
			if hides(w.lower(t, reader)) {
				t.Errorf("seed %d: %v is read and hidden in\n%s", seed, m, w.tape.Describe())
			}
			if len(sole(w.lower(t), w.root)) == 0 && strings.Contains(w.tape.Describe(), "Maximum") {
				t.Errorf("seed %d: a reader that is not scheduled hides the match in\n%s", seed, w.tape.Describe())
			}
		}
	}
}

// TestPaddedImageIsRead: where a pad is readable, the windows lie over what it made.
func TestPaddedImageIsRead(t *testing.T) {
	tape := New(F32)
	x, k := tape.Input(Shape{1, 1, 4, 4}, 1), tape.Parameter(Shape{4, 2}, 1)
	first := x.Pad(2, 1, 6)
	second := first.Pad(3, 1, 6)
	rows := second.Unfold(2, 2, 1, 1).Unfold(4, 2, 1, 1).Permute(0, 2, 4, 1, 3, 5).Reshape(Shape{25, 4})
	root := rows.MatMul(k)
	for _, c := range []struct {
		observe []Named
		image   Value[float32]
		want    string
	}{
		{nil, x, "axis=2 size=2 step=1 dilation=1 low=1 high=1, axis=3 size=2 step=1 dilation=1 low=1 high=1"},
		{[]Named{first}, first, "axis=2 size=2 step=1 dilation=1 low=0 high=0, axis=3 size=2 step=1 dilation=1 low=1 high=1"},
		{[]Named{second}, second, "axis=2 size=2 step=1 dilation=1 low=0 high=0, axis=3 size=2 step=1 dilation=1 low=0 high=0"},
	} {
		patterns := Must(tape.View().Entry(root).Observe(c.observe...).Lower()).Patterns()
		if len(patterns) != 1 || patterns[0].Operands[0] != c.image.Symbol() || patterns[0].Attributes() != c.want {
			t.Errorf("observing %v: %v", c.observe, patterns)
		}
	}
}
