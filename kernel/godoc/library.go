package godoc

import (
	"errors"
	"go/ast"
	"go/build"
	"go/doc"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// Library is the packages whose sources are at hand, and what a session's cells
// have said. Its methods may be called from any goroutine.
type Library struct {
	root           string // GOROOT
	module, source string // a module's path and its folder
	context        build.Context
	standard       func() map[string][]string // paths of the standard library by the package's name

	mu    sync.Mutex
	shelf []*book // read last, newest first
	heard cellNames
}

// New returns the library of a GOROOT and of one module with its folder; either
// may be "".
func New(root, module, source string) *Library {
	l := &Library{root: root, module: module, source: source, context: build.Default, heard: newCellNames()}
	l.context.GOROOT = root
	l.context.CgoEnabled = false // the same names, in fewer and plainer files
	l.standard = sync.OnceValue(l.index)
	return l
}

// index finds the packages of the standard library. Of one name, crypto comes
// before math, as goimports has it, and a later version before an earlier one.
func (l *Library) index() map[string][]string {
	paths := map[string][]string{}
	source := filepath.Join(l.root, "src")
	var walk func(under string)
	walk = func(under string) {
		entries, err := os.ReadDir(filepath.Join(source, under))
		if err != nil {
			return
		}
		for _, e := range entries {
			name := e.Name()
			if !e.IsDir() || under == "" && name == "cmd" || slices.Contains([]string{"internal", "vendor", "testdata"}, name) ||
				strings.HasPrefix(name, "_") || strings.HasPrefix(name, ".") {
				continue
			}
			at := path.Join(under, name)
			walk(at) // a later version lies in a folder below
			paths[baseName(at)] = append(paths[baseName(at)], at)
		}
	}
	if l.root != "" {
		walk("")
	}
	return paths
}

// baseName is the name of the package at a path, as far as paths tell.
func baseName(at string) string {
	base := path.Base(at)
	if digits, ok := strings.CutPrefix(base, "v"); ok && digits != "" && strings.Trim(digits, "0123456789") == "" && path.Dir(at) != "." {
		return path.Base(path.Dir(at))
	}
	return base
}

// book is a package that has been read.
type book struct {
	*doc.Package
	path string
	set  *token.FileSet
}

// shelfSize is how many packages are kept in memory: a cell that is being typed
// is asked about the same few again and again.
const shelfSize = 3

// open reads a package; nil when there is none at the path.
func (l *Library) open(at string) *book {
	l.mu.Lock()
	defer l.mu.Unlock()
	i := slices.IndexFunc(l.shelf, func(b *book) bool { return b.path == at })
	if i < 0 {
		b := l.read(at)
		if b == nil {
			return nil
		}
		l.shelf = slices.Insert(l.shelf[:min(len(l.shelf), shelfSize-1)], 0, b)
		return b
	}
	b := l.shelf[i]
	l.shelf = slices.Insert(slices.Delete(l.shelf, i, i+1), 0, b)
	return b
}

// folder is where the sources of a package lie, "" where that is not known.
func (l *Library) folder(at string) string {
	if !filepath.IsLocal(filepath.FromSlash(at)) {
		return ""
	}
	if below, ok := strings.CutPrefix(at+"/", l.module+"/"); ok && l.module != "" {
		return filepath.Join(l.source, filepath.FromSlash(below))
	}
	if l.root == "" {
		return ""
	}
	return filepath.Join(l.root, "src", filepath.FromSlash(at))
}

func (l *Library) read(at string) *book {
	folder := l.folder(at)
	if folder == "" {
		return nil
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	set := token.NewFileSet()
	var files []*ast.File
	for _, e := range entries {
		name := e.Name()
		if e.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
			continue
		}
		if matches, err := l.context.MatchFile(folder, name); err != nil || !matches {
			continue
		}
		f, err := parser.ParseFile(set, filepath.Join(folder, name), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil || len(files) > 0 && f.Name.Name != files[0].Name.Name {
			continue
		}
		files = append(files, f)
	}
	mode := doc.Mode(0)
	if at == builtin {
		mode = doc.AllDecls
	}
	p, err := describe(set, files, at, mode)
	if err != nil || p.Name == "main" {
		return nil
	}
	return &book{p, at, set}
}

// builtin is the package that documents predeclared identifiers.
const builtin = "builtin"

func describe(set *token.FileSet, files []*ast.File, at string, mode doc.Mode) (*doc.Package, error) {
	if len(files) == 0 {
		return nil, errors.New("no files")
	}
	return doc.NewFromFiles(set, files, at, mode)
}
