package render

import (
	"strings"
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
	ID    string // makes the run an anchor
	Href  string // the anchor the run leads to
	Title string // says more about the run; never the only place that says it
	Style markup // colour or weight of the run
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

// html is the card as a page, or in its static form.
func (c *card) html(static bool) string {
	var p page
	if static {
		p.static(c)
	} else {
		p.card(c)
	}
	return p.b.String()
}
