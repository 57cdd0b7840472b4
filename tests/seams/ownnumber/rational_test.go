package ownnumber

import (
	"fmt"
	"math/big"

	. "github.com/topos-notebook/topos/topos"
)

// rational is an exact fraction. It never passes through a machine float.
type rational struct{ value *big.Rat }

var rationals = Own[rational]("rational")

// rat is the value; the zero value of the type is 0.
func (r rational) rat() *big.Rat {
	if r.value == nil {
		return new(big.Rat)
	}
	return r.value
}

func (r rational) Add(o rational) rational { return rational{new(big.Rat).Add(r.rat(), o.rat())} }
func (r rational) Sub(o rational) rational { return rational{new(big.Rat).Sub(r.rat(), o.rat())} }
func (r rational) Mul(o rational) rational { return rational{new(big.Rat).Mul(r.rat(), o.rat())} }
func (r rational) Div(o rational) rational { return rational{new(big.Rat).Quo(r.rat(), o.rat())} }
func (r rational) Neg() rational           { return rational{new(big.Rat).Neg(r.rat())} }
func (r rational) Compare(o rational) int  { return r.rat().Cmp(o.rat()) }
func (rational) FromInt(x int64) rational  { return rational{big.NewRat(x, 1)} }
func (r rational) String() string          { return r.rat().RatString() }

// Parse reads 0.1 as a tenth, exactly, and 1/3 as well.
func (rational) Parse(text string) (rational, error) {
	value, ok := new(big.Rat).SetString(text)
	if !ok {
		return rational{}, fmt.Errorf("%q is no fraction", text)
	}
	return rational{value}, nil
}
