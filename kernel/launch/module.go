package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// initialise runs go mod init for GoNB's folder, at the start of a session and
// at each %reset, and then makes the module able to import topos.
func initialise(real string, args []string, work string) int {
	cmd := exec.Command(real, args...)
	code := supervise(protocol.InitStep, work, cmd)
	if code != 0 {
		return code
	}
	source := os.Getenv(protocol.SourceVariable)
	if source == "" {
		return 0
	}
	if err := prepareModule(real, work, source); err != nil {
		fmt.Fprintf(os.Stderr, "go: cells cannot import topos: %v\n", err)
		return 1
	}
	return 0
}

// module is the part of go mod edit -json that is used.
type module struct {
	Module  struct{ Path string }
	Go      string
	Require []struct{ Path, Version string }
}

// prepareModule lets the module in the folder work import the packages of the
// module in the folder source, without a network and without go get: a
// requirement of v0.0.0 replaced by the folder, the same go version, every
// requirement of source at the same version (a module must list what its
// dependencies need), and source's go.sum.
func prepareModule(real, work, source string) error {
	cmd := exec.Command(real, "mod", "edit", "-json")
	cmd.Dir = source
	var text, trouble bytes.Buffer
	cmd.Stdout, cmd.Stderr = &text, &trouble
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("the module in %s cannot be read: %s", source, strings.TrimSpace(trouble.String()))
	}
	var from module
	if err := json.Unmarshal(text.Bytes(), &from); err != nil {
		return fmt.Errorf("the module in %s cannot be read: %v", source, err)
	}
	if from.Module.Path == "" || from.Go == "" {
		return fmt.Errorf("the module in %s names no path or no go version", source)
	}
	path := filepath.Join(work, "go.mod")
	own, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	if err := os.WriteFile(path, []byte(moduleText(moduleName(string(own)), source, from)), 0o600); err != nil {
		return err
	}
	sums, err := os.ReadFile(filepath.Join(source, "go.sum"))
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(work, "go.sum"), sums, 0o600)
}

// moduleName reads the module line of a go.mod.
func moduleName(text string) string {
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "module "); ok {
			return strings.TrimSpace(name)
		}
	}
	return "cell"
}

func moduleText(name, source string, from module) string {
	var b strings.Builder
	fmt.Fprintf(&b, "module %s\n\ngo %s\n\nrequire %s v0.0.0\n", name, from.Go, from.Module.Path)
	if len(from.Require) > 0 {
		b.WriteString("\nrequire (\n")
		for _, r := range from.Require {
			fmt.Fprintf(&b, "\t%s %s // indirect\n", r.Path, r.Version)
		}
		b.WriteString(")\n")
	}
	fmt.Fprintf(&b, "\nreplace %s %s\n", from.Module.Path, replacement(source))
	return b.String()
}

// replacement is the right-hand part of the replace line.
func replacement(source string) string { return "v0.0.0 => " + strconv.Quote(source) }
