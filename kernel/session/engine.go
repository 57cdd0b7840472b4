package session

import (
	"errors"
	"sync"
	"sync/atomic"

	"github.com/topos-notebook/topos/cells/bounds"
	"github.com/topos-notebook/topos/cells/payloads"
	"github.com/topos-notebook/topos/kernel/elements"
	"github.com/topos-notebook/topos/kernel/magic"
	"github.com/topos-notebook/topos/kernel/server"
	"github.com/topos-notebook/topos/topos"
)

// Engine holds a notebook's session and runs its cells' transactions.
type Engine struct {
	folder   string
	host     *host
	bound    func(nodes int) error // refuses a tape that is too long
	files    *payloads.Folder      // of large payloads that Go cells work with
	notebook notebook              // what is committed
	static   bool                  // cards of plain text and tables, for whoever sanitises
	keeper   keeper
	lessons  int                  // trainings so far, which number their displays
	scene    atomic.Pointer[view] // of the notebook, for completion

	preparing sync.WaitGroup // payloads that get their files
}

var _ server.Engine = (*Engine)(nil)

// New makes an empty session of the default element. Go cells reach it on a Unix socket at an
// address; the files they work with are made in the address's folder, which
// must be private.
func New(socket, folder string) (*Engine, error) {
	h, err := newHost(socket)
	if err != nil {
		return nil, err
	}
	e := &Engine{folder: folder, host: h, bound: bounds.Tape, files: payloads.New(folder, 0)}
	e.keeper.files = e.files
	e.scene.Store(&view{})
	empty, _ := empties.Of(elements.Default)
	e.adopt(empty())
	return e, nil
}

// adopt makes a notebook the committed one.
func (e *Engine) adopt(n notebook) {
	e.notebook = n
	e.scene.Store(n.view(e.scene.Load()))
}

// Begin implements [server.Engine].
func (e *Engine) Begin(cell server.Cell) (server.Transaction, error) {
	script, err := magic.Split(cell.Code)
	if err != nil {
		return nil, tapeError(cell.Count, err)
	}
	return &transaction{
		engine: e, cell: cell, script: script, notebook: e.notebook, attempt: e.notebook.begin(cell),
		static: e.static, shown: map[string]int{},
	}, nil
}

// Close implements [server.Engine].
func (e *Engine) Close() error {
	err := errors.Join(e.host.close(), e.keeper.close())
	e.preparing.Wait()
	e.files.Sweep(func(*topos.Payload) bool { return false })
	return err
}

// prepare gives payloads their files while the cell's program is compiled, so that
// it need not wait for them.
func (e *Engine) prepare(large []*topos.Payload) {
	if len(large) == 0 {
		return
	}
	e.preparing.Go(func() {
		for _, p := range large {
			e.files.Put(p)
		}
	})
}

// sweep removes the files of payloads that the session no longer has, and what a
// program left unsaid. No cell is running.
func (e *Engine) sweep(ran bool) {
	e.preparing.Wait()
	if ran || e.files.Len() > 0 {
		e.files.Sweep(e.notebook.holds())
	}
}
