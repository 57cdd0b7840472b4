package render

import (
	"encoding/base64"
	"html/template"
	"reflect"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/topos"
)

// TestPage holds the page of every kind of reading against html/template, which
// escapes what it fills in by the place it stands in. Here every string of the
// reading ends in something that no page may repeat as it is.
func TestPage(t *testing.T) {
	kinds := map[topos.ReadingKind]bool{}
	for _, ending := range []string{
		"",
		`</pre></td><script>alert("1")</script>" onclick='x' a=&amp; &lt; + ` + "` = /",
		"a\x00\x1b[31m\x7f\u009b\r\t\u2028\u2029\u200b\ufeff\u202ereversed\u2066\u061c",
		"\ufffd\ufffe\U0010ffff é 漢 \U0001f600\xff\xc3(\xe2\x80",
	} {
		for name, r := range readings(t) {
			kinds[r.Kind] = true
			spoil(reflect.ValueOf(r), ending)
			for _, l := range []limits{ample, scant} {
				c, err := newView(r, Options{Whole: "%" + ending}, l).card()
				if err != nil {
					t.Fatal(err)
				}
				for _, static := range []bool{false, true} {
					if got, want := plus.Replace(c.html(static)), plus.Replace(templated(t, c, static)); got != want {
						t.Errorf("%s, every string ending in %q, static %v: the page is\n%.3000q\nhtml/template writes\n%.3000q", name, ending, static, got, want)
					}
				}
			}
		}
	}
	if len(kinds) != 14 {
		t.Errorf("%d kinds of readings were looked at, want all 14", len(kinds))
	}
}

var plus = strings.NewReplacer("&#43;", "+")

// spoil ends every string below v in something else, but for the reading's kind.
func spoil(v reflect.Value, ending string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			spoil(v.Elem(), ending)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			spoil(v.Field(i), ending)
		}
	case reflect.Slice:
		for i := range v.Len() {
			spoil(v.Index(i), ending)
		}
	case reflect.String:
		if v.Type() == reflect.TypeFor[string]() {
			v.SetString(v.String() + ending)
		}
	}
}

// templated is a card as html/template writes it, but for the plus sign in runs of
// text: it writes that one as a reference everywhere.
func templated(t *testing.T, c *card, static bool) string {
	t.Helper()
	name := "card"
	if static {
		name = "static"
	}
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name, c); err != nil {
		t.Fatal(err)
	}
	return legible(b.String())
}

var templates = template.Must(template.New("").Funcs(template.FuncMap{
	"css": func(m markup) template.CSS { return template.CSS(m) },
	"source": func(p *picture) template.HTMLAttr {
		return template.HTMLAttr(`src="data:image/svg+xml;base64,` + base64.StdEncoding.EncodeToString([]byte(p.SVG)) + `"`)
	},
}).Parse(cardTemplates + staticTemplates))

const cardTemplates = `
{{- define "card" -}}
<div style="overflow-x:auto">
{{if .Caption}}<div style="margin:0 0 6px;font-weight:bold">{{template "runs" .Caption}}</div>
{{end}}{{template "pieces" .Pieces}}</div>
{{end}}

{{- define "pieces"}}{{range .}}
{{- if .Table}}{{template "table" .Table}}
{{- else if .Picture}}{{template "picture" .Picture}}
{{- else if .Details}}{{template "details" .Details}}
{{- else if .Listing}}{{template "listing" .Listing}}
{{- else}}<div style="margin:6px 0">{{template "runs" .Note}}</div>
{{end}}{{end}}{{end}}

{{- define "table"}}<table style="border-collapse:collapse;font-family:monospace;margin:6px 0">
<caption style="text-align:left;white-space:nowrap">{{.Caption}}</caption>
<thead><tr>{{range .Head}}<th scope="col" style="text-align:left;padding:2px 8px;border-bottom:1px solid rgba(127,127,127,0.4)">{{.}}</th>{{end}}</tr></thead>
<tbody>
{{$span := len .Head}}{{range .Rows}}
{{- if .Divider}}<tr><td colspan="{{$span}}" style="text-align:left;padding:4px 8px;border-top:2px solid #767676">{{.Divider}}</td></tr>
{{else}}<tr{{if .Light}} style="opacity:0.75"{{end}}><th scope="row" style="text-align:right;padding:1px 8px;white-space:nowrap">{{template "run" .Lead}}</th>
{{- range .Cells}}<td style="text-align:{{if .Number}}right{{else}}left{{end}};padding:1px 8px;white-space:nowrap">{{template "runs" .Spans}}</td>{{end}}</tr>
{{end}}{{end}}</tbody>
</table>
{{end}}

{{- define "picture"}}<img alt="{{.Alt}}" width="{{.Width}}" style="max-width:100%;height:auto" {{source .}}/>
{{end}}

{{- define "details"}}<details{{if .Open}} open="open"{{end}}><summary>{{.Summary}}</summary>
{{template "pieces" .Pieces}}</details>
{{end}}

{{- define "runs"}}{{range .}}{{template "run" .}}{{end}}{{end}}

{{- define "run"}}
{{- if .Href}}<a{{template "id" .}} href="#{{.Href}}"{{template "title" .}}{{template "style" .}}>{{.Text}}</a>
{{- else if or .ID .Title .Style}}<span{{template "id" .}}{{template "title" .}}{{template "style" .}}>{{.Text}}</span>
{{- else}}{{.Text}}{{end}}{{end}}
{{- define "id"}}{{if .ID}} id="{{.ID}}"{{end}}{{end}}
{{- define "title"}}{{if .Title}} title="{{.Title}}"{{end}}{{end}}
{{- define "style"}}{{if .Style}} style="{{css .Style}}"{{end}}{{end}}

{{- define "listing"}}<pre style="white-space:pre;overflow-x:auto;margin:6px 0;font-family:monospace">{{template "runs" .Spans}}</pre>
{{end}}`

const staticTemplates = `
{{- define "static" -}}
<div>
{{if .Caption}}<pre>{{range .Caption}}{{.Text}}{{end}}</pre>
{{end}}{{template "static pieces" .Pieces}}</div>
{{end}}

{{- define "static pieces"}}{{range .}}
{{- if .Table}}{{template "static table" .Table}}
{{- else if .Picture}}<pre>{{.Picture.Alt}}</pre>
{{else if .Details}}<pre>{{.Details.Summary}}</pre>
{{template "static pieces" .Details.Pieces}}
{{- else if .Listing}}<pre>{{range .Listing.Spans}}{{.Text}}{{end}}</pre>
{{else}}<pre>{{range .Note}}{{.Text}}{{end}}</pre>
{{end}}{{end}}{{end}}

{{- define "static table"}}<pre>{{.Text}}</pre>
{{end}}`
