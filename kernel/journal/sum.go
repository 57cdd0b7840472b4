package journal

import (
	"hash/crc32"
	"io"
	"os"
	"sync"
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

func checksum(b []byte) uint32 { return crc32.Checksum(b, castagnoli) }

// leastHalved is the size of the smallest file whose halves are summed at the same
// time, in bytes.
const leastHalved = 16 << 20

// fileSum is the checksum of the first bytes of a file.
func fileSum(f *os.File, size int64) (uint32, error) {
	if size < leastHalved {
		return rangeSum(f, 0, size)
	}
	var halves sync.WaitGroup
	var second uint32
	var err2 error
	halves.Go(func() { second, err2 = rangeSum(f, size/2, size) })
	first, err := rangeSum(f, 0, size/2)
	halves.Wait()
	if err == nil {
		err = err2
	}
	return joined(first, second, size-size/2), err
}

// rangeSum is the checksum of a range of a file. It is read rather than mapped: to
// find the mapping's pages takes longer than to copy them.
func rangeSum(f *os.File, from, to int64) (uint32, error) {
	check := crc32.New(castagnoli)
	n, err := io.CopyBuffer(check, io.NewSectionReader(f, from, to-from), make([]byte, 1<<20))
	if err == nil && n < to-from {
		err = io.ErrUnexpectedEOF
	}
	return check.Sum32(), err
}

// joined is the checksum of bytes of which those of two parts are known, and the
// length of the second.
//
// A checksum is a polynomial over GF(2), its first coefficient the highest bit, and
// another byte behind multiplies it by x^8 modulo the checksum's polynomial
// (Williams, "A painless guide to CRC error detection algorithms", 1993). What is
// inverted before and after cancels out.
func joined(first, second uint32, length int64) uint32 {
	const byX8 = 1 << (31 - 8)
	for power := uint32(byX8); length > 0; length >>= 1 {
		if length&1 != 0 {
			first = product(first, power)
		}
		power = product(power, power)
	}
	return first ^ second
}

// product multiplies modulo the checksum's polynomial.
func product(a, b uint32) uint32 {
	var p uint32
	for ; a != 0; a <<= 1 {
		if a>>31 != 0 {
			p ^= b
		}
		b = b>>1 ^ crc32.Castagnoli&-(b&1)
	}
	return p
}
