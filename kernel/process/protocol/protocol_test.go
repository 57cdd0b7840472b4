package protocol_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

func TestRoundTrip(t *testing.T) {
	for _, note := range []protocol.Note{
		{Started: 17},
		{Ended: true},
		{Ended: true, Exit: 3},
		{Ended: true, Exit: -1, Signal: 9},
		{Ended: true, Exit: 1, Text: "./main.go:1:1: \"quoted\"\nnext"},
	} {
		line, err := protocol.Encode(note)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Count(string(line), "\n") != 1 || line[len(line)-1] != '\n' {
			t.Errorf("%+v is not one line: %q", note, line)
		}
		var back protocol.Note
		if err := protocol.Decode(line, &back); err != nil || !reflect.DeepEqual(back, note) {
			t.Errorf("%+v came back as %+v, %v", note, back, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte(`{"step":"run","pid":3}`))
	f.Add([]byte(`{"signal":2}`))
	f.Add([]byte(``))
	f.Add([]byte(`[1`))
	f.Fuzz(func(t *testing.T, line []byte) {
		var hello protocol.Hello
		if err := protocol.Decode(line, &hello); err != nil {
			return
		}
		again, err := protocol.Encode(hello)
		if err != nil {
			t.Fatalf("decoded but not encodable: %v", err)
		}
		var back protocol.Hello
		if err := protocol.Decode(again, &back); err != nil || back != hello {
			t.Fatalf("%+v came back as %+v, %v", hello, back, err)
		}
	})
}
