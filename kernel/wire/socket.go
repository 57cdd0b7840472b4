package wire

import (
	"context"
	"fmt"
	"io"
	"log"
	"sync"
	"sync/atomic"
	"time"

	"github.com/go-zeromq/zmq4"
)

// Kind is the ZeroMQ type of a socket.
type Kind int

// The kinds that kernels and their clients use.
const (
	Router Kind = iota // answers many peers
	Dealer             // speaks to one peer
	Pub                // publishes
	Sub                // receives everything that is published
	Rep                // echoes
)

// Socket is one ZeroMQ socket with a queue of messages to send. Send never
// waits for the peer; Receive is for one goroutine.
type Socket struct {
	inner   zmq4.Socket
	key     []byte
	cancel  context.CancelFunc
	dropped atomic.Int64

	mu      sync.Mutex
	queue   [][][]byte
	sending bool
	closed  bool
	wake    *sync.Cond
}

func newSocket(ctx context.Context, kind Kind, key []byte, identity string) *Socket {
	ctx, cancel := context.WithCancel(ctx)
	options := []zmq4.Option{zmq4.WithLogger(log.New(io.Discard, "", 0)),
		zmq4.WithDialerRetry(5 * time.Millisecond), zmq4.WithDialerMaxRetries(-1)}
	if identity != "" {
		options = append(options, zmq4.WithID(zmq4.SocketIdentity(identity)))
	}
	s := &Socket{key: key, cancel: cancel}
	s.wake = sync.NewCond(&s.mu)
	switch kind {
	case Router:
		s.inner = zmq4.NewRouter(ctx, options...)
	case Dealer:
		s.inner = zmq4.NewDealer(ctx, options...)
	case Pub:
		s.inner = zmq4.NewPub(ctx, options...)
	case Sub:
		s.inner = zmq4.NewSub(ctx, options...)
	default:
		s.inner = zmq4.NewRep(ctx, options...)
	}
	return s
}

// Listen binds a socket of the kind at the connection's channel.
func Listen(kind Kind, c Connection, ch Channel) (*Socket, error) {
	if err := registerGuards(); err != nil {
		return nil, err
	}
	s := newSocket(context.Background(), kind, []byte(c.Key), "")
	return s, s.listen(c, ch)
}

// ListenPub binds a publishing socket at the connection's iopub channel. Welcome
// makes the message that each new subscription is greeted with: what is sent
// after it reaches the subscriber.
func ListenPub(c Connection, welcome func(topic string) *Message) (*Socket, error) {
	if err := registerGuards(); err != nil {
		return nil, err
	}
	var s *Socket
	subscribed := func(topic string) { s.Send(welcome(topic)) }
	s = newSocket(context.WithValue(context.Background(), subscribedKey{}, subscribed), Pub, []byte(c.Key), "")
	return s, s.listen(c, IOPub)
}

func (s *Socket) listen(c Connection, ch Channel) error {
	if err := s.inner.Listen(c.endpoint(ch, guardPrefix+c.Transport)); err != nil {
		s.Close()
		return fmt.Errorf("%s channel: %w", ch, err)
	}
	go s.send()
	return nil
}

// Dial connects a socket of the kind to the connection's channel, under the
// given identity when that is not empty. It tries until it succeeds or the
// context ends.
func Dial(ctx context.Context, kind Kind, c Connection, ch Channel, identity string) (*Socket, error) {
	if err := registerGuards(); err != nil {
		return nil, err
	}
	s := newSocket(context.Background(), kind, []byte(c.Key), identity)
	stop := context.AfterFunc(ctx, s.cancel)
	if kind == Sub {
		// Set before dialling: the library repeats it to every new peer.
		if err := s.inner.SetOption(zmq4.OptionSubscribe, ""); err != nil {
			s.Close()
			return nil, err
		}
	}
	dialled := make(chan error, 1)
	go func() { dialled <- s.inner.Dial(c.endpoint(ch, guardPrefix+c.Transport)) }()
	var err error
	select {
	case err = <-dialled:
	case <-ctx.Done():
		// The library waits for the other side's greeting for as long as that takes.
		go func() {
			<-dialled
			s.Close()
		}()
		return nil, fmt.Errorf("%s channel: %w", ch, context.Cause(ctx))
	}
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("%s channel: %w", ch, err)
	}
	go s.send()
	return s, nil
}

// Send queues a message. After Close it does nothing.
func (s *Socket) Send(m *Message) { s.sendFrames(m.Encode(s.key)) }

func (s *Socket) sendFrames(frames [][]byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.queue = append(s.queue, frames)
		s.wake.Broadcast()
	}
}

// send is the goroutine that owns the socket's sends.
func (s *Socket) send() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for {
		for len(s.queue) == 0 && !s.closed {
			s.wake.Wait()
		}
		if s.closed {
			return
		}
		batch := s.queue
		s.queue, s.sending = nil, true
		s.mu.Unlock()
		for _, frames := range batch {
			s.inner.SendMulti(zmq4.NewMsgFrom(frames...)) // a peer that has gone is no error of ours
		}
		s.mu.Lock()
		s.sending = false
		s.wake.Broadcast()
	}
}

// Flush waits until what was queued has been handed to the network, or the
// context ends.
func (s *Socket) Flush(ctx context.Context) {
	stop := context.AfterFunc(ctx, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.wake.Broadcast()
	})
	defer stop()
	s.mu.Lock()
	defer s.mu.Unlock()
	for (len(s.queue) > 0 || s.sending) && !s.closed && ctx.Err() == nil {
		s.wake.Wait()
	}
}

// Receive returns the next valid message. Invalid ones are counted and
// dropped. It returns an error when the socket is closed, or when a dialled
// peer has gone.
func (s *Socket) Receive() (*Message, error) {
	for {
		raw, err := s.inner.Recv()
		if err != nil {
			return nil, err
		}
		m, err := Decode(s.key, raw.Frames)
		if err == nil {
			return m, nil
		}
		s.dropped.Add(1)
	}
}

// Echo answers every message with itself until the socket is closed.
func (s *Socket) Echo() {
	for {
		m, err := s.inner.Recv()
		s.mu.Lock()
		closed := s.closed
		s.mu.Unlock()
		if closed {
			return
		}
		if err == nil {
			s.sendFrames(m.Frames)
		} else {
			s.dropped.Add(1)
		}
	}
}

// Dropped returns how many messages were dropped as invalid.
func (s *Socket) Dropped() int64 { return s.dropped.Load() }

// Close closes the socket; what was not sent is lost.
func (s *Socket) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	s.wake.Broadcast()
	s.mu.Unlock()
	s.cancel()
	return s.inner.Close()
}
