package topos

import "errors"

// ErrStopped: long work over a tape was told to stop, see [Watch].
var ErrStopped = errors.New("stopped")

// Watch has long work over a tape, and over views and plans that are made of it
// from then on, ask now and then whether it is to stop: deriving, planning,
// printing and writing every few thousand nodes, a run before each node and
// within large products. Once stopped answers true it ends in a panic with a
// [*Refusal] of [ErrStopped], and has changed nothing. Recording asks nothing. nil
// ends the watch.
//
// It is no method, since each of those of a tape is compiled again with every cell.
func Watch(t *Recording, stopped func() bool) { t.t.s.g.stopped = stopped }

// seldom is how many nodes are worked on between two questions, less one.
const seldom = 1<<12 - 1

// pause asks whether to stop, for few of the nodes.
func (g *graph) pause(i int) {
	if i&seldom == 0 && g.stopped != nil {
		g.yield()
	}
}

// yield asks whether to stop.
func (g *graph) yield() {
	if g.stopped != nil && g.stopped() {
		panic(&Refusal{Op: "watch", Reason: "it was told to stop", Err: ErrStopped})
	}
}

// largeProduct is how many multiplications of a product are done between two
// questions.
const largeProduct = 1 << 26

// productInPieces is a matrix product that asks between some of its rows. The order
// within each element of the answer, and so its bits, are those of one piece.
func (g *graph) productInPieces(a, b *dense) *dense {
	n := len(a.shape)
	batch, rows, inner, columns := a.shape[:n-2].Volume(), a.shape[n-2], a.shape[n-1], b.shape[n-1]
	if float64(batch)*float64(rows)*float64(inner)*float64(columns) <= largeProduct {
		return a.MatMul(b)
	}
	r := a.made(infer(Opcode{Kind: OpMatMul}, a.shape, b.shape))
	left, right := a.all(), b.all()
	most := min(rows, max(1, largeProduct/(inner*columns)))
	for z := range batch {
		matrix := right
		if batch > 1 {
			matrix = a.k.make(inner * columns)
			a.k.move(matrix, 0, right, z*inner*columns, inner*columns)
		}
		for from := 0; from < rows; from += most {
			g.yield()
			count := min(most, rows-from)
			part, answer := a.k.make(count*inner), a.k.make(count*columns)
			a.k.move(part, 0, left, (z*rows+from)*inner, count*inner)
			a.k.matmul(answer, part, matrix, 1, count, inner, columns)
			a.k.move(r.data, (z*rows+from)*columns, answer, 0, count*columns)
		}
	}
	return r
}
