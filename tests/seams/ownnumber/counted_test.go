package ownnumber

import (
	"fmt"
	"strconv"

	. "github.com/topos-notebook/topos/topos"
)

// counted is a float32 that counts what is done with it.
type counted float32

var counts struct{ add, mul, neg int }

var counting = Own[counted]("counted")

func (c counted) Add(o counted) counted { counts.add++; return c + o }
func (c counted) Sub(o counted) counted { counts.add++; return c - o }
func (c counted) Mul(o counted) counted { counts.mul++; return counted(c * o) }
func (c counted) Neg() counted          { counts.neg++; return -c }
func (counted) FromInt(x int64) counted { return counted(x) }
func (c counted) String() string        { return strconv.FormatFloat(float64(c), 'f', -1, 32) }

// tally prints what was counted since it was last asked.
func tally(what string) {
	fmt.Printf("%s: %d multiplications, %d additions\n", what, counts.mul, counts.add)
	counts.add, counts.mul, counts.neg = 0, 0, 0
}

// A product of [2, 3] by [3, 4] costs 2*4*3 multiplications and 2*4*2 additions.
// Its gradients are two such products, with 2*3*3 and 3*4*1 additions, and three
// sums that start from zeros: one of all the ones of the seed, which a uniform
// tensor holds once, and those of the shapes of a and b.
func Example_countedOperations() {
	tape := New(counting)
	a := tape.Parameter(Shape{2, 3}, 1, 2, 3, 4, 5, 6)
	b := tape.Parameter(Shape{3, 4}, 1, 0, 2, 0, 0, 1, 0, 2, 1, 1, 1, 1)
	product := a.MatMul(b)
	network := tape.View()
	run := Must(network.Forward(network.Parameters()))
	tally("matmul")
	fmt.Println(run.Of(product))

	loss := product.Sum()
	adjoints := tape.Differentiate(loss, a, b)
	entry := tape.View().Entry(adjoints.Gradients()[0], adjoints.Gradients()[1])
	plan := Must(entry.Lower())
	run = Must(plan.Forward(tape.InitialParameters()))
	tally("its gradients")
	fmt.Println(run.Of(adjoints.Of(a)), run.Of(adjoints.Of(b)))

	// The same numbers as float32 answers.
	plain := New(F32)
	x := plain.Leaf(Shape{2, 3}, 1, 2, 3, 4, 5, 6)
	y := plain.Leaf(Shape{3, 4}, 1, 0, 2, 0, 0, 1, 0, 2, 1, 1, 1, 1)
	z := x.MatMul(y)
	view := plain.View()
	fmt.Println(Must(view.Forward(view.Parameters())).Of(z))
	// Output:
	// matmul: 24 multiplications, 16 additions
	// [[4, 5, 5, 7], [10, 11, 14, 16]]
	// its gradients: 48 multiplications, 49 additions
	// [[3, 3, 4], [3, 3, 4]] [[5, 5, 5, 5], [7, 7, 7, 7], [9, 9, 9, 9]]
	// [[4, 5, 5, 7], [10, 11, 14, 16]]
}
