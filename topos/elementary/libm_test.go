package elementary

import (
	"encoding/json"
	"math"
	"math/big"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// libmTable is another library's answers: columns of bits by name.
type libmTable struct {
	*testing.T
	columns map[string]string
	used    map[string]bool
	rows    int
}

func readLibm(t *testing.T) *libmTable {
	t.Helper()
	folder := "testdata"
	if other := os.Getenv("TOPOS_GOLDEN"); other != "" {
		folder = other
	}
	text, err := os.ReadFile(filepath.Join(folder, "libm.json"))
	if err != nil {
		t.Fatal(err)
	}
	table := &libmTable{t, map[string]string{}, map[string]bool{"about": true}, 0}
	if err := json.Unmarshal(text, &table.columns); err != nil {
		t.Fatal(err)
	}
	return table
}

func (table *libmTable) wide(name string) []float64 {
	return column(table, name, math.Float64frombits)
}

func (table *libmTable) narrow(name string) []float32 {
	return column(table, name, func(bits uint64) float32 { return math.Float32frombits(uint32(bits)) })
}

func column[T any](table *libmTable, name string, from func(uint64) T) []T {
	table.Helper()
	var values []T
	for _, word := range strings.Fields(table.columns[name]) {
		bits, err := strconv.ParseUint(word, 16, 64)
		if err != nil {
			table.Fatal(err)
		}
		values = append(values, from(bits))
	}
	if len(values) == 0 {
		table.Fatalf("no column %s", name)
	}
	table.used[name] = true
	return values
}

// ended prints the count in the words of the golden suites, and complains of
// columns that nothing read.
func (table *libmTable) ended() {
	for name := range table.columns {
		if !table.used[name] {
			table.Errorf("the suite does not know the column %s", name)
		}
	}
	passed := table.rows
	if table.Failed() {
		passed = 0
	}
	table.Logf("golden: libm: %d rows, %d passed", table.rows, passed)
}

// unitsApart counts the numbers from a to b, which have one sign.
func unitsApart(a, b float64) float64 {
	if same(a, b) {
		return 0
	}
	if math.Signbit(a) != math.Signbit(b) || a != a || b != b {
		return math.Inf(1)
	}
	return math.Abs(float64(int64(math.Float64bits(a) - math.Float64bits(b))))
}

func unitsApart32(a, b float32) float64 {
	if same(float64(a), float64(b)) {
		return 0
	}
	if x := int32(math.Float32bits(a) ^ math.Float32bits(b)); x < 0 || a != a || b != b {
		return math.Inf(1)
	}
	return math.Abs(float64(int32(math.Float32bits(a) - math.Float32bits(b))))
}

// TestGoldenLibm compares with another library, which does not round correctly:
// two units over float32, four over float64. What this package answers is held
// to the oracle besides.
func TestGoldenLibm(t *testing.T) {
	table := readLibm(t)
	x32, x64 := table.narrow("x32"), table.wide("x64")
	for _, f := range functions {
		t.Run(f.name, func(t *testing.T) {
			for i, want := range table.narrow(f.name + "32") {
				table.rows++
				if got := f.narrow(x32[i]); !(unitsApart32(got, want) <= 2) {
					t.Errorf("%s(%x) = %x, %v units from %x", f.name, x32[i], got, unitsApart32(got, want), want)
				}
			}
			for i, want := range table.wide(f.name + "64") {
				table.rows++
				if got := f.wide(x64[i]); !(unitsApart(got, want) <= 4) {
					t.Errorf("%s(%x) = %x, %v units from %x", f.name, x64[i], got, unitsApart(got, want), want)
				}
			}
			checkLibmInputs(t, f, x32, x64)
		})
	}
	t.Run("powf", table.powers)
	table.ended()
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
		if off := ulps(f.wide(x), f.oracle(number(x))); off > 0.51 {
			t.Errorf("%s(%x) is %g units off", f.name, x, off)
		}
	}
}

func (table *libmTable) powers(t *testing.T) {
	base32, exponent32 := table.narrow("pow_base32"), table.narrow("pow_exp32")
	for i, want := range table.narrow("pow32") {
		table.rows++
		if got := Pow32(base32[i], exponent32[i]); !(unitsApart32(got, want) <= 2) {
			t.Errorf("Pow32(%x, %x) = %x, %v units from %x", base32[i], exponent32[i], got, unitsApart32(got, want), want)
		}
		checkPow32(t, base32[i], exponent32[i])
	}
	base64, exponent64 := table.wide("pow_base64"), table.wide("pow_exp64")
	for i, want := range table.wide("pow64") {
		table.rows++
		if got := Pow(base64[i], exponent64[i]); !(unitsApart(got, want) <= 4) {
			t.Errorf("Pow(%x, %x) = %x, %v units from %x", base64[i], exponent64[i], got, unitsApart(got, want), want)
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
	if off := ulps(Pow(base, exponent), y); off > 0.51 {
		t.Errorf("Pow(%x, %x) = %x is %g units off", base, exponent, Pow(base, exponent), off)
	}
}
