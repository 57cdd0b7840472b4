package initial

import (
	"math"

	"github.com/topos-notebook/topos/topos"
)

// drawer is a scheme: it gives the numbers of a payload, or refuses its shape.
type drawer func(shape topos.Shape) []float64

// drawn closes a scheme over an element.
func drawn[T any](e topos.Element[T], d drawer) func(topos.Shape) *topos.Tensor[T] {
	return func(shape topos.Shape) *topos.Tensor[T] { return e.Rounded(shape, d(shape)) }
}

// filling draws every number of a payload alike.
func filling(name string, draw func() float64) drawer {
	return func(shape topos.Shape) []float64 { return fill(name, shape, draw) }
}

func fill(name string, shape topos.Shape, draw func() float64) []float64 {
	numbers := make([]float64, volume(name, shape))
	for i := range numbers {
		numbers[i] = draw()
	}
	return numbers
}

// volume is the number of elements of a shape that a tensor may have. The check
// comes before the first draw, so that a refusal leaves the stream as it was.
func volume(name string, shape topos.Shape) int {
	n := 1
	for _, extent := range shape {
		if extent < 1 || extent > topos.MaxVolume/n {
			topos.Refuse(name, []topos.Shape{shape}, "%s cannot draw %v: extents are at least 1, and a tensor holds at most %d elements", name, shape, topos.MaxVolume)
		}
		n *= extent
	}
	return n
}

// Uniform draws from [-scale, scale). It panics with a [*topos.Refusal] for a
// scale that is not finite.
func Uniform[T any](e topos.Element[T], seed uint64, scale float64) func(topos.Shape) *topos.Tensor[T] {
	return drawn(e, uniform(seed, scale))
}

func uniform(seed uint64, scale float64) drawer {
	finite("uniform", "scale", scale)
	s := stream(seed)
	return filling("uniform", func() float64 { return float64(s.symmetric() * scale) })
}

// Normal draws from the normal distribution of mean 0 and a standard deviation.
// It panics with a [*topos.Refusal] for one that is not finite.
func Normal[T any](e topos.Element[T], seed uint64, deviation float64) func(topos.Shape) *topos.Tensor[T] {
	return drawn(e, normal(seed, deviation))
}

func normal(seed uint64, deviation float64) drawer {
	finite("normal", "deviation", deviation)
	s := stream(seed)
	return filling("normal", func() float64 { return float64(s.gaussian() * deviation) })
}

func finite(name, what string, x float64) {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		topos.Refuse(name, nil, "%s cannot draw with a %s of %v: it must be finite", name, what, x)
	}
}

// Xavier draws weights [inputs, outputs] from [-b, b) with b = sqrt(6 / (inputs +
// outputs)) (Glorot and Bengio 2010). Rank 1, a bias, is zeros and draws nothing.
// The closure panics with a [*topos.Refusal] for any other rank.
func Xavier[T any](e topos.Element[T], seed uint64) func(topos.Shape) *topos.Tensor[T] {
	return drawn(e, xavier(seed))
}

func xavier(seed uint64) drawer {
	s := stream(seed)
	return weights("xavier", 2, 2, func(shape topos.Shape) func() float64 {
		bound := math.Sqrt(6 / float64(shape[0]+shape[1]))
		return func() float64 { return float64(s.symmetric() * bound) }
	})
}

// Kaiming draws weights [inputs, outputs] from the normal distribution of
// standard deviation sqrt(2 / inputs) (He and others 2015), which suits Relu.
// Rank 1, a bias, is zeros and draws nothing. The closure panics with a
// [*topos.Refusal] for any other rank.
func Kaiming[T any](e topos.Element[T], seed uint64) func(topos.Shape) *topos.Tensor[T] {
	return drawn(e, kaiming(seed))
}

func kaiming(seed uint64) drawer {
	s := stream(seed)
	return weights("kaiming", 2, 2, func(shape topos.Shape) func() float64 {
		deviation := math.Sqrt(2 / float64(shape[0]))
		return func() float64 { return float64(s.gaussian() * deviation) }
	})
}

// Scaled draws weights [inputs, ...] from the normal distribution of standard
// deviation gain / sqrt(inputs), the gain being that of the activation after
// them. Rank 1, a bias, is zeros and draws nothing. It panics with a
// [*topos.Refusal] for a gain that is not finite, and the closure does for rank
// 0.
func Scaled[T any](e topos.Element[T], seed uint64, gain float64) func(topos.Shape) *topos.Tensor[T] {
	return drawn(e, scaled(seed, gain))
}

func scaled(seed uint64, gain float64) drawer {
	finite("scaled", "gain", gain)
	s := stream(seed)
	return weights("scaled", 2, topos.MaxRank, func(shape topos.Shape) func() float64 {
		deviation := gain / math.Sqrt(float64(shape[0]))
		return func() float64 { return float64(s.gaussian() * deviation) }
	})
}

// weights draws payloads of some ranks by a scheme that reads their shape, and
// biases, of rank 1, as zeros without a draw.
func weights(name string, least, most int, of func(shape topos.Shape) func() float64) drawer {
	return func(shape topos.Shape) []float64 {
		n := volume(name, shape)
		switch rank := shape.Rank(); {
		case rank == 1:
			return make([]float64, n)
		case rank < least || rank > most:
			topos.Refuse(name, []topos.Shape{shape}, "%s cannot draw %v: it draws weights [inputs, outputs] and biases [outputs]", name, shape)
		}
		return fill(name, shape, of(shape))
	}
}

// Dropout draws masks: each element is 1/keep with probability keep, else 0, so
// that a masked value keeps its mean (Srivastava and others 2014). It panics with
// a [*topos.Refusal] unless keep is above 0 and at most 1.
func Dropout[T any](e topos.Element[T], seed uint64, keep float64) func(topos.Shape) *topos.Tensor[T] {
	return drawn(e, dropout(seed, keep))
}

func dropout(seed uint64, keep float64) drawer {
	if !(keep > 0 && keep <= 1) {
		topos.Refuse("dropout", nil, "dropout cannot keep with probability %v: it must be above 0 and at most 1", keep)
	}
	s := stream(seed)
	return filling("dropout", func() float64 {
		if s.unit() < keep {
			return 1 / keep
		}
		return 0
	})
}

// Zeros answers zeros and draws nothing.
func Zeros[T any](e topos.Element[T]) func(topos.Shape) *topos.Tensor[T] {
	return func(shape topos.Shape) *topos.Tensor[T] { return e.Tensor(shape, e.FromFloat64(0)) }
}
