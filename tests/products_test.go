package tests

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The language lets a compiler fuse x*y + z into one operation that rounds
// once, across statements, assignments and inlined calls, and compilers for
// arm64 and GOAMD64=v3 do. Only an explicit conversion of the product prevents
// it. So wherever bits must not depend on the platform, every floating product
// is converted, unless it is a factor, a dividend, a divisor or compared.

// built is the part of `go list -export -json` that the check reads.
type built struct {
	ImportPath string
	Dir        string
	Export     string
	GoFiles    []string
	Standard   bool
	DepOnly    bool
}

func TestProductsAreConverted(t *testing.T) {
	exports, packages := buildList(t, "./topos/...")
	if len(packages) < 3 {
		t.Fatalf("go list found only %d packages", len(packages))
	}
	for _, p := range packages {
		var paths []string
		for _, name := range p.GoFiles {
			paths = append(paths, filepath.Join(p.Dir, name))
		}
		for _, complaint := range bareProducts(t, p.ImportPath, paths, exports) {
			t.Error(complaint)
		}
	}
}

// TestProductCheckComplains runs the check on a file whose lines say whether
// they must be complained of.
func TestProductCheckComplains(t *testing.T) {
	const path = "testdata/products/sample.go"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, "// bare") {
			want = append(want, fmt.Sprintf("%s:%d", path, i+1))
		}
	}
	exports, _ := buildList(t, "math")
	for _, complaint := range bareProducts(t, "sample", []string{path}, exports) {
		place, _, _ := strings.Cut(complaint, ": ")
		got = append(got, place)
	}
	if len(want) == 0 || !slices.Equal(got, want) {
		t.Errorf("complaints at\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// buildList finds the compiled form of all that a pattern needs, and the
// packages of the pattern itself.
func buildList(t *testing.T, pattern string) (exports map[string]string, packages []built) {
	t.Helper()
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,Standard,DepOnly", pattern)
	list.Dir = ".."
	var complaints bytes.Buffer
	list.Stderr = &complaints
	out, err := list.Output()
	if err != nil {
		t.Fatalf("go list: %v: %s", err, complaints.String())
	}
	exports = map[string]string{}
	for decoder := json.NewDecoder(bytes.NewReader(out)); ; {
		var p built
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return exports, packages
		} else if err != nil {
			t.Fatal(err)
		}
		exports[p.ImportPath] = p.Export
		if !p.Standard && !p.DepOnly {
			packages = append(packages, p)
		}
	}
}

// bareProducts lists the products of one package that may be fused, as
// "file:line: complaint".
func bareProducts(t *testing.T, name string, paths []string, exports map[string]string) []string {
	t.Helper()
	files := token.NewFileSet()
	var parsed []*ast.File
	for _, path := range paths {
		file, err := parser.ParseFile(files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		parsed = append(parsed, file)
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	config := types.Config{Importer: importer.ForCompiler(files, "gc", open)}
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}}
	if _, err := config.Check(name, files, parsed, info); err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, file := range parsed {
		walkProducts(file, info, func(at token.Pos) {
			p := files.Position(at)
			found = append(found, fmt.Sprintf("%s:%d: a product must be converted explicitly, as in float64(x*y)", p.Filename, p.Line))
		})
	}
	return found
}

// walkProducts calls bare for each product that no conversion, factor, quotient
// or comparison takes.
func walkProducts(file *ast.File, info *types.Info, bare func(token.Pos)) {
	var above []ast.Node
	ast.Inspect(file, func(n ast.Node) bool {
		if n == nil {
			above = above[:len(above)-1]
			return true
		}
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if n.Op == token.MUL && rounds(n, info) && !taken(above, info) {
				bare(n.OpPos)
			}
		case *ast.AssignStmt:
			if n.Tok == token.MUL_ASSIGN && rounds(n.Lhs[0], info) {
				bare(n.TokPos)
			}
		}
		above = append(above, n)
		return true
	})
}

// rounds reports whether an expression is computed in floating point, or may
// be by some instance of a generic function.
func rounds(e ast.Expr, info *types.Info) bool {
	at := info.Types[e]
	return at.Value == nil && mayFloat(at.Type)
}

func mayFloat(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Info()&(types.IsFloat|types.IsComplex) != 0
	case *types.Interface: // of a type parameter
		for i := range u.NumEmbeddeds() {
			if mayFloat(u.EmbeddedType(i)) {
				return true
			}
		}
	case *types.Union:
		for i := range u.Len() {
			if mayFloat(u.Term(i).Type()) {
				return true
			}
		}
	}
	return false
}

// taken reports whether what is directly above an expression rounds it or
// keeps it from a sum.
func taken(above []ast.Node, info *types.Info) bool {
	for i := len(above) - 1; i >= 0; i-- {
		switch n := above[i].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.CallExpr:
			return info.Types[n.Fun].IsType()
		case *ast.BinaryExpr:
			switch n.Op {
			case token.MUL, token.QUO, token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
				return true
			}
			return false
		default:
			return false
		}
	}
	return false
}
