package topos

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// parse reads a decimal number and rounds it once. The nearest float64 decides,
// unless it lies half way between two elements, where the digits do that were
// lost to it.
func (f narrowForm[T]) parse(s string) (T, error) {
	x, err := strconv.ParseFloat(s, 64)
	if err != nil && !(errors.Is(err, strconv.ErrRange) && math.IsInf(x, 0)) {
		return 0, err
	}
	if err == nil && f.halfWay(x) {
		switch compareDecimal(s, x) {
		case -1:
			x = math.Nextafter(x, math.Inf(-1))
		case 1:
			x = math.Nextafter(x, math.Inf(1))
		}
	}
	r := f.round(x)
	if math.IsInf(float64(f.widen(r)), 0) && (err != nil || !math.IsInf(x, 0)) {
		return r, &strconv.NumError{Func: "Parse", Num: s, Err: strconv.ErrRange}
	}
	return r, nil
}

// halfWay says whether a nudge to either side of a number rounds apart.
func (f narrowForm[T]) halfWay(x float64) bool {
	down, up := math.Nextafter(x, math.Inf(-1)), math.Nextafter(x, math.Inf(1))
	return f.round(down) != f.round(up)
}

// compareDecimal compares the decimal number of a text with a number that is
// near: -1, 0 or 1 for less, equal, more. Where the text is no decimal numeral
// (a hexadecimal one, inf, NaN) it answers 0.
func compareDecimal(s string, x float64) int {
	given, exponent, ok := decimalDigits(s)
	if !ok {
		return 0
	}
	// 800 digits spell every float64 out.
	exact, at, _ := decimalDigits(strconv.FormatFloat(x, 'e', 800, 64))
	c := 0
	switch {
	case given == "" && exact == "":
		return 0
	case given == "":
		c = -1
	case exact == "":
		c = 1
	case exponent != at:
		c = 1
		if exponent < at {
			c = -1
		}
	default:
		c = strings.Compare(given, exact)
	}
	if strings.HasPrefix(s, "-") {
		return -c
	}
	return c
}

// decimalDigits are the significant digits of a numeral without zeros at either
// end, and the exponent of ten of the first of them.
func decimalDigits(s string) (digits string, exponent int, ok bool) {
	s = strings.TrimLeft(s, "+-")
	if i := strings.IndexAny(s, "eE"); i >= 0 {
		e, err := strconv.Atoi(s[i+1:])
		if err != nil {
			return "", 0, false
		}
		s, exponent = s[:i], e
	}
	whole, fraction, _ := strings.Cut(s, ".")
	digits = whole + fraction
	if strings.Trim(digits, "0123456789") != "" {
		return "", 0, false
	}
	exponent += len(whole) - 1
	for strings.HasPrefix(digits, "0") {
		digits = digits[1:]
		exponent--
	}
	return strings.TrimRight(digits, "0"), exponent, true
}
