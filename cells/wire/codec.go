package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
)

// ErrMalformed: the bytes are no message of this package.
var ErrMalformed = errors.New("malformed message")

// encoder appends values. Integers are varints, strings and lists carry their
// length first.
type encoder struct{ b []byte }

func (e *encoder) uint(x uint64)   { e.b = binary.AppendUvarint(e.b, x) }
func (e *encoder) int(x int)       { e.b = binary.AppendVarint(e.b, int64(x)) }
func (e *encoder) float(x float64) { e.b = binary.LittleEndian.AppendUint64(e.b, math.Float64bits(x)) }

func (e *encoder) bool(x bool) {
	if x {
		e.b = append(e.b, 1)
	} else {
		e.b = append(e.b, 0)
	}
}

func (e *encoder) string(s string) {
	e.uint(uint64(len(s)))
	e.b = append(e.b, s...)
}

func (e *encoder) bytes(b []byte) {
	e.uint(uint64(len(b)))
	e.b = append(e.b, b...)
}

func (e *encoder) ints(xs []int) {
	e.uint(uint64(len(xs)))
	for _, x := range xs {
		e.int(x)
	}
}

// list appends the length of a list, then each element by f.
func list[E any](e *encoder, xs []E, f func(*E)) {
	e.uint(uint64(len(xs)))
	for i := range xs {
		f(&xs[i])
	}
}

// decoder takes values off a slice and remembers the first fault.
type decoder struct {
	b   []byte
	err error
}

func (d *decoder) fail(what string) {
	if d.err == nil {
		d.err = fmt.Errorf("%w: %s", ErrMalformed, what)
	}
	d.b = nil
}

func (d *decoder) uint() uint64 {
	x, n := binary.Uvarint(d.b)
	if n <= 0 {
		d.fail("a number ends early")
		return 0
	}
	d.b = d.b[n:]
	return x
}

func (d *decoder) int() int {
	x, n := binary.Varint(d.b)
	if n <= 0 || int64(int(x)) != x {
		d.fail("a number ends early or is too large")
		return 0
	}
	d.b = d.b[n:]
	return int(x)
}

// index is a number from 0 up that fits an int32 position.
func (d *decoder) index() int {
	x := d.uint()
	if x > math.MaxInt32 {
		d.fail("a position is too large")
		return 0
	}
	return int(x)
}

func (d *decoder) float() float64 {
	if len(d.b) < 8 {
		d.fail("a number ends early")
		return 0
	}
	x := math.Float64frombits(binary.LittleEndian.Uint64(d.b))
	d.b = d.b[8:]
	return x
}

func (d *decoder) bool() bool {
	if len(d.b) == 0 || d.b[0] > 1 {
		d.fail("a truth value is missing")
		return false
	}
	x := d.b[0] == 1
	d.b = d.b[1:]
	return x
}

// bytes is a part of what is decoded, not a copy.
func (d *decoder) bytes() []byte {
	n := d.uint()
	if n > uint64(len(d.b)) {
		d.fail("a text ends early")
		return nil
	}
	x := d.b[:n:n]
	d.b = d.b[n:]
	return x
}

func (d *decoder) string() string { return string(d.bytes()) }

func (d *decoder) ints() []int {
	var xs []int
	for range d.count() {
		if d.err != nil {
			return nil
		}
		xs = append(xs, d.int())
	}
	return xs
}

// count is the length of a list. Each element takes at least a byte, so that a
// short message cannot ask for much memory.
func (d *decoder) count() int {
	n := d.uint()
	if n > uint64(len(d.b)) {
		d.fail("a list ends early")
		return 0
	}
	return int(n)
}

func readList[E any](d *decoder, f func(*E)) []E {
	var xs []E
	for range d.count() {
		if d.err != nil {
			return nil
		}
		var x E
		f(&x)
		xs = append(xs, x)
	}
	return xs
}

// end gives the fault, and one more: bytes that are left over.
func (d *decoder) end() error {
	if d.err == nil && len(d.b) > 0 {
		d.fail("bytes are left over")
	}
	return d.err
}
