package verify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/topos-notebook/topos/kernel/notebook"
)

// Runner runs cells one after another; see [Kernel].
type Runner interface {
	Run(ctx context.Context, cell notebook.Cell) ([]notebook.Output, error)
}

// Tally counts cells by verdict.
type Tally struct {
	Cells int
	Of    map[Verdict]int
	Fast  int // readings that were not compared
}

// Passed reports whether something was compared and nothing differed.
func (t Tally) Passed() bool {
	return t.Of[Differs] == 0 && t.Of[NeverRun] == 0 && t.Of[Same]+t.Of[Fast] > 0
}

// Compared reports whether there was anything to compare.
func (t Tally) Compared() bool { return t.Cells > t.Of[Nothing] }

// Notebook runs the cells of n and compares them with what recorded says they
// showed, which is n itself or another copy of it. It writes a line on each cell and one on all of
// them. Its error says why it could not go on.
func Notebook(ctx context.Context, n, recorded *notebook.Notebook, r Runner, out io.Writer) (Tally, error) {
	t := Tally{Of: map[Verdict]int{}}
	cells := written(n.Cells)
	before, err := match(cells, written(recorded.Cells))
	if err != nil {
		return t, err
	}
	counts := renumbering(before)
	for i, c := range cells {
		fresh, err := r.Run(ctx, c)
		if err != nil {
			return t, fmt.Errorf("cell %d: %w", i+1, err)
		}
		was := before[i].Outputs
		if errorOf(was) != errorOf(fresh) {
			was = counts.of(was)
		}
		f := Compare(was, fresh)
		if !before[i].Executed && len(before[i].Outputs) == 0 {
			f = Finding{Verdict: NeverRun}
		}
		t.Cells++
		t.Of[f.Verdict]++
		t.Fast += f.Fast
		report(out, i+1, f)
	}
	fmt.Fprintln(out, t)
	return t, nil
}

// written leaves out the cells without a text, which are never run. So cells have
// the numbers that running them in order gives.
func written(cells []notebook.Cell) []notebook.Cell {
	return slices.DeleteFunc(slices.Clone(cells), func(c notebook.Cell) bool { return strings.TrimSpace(c.Source) == "" })
}

// match finds for each cell the one that holds its record: the one of the same
// id where all cells have ids of their own, else the one at the same place. Both must
// have the same text, and none may be left.
func match(cells, recorded []notebook.Cell) ([]notebook.Cell, error) {
	if len(cells) == 0 {
		return nil, errors.New("there is no cell to run")
	}
	byID := map[string]int{}
	for i, c := range recorded {
		byID[c.ID] = i
	}
	place := func(i int) (int, bool) { return i, i < len(recorded) }
	if identified(cells) && identified(recorded) {
		place = func(i int) (int, bool) { at, ok := byID[cells[i].ID]; return at, ok }
	}
	found, taken := make([]notebook.Cell, len(cells)), make([]bool, len(recorded))
	for i, c := range cells {
		at, ok := place(i)
		if !ok {
			return nil, fmt.Errorf("cell %d is not in the notebook that is compared with", i+1)
		}
		other := recorded[at]
		if is, was := text(c), text(other); is != was {
			return nil, fmt.Errorf("cell %d has another text in the notebook that is compared with: %s", i+1, OtherLine(was, is))
		}
		found[i], taken[at] = other, true
	}
	if i := slices.Index(taken, false); i >= 0 {
		return nil, fmt.Errorf("cell %d of the notebook that is compared with is not in this one", i+1)
	}
	return found, nil
}

// text is what a cell says, whatever ends its lines.
func text(c notebook.Cell) string {
	return strings.TrimSpace(strings.ReplaceAll(c.Source, "\r\n", "\n"))
}

// identified says whether each cell has an id of its own.
func identified(cells []notebook.Cell) bool {
	seen := map[string]bool{"": true}
	for _, c := range cells {
		if seen[c.ID] {
			return false
		}
		seen[c.ID] = true
	}
	return true
}

// report writes what was found about a cell: one line, or one for each difference.
func report(out io.Writer, number int, f Finding) {
	head := fmt.Sprintf("cell %-3d %-9s", number, f.Verdict)
	lines := f.Lines
	if f.Fast > 0 {
		lines = append(lines, fmt.Sprintf("run Fast, so not compared: %d", f.Fast))
	}
	if len(lines) == 0 {
		fmt.Fprintln(out, strings.TrimRight(head, " "))
	}
	for i, line := range lines {
		if i > 0 {
			head = strings.Repeat(" ", len(head))
		}
		fmt.Fprintf(out, "%s %s\n", head, line)
	}
}

// String is the line on all cells.
func (t Tally) String() string {
	parts := []string{fmt.Sprintf("%d same", t.Of[Same])}
	for _, p := range []struct {
		n    int
		text string
	}{{t.Of[Differs], "different"}, {t.Of[NeverRun], "never run in the notebook"}, {t.Fast, "run Fast and not compared"},
		{t.Of[Nothing], "without a reading"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", p.n, p.text))
		}
	}
	cells := "cells"
	if t.Cells == 1 {
		cells = "cell"
	}
	return fmt.Sprintf("%d %s: %s", t.Cells, cells, strings.Join(parts, ", "))
}
