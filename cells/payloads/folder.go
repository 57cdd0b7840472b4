package payloads

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/topos-notebook/topos/topos"
)

// Least is the size of the smallest payload that is put into a file, in bytes.
// A smaller one is copied faster than its file is opened and mapped.
const Least = 32 << 10

const prefix = "payload-"

// Folder is one process's sight of the payload files in a folder. It implements
// [topos.Aside], and may be used by several goroutines.
type Folder struct {
	path  string
	space uint32

	mu    sync.Mutex
	count uint32
	files map[*topos.Payload]uint64
	names map[uint64]*topos.Payload

	unlinked bool // the last link could not be made
}

// New is a process's sight of a folder. The space is what tells the names it
// gives from those that others give: 0 for the kernel, a cell's lease for a cell.
func New(path string, space uint32) *Folder {
	return &Folder{path: path, space: space, files: map[*topos.Payload]uint64{}, names: map[uint64]*topos.Payload{}}
}

func (f *Folder) at(name uint64) string {
	return filepath.Join(f.path, prefix+strconv.FormatUint(name, 10))
}

// Put implements [topos.Aside]: it writes the payload's file where there is none
// yet. A payload that cannot be written, as on a full disk, is not aside.
func (f *Folder) Put(p *topos.Payload) (name uint64, ok bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.put(p)
}

func (f *Folder) put(p *topos.Payload) (name uint64, ok bool) {
	if p.Uniform() || p.Bytes() < Least {
		return 0, false
	}
	if name, ok := f.files[p]; ok {
		return name, true
	}
	f.count++
	name = uint64(f.space)<<32 | uint64(f.count)
	if write(f.at(name), p) != nil {
		return 0, false
	}
	f.files[p], f.names[name] = name, p
	return name, true
}

// write makes a payload's file, whole or not at all.
func write(path string, p *topos.Payload) error {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	_, err = p.WriteTo(filling{file})
	if closing := file.Close(); err == nil {
		err = closing
	}
	if err != nil {
		os.Remove(path)
	}
	return err
}

// Get implements [topos.Aside]: it maps the payload's file.
func (f *Folder) Get(name uint64, lay func([]byte) (*topos.Payload, error)) (*topos.Payload, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if p, ok := f.names[name]; ok {
		return p, nil
	}
	memory, err := open(f.at(name))
	if err != nil {
		var path *fs.PathError
		if errors.As(err, &path) {
			err = path.Err
		}
		return nil, fmt.Errorf("the file of payload %d: %w", name, err)
	}
	p, err := lay(memory)
	if err != nil {
		return nil, err
	}
	f.files[p], f.names[name] = name, p
	return p, nil
}

// Link gives a payload's file another name, on the same disk. A payload without a
// file gets one first. It is false where the payload is none for a file, and where
// the system cannot: who is told so once is not given a file for nothing again.
func (f *Folder) Link(p *topos.Payload, path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	_, had := f.files[p]
	if !had && f.unlinked {
		return false
	}
	name, ok := f.put(p)
	if !ok {
		return false
	}
	f.unlinked = os.Link(f.at(name), path) != nil
	if f.unlinked && !had {
		f.drop(p)
	}
	return !f.unlinked
}

// Forget makes the folder put a payload into a file of its own should it be put
// again. The file that it had is another process's to remove.
func (f *Folder) Forget(p *topos.Payload) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if name, ok := f.files[p]; ok {
		delete(f.files, p)
		delete(f.names, name)
	}
}

// Drop removes a payload's file.
func (f *Folder) Drop(p *topos.Payload) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.drop(p)
}

func (f *Folder) drop(p *topos.Payload) {
	if name, ok := f.files[p]; ok {
		delete(f.files, p)
		delete(f.names, name)
		os.Remove(f.at(name))
	}
}

// Len is the number of payloads that are known to have a file.
func (f *Folder) Len() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.files)
}

// Sweep removes every file in the folder but those of payloads in use. It is the
// kernel's to call, while no cell runs.
func (f *Folder) Sweep(inUse func(*topos.Payload) bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for p, name := range f.files {
		if !inUse(p) {
			delete(f.files, p)
			delete(f.names, name)
		}
	}
	entries, _ := os.ReadDir(f.path)
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), prefix)
		if !ok {
			continue
		}
		name, err := strconv.ParseUint(digits, 10, 64)
		if _, known := f.names[name]; err == nil && !known {
			os.Remove(filepath.Join(f.path, e.Name()))
		}
	}
}
