package server

import (
	"context"
	"sync"
	"time"
)

// A client that runs several cells sends them in one burst: no two of it are further
// apart than betweenCells. What comes for longer than longestBurst is no burst.
const (
	betweenCells = 20 * time.Millisecond
	longestBurst = time.Second
)

// queue holds the cells that wait for their turn.
type queue struct {
	between time.Duration // see betweenCells; longer in tests

	mu     sync.Mutex
	filled *sync.Cond
	cells  []*queued
	last   time.Time // when a cell came
	closed bool
}

// queued is a request to execute that waits.
type queued struct {
	request
	aborted bool // a cell before it failed
}

func newQueue() *queue {
	q := &queue{between: betweenCells}
	q.filled = sync.NewCond(&q.mu)
	return q
}

func (q *queue) push(r request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.cells, q.last = append(q.cells, &queued{request: r}), time.Now()
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

// burst waits for the rest of the cells that are on their way: a cell may fail before
// the one that was sent right behind it has come. It does not wait for a cell that
// took longer than that itself.
func (q *queue) burst(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, longestBurst)
	defer cancel()
	for {
		q.mu.Lock()
		left := q.between - time.Since(q.last)
		q.mu.Unlock()
		if left <= 0 {
			return
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(left):
		}
	}
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
