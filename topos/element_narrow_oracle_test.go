package topos_test

import (
	"math"
	"math/big"
)

// ieee is a binary floating-point format as IEEE 754 describes one. Its
// rounding here is written over exact fractions and knows nothing of ours.
type ieee struct {
	digits  uint // of the significand, the first one included
	least   int  // exponent of the smallest subnormal
	largest float64
}

var (
	formatBF16 = ieee{8, -133, 0x1.fep127}
	formatF16  = ieee{11, -24, 65504}
)

// nearest rounds a fraction, ties to even. The sign is that of a zero.
func (f ieee) nearest(x *big.Rat, negative bool) float64 {
	if x.Sign() == 0 {
		return signedZero(negative)
	}
	size := new(big.Rat).Abs(x)
	// The exponent of the last place: that of the leading digit, less the rest.
	e := size.Num().BitLen() - size.Denom().BitLen()
	if size.Cmp(power2(e)) < 0 {
		e--
	}
	e = max(e-int(f.digits)+1, f.least)
	n := roundEven(new(big.Rat).Quo(size, power2(e)))
	y, _ := new(big.Rat).Mul(new(big.Rat).SetInt(n), power2(e)).Float64()
	if y > f.largest {
		y = math.Inf(1)
	}
	if x.Sign() < 0 {
		return -y
	}
	return y
}

func signedZero(negative bool) float64 {
	if negative {
		return math.Copysign(0, -1)
	}
	return 0
}

func power2(e int) *big.Rat {
	if e < 0 {
		return new(big.Rat).SetFrac(big.NewInt(1), new(big.Int).Lsh(big.NewInt(1), uint(-e)))
	}
	return new(big.Rat).SetInt(new(big.Int).Lsh(big.NewInt(1), uint(e)))
}

// roundEven is the nearest whole number of a fraction.
func roundEven(x *big.Rat) *big.Int {
	n, rest := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	switch c := rest.Lsh(rest, 1).Cmp(x.Denom()); {
	case c > 0, c == 0 && n.Bit(0) == 1:
		n.Add(n, big.NewInt(1))
	}
	return n
}

func exact(x float64) *big.Rat { return new(big.Rat).SetFloat64(x) }
