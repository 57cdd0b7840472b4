package language

import "hash/fnv"

// seededScale bounds the elements of a source that is given without elements.
const seededScale = 0.5

// seedOf is the seed of a source: FNV-1a, 64 bits, of its name.
func seedOf(name string) uint64 {
	h := fnv.New64a()
	h.Write([]byte(name))
	return h.Sum64()
}
