package server

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/topos-notebook/topos/kernel/wire"
)

// mutable are valid messages to spoil: types and contents. shutdown_request is
// not among them, as the kernel would do as it says.
var mutable = []struct{ msgType, content string }{
	{"execute_request", `{"code":"%%own\nprint x","silent":false,"store_history":true,"user_expressions":{"a":"1"},"allow_stdin":true,"stop_on_error":false}`},
	{"complete_request", `{"code":"%own","cursor_pos":3}`},
	{"inspect_request", `{"code":"%own","cursor_pos":3,"detail_level":1}`},
	{"is_complete_request", `{"code":"func F() {"}`},
	{"comm_info_request", `{"target_name":"x"}`},
	{"history_request", `{"hist_access_type":"range","session":0,"start":1,"stop":3,"output":true,"raw":true}`},
	{"history_request", `{"hist_access_type":"search","pattern":"*own*","n":2,"unique":true}`},
	{"kernel_info_request", `{}`},
	{"connect_request", `{}`},
	{"debug_request", `{"type":"request","command":"initialize"}`},
	{"interrupt_request", `{}`},
	{"comm_open", `{"comm_id":"c1","target_name":"t","data":{}}`},
	{"comm_close", `{"comm_id":"c1","data":{}}`},
}

// mutate spoils a message in one of the ways in which messages go wrong.
func mutate(random *rand.Rand, key []byte, msgType, content string) [][]byte {
	parts := [][]byte{[]byte(header(msgType)), []byte("{}"), []byte(`{"cellId":"c"}`), []byte(content)}
	at := random.IntN(len(parts))
	b := bytes.Clone(parts[at])
	signed := true
	switch random.IntN(9) {
	case 0, 1, 2: // bytes changed
		for range 1 + random.IntN(3) {
			b[random.IntN(len(b))] = byte(random.IntN(256))
		}
	case 3: // cut
		b = b[:random.IntN(len(b))]
	case 4: // a part twice
		i := random.IntN(len(b))
		b = append(b[:i:i], b[random.IntN(i+1):]...)
	case 5: // a value of another kind
		values := []string{"null", "[]", "{}", "0", "-1", "1e400", `""`, "true", `"\u0000"`, strings.Repeat("[", 100)}
		b = mutateValue(random, b, values[random.IntN(len(values))])
	case 6: // a signature that is not ours
		signed = false
	case 7: // the parts in another order
		random.Shuffle(len(parts), func(i, j int) { parts[i], parts[j] = parts[j], parts[i] })
		b = parts[at]
	case 8: // cut between frames, or with more of them
		parts[at] = b
		frames := envelope(key, parts)
		if n := random.IntN(len(frames) + 3); n < len(frames) {
			return frames[:max(n, 1)]
		}
		return append(frames, b, nil, b)
	}
	parts[at] = b
	frames := envelope(key, parts)
	if !signed {
		frames[1][random.IntN(len(frames[1]))] ^= byte(1 + random.IntN(255))
	}
	return frames
}

// mutateValue puts another value behind one of the colons.
func mutateValue(random *rand.Rand, b []byte, value string) []byte {
	colons := bytes.Count(b, []byte(`":`))
	if colons == 0 {
		return []byte(value)
	}
	pieces := strings.SplitAfter(string(b), `":`)
	at := 1 + random.IntN(colons)
	end := strings.IndexAny(pieces[at], ",}")
	pieces[at] = value + pieces[at][max(end, 0):]
	return []byte(strings.Join(pieces, ""))
}

func envelope(key []byte, parts [][]byte) [][]byte {
	return append([][]byte{[]byte("<IDS|MSG>"), wire.Sign(key, parts...)}, parts...)
}

// printer runs print cells on one connection, and sees what they print.
type printer struct {
	raw
	replies chan *wire.Message
	printed chan *wire.Message
}

func newPrinter(t *testing.T, c wire.Connection, ch wire.Channel) printer {
	t.Helper()
	p := printer{newRaw(t, c, ch), make(chan *wire.Message, 100), make(chan *wire.Message, 100)}
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	iopub, err := wire.Dial(ctx, wire.Sub, c, wire.IOPub, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { iopub.Close() })
	if m, err := iopub.Receive(); err != nil || m.Header.MsgType != "iopub_welcome" {
		t.Fatal("no welcome", err)
	}
	go func() {
		for {
			m, err := iopub.Receive()
			if err != nil {
				return
			}
			if m.Header.MsgType == "stream" {
				p.printed <- m
			}
		}
	}()
	go func() {
		for {
			raw, err := p.socket.Recv()
			if err != nil {
				return
			}
			if m, err := wire.Decode(p.key, raw.Frames); err == nil && m.Header.MsgType == "execute_reply" {
				p.replies <- m
			}
		}
	}()
	return p
}

// print runs a cell that prints. One that was aborted, as a failed cell before
// it has asked for, is sent again.
func (p printer) print() error {
	timeout := time.After(bound)
	for {
		m := wire.New("s", "execute_request", nil, map[string]any{"code": "%%own\nprint alive"})
		p.send(m.Encode(p.key)...)
		var reply *wire.Message
		for reply == nil || reply.ParentID() != m.Header.MsgID {
			select {
			case reply = <-p.replies:
			case <-timeout:
				return errors.New("no reply")
			}
		}
		if content(p.t, reply)["status"] == "aborted" {
			continue
		}
		for {
			select {
			case stream := <-p.printed:
				if stream.ParentID() == m.Header.MsgID && content(p.t, stream)["text"] == "alive\n" {
					return nil
				}
			case <-timeout:
				return errors.New("nothing printed")
			}
		}
	}
}

// TestC53Mutations sends 10,000 valid messages, each spoiled in a way that a
// fixed seed chooses. After each the kernel runs a print cell.
func TestC53Mutations(t *testing.T) {
	mutations := 10_000
	if testing.Short() {
		mutations = 500
	}
	s := start(t, nil)
	go func() { // what is forwarded to GoNB must not pile up
		for {
			select {
			case <-s.golang.comm:
			case <-s.golang.input:
			case <-s.golang.interrupted:
			case <-t.Context().Done():
				return
			}
		}
	}()
	random := rand.New(rand.NewPCG(1, 2))
	printers := []printer{newPrinter(t, s.connection, wire.Shell), newPrinter(t, s.connection, wire.Control)}
	for i := range mutations {
		p := printers[i%len(printers)]
		m := mutable[random.IntN(len(mutable))]
		frames := mutate(random, p.key, m.msgType, m.content)
		p.send(frames...)
		if err := p.print(); err != nil {
			t.Fatalf("after mutation %d, %q: %v", i, frames, err)
		}
	}
	if s.Dropped() == 0 || s.Dropped() == int64(mutations) {
		t.Errorf("%d of %d dropped: the mutations do not reach what they should", s.Dropped(), mutations)
	}
}
