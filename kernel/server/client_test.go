package server

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/topos-notebook/topos/kernel/wire"
)

// bound is how long anything may take before a test calls it hung.
const bound = 60 * time.Second

// client is a small Jupyter client.
type client struct {
	t        *testing.T
	session  string
	shell    *wire.Socket
	control  *wire.Socket
	stdin    *wire.Socket
	iopub    *wire.Socket
	mu       sync.Mutex
	arrived  *sync.Cond
	messages []*wire.Message                      // of iopub, in order
	replies  map[wire.Channel]map[string]*message // by channel and request
	asked    chan *wire.Message                   // of stdin
}

// message is a reply.
type message = wire.Message

func newClient(t *testing.T, c wire.Connection) *client {
	t.Helper()
	k := &client{t: t, session: wire.NewID(), asked: make(chan *wire.Message, 10),
		replies: map[wire.Channel]map[string]*message{wire.Shell: {}, wire.Control: {}}}
	k.arrived = sync.NewCond(&k.mu)
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	identity := wire.NewID()
	for _, d := range []struct {
		at   **wire.Socket
		kind wire.Kind
		ch   wire.Channel
		id   string
	}{{&k.shell, wire.Dealer, wire.Shell, identity}, {&k.control, wire.Dealer, wire.Control, identity},
		{&k.stdin, wire.Dealer, wire.Stdin, identity}, {&k.iopub, wire.Sub, wire.IOPub, ""}} {
		s, err := wire.Dial(ctx, d.kind, c, d.ch, d.id)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		*d.at = s
	}
	go k.read(k.shell, func(m *wire.Message) { k.replies[wire.Shell][m.ParentID()] = m })
	go k.read(k.control, func(m *wire.Message) { k.replies[wire.Control][m.ParentID()] = m })
	go k.read(k.iopub, func(m *wire.Message) { k.messages = append(k.messages, m) })
	go k.read(k.stdin, func(m *wire.Message) { k.asked <- m })
	k.subscribe()
	return k
}

// subscribe asks until the server has seen our subscription.
func (k *client) subscribe() {
	for {
		id := k.send(wire.Shell, "kernel_info_request", struct{}{})
		k.reply(wire.Shell, id)
		k.mu.Lock()
		n := len(k.messages)
		k.mu.Unlock()
		if n > 0 {
			k.idle(k.send(wire.Shell, "kernel_info_request", struct{}{}))
			return
		}
	}
}

func (k *client) read(s *wire.Socket, take func(*wire.Message)) {
	for {
		m, err := s.Receive()
		if err != nil {
			return
		}
		k.mu.Lock()
		take(m)
		k.arrived.Broadcast()
		k.mu.Unlock()
	}
}

// await waits until the condition holds; the mutex is held when it is asked.
func (k *client) await(what string, condition func() bool) {
	k.t.Helper()
	end := time.Now().Add(bound)
	wake := time.AfterFunc(bound, k.arrived.Broadcast)
	defer wake.Stop()
	k.mu.Lock()
	defer k.mu.Unlock()
	for !condition() {
		if time.Now().After(end) {
			k.t.Fatalf("waited in vain for %s", what)
		}
		k.arrived.Wait()
	}
}

func (k *client) socket(ch wire.Channel) *wire.Socket {
	switch ch {
	case wire.Shell:
		return k.shell
	case wire.Control:
		return k.control
	default:
		return k.stdin
	}
}

func (k *client) send(ch wire.Channel, msgType string, content any) string {
	m := wire.New(k.session, msgType, nil, content)
	k.socket(ch).Send(m)
	return m.Header.MsgID
}

// execute sends a cell; options are pairs of a field and its value.
func (k *client) execute(code string, options ...any) string {
	content := map[string]any{"code": code, "silent": false, "store_history": true, "allow_stdin": false, "stop_on_error": true}
	for i := 0; i+1 < len(options); i += 2 {
		content[options[i].(string)] = options[i+1]
	}
	return k.send(wire.Shell, "execute_request", content)
}

// reply waits for the reply to a request on a channel and returns its content.
func (k *client) reply(ch wire.Channel, id string) map[string]any {
	k.t.Helper()
	k.await("a reply on "+string(ch), func() bool { return k.replies[ch][id] != nil })
	k.mu.Lock()
	defer k.mu.Unlock()
	return content(k.t, k.replies[ch][id])
}

func content(t *testing.T, m *wire.Message) map[string]any {
	t.Helper()
	var c map[string]any
	if err := json.Unmarshal(m.Content, &c); err != nil {
		t.Fatalf("%s: %v", m.Header.MsgType, err)
	}
	return c
}

func isState(m *wire.Message, id, state string) bool {
	return m.Header.MsgType == "status" && m.ParentID() == id && strings.Contains(string(m.Content), `"`+state+`"`)
}

// idle waits for a request's idle and returns what was published for it.
func (k *client) idle(id string) []*wire.Message {
	k.t.Helper()
	k.await("idle", func() bool {
		for _, m := range k.messages {
			if isState(m, id, "idle") {
				return true
			}
		}
		return false
	})
	k.mu.Lock()
	defer k.mu.Unlock()
	var mine []*wire.Message
	for _, m := range k.messages {
		if m.ParentID() == id {
			mine = append(mine, m)
		}
	}
	return mine
}

// awaitText waits until a cell has written text that contains a part.
func (k *client) awaitText(id, part string) {
	k.t.Helper()
	k.await("text "+part, func() bool {
		for _, m := range k.messages {
			if m.ParentID() == id && m.Header.MsgType == "stream" && strings.Contains(string(m.Content), part) {
				return true
			}
		}
		return false
	})
}

// run runs a cell to its end.
func (k *client) run(code string, options ...any) (reply map[string]any, published []*wire.Message) {
	k.t.Helper()
	id := k.execute(code, options...)
	published = k.idle(id)
	return k.reply(wire.Shell, id), published
}

// types lists the types of messages, statuses by their state.
func types(t *testing.T, messages []*wire.Message) string {
	var names []string
	for _, m := range messages {
		name := m.Header.MsgType
		if name == "status" {
			name = content(t, m)["execution_state"].(string)
		}
		names = append(names, name)
	}
	return strings.Join(names, " ")
}

// text joins what a stream brought.
func text(t *testing.T, messages []*wire.Message, name string) string {
	var b strings.Builder
	for _, m := range messages {
		if c := content(t, m); m.Header.MsgType == "stream" && c["name"] == name {
			b.WriteString(c["text"].(string))
		}
	}
	return b.String()
}

// localConnection is one over unix sockets in a folder of its own.
func localConnection(t *testing.T) wire.Connection {
	t.Helper()
	folder, err := os.MkdirTemp("", "server-") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	if err := os.Mkdir(filepath.Join(folder, "s"), 0o700); err != nil {
		t.Fatal(err)
	}
	c, err := wire.LocalConnection(filepath.Join(folder, "s"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}
