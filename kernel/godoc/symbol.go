package godoc

import (
	"go/ast"
	"go/doc"
	"go/token"
	"slices"
)

// declaration is what is known of a name: the node that declares it, without
// bodies, and its comment.
type declaration struct {
	node    ast.Node
	comment string
}

// find returns what a package says of a name, or of a method or field of a type.
func find(p *doc.Package, names []string) (declaration, bool) {
	if len(names) == 2 {
		for _, t := range p.Types {
			if t.Name == names[0] {
				return member(t, names[1])
			}
		}
		return declaration{}, false
	}
	if len(names) != 1 {
		return declaration{}, false
	}
	for s := range symbols(p) {
		if slices.Contains(s.names, names[0]) {
			return s.declaration, true
		}
	}
	return declaration{}, false
}

// symbol is a declaration with the names it declares.
type symbol struct {
	names []string
	declaration
}

// symbols yields all that a package declares, but for methods and fields.
func symbols(p *doc.Package) func(yield func(symbol) bool) {
	return func(yield func(symbol) bool) {
		more := true
		values := func(groups []*doc.Value) {
			for _, v := range groups {
				more = more && yield(symbol{v.Names, declaration{v.Decl, v.Doc}})
			}
		}
		funcs := func(all []*doc.Func) {
			for _, f := range all {
				more = more && yield(symbol{[]string{f.Name}, declaration{f.Decl, f.Doc}})
			}
		}
		funcs(p.Funcs)
		for _, t := range p.Types {
			more = more && yield(symbol{[]string{t.Name}, declaration{t.Decl, t.Doc}})
			funcs(t.Funcs)
			values(t.Consts)
			values(t.Vars)
		}
		values(p.Consts)
		values(p.Vars)
	}
}

// member returns a method of a type, or a field, or what an interface asks for.
func member(t *doc.Type, name string) (declaration, bool) {
	for _, m := range t.Methods {
		if m.Name == name {
			return declaration{m.Decl, m.Doc}, true
		}
	}
	for _, spec := range t.Decl.Specs {
		s, ok := spec.(*ast.TypeSpec)
		if !ok || s.Name.Name != t.Name {
			continue
		}
		var fields *ast.FieldList
		switch u := s.Type.(type) {
		case *ast.StructType:
			fields = u.Fields
		case *ast.InterfaceType:
			fields = u.Methods
		default:
			return declaration{}, false
		}
		for _, f := range fields.List {
			if slices.ContainsFunc(f.Names, func(n *ast.Ident) bool { return n.Name == name }) {
				return ofField(t.Name, name, f), true
			}
		}
	}
	return declaration{}, false
}

// ofField words a field or an interface's method as a declaration of its own.
func ofField(of, name string, f *ast.Field) declaration {
	comment := f.Doc.Text()
	if comment == "" {
		comment = f.Comment.Text()
	}
	receiver := &ast.FieldList{List: []*ast.Field{{Type: ast.NewIdent(of)}}}
	if method, ok := f.Type.(*ast.FuncType); ok && f.Tag == nil {
		return declaration{&ast.FuncDecl{Recv: receiver, Name: ast.NewIdent(name), Type: method}, comment}
	}
	field := &ast.ValueSpec{Names: []*ast.Ident{ast.NewIdent(of + "." + name)}, Type: f.Type}
	return declaration{&ast.GenDecl{Tok: token.VAR, Specs: []ast.Spec{field}}, comment}
}
