package server

import (
	"maps"
	"slices"
	"sync"

	"github.com/topos-notebook/topos/kernel/gonb"
	"github.com/topos-notebook/topos/kernel/wire"
)

// comms knows which comms are open, by id, and their targets.
type comms struct {
	mu   sync.Mutex
	open map[string]string
}

func newComms() *comms { return &comms{open: map[string]string{}} }

// note follows a comm message in either direction.
func (c *comms) note(msgType string, m wire.Comm) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch msgType {
	case "comm_open":
		c.open[m.ID] = m.Target
	case "comm_close":
		delete(c.open, m.ID)
	}
}

// forget forgets all that are open, and returns their ids in order.
func (c *comms) forget() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	ids := slices.Sorted(maps.Keys(c.open))
	clear(c.open)
	return ids
}

func (c *comms) list(target string) map[string]any {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := map[string]any{}
	for id, t := range c.open {
		if target == "" || target == t {
			found[id] = map[string]string{"target_name": t}
		}
	}
	return found
}

func (s *Server) commInfo(r request) (any, error) {
	q, err := r.CommInfo()
	if err != nil {
		return nil, err
	}
	return map[string]any{"status": "ok", "comms": s.comms.list(q.Target)}, nil
}

// comm forwards a client's comm message at once: it does not queue behind cells.
func (s *Server) comm(r request) {
	s.status(r.Message, "busy")
	if m, err := r.Comm(); err == nil {
		if r.Header.MsgType == "comm_open" && m.Target != gonb.CommTarget {
			s.closeComm(r.Message, m.ID) // nobody here knows that target
		} else {
			s.comms.note(r.Header.MsgType, m)
			s.golang.Comm(r.Message)
		}
	}
	s.settle(r.Message)
}

// closeComm tells clients that a comm has no other end.
func (s *Server) closeComm(parent *wire.Message, id string) {
	s.publish(parent, "comm_close", map[string]any{"comm_id": id, "data": map[string]any{}})
}

// fromGo publishes a comm message of a Go cell.
func (s *Server) fromGo(parent, message *wire.Message) {
	if m, err := message.Comm(); err == nil {
		s.comms.note(message.Header.MsgType, m)
	}
	s.publish(parent, message.Header.MsgType, message.Content, message.Buffers...)
}
