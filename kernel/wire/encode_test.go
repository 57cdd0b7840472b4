package wire

import (
	"bytes"
	"encoding/json"
	"math"
	"testing"
)

// What is encoded is what package json encodes.
func TestEncoded(t *testing.T) {
	for _, v := range []any{
		nil, "", "plain", "<b a=\"1\">&amp; + \u2028\u2029 \x00\x1b\x7f \xff\xc3( é \U0001f600</b>", 1, -0.5, true, []any{}, []string(nil),
		map[string]any{}, map[string]any(nil), json.RawMessage(nil), json.RawMessage(`{"a":[1,2]}`), map[string]string{"b": "<", "a": ">"},
		map[string]any{"data": map[string]any{"z": json.RawMessage(`[1,"\u003c"]`), "": nil, "text/html": "<pre>\t\n</pre>", "\xff": 1}, "a": []any{map[string]any{"x": "&"}}},
		struct {
			A map[string]any `json:"a,omitempty"`
		}{map[string]any{"k": json.RawMessage(`"<"`)}},
	} {
		got, err := encoded(v)
		if err != nil {
			t.Fatal(err)
		}
		plain, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		var escaped bytes.Buffer
		json.HTMLEscape(&escaped, got)
		if escaped.String() != string(plain) {
			t.Errorf("%q, want %q but for escapes", got, plain)
		}
		if bytes.Contains(plain, []byte(`\u0026`)) && !bytes.Contains(got, []byte("&")) {
			t.Errorf("%q is escaped as HTML", got)
		}
	}
	for _, v := range []any{make(chan int), map[string]any{"a": func() {}}, map[string]any{"a": map[string]any{"b": math.NaN()}}} {
		if b, err := encoded(v); err == nil {
			t.Errorf("%T was encoded as %q", v, b)
		}
	}
}

// A message forwarded from GoNB, or a document, is not copied into another form.
func TestEncodedRaw(t *testing.T) {
	raw := json.RawMessage(`{ "a" : "<" }`)
	if got, err := encoded(map[string]any{"x": raw}); err != nil || string(got) != `{"x":`+string(raw)+`}` {
		t.Errorf("%s, %v", got, err)
	}
}
