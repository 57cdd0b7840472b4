package godoc

import (
	"go/ast"
	"go/parser"
	"go/token"
)

// locals returns the names that functions of the cell declare, wherever they hold:
// without types a name that may be one of them is better left alone.
func (t *text) locals() locals {
	found := locals{}
	source := "package main\n" + t.declarations + "\nfunc main() {\n" + t.body + "\n}\n"
	f, _ := parser.ParseFile(token.NewFileSet(), "cell.go", source, parser.SkipObjectResolution)
	if f == nil {
		return found
	}
	for _, d := range f.Decls {
		if function, ok := d.(*ast.FuncDecl); ok {
			found.fields(function.Recv)
			ast.Inspect(function.Type, found.within)
			if function.Body != nil {
				ast.Inspect(function.Body, found.within)
			}
		}
	}
	return found
}

type locals map[string]bool

// within adds what a node declares, and goes on below it.
func (l locals) within(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.AssignStmt:
		if n.Tok == token.DEFINE {
			l.expressions(n.Lhs...)
		}
	case *ast.RangeStmt:
		if n.Tok == token.DEFINE {
			l.expressions(n.Key, n.Value)
		}
	case *ast.ValueSpec:
		l.add(n.Names...)
	case *ast.TypeSpec:
		l.add(n.Name)
	case *ast.FuncType:
		l.fields(n.TypeParams)
		l.fields(n.Params)
		l.fields(n.Results)
	}
	return true
}

func (l locals) add(names ...*ast.Ident) {
	for _, n := range names {
		l[n.Name] = true
	}
}

func (l locals) expressions(list ...ast.Expr) {
	for _, e := range list {
		if n, ok := e.(*ast.Ident); ok {
			l.add(n)
		}
	}
}

func (l locals) fields(list *ast.FieldList) {
	if list == nil {
		return
	}
	for _, f := range list.List {
		l.add(f.Names...)
	}
}
