package topos_test

import (
	"bytes"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// What a number prints reads back to the same bits, as text and as a literal's
// digits, whatever the element.
func FuzzNumbers(f *testing.F) {
	for _, bits := range []uint64{0, 1, 0x8000, 0x3f80, 0x7c00, 0x7f80, 0xbea5, 0x3f800000, 0x80000001, 0x7fc00000, 0x3ff0000000000001, 1 << 63} {
		f.Add(bits, "0.1")
	}
	for _, text := range []string{"", "-", "1e400", "NaN", "-inf", "0x1p-3", "1_000", "00000000000000000000.5", "5e-324", "65520", "1.00390625", "340282350000000000000000000000000000000"} {
		f.Add(uint64(0), text)
	}
	f.Fuzz(func(t *testing.T, bits uint64, text string) {
		for _, e := range elements {
			e.fuzzNumber(t, bits, text)
		}
	})
}

func (n number[T]) fuzzNumber(t *testing.T, bits uint64, text string) {
	back := func(what, text string, x T) {
		y, err := n.Parse(text)
		if err != nil || n.unequalLanes(n.Tensor(nil, x), n.Tensor(nil, y)) > 0 {
			t.Errorf("%s: %s %q of %0*x reads back as %v, %v", n.Name(), what, text, n.digits, n.Bits(x), y, err)
		}
	}
	x := n.FromBits(bits)
	back("the print", n.Tensor(nil, x).String(), x)
	if y, err := n.Parse(text); err == nil { // any text: no panic, and what is read prints
		back("the print of a parsed number", n.Tensor(nil, y).String(), y)
	}
}

// Bytes that are no encoding are refused and leave the tape as it was; bytes
// that are one come out again as they went in.
func FuzzDecode(f *testing.F) {
	for seed := range uint64(12) {
		p := newRandomProgram(single, seed)
		p.tape.Differentiate(p.loss, p.values[0])
		f.Add(p.tape.Encode(0))
	}
	f.Add([]byte{})
	f.Add([]byte{0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 128, 63})
	f.Add([]byte{byte(OpLeaf), 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		tape := New(F32)
		tape.Parameter(Shape{2}, 1, 2)
		before, was := tape.Describe(), tape.Encode(0)
		if err := tape.Decode(b); err != nil {
			if tape.Describe() != before || !bytes.Equal(tape.Encode(0), was) {
				t.Errorf("a refused decoding (%v) left\n%s", err, tape.Describe())
			}
			return
		}
		again := New(F32)
		if err := again.Decode(tape.Encode(0)); err != nil || again.Describe() != tape.Describe() {
			t.Errorf("what was decoded is encoded as something else: %v", err)
		}
		if tape.Len() < 200 {
			Must(tape.View().Entry(tape.Value(tape.Len() - 1)).Lower()).Describe()
		}
	})
}
