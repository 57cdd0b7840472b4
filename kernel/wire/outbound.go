package wire

import (
	"errors"
	"net"
	"sync"
	"time"

	"github.com/topos-notebook/topos/cells/bounds"
)

// MaxBacklog is how many bytes may wait for a peer that does not read. One that
// falls further behind is cut off, as it would lose messages either way: the
// library writes to its peers in turn, and a peer that could make it wait would
// silence all others.
const MaxBacklog = bounds.Backlog

// closeGrace is how long a closed connection may take to bring what waits.
const closeGrace = 200 * time.Millisecond

var errBacklog = errors.New("wire: the peer does not read")

// outbound writes to a connection on a goroutine of its own.
type outbound struct {
	conn  net.Conn
	limit int // of what waits, in bytes
	once  sync.Once
	done  chan struct{} // closed when nothing is written any more

	mu      sync.Mutex
	filled  *sync.Cond
	waiting []byte
	framing framing // of what was written
	failure error
	closed  bool
}

func newOutbound(conn net.Conn, limit int) *outbound {
	o := &outbound{conn: conn, limit: limit, done: make(chan struct{})}
	o.filled = sync.NewCond(&o.mu)
	go o.run()
	return o
}

// write takes a copy of the bytes and returns at once. It reports what went
// wrong with earlier ones.
func (o *outbound) write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.failure == nil && len(o.waiting) > 0 && len(o.waiting)+len(p) > o.limit {
		o.failure = errBacklog
		o.conn.Close()
	}
	if o.failure != nil {
		return 0, o.failure
	}
	if o.closed {
		return 0, net.ErrClosed
	}
	o.waiting = append(o.waiting, p...)
	if o.framing.whole(p) || len(o.waiting) >= gathered {
		o.filled.Signal()
	}
	return len(p), nil
}

func (o *outbound) run() {
	defer close(o.done)
	const keep = 1 << 20 // bytes of a buffer that is worth keeping
	var spare []byte
	o.mu.Lock()
	defer o.mu.Unlock()
	for {
		for len(o.waiting) == 0 && !o.closed && o.failure == nil {
			o.filled.Wait()
		}
		if len(o.waiting) == 0 || o.failure != nil {
			o.waiting = nil
			return
		}
		batch := o.waiting
		o.waiting = spare[:0]
		o.mu.Unlock()
		_, err := o.conn.Write(batch)
		if spare = batch; cap(batch) > keep {
			spare = nil
		}
		o.mu.Lock()
		if err != nil && o.failure == nil {
			o.failure = err
		}
	}
}

// close writes what waits, briefly, and closes the connection.
func (o *outbound) close() error {
	var err error
	o.once.Do(func() {
		o.mu.Lock()
		o.closed = true
		o.filled.Signal()
		o.mu.Unlock()
		o.conn.SetWriteDeadline(time.Now().Add(closeGrace))
		<-o.done
		err = o.conn.Close()
	})
	return err
}
