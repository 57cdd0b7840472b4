package cells

import (
	"errors"
	"fmt"
	"runtime"
	"strings"

	"github.com/topos-notebook/topos/cells/bounds"
	"github.com/topos-notebook/topos/cells/ledger"
	"github.com/topos-notebook/topos/cells/payloads"
	"github.com/topos-notebook/topos/topos"
)

// ErrInitialiser: something was recorded by an initialiser of a package, which
// runs again in every cell.
var ErrInitialiser = errors.New("package-level initialiser")

// recorder writes a session's nodes to its ledger.
type recorder struct {
	tape    *topos.Recording
	ledger  *ledger.Writer
	settled bool // a node was recorded outside of initialisers
}

// apart is a recorder that has large payloads put aside.
type apart struct {
	*recorder
	*payloads.Folder
}

// Put implements [topos.Aside]. It panics for a payload that a session cannot hold.
func (a apart) Put(p *topos.Payload) (name uint64, ok bool) {
	if err := bounds.OfPayload(int64(p.Bytes())); err != nil {
		panic(unwritable(err))
	}
	return a.Folder.Put(p)
}

// recorder makes the recorder of a session.
func (b *record) recorder() topos.Recorder {
	r := &recorder{tape: b.tape, ledger: b.ledger}
	if b.files == nil {
		return r
	}
	return apart{r, b.files}
}

// Recorded implements [topos.Recorder].
func (r *recorder) Recorded(entry []byte) {
	if !r.settled {
		r.settle()
	}
	if r.ledger == nil {
		return
	}
	if err := r.ledger.Node(entry); err != nil {
		panic(unwritable(err))
	}
	if r.ledger.Nodes() != r.tape.Len() {
		panic(errors.New("the session's tape was cut, or recorded to by several goroutines at once: to take back a cell, run it again"))
	}
}

func unwritable(err error) error {
	if errors.Is(err, ledger.ErrEnded) {
		return errors.New("the cell has ended: what its background work records is not part of the session")
	}
	return fmt.Errorf("the session cannot record: %w", err)
}

// settle refuses the first nodes where an initialiser records them. Initialisers
// come before everything else, so once one node was recorded elsewhere the check
// is over, and costs nothing more.
func (r *recorder) settle() {
	if initialising() {
		r.tape.Cut(r.tape.Len() - 1)
		refuse("record", ErrInitialiser, "a package-level initialiser cannot record: it runs again in every cell; record inside %%%%, or in a function called from there")
	}
	r.settled = true
	if r.ledger == nil {
		r.tape.RecordTo(nil)
	}
}

// initialising says whether the caller runs on behalf of a package's
// initialisation.
func initialising() bool {
	pcs := make([]uintptr, 64)
	n := runtime.Callers(2, pcs)
	for n == len(pcs) {
		pcs = make([]uintptr, 2*len(pcs))
		n = runtime.Callers(2, pcs)
	}
	frames := runtime.CallersFrames(pcs[:n])
	for {
		f, more := frames.Next()
		if strings.HasPrefix(f.Function, "runtime.doInit") {
			return true
		}
		if !more {
			return false
		}
	}
}
