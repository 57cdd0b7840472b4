package render

import (
	"math"
	"strconv"
)

// maxTicks is the most ticks of an axis.
const maxTicks = 7

// scale maps the values of one axis to the unit interval.
type scale struct {
	low, high float64
	log       bool
}

// at is where a value lies between low and high.
func (s scale) at(x float64) float64 {
	low, high := s.low, s.high
	if s.log {
		x, low, high = math.Log10(x), math.Log10(low), math.Log10(high)
	}
	if high == low {
		return 0.5
	}
	if math.IsInf(high-low, 0) {
		x, low, high = x/2, low/2, high/2
	}
	return (x - low) / (high - low)
}

// ticks are round values inside the scale, at most maxTicks.
func (s scale) ticks() []float64 {
	if s.log {
		return s.decades()
	}
	return roundTicks(s.low, s.high)
}

// roundTicks are multiples of 1, 2 or 5 times a power of ten.
func roundTicks(low, high float64) []float64 {
	if !(high > low) {
		return []float64{low}
	}
	raw := (high - low) / (maxTicks - 1)
	largest := math.Max(math.Abs(low), math.Abs(high))
	if math.IsInf(raw, 0) || raw < 1e-300 || largest/raw > 1e12 {
		return []float64{low, high} // no round numbers fit between them
	}
	exponent := int(math.Floor(math.Log10(raw)))
	for e := exponent; ; e++ {
		for _, m := range []int{1, 2, 5} {
			first, last := multiple(low, m, e, math.Ceil), multiple(high, m, e, math.Floor)
			if last-first+1 > maxTicks {
				continue
			}
			var list []float64
			for k := first; k <= last; k++ {
				list = append(list, decimal(int64(k)*int64(m), e))
			}
			return list
		}
	}
}

// multiple counts how many steps of m*10^e lie below x, with slack for the
// rounding of the division.
func multiple(x float64, m, e int, round func(float64) float64) float64 {
	steps := x / decimal(int64(m), e)
	if near := math.Round(steps); math.Abs(steps-near) < 1e-9*math.Max(1, math.Abs(near)) {
		return near
	}
	return round(steps)
}

// decimal is n*10^e, correctly rounded, so that a tick prints short.
func decimal(n int64, e int) float64 {
	x, err := strconv.ParseFloat(strconv.FormatInt(n, 10)+"e"+strconv.Itoa(e), 64)
	if err != nil {
		return math.Copysign(math.MaxFloat64, float64(n))
	}
	return x
}

// decades are powers of ten, every one or every few.
func (s scale) decades() []float64 {
	first := int(math.Ceil(math.Log10(s.low) - 1e-9))
	last := int(math.Floor(math.Log10(s.high) + 1e-9))
	if last < first {
		return []float64{s.low, s.high}
	}
	stride := (last-first)/(maxTicks-1) + 1
	var list []float64
	for e := last; e >= first; e -= stride {
		list = append([]float64{decimal(1, e)}, list...)
	}
	return list
}

// tickText prints a tick: "0.25", "2000", "1e-08". A tick is a round number
// unless no round one fits, and then cut to fit the margin.
func tickText(x float64) string {
	format := byte('f')
	if a := math.Abs(x); x != 0 && (a < 1e-4 || a >= 1e7) {
		format = 'g'
	}
	text := strconv.FormatFloat(x, format, -1, 64)
	if len(text) > 9 {
		text = strconv.FormatFloat(x, 'g', 3, 64)
	}
	return text
}
