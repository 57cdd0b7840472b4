package initial

import (
	"math"

	"github.com/topos-notebook/topos/topos/elementary"
)

// stream is SplitMix64 (Steele, Lea and Flood 2014).
type stream uint64

func (s *stream) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// unit draws from [0, 1), a multiple of 2^-53.
func (s *stream) unit() float64 { return float64(s.next()>>11) / (1 << 53) }

// symmetric draws from [-1, 1).
func (s *stream) symmetric() float64 { return float64(s.unit()*2) - 1 }

// gaussian draws from the standard normal distribution, two draws a number: the
// cosine half of Box and Muller (1958).
func (s *stream) gaussian() float64 {
	radius := elementary.Sqrt(float64(-2 * elementary.Ln(1-s.unit())))
	return float64(radius * elementary.Cos(float64(2*math.Pi*s.unit())))
}
