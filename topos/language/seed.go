package language

import "hash/fnv"

// stream is SplitMix64 (Steele, Lea and Flood 2014).
type stream uint64

func (s *stream) next() uint64 {
	*s += 0x9e3779b97f4a7c15
	z := uint64(*s)
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// uniform draws from [-scale, scale). The conversion keeps the product from
// being fused with the difference.
func (s *stream) uniform(scale float64) float64 {
	unit := float64(s.next()>>11) / (1 << 53)
	return float64((float64(unit*2) - 1) * scale)
}

// seededScale bounds the elements of a source that is given without elements.
const seededScale = 0.5

// seedOf is the seed of a source: FNV-1a, 64 bits, of its name.
func seedOf(name string) stream {
	h := fnv.New64a()
	h.Write([]byte(name))
	return stream(h.Sum64())
}
