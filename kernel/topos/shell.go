package main

import (
	_ "embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// shellScript is what bash reads before a shell command of a cell.
//
//go:embed shell.bash
var shellScript string

// shell makes the shell commands of cells processes that the supervisor
// watches, as Go programs are: their output comes in order and in large
// pieces, their exit status is known, and a command that they leave in the
// background does not hold the cell. GoNB starts bash by its absolute path, so
// that no shim can stand before it; but bash reads the file that BASH_ENV names
// first, and there the launcher is put in between.
type shell struct{ folder string }

// newShell makes the files. It returns nil where there is no bash.
func newShell(private *privateFolder, launcher string) (*shell, error) {
	bash, err := exec.LookPath("/bin/bash")
	if err != nil || launcher == "" {
		return nil, nil
	}
	folder, err := private.folder("shell")
	if err != nil {
		return nil, err
	}
	s := &shell{folder: folder}
	// The launcher runs what stands beside the name it is called by.
	if err := os.Symlink(launcher, filepath.Join(folder, protocol.CommandName)); err != nil {
		return nil, err
	}
	if err := os.Symlink(bash, filepath.Join(folder, protocol.CommandName+protocol.CellSuffix)); err != nil {
		return nil, err
	}
	text := fmt.Sprintf("topos_folder=%s\ntopos_before=%s\n%s", quote(folder), quote(os.Getenv("BASH_ENV")), shellScript)
	return s, os.WriteFile(s.script(), []byte(text), 0o600)
}

func (s *shell) script() string { return filepath.Join(s.folder, "env.bash") }

// env returns what must be in GoNB's environment.
func (s *shell) env() []string { return []string{"BASH_ENV=" + s.script()} }

// started says which process is GoNB: only its own commands are meant, not
// those that programs run.
func (s *shell) started(pid int) {
	os.WriteFile(filepath.Join(s.folder, "gonb"), []byte(strconv.Itoa(pid)+"\n"), 0o600)
}

// quote makes a word for bash.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
