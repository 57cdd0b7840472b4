package topos_test

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

var sprintf = fmt.Sprintf

func TestGoldenBF16(t *testing.T) {
	b, err := os.ReadFile("testdata/bf16.json")
	if err != nil {
		t.Fatal(err)
	}
	var all struct {
		FromF32    []string `json:"from_f32"`
		Arithmetic []string
		Sum        struct {
			X, Sum           goldenTensor
			ElementByElement string `json:"element_by_element"`
		}
	}
	if err := json.Unmarshal(b, &all); err != nil {
		t.Fatal(err)
	}
	for _, row := range all.FromF32 {
		xs := hexadecimals(row)
		if got := BFloat16Of(float64(math.Float32frombits(uint32(xs[0])))); !sameBFloat16(got, BFloat16(xs[1])) {
			t.Errorf("%s: got %04x", row, uint16(got))
		}
	}
	maxima := 0
	for _, row := range all.Arithmetic {
		xs := hexadecimals(row)
		a, b := BF16.Tensor(nil, BFloat16(xs[0])), BF16.Tensor(nil, BFloat16(xs[1]))
		for i, got := range []*Tensor[BFloat16]{a.Add(b), a.Sub(b), a.Mul(b), a.Div(b), a.Neg(), a.Maximum(b), a.StepAt(b)} {
			if sameBFloat16(got.Scalar(), BFloat16(xs[2+i])) {
				continue
			}
			// Golden maximum drops NaN and takes -0 for +0.
			x, y := a.Scalar().Float32(), b.Scalar().Float32()
			if i == 5 && (x != x || y != y || x == 0 && y == 0) {
				maxima++
				continue
			}
			t.Errorf("%s: column %d is %04x", row, i, uint16(got.Scalar()))
		}
	}
	if maxima > 60 {
		t.Errorf("%d maxima differ", maxima)
	}
	var xs []BFloat16
	for _, x := range hexadecimals(all.Sum.X.Bits) {
		xs = append(xs, BFloat16(x))
	}
	sum := BF16.Tensor(Shape{len(xs)}, xs...)
	if got, want := sum.Sum().Scalar(), BFloat16(hexadecimals(all.Sum.Sum.Bits)[0]); got != want {
		t.Errorf("the sum is %v, want %v", got, want)
	}
	one := BF16.Tensor(nil, xs[0])
	for _, x := range xs[1:] {
		one = one.Add(BF16.Tensor(nil, x))
	}
	if want := BFloat16(hexadecimals(all.Sum.ElementByElement)[0]); one.Scalar() != want {
		t.Errorf("one by one the sum is %v, want %v", one, want)
	}
}

func hexadecimals(row string) (xs []uint64) {
	for _, f := range strings.Fields(row) {
		x, err := strconv.ParseUint(f, 16, 64)
		if err != nil {
			panic(err)
		}
		xs = append(xs, x)
	}
	return xs
}

// sameBFloat16 compares bits; NaN is a class.
func sameBFloat16(a, b BFloat16) bool {
	x, y := a.Float32(), b.Float32()
	return a == b || x != x && y != y
}

func ExampleBFloat16Of() {
	// A little above half way between 1 and the next number; through float32 it
	// would fall on half way and go to 1.
	fmt.Println(BFloat16Of(1 + 0x1p-8 + 0x1p-40))
	fmt.Println(BFloat16Of(257), BFloat16Of(259), BFloat16Of(3.4e38))
	// Output:
	// 1.0078125
	// 256 260 inf
}

func ExampleElement_Parse() {
	x, err := BF16.Parse("1.00390625000000000000000000001")
	fmt.Println(x, err)
	_, err = BF16.Parse("1e39")
	fmt.Println(err)
	// Output:
	// 1.0078125 <nil>
	// strconv.Parse: parsing "1e39": value out of range
}
