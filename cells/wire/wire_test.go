package wire_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"reflect"
	"testing"
	"testing/iotest"

	"github.com/topos-notebook/topos/cells/wire"
	"github.com/topos-notebook/topos/topos"
)

// reading is a reading with every field set.
func reading() *topos.Reading {
	rule := 1.5
	return &topos.Reading{
		Kind: topos.ScheduleReading, Element: "f32", Subject: "loss", Text: "text\nβ\n",
		Rows:  []topos.Row{{Index: 3, Opcode: "Tanh", Operands: []int{2}, Attributes: "axis=0", Shape: []int{1, 2}, Liveness: "kept", Name: "h", Origin: "segment 1", Derived: true}, {Shape: []int{}}},
		Marks: []topos.Mark{{Before: 2, Text: "below"}}, Tail: []string{"tape: 4 nodes"}, Nodes: 4,
		Counts: topos.Counts{Parameters: 1, Inputs: 2}, Sealed: true,
		Plan: &topos.PlanReading{Evaluated: 1, Of: 2, Readable: []int{3}, Skipped: []int{4}, Schedule: []int{5, 6}, Live: []int{7},
			Peak: 8, PeakNode: 9, RetainAll: 10, Backward: true, Exact: true,
			Patterns: []topos.PatternReading{{Kind: "WindowProduct", Root: 9, Nodes: []int{3, 9}, Attributes: "axis=2", Fused: true}}},
		Adjoints: []topos.AdjointReading{{Target: 5, Wrt: 0, Gradient: 28, Name: "w", Shape: []int{2, 2}}, {Target: 5, Wrt: 1, Gradient: 29, Shape: []int{}}},
		Payloads: []topos.PayloadReading{{Label: "loss", Node: -1, Shape: []int{2}, Text: "[1, 2]", Digest: "ab", Count: 2,
			NonFinite: 1, Min: "1", Max: "2", Norm: "3", Cells: []string{"1", "2"}, Samples: []float64{1, 2.5}}},
		Plot: &topos.Plot{Title: "loss", XLabel: "step", YLabel: "y", Step: true, Log: true, Values: []float64{1, 0.5}, Rule: &rule},
	}
}

func messages() []wire.Message {
	return []wire.Message{
		&wire.Hello{Version: wire.Version, Element: "f32"},
		&wire.Welcome{Lease: 1 << 60, Snapshot: "snapshot", Ledger: "ledger"},
		&wire.Show{Lease: 7, Readings: []*topos.Reading{reading(), {Kind: topos.TextReading, Text: "x"}}},
		&wire.Keep{Lease: 7, File: "keep"},
		&wire.Done{},
		&wire.Refused{Reason: "the cell has ended"},
	}
}

func TestMessagesRoundTrip(t *testing.T) {
	var b bytes.Buffer
	for _, m := range messages() {
		if err := wire.Send(&b, m); err != nil {
			t.Fatal(err)
		}
	}
	r := iotest.OneByteReader(&b)
	for _, want := range messages() {
		got, err := wire.Receive(r)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("got %+v\nwant %+v", got, want)
		}
	}
	if _, err := wire.Receive(r); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// TestReadingFieldsAreAllSent fails when a field is added to the readings and
// not to the encoding: the fixture above must set it, and the encoding carry it.
func TestReadingFieldsAreAllSent(t *testing.T) {
	var unset func(v reflect.Value, path string)
	unset = func(v reflect.Value, path string) {
		switch {
		case v.Kind() == reflect.Pointer && !v.IsNil():
			unset(v.Elem(), path)
		case v.Kind() == reflect.Slice && v.Len() > 0:
			unset(v.Index(0), path+"[0]")
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				unset(v.Field(i), path+"."+v.Type().Field(i).Name)
			}
		case v.IsZero() && path != "Reading.Adjoints[0].Wrt":
			t.Errorf("%s is not set in the fixture", path)
		}
	}
	unset(reflect.ValueOf(reading()), "Reading")
}

func TestHelloOfAnotherVersion(t *testing.T) {
	var b bytes.Buffer
	if err := wire.Send(&b, &wire.Hello{Version: 99, Element: "of a later form"}); err != nil {
		t.Fatal(err)
	}
	m, err := wire.Receive(&b)
	if hello, ok := m.(*wire.Hello); err != nil || !ok || hello.Version != 99 {
		t.Errorf("%+v, %v; want the version to be readable", m, err)
	}
}

func TestMalformedFrames(t *testing.T) {
	frame := func(body ...byte) []byte {
		return append(binary.LittleEndian.AppendUint32(nil, uint32(len(body))), body...)
	}
	tests := []struct {
		name  string
		bytes []byte
		want  error
	}{
		{"cut length", []byte{1, 0}, io.ErrUnexpectedEOF},
		{"cut body", frame(5)[:4], io.ErrUnexpectedEOF},
		{"announced 128 MB", []byte{0, 0, 0, 0x08, 5}, io.ErrUnexpectedEOF},
		{"announced 512 MB", []byte{0, 0, 0, 0x20, 5}, wire.ErrMalformed},
		{"announced too much", []byte{0, 0, 0, 0xff}, wire.ErrMalformed},
		{"empty", frame(), wire.ErrMalformed},
		{"unknown kind", frame(99), wire.ErrMalformed},
		{"left over", frame(5, 1), wire.ErrMalformed},
		{"cut text", frame(6, 9, 'x'), wire.ErrMalformed},
		{"long list", frame(3, 1, 0xff, 0xff, 0x03), wire.ErrMalformed},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if m, err := wire.Receive(bytes.NewReader(test.bytes)); !errors.Is(err, test.want) {
				t.Errorf("%+v, %v; want %v", m, err, test.want)
			}
		})
	}
}

func snapshot() *wire.Snapshot {
	tape := topos.New(topos.F32)
	w := tape.Parameter(topos.Shape{2, 2}, 1, 2, 3, 4)
	w.Tanh().Sum()
	return &wire.Snapshot{
		Element: "f32", Segment: 3, Structure: tape.Encode(0),
		Names: []wire.Name{{Name: "w", Node: 0}, {Name: "loss", Node: 2}},
		Table: wire.Table{Slots: []int{0}, Payloads: [][]byte{tape.EncodePayload(nil, topos.PayloadOf(topos.F32.Tensor(topos.Shape{2, 2}, 5)))}},
		Kept:  []wire.Named{{Name: "w", Payload: []byte{1}}},
	}
}

func TestSnapshotRoundTrip(t *testing.T) {
	want := snapshot()
	got, err := wire.DecodeSnapshot(want.Encode())
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	table, err := wire.DecodeTable(want.Table.Encode())
	if err != nil || !reflect.DeepEqual(*table, want.Table) {
		t.Errorf("table %+v, %v", table, err)
	}
}

func TestSnapshotRefused(t *testing.T) {
	good := snapshot().Encode()
	newer := bytes.Clone(good)
	newer[8] = 9
	disordered := wire.Table{Slots: []int{1, 1}, Payloads: [][]byte{nil, nil}}
	for name, b := range map[string][]byte{
		"empty": nil, "foreign": []byte("something else"), "newer": newer, "cut": good[:len(good)-1], "longer": append(bytes.Clone(good), 0),
	} {
		if _, err := wire.DecodeSnapshot(b); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := wire.DecodeTable(disordered.Encode()); !errors.Is(err, wire.ErrMalformed) {
		t.Errorf("a slot twice: %v", err)
	}
}

func FuzzReceive(f *testing.F) {
	for _, m := range messages() {
		var b bytes.Buffer
		wire.Send(&b, m)
		f.Add(b.Bytes())
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		m, err := wire.Receive(bytes.NewReader(b))
		if hello, ok := m.(*wire.Hello); err != nil || ok && hello.Version != wire.Version {
			return
		}
		var again bytes.Buffer
		if err := wire.Send(&again, m); err != nil {
			t.Fatal(err)
		}
		sent := bytes.Clone(again.Bytes())
		back, err := wire.Receive(&again)
		if err != nil {
			t.Fatalf("%+v cannot be read back: %v", m, err)
		}
		again.Reset()
		if wire.Send(&again, back); !bytes.Equal(again.Bytes(), sent) {
			t.Errorf("%+v came back as %+v", m, back)
		}
	})
}

func FuzzFiles(f *testing.F) {
	s := snapshot()
	f.Add(s.Encode())
	f.Add(s.Table.Encode())
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := wire.DecodeSnapshot(b); err == nil {
			if again, err := wire.DecodeSnapshot(s.Encode()); err != nil || !reflect.DeepEqual(again, s) {
				t.Errorf("%+v came back as %+v, %v", s, again, err)
			}
		}
		if s, err := wire.DecodeTable(b); err == nil {
			if again, err := wire.DecodeTable(s.Encode()); err != nil || !reflect.DeepEqual(again, s) {
				t.Errorf("%+v came back as %+v, %v", s, again, err)
			}
		}
	})
}
