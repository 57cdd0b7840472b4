package main

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// Most of a session's cells are built from the same packages, and the go
// command spends a third of each build on finding that out. A recipe is what
// it did: the arguments of one compiler and one linker run. It is learned from
// go build -x and used again only while everything it depends on is the same:
// the imports, the module files, flags, environment, and the files of local
// packages. Modules in the module cache and the standard library do not
// change. Whatever is unusual about a cell gets no recipe, and whatever a
// recipe fails at is left to go build.
//
// A program built by a recipe differs from go build's in its build ID alone.
type recipe struct {
	Compile []string          `json:"compile"` // program and arguments, with $WORK for the folder
	Link    []string          `json:"link"`
	Files   map[string]string `json:"files"`  // import configurations, by name in the folder
	Stamps  []stamp           `json:"stamps"` // files of local packages

	folder  string // for intermediate files
	work    string
	environ []string
	source  []byte // the text of the cell's main.go
}

// stamp identifies a version of a file that may be edited.
type stamp struct {
	Path string `json:"path"`
	Size int64  `json:"size"`
	Time int64  `json:"time"` // of modification, ns
}

// recipeFor returns the recipe for a cell, not yet known if it has not been
// learned; nil when the cell is to be left to the go command.
func recipeFor(real string, args []string, work string, environ, quick []string) *recipe {
	state := os.Getenv(protocol.FolderVariable)
	saved, err := savedEnvironment()
	if err != nil || state == "" || args[0] != "build" || len(args) != 3 || !plainEnvironment(environ) || !plainEnvironment(saved) {
		return nil
	}
	source, ok := plainSource(work)
	if !ok {
		return nil
	}
	imports, err := importsOf(work)
	own := filepath.Base(work) + "/"
	if err != nil || slices.ContainsFunc(imports, func(path string) bool { return path == "C" || strings.HasPrefix(path, own) }) {
		return nil
	}
	mark := fingerprint(work)
	if _, err := os.Stat(filepath.Join(work, "go.work")); mark == "" || err == nil {
		return nil
	}
	key := sha256.New()
	fmt.Fprintf(key, "%q %q %q %q %q %q", real, work, mark, imports, saved, quick)
	for _, entry := range environ {
		if strings.HasPrefix(entry, "GO") || strings.HasPrefix(entry, "CGO_") {
			fmt.Fprintf(key, "%q", entry)
		}
	}
	r := &recipe{
		folder:  filepath.Join(state, "recipes", hex.EncodeToString(key.Sum(nil))[:32]),
		work:    work,
		environ: environ,
		source:  source,
	}
	return r
}

// plainEnvironment says whether nothing but the machine itself decides what is
// built for.
func plainEnvironment(environ []string) bool {
	for _, entry := range environ {
		name, value, _ := strings.Cut(entry, "=")
		switch name {
		case "GOOS", "GOARCH", "GOEXPERIMENT", "GOENV", "GOWORK", "GO111MODULE", "GOFIPS140":
			if value != "" {
				return false
			}
		}
	}
	return true
}

// savedEnvironment returns the settings that the user made with go env -w.
func savedEnvironment() ([]string, error) {
	configured, err := os.UserConfigDir()
	if err != nil {
		return nil, err
	}
	text, err := os.ReadFile(filepath.Join(configured, "go", "env"))
	if err != nil && !os.IsNotExist(err) {
		return nil, err
	}
	return strings.Split(string(text), "\n"), nil
}

// plainSource returns the text of main.go when that is all there is to the
// cell's package, and has nothing in it that the go command reads: directives
// such as embed, build constraints, cgo.
func plainSource(work string) ([]byte, bool) {
	entries, err := os.ReadDir(work)
	if err != nil {
		return nil, false
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case name == "main.go", name == "go.mod", name == "go.sum":
		case strings.Contains(name, ".") && !strings.HasPrefix(name, "."):
			return nil, false
		}
	}
	text, err := os.ReadFile(filepath.Join(work, "main.go"))
	if err != nil {
		return nil, false
	}
	for _, directive := range []string{"//go:", "// +build", "//+build", "//export"} {
		if strings.Contains(string(text), directive) {
			return nil, false
		}
	}
	return text, true
}

// known reads the recipe, and checks that the local packages are as they were.
func (r *recipe) known() bool {
	text, err := os.ReadFile(filepath.Join(r.folder, "recipe.json"))
	if err != nil || json.Unmarshal(text, r) != nil || len(r.Compile) == 0 || len(r.Link) == 0 {
		return false
	}
	now, ok := stampsOf(r.Files["importcfg.link"], r.work)
	if !ok || !slices.Equal(now, r.Stamps) {
		os.Remove(filepath.Join(r.folder, "recipe.json"))
		return false
	}
	return true
}

// cook compiles and links by the recipe. What went wrong is not told: the go
// command will.
func (r *recipe) cook(w *watch, program string) bool {
	sum := sha256.Sum256(append([]byte(r.folder), r.source...))
	id := base64.RawURLEncoding.EncodeToString(sum[:15])
	for _, step := range [][]string{r.Compile, r.Link} {
		args := make([]string, len(step))
		for i, a := range step {
			a = strings.ReplaceAll(a, "$WORK/b001/exe/a.out", program)
			a = strings.ReplaceAll(a, "$WORK/b001", r.folder)
			args[i] = strings.ReplaceAll(a, "$ID", id)
		}
		cmd := exec.Command(args[0], args[1:]...)
		cmd.Dir = r.work
		// As the go command does under -trimpath, so that no path gets in.
		cmd.Env = append(without(r.environ, "GOROOT", "PWD"), "GOROOT=", "PWD="+r.work)
		if _, code, err := w.run(cmd); err != nil || code != 0 {
			os.Remove(program)
			if step[0] == r.Link[0] {
				os.RemoveAll(r.folder) // the go command's cache may have been cleaned
			}
			return false
		}
	}
	return true
}

// edited is how long a local file must have been left alone to be trusted:
// longer than the steps of any file system's clock.
const edited = 2 * time.Second

// learn runs go build -x and writes down what it did. It returns whether the
// build succeeded, not whether there is a recipe now.
func (r *recipe) learn(w *watch, cmd *exec.Cmd) bool {
	var said strings.Builder
	cmd.Stderr = &said
	begun := time.Now()
	_, code, err := w.run(cmd)
	if err != nil || code != 0 {
		return false
	}
	learned, err := readTrace(said.String())
	if err != nil {
		return true
	}
	var ok bool
	learned.Stamps, ok = stampsOf(learned.Files["importcfg.link"], r.work)
	// A file edited meanwhile may have been built before or after the edit.
	meanwhile := func(s stamp) bool { return s.Time > begun.Add(-edited).UnixNano() }
	if ok && !slices.ContainsFunc(learned.Stamps, meanwhile) {
		r.write(learned)
	}
	return true
}

// write keeps a recipe. The recipe itself is written last and at once, so that
// half a recipe is none.
func (r *recipe) write(learned *recipe) {
	text, err := json.Marshal(learned)
	if err != nil || os.MkdirAll(r.folder, 0o700) != nil {
		return
	}
	for name, content := range learned.Files {
		if os.WriteFile(filepath.Join(r.folder, name), []byte(content), 0o600) != nil {
			return
		}
	}
	path := filepath.Join(r.folder, "recipe.json")
	if os.WriteFile(path+".new", text, 0o600) == nil {
		os.Rename(path+".new", path)
	}
}
