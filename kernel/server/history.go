package server

import (
	"slices"
	"sync"

	"github.com/topos-notebook/topos/kernel/wire"
)

// historyBytes bounds the text of the cells that are remembered.
const historyBytes = 4 << 20

// history remembers the cells of this session, as long as it lasts; the oldest
// are forgotten first.
type history struct {
	mu    sync.Mutex
	cells []remembered
	bytes int
}

type remembered struct {
	count int // execution count
	code  string
}

// add remembers a cell.
func (h *history) add(count int, code string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.cells = append(h.cells, remembered{count, code})
	h.bytes += len(code)
	for h.bytes > historyBytes && len(h.cells) > 1 {
		h.bytes -= len(h.cells[0].code)
		h.cells = h.cells[1:]
	}
}

// find returns the cells that a request asks for, in order.
func (h *history) find(q wire.HistoryRequest) []remembered {
	h.mu.Lock()
	defer h.mu.Unlock()
	if q.Access == "range" {
		return h.within(q)
	}
	var found []remembered
	seen := map[string]bool{}
	for _, c := range slices.Backward(h.cells) {
		if len(found) == q.N {
			break
		}
		if q.Access == "search" && (!matches(q.Pattern, c.code) || q.Unique && seen[c.code]) {
			continue
		}
		seen[c.code] = true
		found = append(found, c)
	}
	slices.Reverse(found)
	return found
}

// within returns a range of counts; the mutex is held. Of the sessions before
// nothing is known here.
func (h *history) within(q wire.HistoryRequest) []remembered {
	if q.Session != 0 || len(h.cells) == 0 {
		return nil
	}
	next := h.cells[len(h.cells)-1].count + 1
	start, stop := q.Start, q.Stop
	if start < 0 {
		start += next
	}
	if stop <= 0 {
		stop += next
	}
	var found []remembered
	for _, c := range h.cells {
		if c.count >= start && c.count < stop {
			found = append(found, c)
		}
	}
	return found
}

// matches reports whether the whole text fits a pattern, in which * stands for
// any text and ? for any character.
func matches(pattern, text string) bool {
	p, t := []rune(pattern), []rune(text)
	star, mark := -1, 0 // where to go on when a guess about the last * fails
	i, j := 0, 0
	for j < len(t) {
		switch {
		case i < len(p) && p[i] == '*':
			star, mark = i, j
			i++
		case i < len(p) && (p[i] == '?' || p[i] == t[j]):
			i++
			j++
		case star >= 0:
			mark++
			i, j = star+1, mark
		default:
			return false
		}
	}
	for i < len(p) && p[i] == '*' {
		i++
	}
	return i == len(p)
}

// historyRequest answers with triples of session, count and cell. What a cell
// answered is in the notebook: where it is asked for, null stands in its place.
func (s *Server) historyRequest(r request) (any, error) {
	q, err := r.History()
	if err != nil {
		return nil, err
	}
	list := []any{}
	for _, c := range s.history.find(q) {
		var cell any = c.code
		if q.Output {
			cell = []any{c.code, nil}
		}
		list = append(list, []any{0, c.count, cell})
	}
	return map[string]any{"status": "ok", "history": list}, nil
}
