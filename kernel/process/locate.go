package process

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// GoNB puts the declarations of all cells, sorted by name, and the current
// cell's statements into one file, and knows itself which line came from
// where, but does not say. So a line is looked for in the texts of the cells:
// the lines around it must agree as far as possible.

// maxContext is how many lines around a line are compared, each way.
const maxContext = 200

// place is a line of a cell.
type place struct {
	cell, line int // line counts from 0
}

// generated reads the lines of the file that GoNB made of the current cell.
func (s *Supervisor) generated() []string {
	work := s.workFolder()
	if work == "" {
		return nil
	}
	for _, name := range []string{"main.go", "main_test.go"} {
		if text, err := os.ReadFile(filepath.Join(work, name)); err == nil {
			return splitLines(string(text))
		}
	}
	return nil
}

// Locate says where a line of the current cell's generated code, counted from
// 1, comes from. It returns false when no cell has such a line.
func (s *Supervisor) Locate(line int) (Frame, bool) {
	return s.locate(s.generated(), line)
}

func (s *Supervisor) locate(generated []string, line int) (Frame, bool) {
	frame := Frame{at: line}
	if line < 1 || line > len(generated) {
		return frame, false
	}
	frame.Source = strings.TrimSpace(generated[line-1])
	s.mu.Lock()
	cells := make(map[int][]string, len(s.cells))
	var order []int // the newest cell first: it is the current one
	for number, lines := range s.cells {
		cells[number] = lines
		order = append(order, number)
	}
	s.mu.Unlock()
	slices.Sort(order)
	slices.Reverse(order)
	best := bestPlaces(generated, line-1, cells, order)
	if len(best) == 0 {
		return frame, false
	}
	chosen := best[0]
	if len(best) > 1 {
		chosen = best[min(occurrence(generated, line-1, best, cells, order), len(best)-1)]
	}
	frame.Cell, frame.Line = chosen.cell, chosen.line+1
	frame.Source = strings.TrimSpace(cells[chosen.cell][chosen.line])
	return frame, true
}

// bestPlaces returns the places of one cell whose line and surroundings agree
// best with line at of the generated file; the first cell in order that has
// the best agreement.
func bestPlaces(generated []string, at int, cells map[int][]string, order []int) []place {
	want := essence(generated[at])
	if want == "" {
		return nil
	}
	var best []place
	most := 0
	for _, number := range order {
		lines := cells[number]
		for i := range lines {
			if essence(lines[i]) != want {
				continue
			}
			score := 1 + agreement(generated, at, lines, i, -1) + agreement(generated, at, lines, i, +1)
			switch {
			case score > most:
				best, most = []place{{number, i}}, score
			case score == most && best[0].cell == number:
				best = append(best, place{number, i})
			}
		}
	}
	return best
}

// agreement counts the lines that are the same from two places on, in one
// direction. Blank lines agree without counting.
func agreement(a []string, i int, b []string, j, step int) int {
	count := 0
	for range maxContext {
		i, j = i+step, j+step
		if i < 0 || j < 0 || i >= len(a) || j >= len(b) {
			break
		}
		x := essence(a[i])
		if x != essence(b[j]) {
			break
		}
		if x != "" {
			count++
		}
	}
	return count
}

// occurrence says the how-manieth line of the generated file at is, among
// those that the same places fit equally well.
func occurrence(generated []string, at int, best []place, cells map[int][]string, order []int) int {
	count := 0
	for i := range at {
		if essence(generated[i]) == essence(generated[at]) && slices.Equal(bestPlaces(generated, i, cells, order), best) {
			count++
		}
	}
	return count
}

var (
	blanks         = regexp.MustCompile(`\s+`)
	keyword        = regexp.MustCompile(`^(?:var|const|import|type) `)
	closingComment = regexp.MustCompile(` //[^"` + "`" + `]*$`)
)

// essence is what of a line survives GoNB and gofmt: not the indentation, not
// the keyword of a declaration, which may have become a group, not a comment
// at the end.
func essence(line string) string {
	line = blanks.ReplaceAllString(strings.TrimSpace(line), " ")
	line = closingComment.ReplaceAllString(line, "")
	return keyword.ReplaceAllString(line, "")
}

func splitLines(text string) []string {
	return strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
}
