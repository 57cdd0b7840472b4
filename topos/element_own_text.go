package topos

import (
	"encoding/binary"
	"fmt"
	"math"
	mathbits "math/bits"
)

// constant is a float64 as the number has it: a whole number, or the quotient of
// two of which the lower is a power of 2. An infinity or NaN is what the number
// reads of its name.
func (o own[N]) constant(x float64) N {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		text := string(appendNumber(nil, x, 64))
		if y, err := o.parse(text); err == nil {
			return y
		}
		o.refuse("constant", "%s has no %s: a constant of it is a whole number or a fraction", o.name, text)
	}
	fraction, exponent := math.Frexp(x)
	m := int64(fraction * (1 << 53)) // whole
	exponent -= 53
	if m == 0 {
		return o.int(0)
	}
	zeros := mathbits.TrailingZeros64(uint64(m))
	m, exponent = m>>zeros, exponent+zeros
	switch {
	case exponent >= 0 && mathbits.Len64(uint64(max(m, -m)))+exponent < 63:
		return o.int(m << exponent)
	case exponent >= 0:
		return o.int(m).Mul(o.power2(exponent))
	}
	divide, ok := any(o.int(m)).(interface{ Div(N) N })
	if !ok {
		o.refuse("constant", "%s cannot make %v: it is no whole number and the number has no method Div", o.name, shortest(x))
	}
	return divide.Div(o.power2(-exponent))
}

func (own[N]) refuse(op, format string, args ...any) {
	refuseName(ErrElement, op, format, args...)
}

// power2 is 2^n by multiplying whole numbers.
func (o own[N]) power2(n int) N {
	const most = 62
	if n <= most {
		return o.int(1 << n)
	}
	return o.power2(n - most).Mul(o.int(1 << most))
}

// text is how the table prints, reads and encodes numbers.
func (o own[N]) text(k *kernel) {
	k.print = func(b []byte, a any, i int) []byte { return append(b, a.([]N)[i].String()...) }
	k.parse = func(s string) (any, error) {
		x, err := o.parse(s)
		return []N{x}, err
	}
	k.digest = func(b []byte, a any, i int) []byte { return o.appendEncoded(b, a.([]N)[i]) }
	k.same = func(a any, i int, b any, j int) bool {
		return string(o.encoded(a.([]N)[i])) == string(o.encoded(b.([]N)[j]))
	}
	k.encode = func(b []byte, a any) []byte {
		for _, x := range a.([]N) {
			b = o.appendEncoded(b, x)
		}
		return b
	}
	k.decode = func(b []byte, n int) (any, []byte, error) {
		// Each number takes a byte at least, so n cannot ask for more than there is.
		if n > len(b) {
			return nil, nil, errShort
		}
		data := make([]N, n)
		for i := range data {
			size, at := binary.Uvarint(b)
			if at <= 0 || size > uint64(len(b)-at) {
				return nil, nil, errShort
			}
			var err error
			if data[i], err = o.decoded(b[at : at+int(size)]); err != nil {
				return nil, nil, err
			}
			b = b[at+int(size):]
		}
		return data, b, nil
	}
}

func (o own[N]) parse(s string) (N, error) {
	if p, ok := o.zero().(interface{ Parse(string) (N, error) }); ok {
		return p.Parse(s)
	}
	var none N
	return none, fmt.Errorf("%q cannot be read as %s: the number has no method Parse: %w", s, o.name, ErrElement)
}

// encoded is what tells a number from others: its bits, or its text.
func (o own[N]) encoded(x N) []byte {
	if e, ok := any(x).(interface{ Encode() []byte }); ok {
		return e.Encode()
	}
	return []byte(x.String())
}

func (o own[N]) decoded(b []byte) (N, error) {
	if d, ok := o.zero().(interface{ Decode([]byte) (N, error) }); ok {
		return d.Decode(b)
	}
	return o.parse(string(b))
}

func (o own[N]) appendEncoded(b []byte, x N) []byte {
	bytes := o.encoded(x)
	return append(binary.AppendUvarint(b, uint64(len(bytes))), bytes...)
}
