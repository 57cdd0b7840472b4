package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// folderPrefix begins the names of the private folders of kernels.
const folderPrefix = "topos-kernel-"

// longestFolder leaves room for the names of sockets: a unix socket's path is
// short of 104 bytes on some systems.
const longestFolder = 72

// privateFolder is where a running kernel keeps its sockets, the generated code
// of cells and everything else that dies with it. A lock tells others that it
// is in use.
type privateFolder struct {
	path string
	lock *os.File
}

// makeFolder makes a private folder and removes what dead kernels have left
// beside it.
func makeFolder() (*privateFolder, error) {
	var failures []error
	for _, base := range folderBases() {
		sweep(base)
		path, err := os.MkdirTemp(base, folderPrefix)
		if err != nil {
			failures = append(failures, err)
			continue
		}
		if len(path) > longestFolder {
			os.Remove(path)
			failures = append(failures, fmt.Errorf("%s: path too long for sockets", base))
			continue
		}
		f := &privateFolder{path: path}
		if f.lock, err = lockFolder(path); err != nil {
			os.RemoveAll(path)
			failures = append(failures, err)
			continue
		}
		return f, nil
	}
	return nil, fmt.Errorf("no place for a private folder: %w", errors.Join(failures...))
}

// lockFolder makes the lock of a folder. It gets its name when it is held, so
// that another kernel, which starts now and sweeps, cannot take it before us.
func lockFolder(path string) (*os.File, error) {
	unnamed := filepath.Join(path, "lock.new")
	lock, err := os.OpenFile(unnamed, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if err == nil {
		err = os.Rename(unnamed, filepath.Join(path, "lock"))
	}
	if err != nil {
		lock.Close()
		return nil, err
	}
	return lock, nil
}

// folderBases lists where a private folder may be made, best first.
func folderBases() []string {
	var bases []string
	if runtime := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(runtime) && runsPrograms(runtime) {
		bases = append(bases, runtime)
	}
	bases = append(bases, os.TempDir())
	if len(os.TempDir()) > longestFolder/2 {
		bases = append(bases, "/tmp") // macOS gives users deep folders
	}
	return bases
}

// folder returns a folder within, made when it is not there.
func (f *privateFolder) folder(name string) (string, error) {
	path := filepath.Join(f.path, name)
	return path, os.MkdirAll(path, 0o700)
}

// sweep removes the folders of kernels that are dead, and ends what they left
// running. A living kernel holds its lock; only the user's own are looked at.
func sweep(base string) {
	entries, err := os.ReadDir(base)
	if err != nil {
		return
	}
	for _, e := range entries {
		if !e.IsDir() || !strings.HasPrefix(e.Name(), folderPrefix) {
			continue
		}
		path := filepath.Join(base, e.Name())
		info, err := os.Lstat(path)
		if err != nil || !mine(info) {
			continue
		}
		lock, err := os.OpenFile(filepath.Join(path, "lock"), os.O_RDWR, 0)
		if err != nil {
			continue // being made, or being removed
		}
		if syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) == nil {
			clean(path, nil)
		}
		lock.Close()
	}
}

func mine(info os.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Getuid()
}
