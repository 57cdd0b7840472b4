package wire

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// subscriber is a peer that greets, subscribes, and does nothing more by itself.
func subscriber(t *testing.T, c Connection, topic string) net.Conn {
	t.Helper()
	conn, err := net.Dial("unix", strings.TrimPrefix(c.Endpoint(IOPub), "ipc://"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	ready := append([]byte("\x05READY\x0bSocket-Type"), 0, 0, 0, 3, 'S', 'U', 'B')
	hello := append(greeting(), 4, byte(len(ready)))
	hello = append(hello, ready...)
	hello = append(hello, 0, byte(1+len(topic)), 1)
	if _, err := conn.Write(append(hello, topic...)); err != nil {
		t.Fatal(err)
	}
	return conn
}

// TestC70SilentSubscriber publishes to two peers, of which one never reads. The
// other gets everything.
func TestC70SilentSubscriber(t *testing.T) {
	c := localConnection(t)
	pub, err := ListenPub(c, func(topic string) *Message { return New("s", "iopub_welcome", nil, nil) })
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pub.Close() })
	subscriber(t, c, "")
	reader := dial(t, Sub, c, IOPub)
	for receive(t, reader).Header.MsgType != "iopub_welcome" {
		t.Fatal("no welcome")
	}
	const messages = 40 // of a megabyte, more than any socket buffers
	large := map[string]string{"text": strings.Repeat("x", 1<<20)}
	for range messages {
		pub.Send(New("s", "stream", nil, large))
	}
	for got := 0; got < messages; {
		if receive(t, reader).Header.MsgType == "stream" {
			got++
		}
	}
}

// TestC71Welcome subscribes again and again: what is published after the
// welcome arrives, every time.
func TestC71Welcome(t *testing.T) {
	c := localConnection(t)
	pub, err := ListenPub(c, func(topic string) *Message {
		return New("s", "iopub_welcome", nil, map[string]string{"subscription": topic})
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { pub.Close() })
	for range 50 {
		reader := dial(t, Sub, c, IOPub)
		m := receive(t, reader)
		if m.Header.MsgType != "iopub_welcome" || string(m.Content) != `{"subscription":""}` || string(m.Parent) != "{}" {
			t.Fatalf("first came %s %s", m.Header.MsgType, m.Content)
		}
		pub.Send(New("s", "stream", nil, nil))
		for m = receive(t, reader); m.Header.MsgType == "iopub_welcome"; m = receive(t, reader) {
			// of a subscriber before, which has gone only now
		}
		if m.Header.MsgType != "stream" {
			t.Fatalf("then came %s", m.Header.MsgType)
		}
		reader.Close()
	}
}

func TestSubscriptionsAreNoticed(t *testing.T) {
	var seen []string
	stream := append(greeting(), 4, 5, 'R', 'E', 'A', 'D', 'Y')
	stream = append(stream, "\x00\x01\x01"...)             // to everything
	stream = append(stream, "\x00\x03\x01ab"...)           // to ab
	stream = append(stream, "\x00\x01\x00"...)             // no more to everything
	stream = append(stream, "\x01\x02\x01x\x00\x01y"...)   // a message of two frames: no subscription
	stream = append(stream, "\x04\x05\x04PING\x00\x00"...) // a command, and an empty frame
	for _, size := range []int{1, 3, len(stream)} {
		seen = nil
		g := newGuard(readerConn{nopDeadline{}, bytes.NewReader(stream)}, nil, func(topic string) { seen = append(seen, topic) })
		for {
			if _, err := g.read(make([]byte, size)); err != nil {
				break
			}
		}
		if strings.Join(seen, ",") != ",ab" {
			t.Errorf("%d bytes at a time: %q", size, seen)
		}
	}
}

type readerConn struct {
	net.Conn
	io.Reader
}

func (c readerConn) Read(p []byte) (int, error)      { return c.Reader.Read(p) }
func (c readerConn) SetReadDeadline(time.Time) error { return nil }

func TestBacklogIsBounded(t *testing.T) {
	ours, theirs := net.Pipe() // holds nothing
	defer theirs.Close()
	o := newOutbound(ours, 1000)
	piece := make([]byte, 100)
	var err error
	for n := 0; err == nil; n++ {
		if n > 20 {
			t.Fatal("a peer that does not read is given more and more")
		}
		_, err = o.write(piece)
	}
	if !errors.Is(err, errBacklog) {
		t.Error(err)
	}
	theirs.SetReadDeadline(time.Now().Add(bound))
	if _, err := io.ReadAll(theirs); err != nil {
		t.Errorf("the connection is open: %v", err)
	}
	o.close()
}

func TestCloseBringsWhatWaits(t *testing.T) {
	ours, theirs := net.Pipe()
	o := newOutbound(ours, 1<<20)
	for range 100 {
		if _, err := o.write([]byte("abc")); err != nil {
			t.Fatal(err)
		}
	}
	go o.close()
	got, err := io.ReadAll(theirs)
	if err != nil || string(got) != strings.Repeat("abc", 100) {
		t.Errorf("%d bytes, %v", len(got), err)
	}
}
