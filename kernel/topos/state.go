package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"github.com/topos-notebook/topos/kernel/journal"
)

// stateVariable names the folder in which sessions are kept.
const stateVariable = "TOPOS_STATE"

// openState opens the folder in which sessions are kept: TOPOS_STATE, else the
// user's state folder, else, where the home cannot be written to, a folder that
// lasts as long as the machine runs. The problems are those of the folders that
// could not be used, and which one is used instead; the store is nil where none
// could.
func openState() (*journal.Store, []error) {
	var problems []error
	for _, folder := range stateFolders() {
		store, err := openIn(folder)
		if err == nil {
			if len(problems) > 0 {
				problems = append(problems, fmt.Errorf("sessions are kept in %s", folder))
			}
			return store, problems
		}
		problems = append(problems, fmt.Errorf("sessions cannot be kept in %s: %w", folder, err))
	}
	return nil, problems
}

// stateFolders lists where sessions may be kept, best first.
func stateFolders() []string {
	var folders []string
	if folder := os.Getenv(stateVariable); folder != "" {
		folders = append(folders, folder)
	}
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		folders = append(folders, filepath.Join(state, "topos"))
	} else if home, err := os.UserHomeDir(); err == nil && filepath.IsAbs(home) {
		folders = append(folders, filepath.Join(home, ".local", "state", "topos"))
	}
	if runtime := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(runtime) {
		return append(folders, filepath.Join(runtime, "topos"))
	}
	return append(folders, sharedTemporary())
}

// sharedTemporary is the user's own folder where everybody may make folders.
func sharedTemporary() string {
	return filepath.Join(os.TempDir(), "topos-state-"+strconv.Itoa(os.Getuid()))
}

// openIn opens a folder of sessions. Of a name that anybody may take, a folder that
// somebody else has made is not used.
func openIn(folder string) (*journal.Store, error) {
	if folder == sharedTemporary() {
		if err := os.Mkdir(folder, 0o700); err != nil && !os.IsExist(err) {
			return nil, err
		}
		info, err := os.Lstat(folder)
		if err != nil {
			return nil, err
		}
		if !info.IsDir() || !mine(info) || info.Mode().Perm() != 0o700 {
			return nil, errors.New("it is not this user's private folder")
		}
	}
	return journal.OpenStore(folder)
}
