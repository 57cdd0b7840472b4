package wire

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/go-zeromq/zmq4"
	"github.com/go-zeromq/zmq4/transport"
	"github.com/topos-notebook/topos/cells/bounds"
)

// MaxMessage is the largest message in bytes that a peer may send, all its frames
// together.
const MaxMessage = bounds.Message

// The library shakes hands in its accept loop, one peer at a time. So that one
// that only connects cannot hold up the others, the loop gets a peer when it has
// begun to speak, within greetingTimeout, and waits for its handshake no longer
// than handshakeTimeout.
const (
	greetingTimeout  = 10 * time.Second
	handshakeTimeout = 2 * time.Second
)

// guarded is a transport whose accepted connections are checked before the
// library sees them: the library allocates whatever size a frame header claims.
type guarded struct {
	transport.Transport
}

const guardPrefix = "guarded-"

// readAhead is how much is read from a connection at once, in bytes: the library
// itself asks for a frame's flags, its size and its body one by one.
const readAhead = 16 << 10

// gathered is how many bytes of a message wait for its end at most.
const gathered = 64 << 10

var registerGuards = sync.OnceValue(func() error {
	return errors.Join(
		zmq4.RegisterTransport(guardPrefix+"tcp", guarded{transport.New("tcp")}),
		zmq4.RegisterTransport(guardPrefix+"ipc", guarded{transport.New("unix")}))
})

// Addr passes the address through: connection files hold whole addresses.
func (g guarded) Addr(ep string) (string, error) { return ep, nil }

// Dial connects, to a peer of our own choice, which is not guarded against.
func (g guarded) Dial(ctx context.Context, dialer transport.Dialer, addr string) (net.Conn, error) {
	c, err := g.Transport.Dial(ctx, dialer, addr)
	if err != nil {
		return nil, err
	}
	return &dialled{Conn: c, source: bufio.NewReaderSize(c, readAhead)}, nil
}

// dialled is a connection that is read in large pieces, and written a message at a
// time: the library makes many small pieces of each.
type dialled struct {
	net.Conn
	source *bufio.Reader

	mu      sync.Mutex
	framing framing // of what is written
	waiting []byte  // the begin of a message
}

func (c *dialled) Read(p []byte) (int, error) { return c.source.Read(p) }

func (c *dialled) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.waiting = append(c.waiting, p...)
	if !c.framing.whole(p) && len(c.waiting) < gathered {
		return len(p), nil
	}
	_, err := c.Conn.Write(c.waiting)
	if c.waiting = c.waiting[:0]; cap(c.waiting) > gathered {
		c.waiting = nil
	}
	return len(p), err
}

func (g guarded) Listen(ctx context.Context, addr string) (net.Listener, error) {
	inner, err := g.Transport.Listen(ctx, addr)
	if err != nil {
		return nil, err
	}
	l := &guardedListener{Listener: inner, ready: make(chan net.Conn), done: make(chan struct{})}
	l.subscribed, _ = ctx.Value(subscribedKey{}).(func(string))
	go l.accept()
	return l, nil
}

// guardedListener hands out connections that have begun to speak.
type guardedListener struct {
	net.Listener
	ready chan net.Conn
	done  chan struct{}
	once  sync.Once

	subscribed func(topic string)
}

// subscribedKey is where a socket's context holds who is told of subscriptions,
// a func(topic string).
type subscribedKey struct{}

func (l *guardedListener) accept() {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			if !strings.Contains(err.Error(), "too many open files") {
				l.once.Do(func() { close(l.done) })
				return
			}
			time.Sleep(10 * time.Millisecond) // descriptors come back only when others close
			continue
		}
		go l.greet(c)
	}
}

// greet waits for the first byte of the peer's greeting, which peers send
// without waiting for ours, before the library's accept loop gets the
// connection. A connection that says something else is closed.
func (l *guardedListener) greet(c net.Conn) {
	c.SetReadDeadline(time.Now().Add(greetingTimeout))
	first := make([]byte, 1)
	if n, err := c.Read(first); err != nil || n == 0 || first[0] != 0xff {
		c.Close()
		return
	}
	select {
	case l.ready <- guardConn(c, first, l.subscribed):
	case <-l.done:
		c.Close()
	}
}

func (l *guardedListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.ready:
		c.SetReadDeadline(time.Now().Add(handshakeTimeout))
		return c, nil
	case <-l.done:
		return nil, net.ErrClosed
	}
}

func (l *guardedListener) Close() error {
	l.once.Do(func() { close(l.done) })
	return l.Listener.Close()
}

var errMessage = fmt.Errorf("a message of more than %d bytes was refused, and its connection closed", MaxMessage)

// guard follows the framing of what is read from a connection, and fails the
// read at a frame header that makes a message larger than [MaxMessage]. Only one goroutine reads.
type guard struct {
	conn    net.Conn
	source  io.Reader // what it brings, in large pieces
	pending []byte    // read ahead by the listener

	framing framing
	frames  int    // frames seen; the first is the handshake
	message uint64 // bytes of the current message, as far as headers announced them

	subscribed func(topic string)
	frame      []byte   // the current frame, when it may be a subscription
	topics     []string // subscribed to, but perhaps not yet known to the library
}

// guardConn guards a connection, of which the first bytes were read already.
// subscribed is told of subscriptions that the peer has made; may be nil.
func guardConn(c net.Conn, first []byte, subscribed func(topic string)) net.Conn {
	return &guardedConn{c, newGuard(c, first, subscribed), newOutbound(c, MaxBacklog)}
}

func newGuard(c net.Conn, first []byte, subscribed func(topic string)) *guard {
	return &guard{conn: c, source: bufio.NewReaderSize(c, readAhead), pending: first, subscribed: subscribed}
}

// guardedConn embeds the interface: package net would write to its own types
// past our Write.
type guardedConn struct {
	net.Conn
	guard *guard
	out   *outbound
}

// Read also closes a connection that fails: the library forgets one whose
// handshake did.
func (c *guardedConn) Read(p []byte) (int, error) {
	n, err := c.guard.read(p)
	if err != nil {
		c.Close()
	}
	if errors.Is(err, errMessage) {
		fmt.Fprintln(os.Stderr, "topos:", err)
	}
	return n, err
}

// Write returns at once.
func (c *guardedConn) Write(p []byte) (int, error) { return c.out.write(p) }

// Close brings what waits, briefly.
func (c *guardedConn) Close() error { return c.out.close() }

// read reads and checks. The deadline is lifted when the handshake frame has
// been read. The library asks for more when it has dealt with what it got, so
// that its own list of subscriptions holds those announced here.
func (g *guard) read(p []byte) (int, error) {
	for _, topic := range g.topics {
		g.subscribed(topic)
	}
	g.topics = nil
	if len(g.pending) > 0 && len(p) > 0 {
		n := copy(p, g.pending)
		g.pending = g.pending[n:]
		return n, g.follow(p[:n])
	}
	n, err := g.source.Read(p)
	if bad := g.follow(p[:n]); bad != nil {
		n, err = 0, bad
	}
	return n, err
}

func (g *guard) follow(b []byte) error {
	for len(b) > 0 {
		n, part, ends := g.framing.step(b)
		switch {
		case part == headerPart && ends:
			if err := g.frameBegun(); err != nil {
				return err
			}
		case part == bodyPart:
			if g.frame != nil {
				g.frame = append(g.frame, b[:n]...)
			}
			if ends {
				g.frameDone()
			}
		}
		b = b[n:]
	}
	return nil
}

// frameBegun looks at what a frame's header says.
func (g *guard) frameBegun() error {
	flags, size := g.framing.flags, g.framing.body
	if g.subscribed != nil && g.frames > 0 && flags == 0 {
		g.frame = make([]byte, 0, size)
	}
	limit := uint64(MaxMessage)
	if g.frames == 0 {
		limit = 1 << 16 // the handshake holds a few short properties
	}
	if size > limit || g.message+size > limit {
		return errMessage
	}
	if g.message += size; flags&moreFlag == 0 {
		g.message = 0
	}
	if size == 0 {
		g.frameDone()
	}
	return nil
}

func (g *guard) frameDone() {
	if g.frames++; g.frames == 1 {
		g.conn.SetReadDeadline(time.Time{})
	}
	const subscribe = 1
	if len(g.frame) > 0 && g.frame[0] == subscribe {
		g.topics = append(g.topics, string(g.frame[1:]))
	}
	g.frame = nil
}
