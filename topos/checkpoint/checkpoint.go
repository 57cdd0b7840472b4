package checkpoint

import (
	"bytes"
	"errors"
	"fmt"
	"iter"
	"strconv"

	"github.com/topos-notebook/topos/topos"
)

// The reasons why a checkpoint cannot be made, restored, written or read; test
// with errors.Is.
var (
	// ErrMissing: a parameter has no payload.
	ErrMissing = errors.New("missing entry")
	// ErrUnexpected: a payload has no parameter.
	ErrUnexpected = errors.New("unexpected entry")
	// ErrShape: a payload and its parameter have different shapes.
	ErrShape = errors.New("shape")
	// ErrElement: a payload and its parameter have different elements, or an
	// element that the file format has no name for.
	ErrElement = errors.New("element")
	// ErrPath: a path is given twice, or to no parameter of the table, or is
	// one that the file format cannot hold.
	ErrPath = errors.New("path")
	// ErrFormat: a file is torn or no checkpoint.
	ErrFormat = errors.New("format")
	// ErrVersion: a file is of a format that this reader does not know.
	ErrVersion = errors.New("version")
)

// failure is an error of one line with a reason to test for.
type failure struct {
	reason string
	err    error
}

func (f *failure) Error() string { return f.reason }
func (f *failure) Unwrap() error { return f.err }

func failed(err error, format string, args ...any) error {
	return &failure{fmt.Sprintf(format, args...), err}
}

// Entry is one payload: its path, and the element, shape and bits of a tensor.
type Entry struct {
	Path    string
	Element string // its name: "f32"
	Shape   topos.Shape
	Bits    []byte // as [topos.Tensor.Encode] gives them
}

// Checkpoint is payloads under paths, in order.
type Checkpoint []Entry

// Paths are the paths of a module and what they name, such as package nn's
// modules list, or a program of its own.
type Paths = iter.Seq2[string, topos.Symbol]

func entry[T any](path string, t *topos.Tensor[T]) Entry {
	return Entry{path, t.Element().Name(), t.Shape(), t.Encode()}
}

// Snapshot keeps every payload of a table. Its paths are the slots: "0", "1".
func Snapshot[T any](p *topos.Parameters[T]) Checkpoint {
	c := make(Checkpoint, p.Len())
	for slot := range c {
		c[slot] = entry(strconv.Itoa(slot), p.Slot(slot))
	}
	return c
}

// SnapshotPaths keeps the payloads that paths name, in their order. It fails for
// a path that is given twice or names no parameter of the table.
func SnapshotPaths[T any](p *topos.Parameters[T], paths Paths) (Checkpoint, error) {
	var c Checkpoint
	err := each(paths, func(path string, symbol topos.Symbol) error {
		t, err := of(p, path, symbol)
		if err == nil {
			c = append(c, entry(path, t))
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return c, nil
}

// of is the payload that a path names.
func of[T any](p *topos.Parameters[T], path string, symbol topos.Symbol) (t *topos.Tensor[T], err error) {
	if r := topos.Refused(func() { t = p.Of(symbol) }); r != nil {
		return nil, failed(ErrPath, "%q names no parameter of the table: %s", path, r.Reason)
	}
	return t, nil
}

// each visits paths until one fails, or is given twice.
func each(paths Paths, visit func(path string, symbol topos.Symbol) error) error {
	seen := map[string]bool{}
	for path, symbol := range paths {
		if seen[path] {
			return failed(ErrPath, "two parameters have the path %q", path)
		}
		seen[path] = true
		if err := visit(path, symbol); err != nil {
			return err
		}
	}
	return nil
}

// Restore is a table with every payload replaced by position, whatever the paths
// are. It fails where the counts, a shape or an element differ.
func Restore[T any](c Checkpoint, p *topos.Parameters[T]) (*topos.Parameters[T], error) {
	n := p.Len()
	switch {
	case len(c) < n:
		return nil, failed(ErrMissing, "the checkpoint holds %d payloads for %d parameters: none for slot %d of %v", len(c), n, len(c), p.Slot(len(c)).Shape())
	case len(c) > n:
		return nil, failed(ErrUnexpected, "the checkpoint holds %d payloads for %d parameters: %q of %v has no slot", len(c), n, c[n].Path, c[n].Shape)
	}
	replaced := make([]topos.Feed[T], n)
	for slot, name := range p.Names() {
		t, err := decoded(&c[slot], p.Slot(slot))
		if err != nil {
			return nil, err
		}
		replaced[slot] = topos.With(name, t)
	}
	return p.WithPayloads(replaced...), nil
}

// RestorePaths is a table with the payloads replaced that paths name. It fails
// for a path without an entry, for an entry without a path, where a shape or an
// element differs, and where two paths name one parameter and their payloads
// differ.
func RestorePaths[T any](c Checkpoint, p *topos.Parameters[T], paths Paths) (*topos.Parameters[T], error) {
	at, err := c.positions()
	if err != nil {
		return nil, err
	}
	var replaced []topos.Feed[T]
	taken := map[topos.Symbol]*Entry{}
	err = each(paths, func(path string, symbol topos.Symbol) error {
		old, err := of(p, path, symbol)
		if err != nil {
			return err
		}
		i, ok := at[path]
		if !ok {
			return failed(ErrMissing, "the checkpoint has no entry %q, which is a parameter of %v", path, old.Shape())
		}
		delete(at, path)
		if err := agrees(taken, symbol, &c[i]); err != nil {
			return err
		}
		t, err := decoded(&c[i], old)
		if err == nil {
			replaced = append(replaced, topos.With(symbol, t))
		}
		return err
	})
	if err == nil {
		err = c.leftover(at)
	}
	if err != nil {
		return nil, err
	}
	return p.WithPayloads(replaced...), nil
}

// positions finds the entries by path.
func (c Checkpoint) positions() (map[string]int, error) {
	at := make(map[string]int, len(c))
	for i := range c {
		if _, twice := at[c[i].Path]; twice {
			return nil, failed(ErrPath, "the checkpoint has two entries %q", c[i].Path)
		}
		at[c[i].Path] = i
	}
	return at, nil
}

// leftover fails for the first entry that is still to be taken.
func (c Checkpoint) leftover(at map[string]int) error {
	for i := range c {
		if _, left := at[c[i].Path]; left {
			return failed(ErrUnexpected, "the checkpoint has an unexpected entry %q of %v", c[i].Path, c[i].Shape)
		}
	}
	return nil
}

// agrees fails where a parameter was restored from another payload already.
func agrees(taken map[topos.Symbol]*Entry, symbol topos.Symbol, e *Entry) error {
	if before := taken[symbol]; before != nil && !bytes.Equal(before.Bits, e.Bits) {
		return failed(ErrPath, "%q and %q are one parameter, and their payloads differ", before.Path, e.Path)
	}
	taken[symbol] = e
	return nil
}

// decoded is the tensor of an entry, in place of another.
func decoded[T any](e *Entry, old *topos.Tensor[T]) (*topos.Tensor[T], error) {
	if err := e.fits(old.Element().Name(), old.Shape()); err != nil {
		return nil, err
	}
	t, err := old.Element().Decode(e.Shape, e.Bits)
	if err != nil {
		return nil, failed(ErrFormat, "entry %q: %v", e.Path, err)
	}
	return t, nil
}

func (e *Entry) fits(element string, shape topos.Shape) error {
	switch {
	case e.Element != element:
		return failed(ErrElement, "entry %q is of %s, its parameter of %s", e.Path, e.Element, element)
	case !e.Shape.Equal(shape):
		return failed(ErrShape, "entry %q has the shape %v, its parameter %v", e.Path, e.Shape, shape)
	}
	return nil
}
