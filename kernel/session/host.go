package session

import (
	"errors"
	"fmt"
	"net"
	"os"
	"sync"

	"github.com/topos-notebook/topos/cells/wire"
)

// host answers the processes of Go cells on the session's socket.
type host struct {
	listener *net.UnixListener
	done     sync.WaitGroup

	mu     sync.Mutex
	lease  *lease // of the cell whose program may run now, nil for none
	last   uint64 // lease id
	visits map[*visit]bool
	closed bool
}

// visit is one connection.
type visit struct {
	*net.UnixConn
	lease *lease // of the cell that was running when it introduced itself
}

func newHost(socket string) (*host, error) {
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("the session's socket cannot be made: %w", err)
	}
	if err := os.Chmod(socket, 0o600); err != nil {
		l.Close()
		return nil, err
	}
	h := &host{listener: l, visits: map[*visit]bool{}}
	h.done.Add(1)
	go h.accept()
	return h, nil
}

func (h *host) accept() {
	defer h.done.Done()
	for {
		c, err := h.listener.AcceptUnix()
		if errors.Is(err, net.ErrClosed) {
			return
		}
		if err != nil {
			continue
		}
		v := &visit{UnixConn: c}
		h.mu.Lock()
		if h.closed {
			c.Close()
		} else {
			h.visits[v] = true
			h.done.Add(1)
			go h.serve(v)
		}
		h.mu.Unlock()
	}
}

// serve answers a process until it leaves or breaks the rules of the
// conversation.
func (h *host) serve(v *visit) {
	defer h.done.Done()
	defer func() {
		v.Close()
		h.mu.Lock()
		delete(h.visits, v)
		h.mu.Unlock()
	}()
	for {
		m, err := wire.Receive(v)
		if errors.Is(err, wire.ErrMalformed) {
			wire.Send(v, &wire.Refused{Reason: err.Error()})
		}
		if err != nil {
			return
		}
		answer, err := h.answer(v, m)
		if err != nil {
			answer = &wire.Refused{Reason: err.Error()}
		}
		if wire.Send(v, answer) != nil {
			return
		}
	}
}

func (h *host) answer(v *visit, m wire.Message) (wire.Message, error) {
	switch m := m.(type) {
	case *wire.Hello:
		if m.Version != wire.Version {
			return nil, fmt.Errorf("the cell speaks version %d of the session's protocol, the kernel version %d: both must come from one release", m.Version, wire.Version)
		}
		if err := h.admit(v); err != nil {
			return nil, err
		}
	case *wire.Show:
		if v.lease == nil || m.Lease != v.lease.id {
			return nil, errStranger
		}
	case *wire.Keep:
		if v.lease == nil || m.Lease != v.lease.id {
			return nil, errStranger
		}
	}
	if v.lease == nil {
		return nil, errStranger
	}
	return v.lease.answer(v, m)
}

var errStranger = errors.New("the process holds no lease of the session")

// admit gives a visitor the lease of the cell that runs now. One that has had a
// lease keeps it, for better or worse.
func (h *host) admit(v *visit) error {
	if v.lease != nil {
		return nil
	}
	h.mu.Lock()
	current := h.lease
	h.mu.Unlock()
	if current == nil {
		return errors.New("no Go cell is running: the session is open to the cell that runs")
	}
	if !belongs(v.UnixConn, current.begun) {
		return errors.New("the process was started by an earlier cell: the session is open to the cell that runs")
	}
	v.lease = current
	return nil
}

// grant makes a lease the current one, under a number of its own.
func (h *host) grant(l *lease) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	l.id, l.begun = h.last, now()
	h.lease = l
}

// revoke ends a lease, and gives the ledger recorded under it, "" for none.
func (h *host) revoke(l *lease) string {
	h.mu.Lock()
	if h.lease == l {
		h.lease = nil
	}
	h.mu.Unlock()
	return l.end()
}

// close lets nobody in any more and everybody go.
func (h *host) close() error {
	err := h.listener.Close()
	h.mu.Lock()
	h.closed = true
	for v := range h.visits {
		v.Close()
	}
	h.mu.Unlock()
	h.done.Wait()
	return err
}
