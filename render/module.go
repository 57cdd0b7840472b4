package render

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/alecthomas/chroma/v2"
	"github.com/alecthomas/chroma/v2/lexers"
)

// moduleCard shows a StableHLO module. The text of its listing is the module's
// text to the byte, so that it can be copied into another tool.
func (v *view) moduleCard() *card {
	c := &card{Caption: []inline{{Text: moduleCaption(v.Text)}}}
	text := v.Text
	if n := strings.Count(text, "\n"); n > maxRows {
		short := *v
		short.limits = scant
		text = short.cutLines(text)
		c.Caption = append(c.Caption, inline{Text: " (" + grouped(n) + " lines, the first and last shown)"})
	}
	c.Pieces = append(c.Pieces, piece{Listing: &listing{Spans: v.moduleSpans(text)}})
	if len(v.Rows) > 0 {
		c.Pieces = append(c.Pieces, piece{Details: &details{
			Summary: counted(len(v.Rows), "node") + " behind the text",
			Pieces:  v.rowPieces("nodes in scheduled order"),
		}})
	}
	return c
}

var variable = regexp.MustCompile(`^%v(\d+)`)

// moduleCaption counts what the text holds, in one pass over its lines.
func moduleCaption(text string) string {
	operations, arguments, results := 0, 0, 0
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		name, _, assigns := strings.Cut(line, " = ")
		switch {
		case strings.HasPrefix(line, "func.func "):
			arguments = strings.Count(line, "%arg")
		case strings.HasPrefix(line, "return "):
			names, _, _ := strings.Cut(line, " : ")
			results = strings.Count(names, "%")
		case assigns && strings.HasPrefix(name, "%") && !strings.Contains(name, " "),
			strings.HasPrefix(line, "stablehlo."), strings.HasPrefix(line, `"stablehlo.`):
			operations++
		}
	}
	return fmt.Sprintf("stablehlo: %s, %s, %s", counted(operations, "operation"), counted(arguments, "argument"), counted(results, "result"))
}

// moduleSpans colours a module's text and links its names: the line that makes a
// result is its anchor and leads to the node's row, and each use leads there.
func (v *view) moduleSpans(text string) []inline {
	m := moduleLinks{view: v, made: map[string]bool{}}
	for _, token := range moduleTokens(text) {
		m.add(token)
	}
	return m.spans
}

// moduleTokens splits a module's text. The tokens joined are the text.
func moduleTokens(text string) []chroma.Token {
	whole := []chroma.Token{{Type: chroma.Text, Value: text}}
	if len(text) > maxHighlighted {
		return splitNames(text)
	}
	tokens, err := chroma.Tokenise(lexers.Get("mlir"), &chroma.TokeniseOptions{State: "root"}, text)
	if err != nil {
		return whole
	}
	var joined strings.Builder
	for _, t := range tokens {
		joined.WriteString(t.Value)
	}
	if joined.String() != text {
		return whole
	}
	return tokens
}

var name = regexp.MustCompile(`%\w+`)

// splitNames finds the names alone: a lexer would take seconds over a text this
// long.
func splitNames(text string) []chroma.Token {
	var tokens []chroma.Token
	at := 0
	for _, span := range name.FindAllStringIndex(text, -1) {
		tokens = append(tokens, chroma.Token{Type: chroma.Text, Value: text[at:span[0]]},
			chroma.Token{Type: chroma.NameVariable, Value: text[span[0]:span[1]]})
		at = span[1]
	}
	return append(tokens, chroma.Token{Type: chroma.Text, Value: text[at:]})
}

// moduleLinks turns tokens into runs of text.
type moduleLinks struct {
	*view
	spans   []inline
	made    map[string]bool // names whose making line was passed
	dialect bool            // the text before was "stablehlo."
	fresh   bool            // nothing but space since the line began
}

func (m *moduleLinks) add(t chroma.Token) {
	text := t.Value
	switch {
	case t.Type == chroma.NameVariable && strings.HasPrefix(text, "%"):
		m.spans = append(m.spans, m.variable(text))
	case text == "stablehlo" || (text == "." && m.dialect):
		m.plain(text, operationInk)
		m.dialect = true
		return
	case m.dialect && strings.TrimSpace(text) != "":
		m.plain(text, operationInk)
	case t.Type.InSubCategory(chroma.LiteralNumber) || t.Type == chroma.Text || t.Type == chroma.Punctuation:
		m.plain(text, "")
	default:
		m.plain(text, moduleInk[t.Type])
	}
	m.dialect = false
	if i := strings.LastIndexByte(text, '\n'); i >= 0 {
		m.fresh = strings.TrimSpace(text[i:]) == ""
	} else if strings.TrimSpace(text) != "" {
		m.fresh = false
	}
}

// plain adds text, to the run before it when that looks the same.
func (m *moduleLinks) plain(text string, style markup) {
	if n := len(m.spans); n > 0 {
		if last := &m.spans[n-1]; last.Style == style && last.ID == "" && last.Href == "" {
			last.Text += text
			return
		}
	}
	m.spans = append(m.spans, inline{Text: text, Style: style})
}

// variable is a name of the module: an anchor where a line makes it.
func (m *moduleLinks) variable(text string) inline {
	id := m.anchor + "-" + strings.TrimPrefix(text, "%")
	span := inline{Text: text}
	makes := m.fresh && !m.made[text]
	if match := variable.FindStringSubmatch(text); match != nil {
		if node, err := strconv.Atoi(match[1]); err == nil {
			if at, ok := m.at(node); ok {
				span.Title = m.phrase(at)
				if makes && !m.hidden(at) {
					span.Href = m.id(at)
				}
			}
		}
	}
	if makes {
		m.made[text] = true
		span.ID = id
	} else if m.made[text] {
		span.Href = id
	}
	return span
}

// Colours of a module's text. Each has a contrast near 4:1 on white and on dark
// alike, the most one colour can have on both; names and numbers keep the
// page's own ink.
const operationInk = markup("color:#3182BD;font-weight:bold")

var moduleInk = map[chroma.TokenType]markup{
	chroma.KeywordType:  "color:#8C6BB1",
	chroma.Keyword:      "color:#1B8A8F",
	chroma.NameFunction: "color:#2E8B57",
}
