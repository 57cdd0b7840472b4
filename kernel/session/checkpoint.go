package session

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"

	"github.com/topos-notebook/topos/kernel/journal"
	"github.com/topos-notebook/topos/kernel/magic"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/checkpoint"
)

// checkpoint saves the live parameters to a safetensors file, under their names,
// or takes them from one: all of them or none.
func (t *try[T]) checkpoint(c magic.Checkpoint) (note string, err error) {
	if c.Save {
		return t.saveCheckpoint(c.File)
	}
	b, err := os.ReadFile(c.File)
	if err != nil {
		return "", fileError(c.File, err)
	}
	loaded, err := checkpoint.Decode(b)
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.File, err)
	}
	before := t.table()
	after, err := checkpoint.RestorePaths(loaded, before, t.parameterPaths)
	if err != nil {
		return "", fmt.Errorf("%s: %w", c.File, err)
	}
	for slot := range after.Len() {
		if p := after.Slot(slot); p != before.Slot(slot) {
			t.passing(slot, p)
		}
	}
	return fmt.Sprintf("%s is loaded: %s", c.File, counted(len(loaded), "parameter")), nil
}

// parameterPaths are the names that are bound to parameters, oldest first.
func (t *try[T]) parameterPaths(yield func(path string, at topos.Symbol) bool) {
	slots := map[topos.Symbol]bool{}
	for _, at := range t.tape.Parameters() {
		slots[at] = true
	}
	for name, at := range t.names.All() {
		if slots[at] && !yield(name, at) {
			return
		}
	}
}

func (t *try[T]) saveCheckpoint(path string) (note string, err error) {
	kept, err := checkpoint.SnapshotPaths(t.table(), t.parameterPaths)
	if err == nil && len(kept) == 0 {
		err = errors.New("no parameter has a name: there is nothing to save")
	}
	var b []byte
	if err == nil {
		b, err = kept.Encode()
	}
	if err == nil {
		err = otherFile(path)
	}
	if err == nil {
		err = journal.WriteFile(path, b)
	}
	if err != nil {
		return "", fileError(path, err)
	}
	named := map[topos.Symbol]bool{}
	for _, at := range t.parameterPaths {
		named[at] = true
	}
	note = fmt.Sprintf("%s is saved: %s", path, counted(len(named), "parameter"))
	if n := len(t.tape.Parameters()) - len(named); n > 0 {
		note += fmt.Sprintf("; %d without a name left out", n)
	}
	return note, nil
}

// fileError names the file as the user did.
func fileError(path string, err error) error {
	var p *os.PathError
	if errors.As(err, &p) {
		err = p.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// otherFile refuses to write over what is no safetensors file.
func otherFile(path string) error {
	f, err := os.Open(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err == nil && info.IsDir() {
		return errors.New("it is a folder, not a file")
	}
	b := make([]byte, 9)
	if n, _ := f.Read(b); n == 0 || n == len(b) && b[8] == '{' && binary.LittleEndian.Uint64(b) < 1<<32 {
		return nil
	}
	return errors.New("there is another file of this name, which is no checkpoint: it is left alone")
}
