package elementary

import (
	"encoding/json"
	"math"
	"math/big"
	"os"
	"strconv"
	"strings"
	"testing"
)

// libmTable reads columns of bits by name.
type libmTable map[string]string

func readLibm(t *testing.T) libmTable {
	t.Helper()
	text, err := os.ReadFile("testdata/libm.json")
	if err != nil {
		t.Fatal(err)
	}
	table := libmTable{}
	if err := json.Unmarshal(text, &table); err != nil {
		t.Fatal(err)
	}
	return table
}

func (table libmTable) wide(t *testing.T, name string) []float64 {
	return column(t, table[name], func(bits uint64) float64 { return math.Float64frombits(bits) })
}

func (table libmTable) narrow(t *testing.T, name string) []float32 {
	return column(t, table[name], func(bits uint64) float32 { return math.Float32frombits(uint32(bits)) })
}

func column[T any](t *testing.T, text string, from func(uint64) T) []T {
	t.Helper()
	var values []T
	for _, word := range strings.Fields(text) {
		bits, err := strconv.ParseUint(word, 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		values = append(values, from(bits))
	}
	if len(values) == 0 {
		t.Fatal("an empty column")
	}
	return values
}

// unitsApart counts the steps between a and b, of one sign.
func unitsApart(a, b float64) float64 {
	if same(a, b) {
		return 0
	}
	if math.Signbit(a) != math.Signbit(b) || a != a || b != b {
		return math.Inf(1)
	}
	return math.Abs(float64(int64(math.Float64bits(a) - math.Float64bits(b))))
}

// unitsApart32 counts them in steps of a normal float32.
func unitsApart32(a, b float32) float64 {
	return unitsApart(float64(a), float64(b)) / (1 << 29)
}

// TestLibm compares with another library, which does not round correctly: two
// units over float32, four over float64.
func TestLibm(t *testing.T) {
	table := readLibm(t)
	x32, x64 := table.narrow(t, "x32"), table.wide(t, "x64")
	for _, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			for i, want := range table.narrow(t, f.name+"32") {
				got := f.narrow(x32[i])
				if off := unitsApart32(got, want); !(off <= 2) {
					t.Errorf("%s(%x) = %x, %v units from %x", f.name, x32[i], got, off, want)
				}
			}
			for i, want := range table.wide(t, f.name+"64") {
				got := f.wide(x64[i])
				if off := unitsApart(got, want); !(off <= 4) {
					t.Errorf("%s(%x) = %x, %v units from %x", f.name, x64[i], got, off, want)
				}
			}
			checkLibmInputs(t, f, x32, x64)
		})
	}
}

// checkLibmInputs holds our own answers on the table's inputs to the oracle.
func checkLibmInputs(t *testing.T, f function, x32 []float32, x64 []float64) {
	for _, x := range x32 {
		if v := float64(x); v == 0 || math.IsNaN(v) || math.IsInf(v, 0) || !f.domain(v) {
			continue
		}
		if want, _ := f.oracle(number(float64(x))).Float32(); f.narrow(x) != want {
			t.Errorf("%s(%x) = %x, want %x", f.name, x, f.narrow(x), want)
		}
	}
	for _, x := range x64 {
		if x == 0 || math.IsNaN(x) || math.IsInf(x, 0) || !f.domain(x) {
			continue
		}
		if off := ulps(f.wide(x), f.oracle(number(x))); off > 0.5001 {
			t.Errorf("%s(%x) is %g units off", f.name, x, off)
		}
	}
}

func TestLibmPow(t *testing.T) {
	table := readLibm(t)
	base32, exponent32 := table.narrow(t, "pow_base32"), table.narrow(t, "pow_exp32")
	for i, want := range table.narrow(t, "pow32") {
		got := Pow32(base32[i], exponent32[i])
		if off := unitsApart32(got, want); !(off <= 2) {
			t.Errorf("Pow32(%x, %x) = %x, %v units from %x", base32[i], exponent32[i], got, off, want)
		}
		checkPow32(t, base32[i], exponent32[i])
	}
	base64, exponent64 := table.wide(t, "pow_base64"), table.wide(t, "pow_exp64")
	for i, want := range table.wide(t, "pow64") {
		got := Pow(base64[i], exponent64[i])
		if off := unitsApart(got, want); !(off <= 4) {
			t.Errorf("Pow(%x, %x) = %x, %v units from %x", base64[i], exponent64[i], got, off, want)
		}
		checkPow64(t, base64[i], exponent64[i])
	}
}

// bigSignedPow is base^exponent, or nil where no finite real number that the
// oracle reaches answers.
func bigSignedPow(base, exponent float64) *big.Float {
	if _, special := powSpecial(base, exponent); special {
		return nil
	}
	if math.Abs(exponent*math.Log(math.Abs(base))) > 1e4 {
		return nil
	}
	y := bigPow(math.Abs(base), exponent)
	if math.Signbit(base) && math.Mod(exponent, 2) != 0 {
		y.Neg(y)
	}
	return snapped(y)
}

// snapped is y, or the number of 60 bits that it is but for the oracle's error.
func snapped(y *big.Float) *big.Float {
	short := new(big.Float).SetPrec(60).Set(y)
	if d := minus(y, precise().Set(short)); d.Sign() != 0 && d.MantExp(nil) > y.MantExp(nil)-oraclePrecision {
		return y
	}
	return precise().Set(short)
}

func checkPow32(t *testing.T, base, exponent float32) {
	t.Helper()
	y := bigSignedPow(float64(base), float64(exponent))
	if y == nil {
		return
	}
	if want, _ := y.Float32(); Pow32(base, exponent) != want {
		t.Errorf("Pow32(%x, %x) = %x, want %x", base, exponent, Pow32(base, exponent), want)
	}
}

func checkPow64(t *testing.T, base, exponent float64) {
	t.Helper()
	y := bigSignedPow(base, exponent)
	if y == nil {
		return
	}
	if off := ulps(Pow(base, exponent), y); off > 0.5001 {
		t.Errorf("Pow(%x, %x) = %x is %g units off", base, exponent, Pow(base, exponent), off)
	}
}
