package render

import (
	"encoding/base64"
	"html/template"
	"strings"
	"unicode"
	"unicode/utf8"
)

// card is what the HTML of a reading is made of: one caption line and pieces
// below it.
type card struct {
	Caption []inline
	Pieces  []piece
}

// piece is one block of a card. Exactly one field is set.
type piece struct {
	Table   *table
	Picture *picture
	Details *details
	Listing *listing
	Note    []inline // a line of text
}

// inline is a run of text, perhaps an anchor, perhaps a link within the card.
type inline struct {
	Text  string
	ID    string       // makes the run an anchor
	Href  string       // the anchor the run leads to
	Title string       // says more about the run; never the only place that says it
	Style template.CSS // colour or weight of the run
}

// table has one row header in each row: its first cell.
type table struct {
	Caption string
	Head    []string
	Rows    []tableRow
}

// tableRow is a divider, a line of text across the table, or cells.
type tableRow struct {
	Divider string
	Lead    inline
	Cells   []tableCell
	Light   bool // a row of the appended part
}

type tableCell struct {
	Spans  []inline
	Number bool // aligned to the right
}

// details is a fold with a line that stays visible.
type details struct {
	Summary string
	Open    bool
	Pieces  []piece
}

// listing is preformatted text.
type listing struct{ Spans []inline }

// picture is a drawing with the sentence that says the same.
type picture struct {
	Alt           string
	Width, Height int
	SVG           string
}

// Source is the image's src attribute, whole: written by the caller it would be
// escaped once more and grow.
func (p *picture) Source() template.HTMLAttr {
	return template.HTMLAttr(`src="data:image/svg+xml;base64,` +
		base64.StdEncoding.EncodeToString([]byte(p.SVG)) + `"`)
}

// Span is the number of columns of a table.
func (t *table) Span() int { return len(t.Head) }

// Text is the table as aligned columns.
func (t *table) Text() string {
	lines := [][]string{t.Head}
	for _, row := range t.Rows {
		line := []string{row.Lead.Text}
		for _, cell := range row.Cells {
			line = append(line, plain(cell.Spans))
		}
		lines = append(lines, line)
	}
	width := make([]int, len(t.Head))
	for i, line := range lines {
		if i > 0 && t.Rows[i-1].Divider != "" {
			continue
		}
		for k, word := range line {
			width[k] = max(width[k], utf8.RuneCountInString(word))
		}
	}
	var b strings.Builder
	for i, line := range lines {
		if i > 0 && t.Rows[i-1].Divider != "" {
			b.WriteString("----- " + t.Rows[i-1].Divider + "\n")
			continue
		}
		text := ""
		for k, word := range line {
			space := strings.Repeat(" ", width[k]-utf8.RuneCountInString(word))
			if i > 0 && k > 0 && t.Rows[i-1].Cells[k-1].Number {
				text += space + word + "  "
			} else {
				text += word + space + "  "
			}
		}
		b.WriteString(strings.TrimRight(text, " ") + "\n")
	}
	return b.String()
}

func textCell(text string) tableCell   { return tableCell{Spans: []inline{{Text: text}}} }
func numberCell(text string) tableCell { return tableCell{Spans: []inline{{Text: text}}, Number: true} }

// Markup is the run as HTML. A card can hold ten thousand runs, so they are
// escaped here, by the template package's own function, and not by a template
// each. Anchors hold letters, digits and dashes alone.
func (s inline) Markup() template.HTML { return markup([]inline{s}) }

func markup(spans []inline) template.HTML {
	var b strings.Builder
	for _, s := range spans {
		if s.ID == "" && s.Href == "" && s.Title == "" && s.Style == "" {
			b.WriteString(template.HTMLEscapeString(s.Text))
			continue
		}
		tag := "span"
		if s.Href != "" {
			tag = "a"
		}
		b.WriteString("<" + tag)
		attribute(&b, "id", s.ID)
		if s.Href != "" {
			attribute(&b, "href", "#"+s.Href)
		}
		attribute(&b, "title", s.Title)
		attribute(&b, "style", string(s.Style))
		b.WriteString(">" + template.HTMLEscapeString(s.Text) + "</" + tag + ">")
	}
	return template.HTML(b.String())
}

func attribute(b *strings.Builder, name, value string) {
	if value != "" {
		b.WriteString(" " + name + `="` + template.HTMLEscapeString(value) + `"`)
	}
}

func (c *card) plainCaption() string { return plain(c.Caption) }

func plain(spans []inline) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.Text)
	}
	return b.String()
}

func (c *card) firstPicture() *picture {
	for _, p := range c.Pieces {
		if p.Picture != nil {
			return p.Picture
		}
	}
	return nil
}

// html writes the card. The static form uses div and pre alone: a service that
// escapes what it does not know also escapes the tbody that its parser adds to
// every table.
func (c *card) html(static bool) (string, error) {
	name := "card"
	if static {
		name = "static"
	}
	var b strings.Builder
	if err := templates.ExecuteTemplate(&b, name, c); err != nil {
		return "", err
	}
	return legible(b.String()), nil
}

// legible replaces what no output may hold: bytes that are not UTF-8, control
// characters, which drive a terminal, and marks that turn the direction of all
// text after them.
func legible(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			return r
		case unicode.IsControl(r), '\u202A' <= r && r <= '\u202E', '\u2066' <= r && r <= '\u2069':
			return utf8.RuneError
		}
		return r
	}, text)
}

// templates hold the markup of each piece, in both forms. Every attribute and
// style is one that JupyterLab's sanitizer keeps; text has no colour of its own,
// so that it stays legible on any theme.
var templates = template.Must(template.New("").
	Funcs(template.FuncMap{"markup": markup}).Parse(cardTemplates + staticTemplates))

const cardTemplates = `
{{- define "card" -}}
<div style="overflow-x:auto">
{{if .Caption}}<div style="margin:0 0 6px;font-weight:bold">{{markup .Caption}}</div>
{{end}}{{template "pieces" .Pieces}}</div>
{{end}}

{{- define "pieces"}}{{range .}}
{{- if .Table}}{{template "table" .Table}}
{{- else if .Picture}}{{template "picture" .Picture}}
{{- else if .Details}}{{template "details" .Details}}
{{- else if .Listing}}{{template "listing" .Listing}}
{{- else}}<div style="margin:6px 0">{{markup .Note}}</div>
{{end}}{{end}}{{end}}

{{- define "table"}}<table style="border-collapse:collapse;font-family:monospace;margin:6px 0">
<caption style="text-align:left;white-space:nowrap">{{.Caption}}</caption>
<thead><tr>{{range .Head}}<th scope="col" style="text-align:left;padding:2px 8px;border-bottom:1px solid rgba(127,127,127,0.4)">{{.}}</th>{{end}}</tr></thead>
<tbody>
{{$span := .Span}}{{range .Rows}}
{{- if .Divider}}<tr><td colspan="{{$span}}" style="text-align:left;padding:4px 8px;border-top:2px solid #767676">{{.Divider}}</td></tr>
{{else}}<tr{{if .Light}} style="opacity:0.75"{{end}}><th scope="row" style="text-align:right;padding:1px 8px;white-space:nowrap">{{.Lead.Markup}}</th>
{{- range .Cells}}<td style="text-align:{{if .Number}}right{{else}}left{{end}};padding:1px 8px;white-space:nowrap">{{markup .Spans}}</td>{{end}}</tr>
{{end}}{{end}}</tbody>
</table>
{{end}}

{{- define "picture"}}<img alt="{{.Alt}}" width="{{.Width}}" style="max-width:100%;height:auto" {{.Source}}/>
{{end}}

{{- define "details"}}<details{{if .Open}} open="open"{{end}}><summary>{{.Summary}}</summary>
{{template "pieces" .Pieces}}</details>
{{end}}

{{- define "listing"}}<pre style="white-space:pre;overflow-x:auto;margin:6px 0;font-family:monospace">{{markup .Spans}}</pre>
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
