package server

import (
	"context"
	"fmt"
)

// Engine answers cells of its own and brackets those that GoNB runs. Begin and
// what follows from it are called for one cell at a time; Complete, Inspect and
// IsComplete are called from other goroutines, also while a cell runs.
type Engine interface {
	// Begin opens a cell. Nothing is recorded until Commit.
	Begin(cell Cell) (Transaction, error)
	// Complete returns what could stand at the cursor (in code points), and false
	// when GoNB is to be asked.
	Complete(code string, cursor int) (c Completion, ok bool)
	// Inspect returns a MIME bundle about what stands at the cursor, and false
	// when GoNB is to be asked.
	Inspect(code string, cursor, detail int) (data map[string]any, ok bool)
	// IsComplete returns "complete", "incomplete" (with the indent of the next
	// line) or "invalid", and false when the cell is one for GoNB.
	IsComplete(code string) (status, indent string, ok bool)
	// Meant returns the magic that an unknown one was most likely meant to be, ""
	// for none. Names are without the percent sign of a line's magic, and with one
	// of the two of a cell's.
	Meant(magic string) string
	// Close is called once, after the last cell.
	Close() error
}

// Completion is what could stand at the cursor: each match replaces the code
// points from Start to End.
type Completion struct {
	Matches    []Match
	Start, End int
}

// Match is one of them. Kind and Detail are for clients that show more than the
// text: "function" and its signature, say; both may be empty.
type Match struct{ Text, Kind, Detail string }

// Cell is one request to execute.
type Cell struct {
	ID           string // metadata.cellId, "" if the client gives none
	Count        int    // execution count
	Code         string
	Silent       bool
	StoreHistory bool
}

// Transaction is an open cell. Before, Forward and After are called in this
// order, then either Commit or Rollback, once.
type Transaction interface {
	// Before runs the magics above the Go code, or the whole of a cell of the
	// engine's own. The context is cancelled by an interrupt.
	Before(ctx context.Context, out Output) error
	// Forward returns the Go code for GoNB with the engine's own lines blanked,
	// so that line numbers agree; "" when there is nothing to forward.
	Forward() string
	// After runs the magics below the Go code; only when the Go part ended well.
	After(ctx context.Context, out Output) error
	// Commit says that the cell ended well. An error makes it fail after all.
	Commit(out Output) error
	// Rollback says that it did not.
	Rollback()
}

// Output is where a cell's readings go. Its methods may be called from any
// goroutine while the cell is open; what comes later is dropped. Whatever the
// cell's program has written before the call comes before the display.
type Output interface {
	// Display publishes a MIME bundle. A bundle without text/plain gets one.
	Display(data, metadata map[string]any)
	// Update publishes a bundle under an id: a display the first time in a cell,
	// a change of that display afterwards.
	Update(id string, data, metadata map[string]any)
	// Stream writes text; name is "stdout" or "stderr".
	Stream(name, text string)
}

// CellError is why a cell failed, as clients show it. Any other error is shown
// under the name "Error".
type CellError struct {
	Name      string   // kind of failure, such as "CompileError"
	Value     string   // one line
	Traceback []string // lines of plain text; Value alone when empty
}

// Error returns the name and the value.
func (e *CellError) Error() string { return fmt.Sprintf("%s: %s", e.Name, e.Value) }
