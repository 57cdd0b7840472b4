package process

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// GoNB puts the declarations of all cells, sorted by name, and the current
// cell's statements into one file, and knows itself which line came from
// where, but does not say. So a line is looked for in the texts of the cells:
// the lines around it must agree as far as possible.

// maxContext is how many lines around a line are compared, each way.
const maxContext = 200

// listing is a text by lines. What is compared of them is made once something is
// looked for: it takes longer, and more memory, than the text of a cell, and most
// notebooks never need it.
type listing struct {
	lines []string

	once     sync.Once
	compared []string
}

func newListing(text string) *listing {
	return &listing{lines: strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")}
}

// essences are the lines as they are compared.
func (t *listing) essences() []string {
	t.once.Do(func() {
		t.compared = make([]string, len(t.lines))
		for i, line := range t.lines {
			t.compared[i] = essence(line)
		}
	})
	return t.compared
}

// line returns a line counted from 1; empty when there is none.
func (t *listing) line(n int) string {
	if t == nil || n < 1 || n > len(t.lines) {
		return ""
	}
	return t.lines[n-1]
}

// generated reads the file that GoNB made of the current cell; nil when there
// is none.
func (s *Supervisor) generated() *listing {
	work := s.workFolder()
	if work == "" {
		return nil
	}
	for _, name := range []string{"main.go", "main_test.go"} {
		if text, err := os.ReadFile(filepath.Join(work, name)); err == nil {
			return newListing(string(text))
		}
	}
	return nil
}

// Locate says where a line of the current cell's generated code, counted from
// 1, comes from. It returns false when no cell has such a line.
func (s *Supervisor) Locate(line int) (Frame, bool) {
	return s.locate(s.generated(), line)
}

func (s *Supervisor) locate(generated *listing, line int) (Frame, bool) {
	frame := Frame{at: line, Source: strings.TrimSpace(generated.line(line))}
	if frame.Source == "" {
		return frame, false
	}
	s.mu.Lock()
	cells := make([]numbered, 0, len(s.cells))
	for number, text := range s.cells {
		cells = append(cells, numbered{number, text})
	}
	s.mu.Unlock()
	// The newest cell first: it is the current one.
	slices.SortFunc(cells, func(a, b numbered) int { return b.number - a.number })
	best := bestPlaces(generated, line-1, cells)
	if len(best) == 0 {
		return frame, false
	}
	chosen := best[0]
	if len(best) > 1 {
		chosen = best[min(occurrence(generated, line-1, best, cells), len(best)-1)]
	}
	frame.Cell, frame.Line = chosen.number, chosen.line+1
	frame.Source = strings.TrimSpace(chosen.text.lines[chosen.line])
	return frame, true
}

// numbered is a cell's text with its execution count.
type numbered struct {
	number int
	text   *listing
}

// place is a line, counted from 0, of a cell.
type place struct {
	numbered
	line int
}

// bestPlaces returns the places of one cell whose line and surroundings agree
// best with line at of the generated file; the first cell that has the best
// agreement.
func bestPlaces(generated *listing, at int, cells []numbered) []place {
	want := generated.essences()[at]
	if want == "" {
		return nil
	}
	var best []place
	most := 0
	for _, cell := range cells {
		for i, line := range cell.text.essences() {
			if line != want {
				continue
			}
			score := 1 + agreement(generated, at, cell.text, i, -1) + agreement(generated, at, cell.text, i, +1)
			switch {
			case score > most:
				best, most = []place{{cell, i}}, score
			case score == most && best[0].number == cell.number:
				best = append(best, place{cell, i})
			}
		}
	}
	return best
}

// agreement counts the lines that are the same from two places on, in one
// direction. Blank lines agree without counting.
func agreement(a *listing, i int, b *listing, j, step int) int {
	count, ours, theirs := 0, a.essences(), b.essences()
	for range maxContext {
		i, j = i+step, j+step
		if i < 0 || j < 0 || i >= len(ours) || j >= len(theirs) || ours[i] != theirs[j] {
			break
		}
		if ours[i] != "" {
			count++
		}
	}
	return count
}

// occurrence says the how-manieth line of the generated file at is, among
// those that the same places fit equally well.
func occurrence(generated *listing, at int, best []place, cells []numbered) int {
	count, essences := 0, generated.essences()
	for i := range at {
		if essences[i] == essences[at] && slices.Equal(bestPlaces(generated, i, cells), best) {
			count++
		}
	}
	return count
}

var (
	blanks         = regexp.MustCompile(`\s+`)
	keyword        = regexp.MustCompile(`^(?:var|const|import|type) `)
	initFunction   = regexp.MustCompile(`^func init_\w+\(`)
	closingComment = regexp.MustCompile(` //[^"` + "`" + `]*$`)
)

// essence is what of a line survives GoNB and gofmt: not the indentation, not
// the keyword of a declaration, which may have become a group, not the name of a
// function called init_something, not a comment at the end.
func essence(line string) string {
	line = blanks.ReplaceAllString(strings.TrimSpace(line), " ")
	line = closingComment.ReplaceAllString(line, "")
	line = initFunction.ReplaceAllString(line, "func init(")
	return keyword.ReplaceAllString(line, "")
}
