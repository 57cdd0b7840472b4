package main

import (
	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/kernel/session"
)

// surroundings are what an engine needs to know of the kernel it serves.
type surroundings struct {
	socket string // path of the unix socket on which Go cells reach the session
	folder string // private folder, removed when the kernel ends
	id     string // the kernel's id, from the name of its connection file
}

// newEngine returns what answers the kernel's own cells and records for Go cells.
func newEngine(s surroundings) (server.Engine, error) {
	return session.New(s.socket, s.folder)
}
