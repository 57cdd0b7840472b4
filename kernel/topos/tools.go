package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// module is the path of the module that cells import.
const module = "github.com/topos-notebook/topos"

// executable returns the absolute path of this program, links resolved.
func executable() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", err
	}
	return filepath.EvalSymlinks(self)
}

// tool finds a program: beside this one first, so that an installation uses the
// tools it was built with, then in PATH. The path is absolute.
func tool(name string) (string, error) {
	if self, err := executable(); err == nil {
		beside := filepath.Join(filepath.Dir(self), name)
		if info, err := os.Stat(beside); err == nil && !info.IsDir() && info.Mode()&0o111 != 0 {
			return beside, nil
		}
	}
	found, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("%s is neither beside topos nor in PATH", name)
	}
	return filepath.Abs(found)
}

// goCommand finds the go command: TOPOS_GO as the kernelspec sets it, then
// PATH, then GOROOT.
func goCommand() (string, error) {
	if path := os.Getenv("TOPOS_GO"); path != "" {
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	if found, err := exec.LookPath("go"); err == nil {
		return filepath.Abs(found)
	}
	if root := os.Getenv("GOROOT"); root != "" {
		path := filepath.Join(root, "bin", "go")
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", errors.New("go is not in PATH")
}

// moduleSource finds the source of the module: TOPOS_SOURCE, then the folder
// that holds this program, then the working directory, and what is above those.
func moduleSource() (string, error) {
	if root := os.Getenv("TOPOS_SOURCE"); root != "" {
		if isModule(root) {
			return filepath.Abs(root)
		}
		return "", fmt.Errorf("TOPOS_SOURCE: %s does not hold module %s", root, module)
	}
	var starts []string
	if self, err := executable(); err == nil {
		starts = append(starts, filepath.Dir(self))
	}
	if here, err := os.Getwd(); err == nil {
		starts = append(starts, here)
	}
	for _, start := range starts {
		for at := start; ; at = filepath.Dir(at) {
			if isModule(at) {
				return at, nil
			}
			if at == filepath.Dir(at) {
				break
			}
		}
	}
	return "", fmt.Errorf("the source of module %s was not found: set TOPOS_SOURCE to its folder", module)
}

func isModule(root string) bool {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return false
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "module" {
			return strings.Trim(fields[1], `"`) == module
		}
	}
	return false
}
