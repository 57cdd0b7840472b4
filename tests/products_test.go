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
// it. So every floating product is converted where it is made, unless it is a
// factor, a dividend, a divisor or compared; that no sum is in sight excuses
// nothing.
//
// Package math is the other way in: its Exp and Log are assembly on some
// processors, its Sin and Pow products and sums that some compilers fuse. The
// layers that compute use of it only what IEEE 754 or the bits alone fix.

// built is the part of `go list -export -json` that the checks read.
type built struct {
	ImportPath string
	Dir        string
	Export     string
	GoFiles    []string
	// What only some platforms build, or what is not Go.
	IgnoredGoFiles []string
	SFiles         []string
	CgoFiles       []string
	Standard       bool
	DepOnly        bool
}

func (p built) paths() (paths []string) {
	for _, name := range p.GoFiles {
		paths = append(paths, filepath.Join(p.Dir, name))
	}
	return paths
}

// computes says whether the bits of a tape's values come from a package.
func (p built) computes() bool { return under(p.ImportPath, module+"topos") }

func TestC24C26ProductsAreConverted(t *testing.T) {
	exports, packages := buildList(t, "./...")
	seen := map[string]bool{}
	for _, p := range packages {
		seen[p.Dir] = true
		for _, complaint := range bareProducts(t, p.ImportPath, p.paths(), exports) {
			t.Error(complaint)
		}
	}
	for _, folder := range folders(t, "../topos") {
		if !seen[folder] {
			t.Errorf("the products of %s were not checked", folder)
		}
	}
}

// TestC23C25OneSourceForAllPlatforms: what computes is built of the same Go
// files everywhere, and asks of package math only what no platform does in a
// way of its own.
func TestC23C25OneSourceForAllPlatforms(t *testing.T) {
	exports, packages := buildList(t, "./topos/...")
	for _, p := range packages {
		if !p.computes() {
			t.Errorf("%s is no package that computes", p.ImportPath)
		}
		for _, name := range slices.Concat(p.IgnoredGoFiles, p.SFiles, p.CgoFiles) {
			if !strings.HasSuffix(name, "_test.go") {
				t.Errorf("%s/%s is not built on every platform", p.Dir, name)
			}
		}
		for _, complaint := range platformMath(t, p.ImportPath, p.paths(), exports) {
			t.Error(complaint)
		}
	}
}

// folders lists the folders below one that hold Go files which are no tests.
func folders(t *testing.T, root string) (found []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, d os.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && d.Name() == "testdata":
			return filepath.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		folder, err := filepath.Abs(filepath.Dir(path))
		if !slices.Contains(found, folder) {
			found = append(found, folder)
		}
		return err
	})
	if err != nil || len(found) == 0 {
		t.Fatalf("%s: %d folders, %v", root, len(found), err)
	}
	return found
}

// TestC24C26ProductCheckComplains runs the checks on a file whose lines say
// what must be complained of.
func TestC24C26ProductCheckComplains(t *testing.T) {
	exports, _ := buildList(t, "math")
	marked(t, "// bare", func(path string) []string { return bareProducts(t, "sample", []string{path}, exports) })
	marked(t, "// math", func(path string) []string { return platformMath(t, "sample", []string{path}, exports) })
}

// marked compares the places of complaints with the lines that end in a mark.
func marked(t *testing.T, mark string, check func(path string) []string) {
	t.Helper()
	const path = "testdata/products/sample.go"
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for i, line := range strings.Split(string(text), "\n") {
		if strings.HasSuffix(line, mark) {
			want = append(want, fmt.Sprintf("%s:%d", path, i+1))
		}
	}
	for _, complaint := range check(path) {
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
	list := exec.Command("go", "list", "-export", "-deps", "-json=ImportPath,Dir,Export,GoFiles,IgnoredGoFiles,SFiles,CgoFiles,Standard,DepOnly", pattern)
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

// checked is a package with its types.
type checked struct {
	files  *token.FileSet
	parsed []*ast.File
	info   *types.Info
}

func typeCheck(t *testing.T, name string, paths []string, exports map[string]string) checked {
	t.Helper()
	c := checked{files: token.NewFileSet(), info: &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{}}}
	for _, path := range paths {
		file, err := parser.ParseFile(c.files, path, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		c.parsed = append(c.parsed, file)
	}
	open := func(path string) (io.ReadCloser, error) { return os.Open(exports[path]) }
	config := types.Config{Importer: importer.ForCompiler(c.files, "gc", open)}
	if _, err := config.Check(name, c.files, c.parsed, c.info); err != nil {
		t.Fatal(err)
	}
	return c
}

func (c checked) complaint(at token.Pos, words string) string {
	p := c.files.Position(at)
	return fmt.Sprintf("%s:%d: %s", p.Filename, p.Line, words)
}

// bareProducts lists the products of one package that may be fused, as
// "file:line: complaint".
func bareProducts(t *testing.T, name string, paths []string, exports map[string]string) (found []string) {
	t.Helper()
	c := typeCheck(t, name, paths, exports)
	for _, file := range c.parsed {
		walkProducts(file, c.info, func(at token.Pos) {
			found = append(found, c.complaint(at, "a product must be converted explicitly, as in float64(x*y)"))
		})
	}
	return found
}

// fixedMath is what package math answers alike on every platform: bits, signs,
// whole parts, and the operations that IEEE 754 fixes.
var fixedMath = []string{
	"Abs", "Ceil", "Copysign", "FMA", "Float32bits", "Float32frombits", "Float64bits", "Float64frombits", "Floor", "Frexp", "Inf",
	"IsInf", "IsNaN", "Ldexp", "Max", "Min", "Mod", "Modf", "NaN", "Nextafter", "Nextafter32", "Round", "RoundToEven", "Signbit", "Sqrt", "Trunc",
}

// platformMath lists the functions of package math that one package uses,
// called or not, and whose bits may depend on the platform.
func platformMath(t *testing.T, name string, paths []string, exports map[string]string) (found []string) {
	t.Helper()
	c := typeCheck(t, name, paths, exports)
	for _, file := range c.parsed {
		ast.Inspect(file, func(n ast.Node) bool {
			used, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			f, ok := c.info.Uses[used].(*types.Func)
			if !ok || f.Pkg() == nil || f.Pkg().Path() != "math" && f.Pkg().Path() != "math/cmplx" {
				return true
			}
			if f.Pkg().Path() == "math/cmplx" || !slices.Contains(fixedMath, f.Name()) {
				found = append(found, c.complaint(used.Pos(), "the bits of math."+f.Name()+" depend on the platform; topos/elementary has its own"))
			}
			return true
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

// converts reports whether a conversion to a type rounds: one to an interface,
// which is no type parameter, only wraps.
func converts(to types.Type) bool {
	_, parameter := types.Unalias(to).(*types.TypeParam)
	return parameter || !types.IsInterface(to)
}

// taken reports whether what is directly above an expression rounds it or
// keeps it from a sum.
func taken(above []ast.Node, info *types.Info) bool {
	for i := len(above) - 1; i >= 0; i-- {
		switch n := above[i].(type) {
		case *ast.ParenExpr:
			continue
		case *ast.CallExpr:
			to := info.Types[n.Fun]
			return to.IsType() && converts(to.Type)
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
