package godoc

import (
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/token"
	"strings"
)

// Answer is a signature with its documentation, in two forms.
type Answer struct{ Markdown, Plain string }

// longestSignature is how many lines of a declaration are shown: a block of
// constants may have hundreds.
const longestSignature = 40

// site holds the documentation of the standard library.
const site = "https://pkg.go.dev"

// answer words a declaration of a package.
func (b *book) answer(d declaration) (Answer, bool) {
	var code strings.Builder
	if err := format.Node(&code, b.set, d.node); err != nil {
		return Answer{}, false
	}
	signature := code.String()
	if lines := strings.SplitAfter(signature, "\n"); len(lines) > longestSignature {
		signature = strings.Join(lines[:longestSignature], "") + "…"
	}
	if b.path != "" && b.path != builtin {
		signature = b.clause() + "\n\n" + signature
	}
	return b.words(signature, d.comment), true
}

// clause names a package and says where it is imported from.
func (b *book) clause() string { return "package " + b.Name + " // import \"" + b.path + "\"" }

func (b *book) words(signature, text string) Answer {
	tree := b.Parser().Parse(text)
	p := b.Printer()
	p.HeadingLevel = 3
	p.HeadingID = func(*comment.Heading) string { return "" }
	p.DocLinkURL = b.link
	return joined(signature, string(p.Markdown(tree)), string(p.Text(tree)))
}

func joined(signature, markdown, plain string) Answer {
	return Answer{
		Markdown: strings.TrimSpace("```go\n" + signature + "\n```\n\n" + markdown),
		Plain:    strings.TrimSpace(signature + "\n\n" + plain),
	}
}

// link is where the documentation of another name is to be read; "" leaves the
// name as it stands. A page knows no place for a link relative to a package.
func (b *book) link(l *comment.DocLink) string {
	to := *l
	if to.ImportPath == "" {
		to.ImportPath = b.path
	}
	first, _, _ := strings.Cut(to.ImportPath, "/")
	if first == "" || strings.Contains(first, ".") {
		return ""
	}
	return to.DefaultURL(site)
}

// cellBook is the declarations of a cell as a package without a path.
func cellBook(p *doc.Package, set *token.FileSet) *book { return &book{Package: p, set: set} }
