package process

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// Sink receives what a cell's program writes. Calls do not overlap.
type Sink interface {
	Stream(name, text string) // name is "stdout" or "stderr"; text is valid UTF-8, never empty
}

// Cell is a Go cell as the user wrote it.
type Cell struct {
	Number int    // execution count
	Code   string // the whole text, magics included
	Raw    bool   // leave the output to GoNB, as %capture needs
	Mute   bool   // GoNB has no input for it: a program that reads finds the end at once
}

// Supervisor watches over the processes of the Go cells of one kernel. Its
// methods may be called from several goroutines.
type Supervisor struct {
	// OutputLimit is [OutputLimit], or less. It is set before Begin.
	OutputLimit int

	folder   string
	environ  []string
	listener *net.UnixListener

	mu      sync.Mutex
	closed  bool
	job     *Job             // the cell that runs, or nil
	cells   map[int]*listing // the text of every cell begun, by number
	work    string           // GoNB's folder of generated code, once known
	clients map[*client]bool // launchers that are connected
	groups  map[int]bool     // process groups of programs, some perhaps left behind
	pipes   map[*pipes]bool  // pipes that still have a writer
	serving sync.WaitGroup
}

// New returns a supervisor that listens in folder, which it makes private
// (0700) or creates, and which Close removes. launcher is the built command of
// package kernel/launch, realGo the go command to stand in front of; both are
// absolute paths. The launcher stands in front of the goimports in PATH as well.
func New(folder, launcher, realGo string) (*Supervisor, error) {
	for _, path := range []string{folder, launcher, realGo} {
		if !filepath.IsAbs(path) {
			return nil, fmt.Errorf("process: %q is not an absolute path", path)
		}
	}
	for _, path := range []string{launcher, realGo} {
		if info, err := os.Stat(path); err != nil {
			return nil, fmt.Errorf("process: %w", err)
		} else if info.IsDir() || info.Mode()&0o111 == 0 {
			return nil, fmt.Errorf("process: %s is not a program", path)
		}
	}
	bin := filepath.Join(folder, "bin")
	if err := os.MkdirAll(bin, 0o700); err != nil {
		return nil, fmt.Errorf("process: %w", err)
	}
	if err := os.Chmod(folder, 0o700); err != nil {
		return nil, fmt.Errorf("process: %w", err)
	}
	if err := link(launcher, filepath.Join(bin, "go")); err != nil {
		return nil, err
	}
	realImports, err := standBefore(protocol.ImportsName, launcher, bin)
	if err != nil {
		return nil, err
	}
	settings, err := goSettings(realGo)
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(folder, "launch.sock")
	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("process: %w", err)
	}
	listener, err := net.ListenUnix("unix", &net.UnixAddr{Name: socket, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("process: %w", err)
	}
	s := &Supervisor{
		OutputLimit: OutputLimit,
		folder:      folder,
		environ:     environment(folder, realGo, realImports, socket, settings, os.Environ()),
		listener:    listener,
		cells:       map[int]*listing{},
		clients:     map[*client]bool{},
		groups:      map[int]bool{},
		pipes:       map[*pipes]bool{},
	}
	s.serving.Add(1)
	go s.accept()
	return s, nil
}

// standBefore puts the launcher in front of a program that is in PATH, and returns
// where that is; "" where there is none, which GoNB then says in its own words.
func standBefore(name, launcher, bin string) (string, error) {
	found, err := exec.LookPath(name)
	if err != nil {
		return "", nil
	}
	if found, err = filepath.Abs(found); err != nil {
		return "", fmt.Errorf("process: %w", err)
	}
	return found, link(launcher, filepath.Join(bin, name))
}

// link points a symbolic link at target, in place of an older one.
func link(target, path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("process: %w", err)
	}
	if err := os.Symlink(target, path); err != nil {
		return fmt.Errorf("process: %w", err)
	}
	return nil
}

func (s *Supervisor) accept() {
	defer s.serving.Done()
	for {
		conn, err := s.listener.AcceptUnix()
		if err != nil {
			return // closed
		}
		s.serving.Add(1)
		go func() {
			defer s.serving.Done()
			s.serve(conn)
		}()
	}
}

// Begin opens the job of a cell. A job that was not ended before is ended.
func (s *Supervisor) Begin(cell Cell, sink Sink) *Job {
	s.mu.Lock()
	before := s.job
	s.mu.Unlock()
	if before != nil {
		before.End()
	}
	j := &Job{
		supervisor: s,
		cell:       cell,
		output:     newOutput(sink, s.OutputLimit),
		running:    map[*client]bool{},
		idle:       make(chan struct{}, 1),
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.job = j
	s.cells[cell.Number] = newListing(cell.Code)
	return j
}

// Close kills every process of the cells that is left, background children
// included, stops listening and removes the folder.
func (s *Supervisor) Close() {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return
	}
	s.closed = true
	var clients []*client
	for c := range s.clients {
		clients = append(clients, c)
	}
	var left []*pipes
	for p := range s.pipes {
		left = append(left, p)
	}
	groups := s.groups
	s.mu.Unlock()

	s.listener.Close()
	for _, c := range clients {
		c.kill()
		// A launcher that does not answer in time counts as dead.
		c.conn.SetReadDeadline(time.Now().Add(ProgramGrace))
	}
	killGroups(groups, protocol.SocketVariable+"="+filepath.Join(s.folder, "launch.sock"))
	for _, p := range left {
		p.abandon()
	}
	s.serving.Wait()
	os.RemoveAll(s.folder)
}

// asking is what a program imports that may ask the user through GoNB, which
// writes the answer to the program's stdin.
const asking = `"github.com/janpfeifer/gonb/gonbui`

// asks says whether the current cell's program may ask the user.
func (s *Supervisor) asks() bool {
	generated := s.generated()
	return generated != nil && slices.ContainsFunc(generated.lines, func(l string) bool { return strings.Contains(l, asking) })
}

// workFolder returns GoNB's folder of generated code; empty until it is known.
func (s *Supervisor) workFolder() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.work
}

// keep remembers pipes until their last writer has gone, for Close.
func (s *Supervisor) keep(p *pipes) {
	s.mu.Lock()
	s.pipes[p] = true
	s.mu.Unlock()
	s.serving.Add(1)
	go func() {
		defer s.serving.Done()
		p.readers.Wait()
		s.mu.Lock()
		delete(s.pipes, p)
		s.mu.Unlock()
	}()
}
