package server

import (
	"fmt"
	"strings"

	"github.com/topos-notebook/topos/kernel/gonb"
	"github.com/topos-notebook/topos/kernel/wire"
)

// request is a message with the socket that its answer goes to.
type request struct {
	*wire.Message
	socket *wire.Socket
}

func (s *Server) reply(r request, msgType string, content any) {
	m := wire.New(s.session, msgType, r.Message, content)
	m.Identities = r.Identities
	r.socket.Send(m)
}

// handler answers one type of request with the content of its reply.
type handler struct {
	answer func(s *Server, r request) (any, error)
	slow   bool // may wait for GoNB: answered on a goroutine of its own
}

var handlers = map[string]handler{
	"kernel_info_request": {answer: (*Server).kernelInfo},
	"connect_request":     {answer: (*Server).connect},
	"history_request":     {answer: (*Server).historyRequest},
	"is_complete_request": {answer: (*Server).isComplete},
	"comm_info_request":   {answer: (*Server).commInfo},
	"interrupt_request":   {answer: (*Server).interruptRequest},
	"shutdown_request":    {answer: (*Server).shutdownRequest},
	"debug_request":       {answer: (*Server).debug},
	"complete_request":    {answer: (*Server).complete, slow: true},
	"inspect_request":     {answer: (*Server).inspect, slow: true},
}

// receive takes requests from shell or control. Both know the same requests.
func (s *Server) receive(socket *wire.Socket) {
	for {
		m, err := socket.Receive()
		if err != nil {
			return
		}
		r := request{m, socket}
		switch m.Header.MsgType {
		case "execute_request":
			s.queue.push(r)
		case "comm_open", "comm_msg", "comm_close":
			s.comm(r)
		default:
			if h := handlers[m.Header.MsgType]; h.slow {
				go s.answer(r, h)
			} else {
				s.answer(r, h)
			}
		}
	}
}

// answer answers a request between its busy and its idle status. A request of
// an unknown type is answered with an error when its name tells how.
func (s *Server) answer(r request, h handler) {
	s.status(r.Message, "busy")
	defer s.settle(r.Message)
	name, isRequest := strings.CutSuffix(r.Header.MsgType, "_request")
	if h.answer == nil {
		if isRequest {
			s.reply(r, name+"_reply", failure("UnknownRequest", r.Header.MsgType+" is not known"))
		}
		return
	}
	content, err := h.answer(s, r)
	if err != nil {
		content = failure("ProtocolError", err.Error())
	}
	s.reply(r, name+"_reply", content)
	if name == "shutdown" {
		s.publish(r.Message, "shutdown_reply", content)
		s.finish()
	}
}

// settle publishes idle for a request. Clients show the last status, whatever
// it belongs to: a cell that still runs is said to be busy once more.
func (s *Server) settle(parent *wire.Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.status(parent, "idle")
	if s.current != nil {
		s.status(s.current.request.Message, "busy")
	}
}

func failure(name, value string) map[string]any {
	return map[string]any{"status": "error", "ename": name, "evalue": value, "traceback": []string{value}}
}

func (s *Server) connect(request) (any, error) {
	c := s.options.Connection
	return map[string]any{"status": "ok", "shell_port": c.ShellPort, "iopub_port": c.IOPubPort,
		"stdin_port": c.StdinPort, "hb_port": c.HBPort, "control_port": c.ControlPort}, nil
}

// debug declines, in the protocol's way and in the debugger's.
func (s *Server) debug(request) (any, error) {
	content := failure("NotSupported", "debugging is not supported")
	content["type"], content["success"], content["message"] = "response", false, "debugging is not supported"
	return content, nil
}

func (s *Server) isComplete(r request) (any, error) {
	q, err := r.IsComplete()
	if err != nil {
		return nil, err
	}
	status, indent, ok := s.engine.IsComplete(q.Code)
	if !ok {
		status, indent = gonb.IsComplete(q.Code)
	}
	content := map[string]any{"status": status}
	if status == "incomplete" {
		content["indent"] = indent
	}
	return content, nil
}

// interruptRequest interrupts whatever the content says: there is nothing in it
// to get wrong.
func (s *Server) interruptRequest(request) (any, error) {
	s.Interrupt()
	return map[string]any{"status": "ok"}, nil
}

func (s *Server) shutdownRequest(r request) (any, error) {
	q, err := r.Shutdown()
	if err != nil {
		q.Restart = false // a client that asks to shut down means it
	}
	return map[string]any{"status": "ok", "restart": q.Restart}, nil
}

func (s *Server) kernelInfo(request) (any, error) {
	version := strings.TrimPrefix(s.options.GoVersion, "go")
	return map[string]any{
		"status":                 "ok",
		"protocol_version":       wire.ProtocolVersion,
		"implementation":         "topos",
		"implementation_version": s.options.Version,
		"language_info": map[string]any{
			"name":            "go",
			"version":         version,
			"mimetype":        "text/x-go",
			"file_extension":  ".go",
			"pygments_lexer":  "go",
			"codemirror_mode": "go",
		},
		"banner":             fmt.Sprintf("topos %s: cells that append to one tape. Go %s through GoNB %s. %%help lists the magics.", s.options.Version, version, gonb.Version),
		"debugger":           false,
		"supported_features": []string{},
		"help_links": []map[string]string{
			{"text": "Go", "url": "https://go.dev/doc/"},
			{"text": "GoNB", "url": "https://github.com/janpfeifer/gonb"},
		},
	}, nil
}
