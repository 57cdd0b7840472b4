package server

import (
	"context"
	"testing"

	"github.com/go-zeromq/zmq4"

	"github.com/topos-notebook/topos/kernel/wire"
)

// raw is a peer that sends frames as they are.
type raw struct {
	t      *testing.T
	socket zmq4.Socket
	key    []byte
}

func newRaw(t *testing.T, c wire.Connection, ch wire.Channel) raw {
	t.Helper()
	s := zmq4.NewDealer(context.Background(), zmq4.WithID(zmq4.SocketIdentity(wire.NewID())))
	if err := s.Dial(c.Endpoint(ch)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return raw{t, s, []byte(c.Key)}
}

func (r raw) send(frames ...[]byte) {
	if err := r.socket.SendMulti(zmq4.NewMsgFrom(frames...)); err != nil {
		r.t.Fatal(err)
	}
}

// parts sends a signed message of four parts.
func (r raw) parts(key []byte, parts ...string) {
	frames := [][]byte{[]byte("<IDS|MSG>"), nil}
	for _, p := range parts {
		frames = append(frames, []byte(p))
	}
	frames[1] = wire.Sign(key, frames[2:]...)
	r.send(frames...)
}

func header(msgType string) string {
	return `{"msg_id":"` + wire.NewID() + `","session":"s","username":"u","date":"","msg_type":"` + msgType + `","version":"5.4"}`
}

// faults are what brings down a kernel that trusts what it reads.
var faults = []struct {
	name    string
	inject  func(r raw)
	dropped int64 // messages to count as dropped
}{
	{"a wrong key", func(r raw) { r.parts([]byte("other"), header("kernel_info_request"), "{}", "{}", "{}") }, 1},
	{"no delimiter", func(r raw) { r.send([]byte("a"), []byte("b")) }, 1},
	{"cut after the delimiter", func(r raw) { r.send([]byte("<IDS|MSG>")) }, 1},
	{"half a header", func(r raw) { r.parts(r.key, "{", "{}", "{}", "{}") }, 1},
	{"an execute request without its flags", func(r raw) { r.parts(r.key, header("execute_request"), "{}", "{}", `{"code":""}`) }, 0},
	{"code that is a number", func(r raw) { r.parts(r.key, header("execute_request"), "{}", "{}", `{"code":123}`) }, 0},
	{"content that is a list", func(r raw) { r.parts(r.key, header("execute_request"), "{}", "{}", `[1]`) }, 0},
	{"an unknown type", func(r raw) { r.parts(r.key, header("what"), "{}", "{}", "{}") }, 0},
	{"a cursor before the code", func(r raw) {
		r.parts(r.key, header("complete_request"), "{}", "{}", `{"code":"x","cursor_pos":-5}`)
	}, 0},
	{"an inspect request without its level", func(r raw) {
		r.parts(r.key, header("inspect_request"), "{}", "{}", `{"code":"x","cursor_pos":1}`)
	}, 0},
	{"an interrupt with a list", func(r raw) { r.parts(r.key, header("interrupt_request"), "{}", "{}", `[]`) }, 0},
}

// TestC53Faults injects each fault on shell and on control: the kernel lives,
// counts what it drops, and runs the next cell.
func TestC53Faults(t *testing.T) {
	s := start(t, nil)
	k := newClient(t, s.connection)
	for _, ch := range []wire.Channel{wire.Shell, wire.Control} {
		r := newRaw(t, s.connection, ch)
		for _, f := range faults {
			t.Run(string(ch)+" "+f.name, func(t *testing.T) {
				before := s.Dropped()
				f.inject(r)
				// A valid request behind it on the same connection: when it is
				// answered, the fault has been dealt with.
				r.parts(r.key, header("kernel_info_request"), "{}", "{}", "{}")
				for {
					m, err := r.socket.Recv()
					if err != nil {
						t.Fatal(err)
					}
					if got, err := wire.Decode(r.key, m.Frames); err == nil && got.Header.MsgType == "kernel_info_reply" {
						break
					}
				}
				if got := s.Dropped() - before; got != f.dropped {
					t.Errorf("%d dropped, want %d", got, f.dropped)
				}
				if reply, published := k.run("%%own\nprint alive"); reply["status"] != "ok" || text(t, published, "stdout") != "alive\n" {
					t.Errorf("afterwards: %v", reply)
				}
			})
		}
	}
}

// TestRefusedRequestsAreAnswered looks at what the sender of a wrong request
// with an id is told.
func TestRefusedRequestsAreAnswered(t *testing.T) {
	s := start(t, nil)
	k := newClient(t, s.connection)
	for _, c := range []struct {
		request, evalue string
		content         any
	}{
		{"execute_request", "execute_request: code: want a string, got a number", map[string]any{"code": 123}},
		{"execute_request", "execute_request: the content must be an object", []int{1}},
		{"complete_request", "complete_request: cursor_pos: -5 lies before the code", map[string]any{"code": "x", "cursor_pos": -5}},
		{"what_request", "what_request is not known", nil},
	} {
		id := k.send(wire.Shell, c.request, c.content)
		if r := k.reply(wire.Shell, id); r["status"] != "error" || r["evalue"] != c.evalue {
			t.Errorf("%s: %v, want %s", c.request, r, c.evalue)
		}
		k.idle(id)
	}
}
