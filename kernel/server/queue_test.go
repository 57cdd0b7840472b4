package server

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// A burst ends when no cell has come for a moment, at the latest after a second.
func TestBurst(t *testing.T) {
	for _, c := range []struct {
		name    string
		gap     time.Duration // between the cells that come
		cells   int
		ran     time.Duration // how long the first took to fail
		waits   time.Duration
		waiting int // cells that wait then
	}{
		{"alone", 0, 0, 0, betweenCells, 0},
		{"after a long cell", 0, 0, time.Minute, 0, 0},
		{"three", betweenCells / 2, 3, 0, 3*betweenCells/2 + betweenCells, 3},
		{"one that comes later", 2 * betweenCells, 1, 0, betweenCells, 0},
		{"no end", betweenCells / 2, 1000, 0, longestBurst, 100},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				q := newQueue()
				q.push(request{})
				q.pop()
				time.Sleep(c.ran)
				ctx, cancel := context.WithCancel(t.Context())
				go func() {
					for range c.cells {
						time.Sleep(c.gap)
						if ctx.Err() != nil {
							return
						}
						q.push(request{})
					}
				}()
				began := time.Now()
				q.burst(t.Context())
				waited, waiting := time.Since(began), q.length()
				if waited != c.waits {
					t.Errorf("waited %v, want %v", waited, c.waits)
				}
				if waiting < c.waiting-1 || waiting > c.waiting {
					t.Errorf("%d cells wait, want %d", waiting, c.waiting)
				}
				cancel()
				time.Sleep(c.gap) // the other ends
			})
		})
	}
}

func (q *queue) length() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.cells)
}
