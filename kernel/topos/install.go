package main

import (
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"github.com/topos-notebook/topos/kernel/image"
)

//go:embed logo-svg.svg
var logo []byte

func init() {
	register(command{name: "install", synopsis: "[--prefix P] [--name topos] [--warm=false]", run: runInstall,
		purpose: "make the kernel known to Jupyter"})
}

// kernelspec is the content of kernel.json.
type kernelspec struct {
	Argv          []string          `json:"argv"`
	DisplayName   string            `json:"display_name"`
	Language      string            `json:"language"`
	InterruptMode string            `json:"interrupt_mode"`
	Env           map[string]string `json:"env"`
	Metadata      map[string]any    `json:"metadata"`
}

// imageName is what the kernelspec calls the image.
const imageName = "topos"

// kernelName is what Jupyter allows as the name of a kernel.
var kernelName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

func runInstall(args []string, s streams) int {
	flags := flag.NewFlagSet("topos install", flag.ContinueOnError)
	flags.SetOutput(s.err)
	prefix := flags.String("prefix", "", "install for the Python environment in this `folder`; without it, for the user")
	name := flags.String("name", "topos", "`name` of the kernel")
	build := flags.Bool("warm", true, "build what cells import, so that the first cell is quick")
	if err := flags.Parse(args); err != nil {
		if errors.Is(err, flag.ErrHelp) {
			return 0
		}
		return 2
	}
	if flags.NArg() > 0 || !kernelName.MatchString(*name) {
		fmt.Fprintln(s.err, "usage: topos install [--prefix P] [--name topos]: a name is of letters, digits, dots, dashes and underscores")
		return 2
	}
	where, err := install(*prefix, *name)
	if err != nil {
		fmt.Fprintln(s.err, "topos install:", err)
		return 1
	}
	fmt.Fprintf(s.out, "installed kernel %s in %s\n", *name, where)
	if *build {
		fmt.Fprintln(s.out, "running one Go cell, so that the first in a notebook is quick ...")
		if err := warm(); err != nil {
			// The kernel is installed; topos doctor says what Go cells lack.
			fmt.Fprintln(s.err, "topos install: the Go cell did not run:", err)
		}
	}
	return 0
}

// install writes the kernelspec and returns its folder.
func install(prefix, name string) (string, error) {
	spec, err := newKernelspec()
	if err != nil {
		return "", err
	}
	if name != imageName {
		spec.DisplayName += " " + name
	}
	data, err := dataFolder(prefix)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(data, "kernels", name)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	text, err := json.MarshalIndent(spec, "", "  ")
	if err != nil {
		return "", err
	}
	if err := os.WriteFile(filepath.Join(folder, "logo-svg.svg"), logo, 0o644); err != nil {
		return "", err
	}
	return folder, os.WriteFile(filepath.Join(folder, "kernel.json"), append(text, '\n'), 0o644)
}

// newKernelspec describes this program, with every tool where it is now.
func newKernelspec() (kernelspec, error) {
	self, err := executable()
	if err != nil {
		return kernelspec{}, err
	}
	var folders []string
	for _, find := range []func() (string, error){
		func() (string, error) { return tool("goimports") },
		func() (string, error) { return tool("gopls") }, goCommand} {
		path, err := find()
		if err != nil {
			return kernelspec{}, err
		}
		if folder := filepath.Dir(path); !slices.Contains(folders, folder) {
			folders = append(folders, folder)
		}
	}
	golang, err := goCommand()
	if err != nil {
		return kernelspec{}, err
	}
	source, err := moduleSource()
	if err != nil {
		return kernelspec{}, err
	}
	return kernelspec{
		Argv:          []string{self, "kernel", "{connection_file}"},
		DisplayName:   "Go (topos)",
		Language:      "go",
		InterruptMode: "message",
		Env: map[string]string{
			// Jupyter puts its own PATH in place of the variable.
			"PATH":         strings.Join(append(folders, "${PATH}"), string(filepath.ListSeparator)),
			"TOPOS_GO":     golang,
			"TOPOS_SOURCE": source,
			"TOPOS_IMAGE":  imageName,
			image.Variable: image.Interpreter,
		},
		Metadata: map[string]any{"debugger": false},
	}, nil
}

// dataFolder returns the folder for Jupyter's data: below the prefix when one
// is given, else the user's as jupyter --data-dir prints it.
func dataFolder(prefix string) (string, error) {
	if prefix != "" {
		path, err := filepath.Abs(prefix)
		return filepath.Join(path, "share", "jupyter"), err
	}
	if own := os.Getenv("JUPYTER_DATA_DIR"); own != "" {
		return own, nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", err
	}
	if runtime.GOOS == "darwin" {
		return filepath.Join(home, "Library", "Jupyter"), nil
	}
	if data := os.Getenv("XDG_DATA_HOME"); data != "" {
		return filepath.Join(data, "jupyter"), nil
	}
	return filepath.Join(home, ".local", "share", "jupyter"), nil
}
