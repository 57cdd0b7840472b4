package topos_test

import (
	"slices"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

func TestSlotIsThatOfAParameterOfThisTape(t *testing.T) {
	tape, other := New(F32), New(F32)
	x := tape.Input(Shape{2}, 1, 2)
	w := tape.Parameter(Shape{2}, 1, 2)
	from := tape.Len()
	v := tape.Parameter(nil, 3)
	foreign := other.Parameter(nil, 3)
	slots := func(all ...Symbol) (s []int) {
		for _, at := range all {
			s = append(s, tape.Slot(at))
		}
		return s
	}
	x0, w0, v0 := x.Symbol(), w.Symbol(), v.Symbol()
	if got := slots(x0, w0, v0, foreign.Symbol()); !slices.Equal(got, []int{-1, 0, 1, -1}) {
		t.Errorf("slots %v", got)
	}
	tape.Cut(from)
	again := tape.Parameter(nil, 4)
	if got := slots(v0, again.Symbol(), w0); !slices.Equal(got, []int{-1, 1, 0}) {
		t.Errorf("slots %v after a cut", got)
	}
}
