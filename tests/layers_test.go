// Package tests holds what crosses packages: the layer check here, and the
// scripts beside it that drive the product through real Jupyter clients.
package tests

import (
	"encoding/json"
	"errors"
	"io"
	"os/exec"
	"strings"
	"testing"
)

const module = "github.com/topos-notebook/topos/"

// layer says what the packages under a folder may import, besides the
// standard library and packages of the same folder.
type layer struct {
	folder  string
	own     []string // folders of this module
	foreign []string // modules of others; "*" is any
}

// layers from the bottom up. A package outside all of them fails the check, so
// that a new folder is placed here on purpose. The first match counts.
var layers = []layer{
	{folder: "topos/f16", own: []string{"topos"}, foreign: []string{"github.com/x448/float16"}},
	{folder: "topos/elementary"},
	{folder: "topos"},
	{folder: "backends", own: []string{"topos"}, foreign: []string{"*"}},
	{folder: "render", own: []string{"topos"}, foreign: []string{"*"}},
	{folder: "cells", own: []string{"topos"}},
	{folder: "kernel", own: []string{"topos", "backends", "render", "cells"}, foreign: []string{"*"}},
	{folder: "notebooks", own: []string{"topos", "render", "cells"}, foreign: []string{"*"}},
	{folder: "tests", own: []string{"topos", "backends", "render", "cells", "kernel"}, foreign: []string{"*"}},
}

// listed is the part of `go list -json` that the check reads.
type listed struct {
	ImportPath   string
	Imports      []string
	TestImports  []string
	XTestImports []string
}

func TestImportsPointDown(t *testing.T) {
	packages := list(t, module+"...")
	if len(packages) == 0 {
		t.Fatal("go list found no package")
	}
	for _, p := range packages {
		for _, complaint := range complaints(p) {
			t.Error(complaint)
		}
	}
}

func TestLayerCheckComplains(t *testing.T) {
	tests := []struct {
		name string
		from string
		to   string
		want string // part of the complaint; empty for none
	}{
		{"standard library", "topos", "math/bits", ""},
		{"within a layer", "topos/language", module + "topos", ""},
		{"down", "render", module + "topos", ""},
		{"down two", "kernel/session", module + "topos/language", ""},
		{"a module of others, where allowed", "render", "gonum.org/v1/plot", ""},
		{"f16's one exception", "topos/f16", "github.com/x448/float16", ""},
		{"up", "topos", module + "render", "must not import"},
		{"sideways", "cells", module + "render", "must not import"},
		{"the maps know no tape", "topos/elementary", module + "topos", "must not import"},
		{"the tape knows its maps", "topos", module + "topos/elementary", ""},
		{"up from cells", "cells", module + "kernel/session", "must not import"},
		{"a module of others in the core", "topos", "gonum.org/v1/gonum/mat", "must not import"},
		{"f16's exception elsewhere", "topos/nn", "github.com/x448/float16", "must not import"},
		{"a longer name is another folder", "cells", module + "toposx", "must not import"},
		{"no layer", "util", "fmt", "belongs to no layer"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := strings.Join(complaints(listed{ImportPath: module + test.from, Imports: []string{test.to}}), "\n")
			if test.want == "" && got != "" {
				t.Errorf("%s importing %s: unexpected complaint %q", test.from, test.to, got)
			}
			if !strings.Contains(got, test.want) {
				t.Errorf("%s importing %s: complaint %q, want one with %q", test.from, test.to, got, test.want)
			}
		})
	}
}

// complaints names every import of p that its layer forbids. What only tests
// import counts for our own packages, and not for modules of others.
func complaints(p listed) []string {
	path := strings.TrimPrefix(p.ImportPath, module)
	var at *layer
	for i := range layers {
		if under(path, layers[i].folder) {
			at = &layers[i]
			break
		}
	}
	if at == nil {
		return []string{path + " belongs to no layer; add its folder to layers in tests/layers_test.go"}
	}
	var found []string
	for _, imported := range p.Imports {
		if !at.allows(imported) {
			found = append(found, path+" must not import "+imported)
		}
	}
	for _, imported := range append(p.TestImports, p.XTestImports...) {
		if strings.HasPrefix(imported, module) && !at.allows(imported) {
			found = append(found, "tests of "+path+" must not import "+imported)
		}
	}
	return found
}

func (l *layer) allows(imported string) bool {
	if own, ok := strings.CutPrefix(imported, module); ok {
		if under(own, l.folder) {
			return true
		}
		for _, folder := range l.own {
			if under(own, folder) {
				return true
			}
		}
		return false
	}
	if first, _, _ := strings.Cut(imported, "/"); !strings.Contains(first, ".") {
		return true // the standard library: no dot in the first element
	}
	for _, allowed := range l.foreign {
		if allowed == "*" || under(imported, allowed) {
			return true
		}
	}
	return false
}

// under reports whether path is folder or lies in it.
func under(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}

func list(t *testing.T, pattern string) []listed {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports,TestImports,XTestImports", pattern).Output()
	if err != nil {
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			t.Fatalf("go list: %s", exit.Stderr)
		}
		t.Fatal(err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	var packages []listed
	for {
		var p listed
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return packages
		} else if err != nil {
			t.Fatal(err)
		}
		packages = append(packages, p)
	}
}
