package wire

import (
	"bytes"
	"errors"
	"testing"
)

var testKey = []byte("a key")

// frames returns the frames of a valid message for tests to spoil.
func frames() [][]byte {
	m := New("session", "execute_request", nil, map[string]string{"code": "x"})
	m.Identities = [][]byte{[]byte("peer")}
	m.Buffers = [][]byte{{1, 2, 3}}
	return m.Encode(testKey)
}

func TestEncodeDecode(t *testing.T) {
	m, err := Decode(testKey, frames())
	if err != nil {
		t.Fatal(err)
	}
	if m.Header.MsgType != "execute_request" || m.Header.Session != "session" || string(m.Content) != `{"code":"x"}` ||
		string(m.Identities[0]) != "peer" || !bytes.Equal(m.Buffers[0], []byte{1, 2, 3}) {
		t.Errorf("got %+v", m)
	}
	reply := New("other", "execute_reply", m, nil)
	if reply.ParentID() != m.Header.MsgID {
		t.Errorf("parent %q, want %q", reply.ParentID(), m.Header.MsgID)
	}
	if reply.Header.MsgID == m.Header.MsgID {
		t.Error("a reply has an id of its own")
	}
}

func TestParentIsKeptWhole(t *testing.T) {
	m := New("s", "x_request", nil, nil)
	m.RawHeader = []byte(`{"msg_id":"1","msg_type":"x_request","extra":[1]}`)
	if got := string(New("s", "x_reply", m, nil).Parent); got != string(m.RawHeader) {
		t.Errorf("parent %s", got)
	}
}

// What an answer does not need may be of any kind: it goes back as it came.
func TestDecodeTakesOddHeaders(t *testing.T) {
	for _, rest := range []string{`"session":1`, `"date":5,"version":null`, `"username":["a"]`, `"session":{"a":1},"subshell_id":"x"`} {
		f := frames()
		f[3] = []byte(`{"msg_id":"x","msg_type":"y",` + rest + `}`)
		f[2] = Sign(testKey, f[3:7]...)
		m, err := Decode(testKey, f)
		if err != nil || m.Header.MsgID != "x" || m.Header.MsgType != "y" || string(m.RawHeader) != string(f[3]) {
			t.Errorf("%s: got %+v, %v", rest, m, err)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	sign := func(f [][]byte) [][]byte { // f[0] is the identity, f[1] the delimiter, f[2] the signature
		f[2] = Sign(testKey, f[3:7]...)
		return f
	}
	for _, c := range []struct {
		name  string
		spoil func(f [][]byte) [][]byte
		want  error
	}{
		{"no frames", func([][]byte) [][]byte { return nil }, ErrDelimiter},
		{"no delimiter", func(f [][]byte) [][]byte { return append(f[:1], f[2:]...) }, ErrDelimiter},
		{"cut after the delimiter", func(f [][]byte) [][]byte { return f[:2] }, ErrShort},
		{"cut in the parts", func(f [][]byte) [][]byte { return f[:6] }, ErrShort},
		{"another key's signature", func(f [][]byte) [][]byte { f[2] = Sign([]byte("other"), f[3:7]...); return f }, ErrSignature},
		{"no signature", func(f [][]byte) [][]byte { f[2] = nil; return f }, ErrSignature},
		{"content changed", func(f [][]byte) [][]byte { f[6] = []byte("{}"); return f }, ErrSignature},
		{"header is cut", func(f [][]byte) [][]byte { f[3] = []byte("{"); return sign(f) }, ErrHeader},
		{"header is a list", func(f [][]byte) [][]byte { f[3] = []byte("[]"); return sign(f) }, ErrHeader},
		{"header without id", func(f [][]byte) [][]byte { f[3] = []byte(`{"msg_type":"x"}`); return sign(f) }, ErrHeader},
		{"header without type", func(f [][]byte) [][]byte { f[3] = []byte(`{"msg_id":"x"}`); return sign(f) }, ErrHeader},
		{"id is a number", func(f [][]byte) [][]byte { f[3] = []byte(`{"msg_id":1,"msg_type":"x"}`); return sign(f) }, ErrHeader},
		{"content is no JSON", func(f [][]byte) [][]byte { f[6] = []byte("{"); return sign(f) }, ErrHeader},
		{"metadata is no JSON", func(f [][]byte) [][]byte { f[5] = []byte("nan"); return sign(f) }, ErrHeader},
	} {
		t.Run(c.name, func(t *testing.T) {
			if m, err := Decode(testKey, c.spoil(frames())); !errors.Is(err, c.want) {
				t.Errorf("got %v, %v, want %v", m, err, c.want)
			}
		})
	}
}

func TestUnsignedWhenThereIsNoKey(t *testing.T) {
	m := New("s", "x_request", nil, nil)
	f := m.Encode(nil)
	if len(f[1]) != 0 {
		t.Errorf("signature %q, want none", f[1])
	}
	if _, err := Decode(nil, f); err != nil {
		t.Error(err)
	}
}

func FuzzDecode(f *testing.F) {
	whole := frames()
	f.Add(bytes.Join(whole, []byte{0}), true)
	f.Add(bytes.Join(whole[1:], []byte{0}), true)
	f.Add([]byte("<IDS|MSG>"), false)
	f.Add([]byte("<IDS|MSG>\x00\x00{\"msg_id\":\"1\",\"msg_type\":\"execute_request\"}\x00{}\x00{}\x00{\"code\":123}"), false)
	f.Add([]byte("<IDS|MSG>\x00\x00{\"msg_id\":\"1\",\"msg_type\":\"complete_request\"}\x00{}\x00{}\x00{\"code\":\"\xf0\",\"cursor_pos\":-5}"), false)
	f.Fuzz(func(t *testing.T, data []byte, signed bool) {
		var key []byte
		if signed {
			key = testKey
		}
		m, err := Decode(key, bytes.Split(data, []byte{0}))
		if err != nil {
			return
		}
		// What was accepted can be read as any request, and sent again.
		if r, err := m.Complete(); err == nil && (r.Cursor < 0 || r.Cursor > len([]rune(r.Code))) {
			t.Errorf("cursor %d of %q", r.Cursor, r.Code)
		}
		if r, err := m.Inspect(); err == nil && (r.Cursor < 0 || r.Cursor > len([]rune(r.Code))) {
			t.Errorf("cursor %d of %q", r.Cursor, r.Code)
		}
		m.Execute()
		m.IsComplete()
		m.History()
		m.Shutdown()
		m.Input()
		m.CommInfo()
		m.Comm()
		m.ParentID()
		if again, err := Decode(key, m.Encode(key)); err != nil || again.Header != m.Header {
			t.Errorf("encoded and decoded: %v, %v", again, err)
		}
	})
}
