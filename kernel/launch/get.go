package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"go/parser"
	"go/token"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/topos-notebook/topos/kernel/process/protocol"
)

// get answers go get at once when it could change nothing, else runs it.
func get(real string, args []string, work string) int {
	imports, err := importsOf(work)
	if err == nil && satisfied(work, imports) {
		return 0
	}
	code := supervise(protocol.GetStep, work, exec.Command(real, args...))
	if code == 0 && err == nil {
		rememberSatisfied(work, imports)
	}
	return code
}

// importsOf lists what the Go files of a folder import, sorted. A folder that
// does not parse is an error: then the go command shall say what is wrong.
func importsOf(folder string) ([]string, error) {
	files, err := filepath.Glob(filepath.Join(folder, "*.go"))
	if err != nil {
		return nil, err
	}
	var imports []string
	for _, file := range files {
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			return nil, err
		}
		for _, spec := range parsed.Imports {
			path, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return nil, err
			}
			imports = append(imports, path)
		}
	}
	slices.Sort(imports)
	return slices.Compact(imports), nil
}

// resolution is the note kept between cells: under module files with this
// fingerprint, go get has found all of these imports.
type resolution struct {
	Module  string   `json:"module"`
	Imports []string `json:"imports"`
}

// satisfied says whether every import is known to be there: a package of the
// standard library, one of the local topos module, or one that go get found
// before under the same go.mod and go.sum. A workspace is never answered for,
// since its modules may change unseen.
func satisfied(work string, imports []string) bool {
	if _, err := os.Stat(filepath.Join(work, "go.work")); !errors.Is(err, os.ErrNotExist) || os.Getenv("GOWORK") != "" {
		return false
	}
	root := os.Getenv(protocol.RootVariable)
	var others []string
	for _, path := range imports {
		if !standard(root, path) && !local(work, path) {
			others = append(others, path)
		}
	}
	if len(others) == 0 {
		return true
	}
	known, err := recall()
	if err != nil || known.Module != fingerprint(work) {
		return false
	}
	for _, path := range others {
		if !slices.Contains(known.Imports, path) {
			return false
		}
	}
	return true
}

// standard says whether path is a package of the standard library. The cgo
// pseudo package is not: what it needs is none of go get's business, but a
// cell with cgo is rare enough to be left to the go command whole.
func standard(root, path string) bool {
	first, _, _ := strings.Cut(path, "/")
	if root == "" || path == "C" || strings.Contains(first, ".") {
		return false
	}
	info, err := os.Stat(filepath.Join(root, "src", filepath.FromSlash(path)))
	return err == nil && info.IsDir()
}

// local says whether path is a package of the topos module that prepareModule
// put into the go.mod of work. Its requirements were written there as well.
func local(work, path string) bool {
	source := os.Getenv(protocol.SourceVariable)
	module := localModule(work, source)
	inside, ok := strings.CutPrefix(path, module+"/")
	if module == "" || !ok {
		return false
	}
	info, err := os.Stat(filepath.Join(source, filepath.FromSlash(inside)))
	return err == nil && info.IsDir()
}

// localModule returns the path of the module that the go.mod of work replaces
// by the folder source; empty when it replaces none.
func localModule(work, source string) string {
	text, err := os.ReadFile(filepath.Join(work, "go.mod"))
	if err != nil || source == "" {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		rest, ok := strings.CutPrefix(line, "replace ")
		name, rest, found := strings.Cut(rest, " ")
		if ok && found && strings.TrimSpace(rest) == replacement(source) {
			return name
		}
	}
	return ""
}

// fingerprint identifies the module files of a folder; empty when local
// replacements other than our own make it unable to.
func fingerprint(work string) string {
	module, err := os.ReadFile(filepath.Join(work, "go.mod"))
	if err != nil || foreignReplacement(string(module)) {
		return ""
	}
	sums, err := os.ReadFile(filepath.Join(work, "go.sum"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return ""
	}
	h := sha256.New()
	h.Write(module)
	h.Write([]byte{0})
	h.Write(sums)
	return hex.EncodeToString(h.Sum(nil))
}

// foreignReplacement says whether a go.mod replaces a module by a folder that
// the user may be editing, whose imports therefore may change.
func foreignReplacement(module string) bool {
	own := os.Getenv(protocol.SourceVariable)
	for line := range strings.Lines(module) {
		line, _, _ = strings.Cut(line, "//")
		_, target, ok := strings.Cut(line, "=>")
		if !ok {
			continue
		}
		target = strings.TrimSpace(target)
		if unquoted, err := strconv.Unquote(target); err == nil {
			target = unquoted
		}
		local := strings.HasPrefix(target, ".") || filepath.IsAbs(target)
		if local && (own == "" || filepath.Clean(target) != filepath.Clean(own)) {
			return true
		}
	}
	return false
}

// notePath is the file of the note, in the supervisor's private folder; empty
// without one.
func notePath() string {
	folder := os.Getenv(protocol.FolderVariable)
	if folder == "" {
		return ""
	}
	return filepath.Join(folder, "resolution.json")
}

func recall() (resolution, error) {
	var known resolution
	text, err := os.ReadFile(notePath())
	if err != nil {
		return known, err
	}
	if err := json.Unmarshal(text, &known); err != nil {
		return resolution{}, err
	}
	if known.Module == "" {
		return known, errors.New("empty note")
	}
	return known, nil
}

// rememberSatisfied notes that go get has found imports. Under unchanged
// module files the earlier finds stay true as well. Packages of the cell's own
// module are left out: their imports may change.
func rememberSatisfied(work string, imports []string) {
	path, mark := notePath(), fingerprint(work)
	if path == "" || mark == "" {
		return
	}
	note := resolution{Module: mark}
	if known, err := recall(); err == nil && known.Module == mark {
		note.Imports = known.Imports
	}
	own := filepath.Base(work) + "/"
	for _, p := range imports {
		if !strings.HasPrefix(p, own) && !slices.Contains(note.Imports, p) {
			note.Imports = append(note.Imports, p)
		}
	}
	text, err := json.Marshal(note)
	if err != nil {
		return
	}
	// Written beside and renamed, so that a killed shim leaves no half a note.
	if os.WriteFile(path+".new", text, 0o600) == nil {
		os.Rename(path+".new", path)
	}
}

// forgetSatisfied drops the note after a failed build: if something it says is
// there has gone, the next go get is real and tells what.
func forgetSatisfied() {
	if path := notePath(); path != "" {
		os.Remove(path)
	}
}
