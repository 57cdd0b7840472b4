package topos_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
	"unsafe"

	. "github.com/topos-notebook/topos/topos"
)

// shelf is an Aside in memory: it keeps payloads of more than some bytes.
type shelf struct {
	above int
	bits  map[uint64][]byte
	got   int
}

func (s *shelf) Put(p *Payload) (uint64, bool) {
	if p.Uniform() || p.Bytes() <= s.above {
		return 0, false
	}
	var b bytes.Buffer
	if n, err := p.WriteTo(&b); err != nil || n != int64(b.Len()) {
		panic(fmt.Sprint(n, err))
	}
	if s.bits == nil {
		s.bits = map[uint64][]byte{}
	}
	name := uint64(1)<<40 + uint64(len(s.bits))
	s.bits[name] = b.Bytes()
	return name, true
}

func (s *shelf) Get(name uint64, lay func([]byte) (*Payload, error)) (*Payload, error) {
	s.got++
	b, ok := s.bits[name]
	if !ok {
		return nil, fmt.Errorf("there is no payload %d", name)
	}
	return lay(b)
}

type shelving struct {
	shelf
	entries []byte
}

func (s *shelving) Recorded(entry []byte) { s.entries = append(s.entries, entry...) }

func TestPayloadsAside(t *testing.T) {
	t.Run("f32", func(t *testing.T) { payloadsAside(t, F32) })
	t.Run("f64", func(t *testing.T) { payloadsAside(t, F64) })
	t.Run("bf16", func(t *testing.T) { payloadsAside(t, BF16) })
	t.Run("its own", func(t *testing.T) { payloadsAside(t, ratios) })
}

func payloadsAside[T any](t *testing.T, e Element[T]) {
	tape := New(e)
	one := func(x float64) T { return e.FromFloat64(x) }
	s := &shelving{shelf: shelf{above: 16}}
	tape.RecordTo(s)
	big := e.Rounded(Shape{3, 4}, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12})
	a := tape.ParameterOf(big)
	tape.Leaf(Shape{2}, one(1), one(2))
	tape.Input(Shape{5, 5}, one(3))
	a.Add(a)
	aside := 1
	if e.Width() == 0 {
		aside = 0
	}
	if len(s.bits) != aside || !bytes.Equal(s.entries, tape.EncodeWith(&shelf{above: 16}, 0, tape.Len())) {
		t.Fatalf("%d payloads lie aside, want %d, or entries differ", len(s.bits), aside)
	}
	again := New(e)
	if err := again.DecodeWith(&s.shelf, s.entries); err != nil {
		t.Fatal(err)
	}
	same(t, "decoded", fmt.Sprintf("%x", again.Encode(0)), fmt.Sprintf("%x", tape.Encode(0)))
	if err := New(e).Decode(s.entries); aside == 1 && (!errors.Is(err, ErrEncoding) || !strings.Contains(err.Error(), "its payload lies elsewhere, as number 1099511627776")) {
		t.Errorf("decoded without what lies aside: %v", err)
	}
	var listed []string
	for p := range again.Payloads {
		listed = append(listed, TensorOf(e, p).String())
	}
	if got, want := strings.Join(listed, " "), fmt.Sprint(big, e.Tensor(Shape{2}, one(1), one(2)), e.Tensor(Shape{5, 5}, one(3))); strings.ReplaceAll(got, " ", "") != strings.ReplaceAll(want, " ", "") {
		t.Errorf("its payloads are %s, want %s", got, want)
	}
	// A payload by itself.
	b := tape.EncodePayload(&s.shelf, PayloadOf(big))
	p, err := again.DecodePayload(&s.shelf, b)
	if err != nil || !TensorOf(e, p).Equal(big) {
		t.Errorf("a payload comes back as %v, %v", p, err)
	}
	for cut := range b {
		if _, err := again.DecodePayload(&s.shelf, b[:cut]); !errors.Is(err, ErrEncoding) {
			t.Errorf("a payload cut at %d: %v", cut, err)
		}
	}
}

// What lies aside is checked as everything decoded is.
func TestPayloadsAsideRefused(t *testing.T) {
	tape := New(F32)
	s := &shelf{}
	b := tape.EncodePayload(s, PayloadOf(F32.Tensor(Shape{2}, 1, 2)))
	for name, bits := range map[string][]byte{"short": {0, 0, 0, 0}, "none": {}, "long": make([]byte, 12)} {
		if _, err := tape.DecodePayload(&shelf{bits: map[uint64][]byte{1 << 40: bits}}, b); !errors.Is(err, ErrEncoding) {
			t.Errorf("%s memory: %v", name, err)
		}
	}
	if _, err := tape.DecodePayload(&shelf{}, b); !errors.Is(err, ErrEncoding) || !strings.Contains(err.Error(), "there is no payload") {
		t.Errorf("a name of nothing: %v", err)
	}
	for _, other := range []*Payload{PayloadOf(F32.Tensor(Shape{1, 2}, 1, 2)), PayloadOf(F64.Tensor(Shape{2}, 1, 2))} {
		if _, err := tape.DecodePayload(holder{other}, b); !errors.Is(err, ErrEncoding) {
			t.Errorf("another payload under the name: %v", err)
		}
	}
	if r := Refused(func() { TensorOf(F64, PayloadOf(F32.Tensor(nil, 1))) }); !errors.Is(r, ErrElement) {
		t.Errorf("a payload taken for another element: %v", r)
	}
	if r := Refused(func() { New(F64).EncodePayload(nil, PayloadOf(F32.Tensor(nil, 1))) }); !errors.Is(r, ErrElement) {
		t.Errorf("a payload encoded by another element: %v", r)
	}
}

type holder struct{ p *Payload }

func (h holder) Put(*Payload) (uint64, bool)                                  { return 0, false }
func (h holder) Get(uint64, func([]byte) (*Payload, error)) (*Payload, error) { return h.p, nil }

// A tensor laid over memory is that memory where it is aligned, and a copy
// elsewhere; its values are the same.
func TestLaidOverMemory(t *testing.T) {
	want := F64.Tensor(Shape{2}, math.Pi, math.Inf(-1))
	bits := want.Encode()
	memory := make([]byte, 24)
	for shift := range 8 {
		copy(memory[shift:], bits)
		s := &shelf{bits: map[uint64][]byte{7: memory[shift:][:16]}}
		p, err := New(F64).DecodePayload(s, []byte{1, 2, 0, 7})
		if err != nil || !TensorOf(F64, p).Equal(want) {
			t.Fatalf("at byte %d: %v, %v", shift, p, err)
		}
		memory[shift] ^= 1
		if changed, aligned := !TensorOf(F64, p).Equal(want), uintptr(unsafe.Pointer(&memory[shift]))%8 == 0 && binary.NativeEndian.Uint16([]byte{1, 0}) == 1; changed != aligned {
			t.Errorf("at byte %d: a change of the memory shows: %v", shift, changed)
		}
	}
	if data := want.Data(); &data[0] == &want.Data()[0] {
		t.Error("Data answers the tensor's own memory")
	}
}
