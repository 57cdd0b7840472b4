package topos_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// bf16Rows are roundings "f32bits bf16bits" and arithmetic "a b a+b a-b a*b a/b
// -a max(a,b) step(a,b)".
type bf16Rows struct {
	About      string   `json:"about"`
	FromF32    []string `json:"from_f32"`
	Arithmetic []string `json:"arithmetic"`
	Sum        struct {
		X                goldenTensor `json:"x"`
		Sum              goldenTensor `json:"sum"`
		ElementByElement string       `json:"element_by_element"`
	} `json:"sum"`
}

func TestGoldenBF16(t *testing.T) {
	data := goldenFile[bf16Rows](t, "bf16.json")
	s := goldenSuite{T: t, name: "bf16"}
	for _, row := range data.FromF32 {
		s.row("from f32 "+row, func(t *testing.T) {
			xs := rowWords(t, row, 2)
			sameNumber(t, "rounded", brain.FromFloat64(single.float(xs[0])), xs[1])
		})
	}
	for _, row := range data.Arithmetic {
		s.row("arithmetic "+row, func(t *testing.T) { bf16Arithmetic(t, rowWords(t, row, 9)) })
	}
	s.row("sum", func(t *testing.T) {
		xs := brain.payload(data.Sum.X, oneHot{})
		sameNumber(t, "sum", xs.Sum().Scalar(), data.Sum.Sum.words()[0])
		one := BF16.Tensor(nil, xs.Data()[0])
		for _, x := range xs.Data()[1:] {
			one = one.Add(BF16.Tensor(nil, x))
		}
		sameNumber(t, "one by one", one.Scalar(), goldenTensor{Bits: data.Sum.ElementByElement}.words()[0])
	})
	s.ended()
}

// rowWords takes a row apart.
func rowWords(t *testing.T, row string, count int) []uint64 {
	t.Helper()
	if fields := strings.Fields(row); len(fields) != count {
		t.Fatalf("a row of %d words, which the suite does not understand", len(fields))
	}
	return goldenTensor{Shape: []int{count}, Bits: row}.words()
}

func sameNumber(t *testing.T, what string, got BFloat16, want uint64) {
	t.Helper()
	if x, y := brain.real(got), brain.float(want); uint64(got) != want && !(math.IsNaN(x) && math.IsNaN(y)) {
		t.Errorf("%s is %04x (%v), want %04x (%v)", what, uint16(got), x, want, y)
	}
}

// bf16Arithmetic holds the golden maximum to the golden data, and ours to it but
// for the rows that the table lists.
func bf16Arithmetic(t *testing.T, xs []uint64) {
	a, b := BF16.Tensor(nil, BF16.FromBits(xs[0])), BF16.Tensor(nil, BF16.FromBits(xs[1]))
	for i, c := range []struct {
		name string
		got  *Tensor[BFloat16]
	}{
		{"a+b", a.Add(b)}, {"a-b", a.Sub(b)}, {"a*b", a.Mul(b)}, {"a/b", a.Div(b)}, {"-a", a.Neg()},
		{"max", brain.goldenMaximum(a, b)}, {"step", a.StepAt(b)},
	} {
		sameNumber(t, c.name, c.got.Scalar(), xs[2+i])
	}
	id := fmt.Sprintf("bf16 max %04x %04x", xs[0], xs[1])
	differs(t, id, brain.unequalLanes(a.Maximum(b), brain.goldenMaximum(a, b)))
}
