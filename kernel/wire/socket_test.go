package wire

import (
	"bytes"
	"context"
	"encoding/binary"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/go-zeromq/zmq4"
)

const bound = 30 * time.Second

func localConnection(t *testing.T) Connection {
	t.Helper()
	folder, err := os.MkdirTemp("", "wire-") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(folder) })
	c, err := LocalConnection(folder)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func listen(t *testing.T, kind Kind, c Connection, ch Channel) *Socket {
	t.Helper()
	s, err := Listen(kind, c, ch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func dial(t *testing.T, kind Kind, c Connection, ch Channel) *Socket {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	s, err := Dial(ctx, kind, c, ch, "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

func receive(t *testing.T, s *Socket) *Message {
	t.Helper()
	timer := time.AfterFunc(bound, func() { s.Close() })
	defer timer.Stop()
	m, err := s.Receive()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRequestAndReply(t *testing.T) {
	c := localConnection(t)
	server := listen(t, Router, c, Shell)
	client := dial(t, Dealer, c, Shell)
	for range 100 {
		client.Send(New("s", "x_request", nil, nil))
	}
	for range 100 {
		m := receive(t, server)
		reply := New("s", "x_reply", m, nil)
		reply.Identities = m.Identities
		server.Send(reply)
	}
	var last string
	for range 100 {
		last = receive(t, client).Header.MsgType
	}
	if last != "x_reply" {
		t.Errorf("got %q", last)
	}
}

func TestWrongKeyIsCountedAndDropped(t *testing.T) {
	c := localConnection(t)
	server := listen(t, Router, c, Shell)
	stranger := c
	stranger.Key = "other"
	dial(t, Dealer, stranger, Shell).Send(New("s", "bad_request", nil, nil))
	for server.Dropped() == 0 { // the stranger's message first: it is another connection
		friend := dial(t, Dealer, c, Shell)
		friend.Send(New("s", "good_request", nil, nil))
		if m := receive(t, server); m.Header.MsgType != "good_request" {
			t.Fatalf("received %s", m.Header.MsgType)
		}
	}
}

// TestStrangers connects peers that are no ZeroMQ peers, or bad ones.
func TestStrangers(t *testing.T) {
	c := localConnection(t)
	server := listen(t, Router, c, Shell)
	path := strings.TrimPrefix(c.Endpoint(Shell), "ipc://")
	connect := func() net.Conn {
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { conn.Close() })
		return conn
	}
	connect() // says nothing, stays
	connect().Write([]byte("GET / HTTP/1.1\r\n\r\n"))
	connect().Write([]byte{0xff, 0, 0})
	huge := append(greeting(), 4|2) // a command of 2^62 bytes
	huge = binary.BigEndian.AppendUint64(huge, 1<<62)
	bad := connect()
	bad.Write(huge)
	bad.SetReadDeadline(time.Now().Add(bound))
	rest := make([]byte, 4096)
	for {
		if _, err := bad.Read(rest); err != nil {
			if os.IsTimeout(err) {
				t.Error("a frame of 2^62 bytes does not close the connection")
			}
			break
		}
	}
	client := dial(t, Dealer, c, Shell)
	client.Send(New("s", "x_request", nil, nil))
	if m := receive(t, server); m.Header.MsgType != "x_request" {
		t.Errorf("received %s", m.Header.MsgType)
	}
}

// greeting is that of a ZMTP 3.0 peer without security.
func greeting() []byte {
	g := make([]byte, 64)
	g[0], g[9], g[10] = 0xff, 0x7f, 3
	copy(g[12:], "NULL")
	return g
}

func TestHugeFrameAfterTheHandshake(t *testing.T) {
	g := &guard{conn: nopDeadline{}}
	stream := append(greeting(), 4, 5, 'R', 'E', 'A', 'D', 'Y')
	for i := range stream { // a byte at a time
		if err := g.follow(stream[i : i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if g.frames != 1 {
		t.Fatalf("%d frames seen, want 1", g.frames)
	}
	ok := append([]byte{0, 3}, "abc"...)
	if err := g.follow(append(ok, 0, 0)); err != nil {
		t.Fatal(err)
	}
	if err := g.follow(binary.BigEndian.AppendUint64([]byte{2}, MaxMessage)); err != nil {
		t.Errorf("the largest message is refused: %v", err)
	}
	g.framing.body, g.message = 0, 0
	if err := g.follow(binary.BigEndian.AppendUint64([]byte{2}, MaxMessage+1)); err == nil {
		t.Error("a frame above the limit is not refused")
	}
	// Frames of one message count together, those of two do not.
	for _, more := range []byte{0, 1} {
		g.framing, g.message = framing{greeted: greetingSize}, 0
		if err := g.follow(append([]byte{more, 3}, "abc"...)); err != nil {
			t.Fatal(err)
		}
		if err := g.follow(binary.BigEndian.AppendUint64([]byte{2}, MaxMessage-2)); (err != nil) != (more == 1) {
			t.Errorf("after a frame with the flag %d: %v", more, err)
		}
	}
}

// FuzzGuard: whatever a peer sends, in whatever pieces, is followed without
// trouble, and a subscription is one of at most 254 bytes.
func FuzzGuard(f *testing.F) {
	f.Add([]byte("\x00\x01\x01\x00\x03\x01ab"), 1)
	f.Add([]byte("\x04\x05READY\x02\x00\x00\x00\x00\x00\x00\x00\x01x"), 3)
	f.Fuzz(func(t *testing.T, data []byte, size int) {
		size = min(max(size, 1), 1000)
		topics := 0
		g := newGuard(readerConn{nopDeadline{}, bytes.NewReader(append(greeting(), data...))}, nil, func(topic string) {
			if topics++; len(topic) > 254 {
				t.Errorf("a topic of %d bytes", len(topic))
			}
		})
		for {
			if _, err := g.read(make([]byte, size)); err != nil {
				break
			}
		}
		if topics > len(data)/3 {
			t.Errorf("%d topics in %d bytes", topics, len(data))
		}
	})
}

type nopDeadline struct{ net.Conn }

func (nopDeadline) SetReadDeadline(time.Time) error { return nil }

func TestHeartbeat(t *testing.T) {
	c := localConnection(t)
	server := listen(t, Rep, c, Heartbeat)
	go server.Echo()
	req := zmq4.NewReq(context.Background())
	defer req.Close()
	if err := req.Dial(c.Endpoint(Heartbeat)); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if err := req.Send(zmq4.NewMsgString("ping")); err != nil {
			t.Fatal(err)
		}
		if m, err := req.Recv(); err != nil || string(m.Bytes()) != "ping" {
			t.Fatalf("%v, %v", m, err)
		}
	}
}

// TestDialOfSomebodyMute has who accepts and says nothing be given up with the context.
func TestDialOfSomebodyMute(t *testing.T) {
	c := localConnection(t)
	mute, err := net.Listen("unix", strings.TrimPrefix(c.Endpoint(Shell), "ipc://"))
	if err != nil {
		t.Fatal(err)
	}
	defer mute.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	ended := make(chan error, 1)
	go func() {
		_, err := Dial(ctx, Dealer, c, Shell, "")
		ended <- err
	}()
	select {
	case err := <-ended:
		if err == nil || !strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
			t.Errorf("%v", err)
		}
	case <-time.After(bound):
		t.Error("still waiting")
	}
}

func TestFlushReturnsWhenAllIsSent(t *testing.T) {
	c := localConnection(t)
	server := listen(t, Router, c, Shell)
	client := dial(t, Dealer, c, Shell)
	ctx, cancel := context.WithTimeout(context.Background(), bound)
	defer cancel()
	for range 1000 {
		client.Send(New("s", "x_request", nil, nil))
	}
	received := make(chan int)
	go func() { // the network holds less than all of it
		n := 0
		for n < 1000 {
			if _, err := server.Receive(); err != nil {
				break
			}
			n++
		}
		received <- n
	}()
	client.Flush(ctx)
	client.Close()
	select {
	case n := <-received:
		if n != 1000 {
			t.Errorf("%d of 1000 arrived", n)
		}
	case <-ctx.Done():
		t.Fatal("what was flushed did not arrive")
	}
	client.Send(New("s", "late_request", nil, nil)) // no effect, no panic
	client.Flush(ctx)
}

func TestDialEndsWithItsContext(t *testing.T) {
	c := localConnection(t)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if s, err := Dial(ctx, Dealer, c, Shell, ""); err == nil {
		s.Close()
		t.Error("dialled a socket that nobody bound")
	}
}

func TestConnectionFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "kernel-1.json")
	c := Connection{SignatureScheme: "hmac-sha256", Transport: "tcp", IP: "127.0.0.1", ShellPort: 1, ControlPort: 2,
		StdinPort: 3, IOPubPort: 4, HBPort: 5, Key: "k", KernelName: "topos"}
	if err := c.Write(file); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}
	if got, err := ReadConnection(file); err != nil || got != c {
		t.Errorf("got %+v, %v", got, err)
	}
	if e := c.Endpoint(Stdin); e != "tcp://127.0.0.1:3" {
		t.Errorf("endpoint %s", e)
	}
	for _, bad := range []struct {
		name, text, want string
	}{
		{"no JSON", `{`, "unexpected end"},
		{"scheme", `{"key":"k","signature_scheme":"md5","transport":"tcp"}`, `signature_scheme "md5"`},
		{"transport", `{"transport":"udp"}`, `transport "udp"`},
		{"port", `{"transport":"tcp","ip":"127.0.0.1","shell_port":70000}`, "shell port 70000: out of range"},
		{"address", `{"transport":"tcp","ip":"nowhere","shell_port":1,"control_port":1,"stdin_port":1,"iopub_port":1,"hb_port":1}`, `ip "nowhere"`},
		{"socket path", `{"transport":"ipc"}`, "ip: missing"},
	} {
		t.Run(bad.name, func(t *testing.T) {
			if err := os.WriteFile(file, []byte(bad.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := ReadConnection(file); err == nil || !strings.Contains(err.Error(), bad.want) {
				t.Errorf("got %v, want %s", err, bad.want)
			}
		})
	}
}

func TestLongFoldersAreRefused(t *testing.T) {
	if _, err := LocalConnection("/" + strings.Repeat("x", 120)); err == nil {
		t.Error("a path of 120 bytes is accepted")
	}
}
