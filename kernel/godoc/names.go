package godoc

import (
	"go/ast"
	"go/doc"
	"go/parser"
	"go/token"
	"maps"
	"slices"
)

// cellNames is what cells have declared and imported.
type cellNames struct {
	imports  map[string]string // paths by name
	dots     []string          // paths of imports that need no name
	declared map[string]Answer // of a method, behind the name of its type and a dot
}

func newCellNames() cellNames {
	return cellNames{imports: map[string]string{}, declared: map[string]Answer{}}
}

// note adds a cell's names.
func (n *cellNames) note(t *text) {
	for _, i := range t.imports() {
		switch i.name {
		case "_":
		case ".":
			if !slices.Contains(n.dots, i.path) {
				n.dots = append(n.dots, i.path)
			}
		default:
			n.imports[i.name] = i.path
		}
	}
	set := token.NewFileSet()
	f, _ := parser.ParseFile(set, "cell.go", "package main\n"+t.declarations, parser.ParseComments|parser.SkipObjectResolution)
	if f == nil {
		return
	}
	p, err := describe(set, []*ast.File{f}, "", doc.AllDecls)
	if err != nil {
		return
	}
	b := cellBook(p, set)
	add := func(name string, d declaration) {
		if a, ok := b.answer(d); ok {
			n.declared[name] = a
		}
	}
	for s := range symbols(p) {
		for _, name := range s.names {
			add(name, s.declaration)
		}
	}
	for _, of := range p.Types {
		for _, m := range of.Methods {
			add(of.Name+"."+m.Name, declaration{m.Decl, m.Doc})
		}
	}
}

// with returns these names and those of one more cell.
func (n *cellNames) with(t *text) cellNames {
	both := cellNames{imports: maps.Clone(n.imports), dots: slices.Clone(n.dots), declared: maps.Clone(n.declared)}
	both.note(t)
	return both
}
