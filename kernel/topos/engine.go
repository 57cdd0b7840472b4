package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/kernel/session"
)

// surroundings are what an engine needs to know of the kernel it serves.
type surroundings struct {
	socket string // path of the unix socket on which Go cells reach the session
	folder string // private folder, removed when the kernel ends
	id     string // the kernel's id, from the name of its connection file
	log    io.Writer
}

// newEngine returns what answers the kernel's own cells and records for Go cells.
// Its sessions are kept on disk where there is a folder for them.
func newEngine(s surroundings) (server.Engine, error) {
	e, err := session.New(s.socket, s.folder)
	if err != nil {
		return nil, err
	}
	store, problems := openState()
	for _, problem := range problems {
		fmt.Fprintln(s.log, "topos kernel:", problem)
	}
	if store == nil {
		fmt.Fprintln(s.log, "topos kernel: the session is kept in memory alone")
		return e, nil
	}
	store.Of(notebookPath())
	e.Journal(store, s.id)
	if n := store.Previous(s.id, 0); n > 0 {
		fmt.Fprintf(s.log, "topos kernel: session %d of this notebook is kept: %%session open previous\n", n)
	}
	return e, nil
}

// notebookPath is the notebook that the kernel runs for, "" where that is not known:
// Jupyter's server tells its path, and for a console a name that many have.
func notebookPath() string {
	path := os.Getenv("JPY_SESSION_NAME")
	if !strings.HasSuffix(path, ".ipynb") {
		return ""
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return ""
	}
	return path
}
