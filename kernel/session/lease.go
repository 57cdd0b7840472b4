package session

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/topos-notebook/topos/cells/ledger"
	"github.com/topos-notebook/topos/cells/payloads"
	"github.com/topos-notebook/topos/cells/wire"
	"github.com/topos-notebook/topos/kernel/elements"
	"github.com/topos-notebook/topos/topos"
)

// lease is the right of a Go cell's processes to take part in the session, from
// the start of the cell's program to its end.
type lease struct {
	id     uint64
	folder string
	files  *payloads.Folder
	cell   int // execution count, for messages
	begun  moment
	show   func(*topos.Reading) error
	kept   func() // told of each table that was taken over

	mu      sync.Mutex
	ended   bool
	attempt attempt
	base    string // names the files, "" until a process opened the session to record
	owner   *visit // who did
}

// end takes the right away and gives the name of the ledger that was recorded
// to, "" for none. It waits for a request that is being answered.
func (l *lease) end() (path string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended || l.base == "" {
		l.ended = true
		return ""
	}
	l.ended = true
	os.Remove(filepath.Join(l.folder, l.base+".snapshot"))
	path = filepath.Join(l.folder, l.base+".ledger")
	ledger.End(path)
	return path
}

// answer carries out a request of a visitor.
func (l *lease) answer(v *visit, m wire.Message) (wire.Message, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return nil, fmt.Errorf("cell %d has ended: what its background work does is not part of the session", l.cell)
	}
	switch m := m.(type) {
	case *wire.Hello:
		return l.welcome(v, m)
	case *wire.Show:
		for _, r := range m.Readings {
			if err := l.show(r); err != nil {
				return nil, err
			}
		}
		return &wire.Done{}, nil
	case *wire.Keep:
		return &wire.Done{}, l.keep(m.File)
	}
	return nil, fmt.Errorf("%T is no request", m)
}

// welcome lets a process in, and writes the files it works with.
func (l *lease) welcome(v *visit, m *wire.Hello) (wire.Message, error) {
	if m.Element == "" {
		return &wire.Welcome{Lease: l.id}, nil
	}
	element, number, nodes := l.attempt.header()
	switch {
	case m.Element != element && !elements.Known(m.Element):
		return nil, fmt.Errorf("the session records %s, not %s: a number of your own works on a tape of its own, made with topos.New", element, m.Element)
	case m.Element != element:
		return nil, fmt.Errorf("the session records %s, not %s: open it with %s, or begin a new tape with %%tape new %s", element, m.Element, strings.ToUpper(element), m.Element)
	case l.owner != nil && l.owner != v:
		return nil, errors.New("another process of this cell has opened the session: a cell records from one process")
	case l.owner == v:
		return nil, errors.New("the session is open already")
	}
	base := fmt.Sprintf("cell-%d", l.id)
	path := filepath.Join(l.folder, base)
	if err := os.WriteFile(path+".snapshot", l.attempt.snapshot(l.files).Encode(), 0o600); err != nil {
		return nil, fmt.Errorf("the session cannot be written for the cell: %w", err)
	}
	if err := ledger.Create(path+".ledger", ledger.Header{Element: element, Segment: number, Base: nodes}); err != nil {
		os.Remove(path + ".snapshot")
		return nil, fmt.Errorf("the session cannot be written for the cell: %w", err)
	}
	l.base, l.owner = base, v
	return &wire.Welcome{Lease: l.id, Snapshot: base + ".snapshot", Ledger: base + ".ledger"}, nil
}

// keep takes over the table in a file of the folder.
func (l *lease) keep(file string) error {
	if !strings.HasPrefix(file, "keep-") || file != filepath.Base(file) {
		return fmt.Errorf("%q is no file of the session", file)
	}
	path := filepath.Join(l.folder, file)
	defer os.Remove(path)
	b, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	table, err := wire.DecodeTable(b)
	if err == nil {
		err = l.attempt.keep(l.files, table)
	}
	if err != nil {
		return fmt.Errorf("keep: %w", err)
	}
	l.kept()
	return nil
}
