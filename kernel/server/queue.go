package server

import "sync"

// queue holds the cells that wait for their turn.
type queue struct {
	mu     sync.Mutex
	filled *sync.Cond
	cells  []*queued
	closed bool
}

// queued is a request to execute that waits.
type queued struct {
	request
	aborted bool // a cell before it failed
}

func newQueue() *queue {
	q := &queue{}
	q.filled = sync.NewCond(&q.mu)
	return q
}

func (q *queue) push(r request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.cells = append(q.cells, &queued{request: r})
	q.filled.Signal()
}

// pop waits for a cell; false when the queue is closed.
func (q *queue) pop() (*queued, bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for len(q.cells) == 0 && !q.closed {
		q.filled.Wait()
	}
	if q.closed {
		return nil, false
	}
	c := q.cells[0]
	q.cells = q.cells[1:]
	return c, true
}

// abort marks what waits now. What comes later was sent by a client that could
// know of the failure, and runs.
func (q *queue) abort() {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, c := range q.cells {
		c.aborted = true
	}
}

func (q *queue) close() {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.closed = true
	q.filled.Broadcast()
}
