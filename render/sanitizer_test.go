package render

import (
	"encoding/base64"
	"encoding/xml"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/topos"
)

// sanitizer is a filter of HTML: what is not named is removed.
type sanitizer struct {
	tags       map[string]bool
	attributes map[string]map[string]bool // by tag; "*" is every tag
	styles     map[string]*regexp.Regexp
}

func words(text string) map[string]bool {
	set := map[string]bool{}
	for _, word := range strings.Fields(text) {
		set[word] = true
	}
	return set
}

const (
	cssNumber = `[+-]?(\d*\.)?\d+`
	cssLength = `(0|` + cssNumber + `(px|em|rem|ex|in|cm|mm|pt|pc))`
	cssColour = `(#[0-9a-fA-F]+|rgba?\(\s*\d{1,3}\s*,\s*\d{1,3}\s*,\s*\d{1,3}\s*(,\s*(1(\.0+)?|0(\.\d+)?)\s*)?\)|[a-z]+)`
	cssBorder = `((thin|medium|thick|none|hidden|dotted|dashed|solid|double|` + cssLength + `|` + cssColour + `)\s*){1,3}`
)

func style(pattern string) *regexp.Regexp { return regexp.MustCompile("^(?:" + pattern + ")$") }

// lab is what JupyterLab keeps of an untrusted output, as far as a card could
// use it: its tags, attributes and the values of inline styles.
var lab = sanitizer{
	tags: words(`a abbr b big blockquote br caption cite code col colgroup dd del details dfn div dl dt em figcaption
		figure font h1 h2 h3 h4 h5 h6 hr i img ins kbd li mark meter ol p pre progress q s samp section small span strike
		strong sub summary sup table tbody td tfoot th thead time tr tt u ul var wbr`),
	attributes: map[string]map[string]bool{
		"*":       words("class dir draggable hidden id lang spellcheck style title translate"),
		"a":       words("accesskey href hreflang name rel tabindex target type"),
		"img":     words("align alt border height hspace name src vspace width"),
		"details": words("open"),
		"table":   words("align bgcolor border cellpadding cellspacing frame rules summary width"),
		"td":      words("abbr align colspan headers height nowrap rowspan scope valign width"),
		"th":      words("abbr align colspan headers height nowrap rowspan scope valign width"),
	},
	styles: map[string]*regexp.Regexp{
		"border":           style(cssBorder),
		"border-bottom":    style(cssBorder),
		"border-collapse":  style("collapse|separate"),
		"border-left":      style(cssBorder),
		"border-top":       style(cssBorder),
		"background-color": style(cssColour),
		"color":            style(cssColour),
		"font-family":      style("[a-zA-Z ,-]+"),
		"font-size":        style(cssLength + "|small|smaller"),
		"font-weight":      style("normal|bold|bolder|lighter|[1-9]00"),
		"height":           style(cssLength + `|auto|` + cssNumber + "%"),
		"margin":           style(`((` + cssLength + `|auto)\s*){1,4}`),
		"max-width":        style(cssLength + `|none|` + cssNumber + "%"),
		"opacity":          style(`1(\.0+)?|0(\.\d+)?`),
		"overflow-x":       style("visible|hidden|scroll|auto"),
		"padding":          style(`((` + cssLength + `)\s*){1,4}`),
		"text-align":       style("left|right|center|justify"),
		"text-decoration":  style("none|underline"),
		"white-space":      style("normal|pre|nowrap|pre-wrap|pre-line"),
	},
}

// strict is what nbconvert's sanitized HTML keeps of a card: every other tag
// becomes text, and a table shows the tbody that the parser adds to it.
var strict = sanitizer{
	tags:       words("a abbr b blockquote code div em i li ol pre strong ul"),
	attributes: map[string]map[string]bool{"a": words("href title")},
}

// clean filters a page. It returns the text that is left, the sources of the
// images that are left, and a word for each thing that was removed.
func (s sanitizer) clean(t testing.TB, page string) (text string, images, removed []string) {
	t.Helper()
	decoder := xml.NewDecoder(strings.NewReader(page))
	decoder.Entity = xml.HTMLEntity
	var b strings.Builder
	depth := 0 // of elements whose content goes with them
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			return b.String(), images, removed
		}
		if err != nil {
			t.Fatalf("the card is not well formed: %v\n%.2000s", err, page)
		}
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			if depth > 0 || !s.tags[name] {
				removed = append(removed, "tag "+name)
				if depth > 0 || name == "script" || name == "style" || name == "svg" {
					depth++
				}
				continue
			}
			kept, gone := s.keep(name, token.Attr)
			removed = append(removed, gone...)
			if name == "img" {
				images = append(images, kept["src"])
			}
		case xml.EndElement:
			depth = max(0, depth-1)
		case xml.CharData:
			if depth == 0 {
				b.Write(token)
			}
		case xml.Comment:
			removed = append(removed, "comment")
		}
	}
}

func (s sanitizer) keep(tag string, attributes []xml.Attr) (kept map[string]string, removed []string) {
	kept = map[string]string{}
	for _, a := range attributes {
		name := a.Name.Local
		switch {
		case !s.attributes["*"][name] && !s.attributes[tag][name]:
			removed = append(removed, tag+" "+name)
			continue
		case name == "style":
			for _, declaration := range strings.Split(a.Value, ";") {
				property, value, _ := strings.Cut(declaration, ":")
				if rule := s.styles[property]; rule == nil || !rule.MatchString(value) {
					removed = append(removed, "style "+declaration)
				}
			}
		case name == "href" && strings.Contains(a.Value, ":"):
			removed = append(removed, "link "+a.Value)
			continue
		}
		kept[name] = a.Value
	}
	return kept, removed
}

// TestSanitizerRemoves shows that the filter of these tests can fail.
func TestSanitizerRemoves(t *testing.T) {
	for _, fragment := range []string{
		`<div><script>alert(1)</script></div>`, `<div><style>p{}</style></div>`, `<div><svg><text>5</text></svg></div>`,
		`<div onclick="x()">5</div>`, `<div style="background-color:var(--jp-layout-color1)">5</div>`,
		`<div style="position:fixed">5</div>`, `<a href="javascript:alert(1)">5</a>`, `<div data-node="5">5</div>`,
		`<div role="img">5</div>`, `<iframe>5</iframe>`, `<div style="border:1px solid rgba(127,127,127,.4)">5</div>`,
	} {
		if _, _, removed := lab.clean(t, fragment); len(removed) == 0 {
			t.Errorf("nothing was removed from %s", fragment)
		}
	}
	if text, _, _ := lab.clean(t, `<div>1<svg><text>5</text></svg>2</div>`); text != "12" {
		t.Errorf("the content of an inline svg is kept: %q", text)
	}
}

var numeral = regexp.MustCompile(`-?\d+(\.\d+)?`)

// TestC75UntrustedCards: an untrusted notebook shows every card whole: nothing
// is removed, and each number of the text and each picture is left.
func TestC75UntrustedCards(t *testing.T) {
	all := readings(t)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		t.Run(name, func(t *testing.T) {
			text, images, removed := lab.clean(t, show(t, all[name], Options{}, HTMLType))
			if len(removed) > 0 {
				t.Errorf("the sanitizer removes %v", removed)
			}
			holdsNumbers(t, text, all[name])
			pictured := map[string]bool{"plan": true, "fused": true, "picture": true, "plot": true, "logplot": true, "field": true}
			if pictured[name] != (len(images) == 1) {
				t.Errorf("%d pictures are left", len(images))
			}
			for _, source := range images {
				checkSVG(t, source)
			}
		})
	}
}

// TestStaticCards: a publishing service that keeps few tags shows the static
// card whole, without a line of escaped markup.
func TestStaticCards(t *testing.T) {
	for name, r := range readings(t) {
		text, _, removed := strict.clean(t, show(t, r, Options{Static: true}, HTMLType))
		if len(removed) > 0 {
			t.Errorf("%s: %v would be shown as text", name, removed)
		}
		holdsNumbers(t, text, r)
	}
}

// holdsNumbers checks that a card says every number of its reading's text.
func holdsNumbers(t *testing.T, text string, r *topos.Reading) {
	t.Helper()
	left := map[string]int{}
	for _, n := range numeral.FindAllString(text, -1) {
		left[n]++
	}
	for _, n := range numeral.FindAllString(r.Text, -1) {
		if left[n] == 0 && left[strings.TrimPrefix(n, "-")] == 0 {
			t.Errorf("the number %s of the text is not in the card", n)
		}
	}
}

// checkSVG checks the file behind a data URI: well formed, with a view box and
// a title, without ids, comments, scripts or addresses.
func checkSVG(t *testing.T, source string) {
	t.Helper()
	encoded, ok := strings.CutPrefix(source, "data:image/svg+xml;base64,")
	if !ok {
		t.Fatalf("the image's source is %.60q", source)
	}
	data, err := base64.StdEncoding.DecodeString(encoded)
	if err != nil {
		t.Fatal(err)
	}
	decoder := xml.NewDecoder(strings.NewReader(string(data)))
	seen := map[string]bool{}
	for {
		token, err := decoder.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatalf("the picture is not well formed: %v", err)
		}
		switch token := token.(type) {
		case xml.Comment, xml.ProcInst, xml.Directive:
			t.Errorf("the picture holds %T", token)
		case xml.StartElement:
			seen[token.Name.Local] = true
			for _, a := range token.Attr {
				seen[a.Name.Local] = true
			}
		}
	}
	for _, need := range []string{"viewBox", "title"} {
		if !seen[need] {
			t.Errorf("the picture has no %s", need)
		}
	}
	for _, bad := range []string{"id", "script", "style", "href", "foreignObject"} {
		if seen[bad] {
			t.Errorf("the picture has a %s", bad)
		}
	}
	rest := strings.ReplaceAll(string(data), `xmlns="http://www.w3.org/2000/svg"`, "")
	if strings.Contains(rest, "http") {
		t.Error("the picture holds an address")
	}
}

// TestC82NoAddress: no card needs the network.
func TestC82NoAddress(t *testing.T) {
	for name, r := range readings(t) {
		for _, static := range []bool{false, true} {
			if page := show(t, r, Options{Static: static}, HTMLType); strings.Contains(page, "http") || strings.Contains(page, "<script") {
				t.Errorf("%s: the card holds an address or a script", name)
			}
		}
	}
}

// TestInjection: no string of a reading becomes markup.
func TestInjection(t *testing.T) {
	const attack = `</pre></title></svg><script>alert(1)</script>"'><img src=x onerror=alert(1)> \end{verbatim} ${{.}}`
	for name, r := range readings(t) {
		r := hostile(r, attack)
		for _, static := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s static=%v", name, static), func(t *testing.T) {
				filter := lab
				if static {
					filter = strict
				}
				page := show(t, r, Options{Static: static, Whole: attack}, HTMLType)
				text, images, removed := filter.clean(t, page)
				if len(removed) > 0 {
					t.Errorf("the sanitizer removes %v", removed)
				}
				for _, source := range images {
					checkSVG(t, source)
				}
				if !strings.Contains(text, "alert(1)") && r.Kind != topos.EntryReading && r.Kind != topos.ModuleReading {
					t.Error("the attack is not in the card as text")
				}
			})
		}
		bundle, err := Bundle(r, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if latex, ok := bundle[LaTeXType].(string); ok && strings.Count(latex, `\end{verbatim}`) > 1 {
			t.Errorf("%s: text ends the verbatim environment", name)
		}
	}
}

// hostile puts an attack into every string of a reading.
func hostile(r *topos.Reading, attack string) *topos.Reading {
	h := *r
	h.Subject, h.Element = attack, attack
	h.Text = attack + "\n" + r.Text
	h.Tail = append([]string{attack}, r.Tail...)
	h.Rows = slices.Clone(r.Rows)
	for i := range h.Rows {
		h.Rows[i].Name, h.Rows[i].Origin, h.Rows[i].Attributes = attack, attack, attack
	}
	if len(h.Rows) > 2 {
		h.Rows[2].Opcode, h.Rows[1].Liveness = attack, attack
		h.Marks = []topos.Mark{{Before: 1, Text: attack}, {Before: 1 << 40, Text: attack}}
	}
	h.Payloads = slices.Clone(r.Payloads)
	for i := range h.Payloads {
		p := &h.Payloads[i]
		p.Label, p.Text, p.Digest, p.Min, p.Max, p.Norm = attack, attack, attack, attack, attack, attack
		p.Cells = slices.Repeat([]string{attack}, len(p.Cells))
	}
	h.Adjoints = slices.Clone(r.Adjoints)
	for i := range h.Adjoints {
		h.Adjoints[i].Name = attack
	}
	if r.Plot != nil {
		plot := *r.Plot
		plot.Title, plot.XLabel, plot.YLabel = attack, attack, attack
		h.Plot = &plot
	}
	return &h
}
