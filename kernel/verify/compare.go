package verify

import (
	"fmt"
	"strings"

	"github.com/topos-notebook/topos/kernel/notebook"
)

// Verdict is what a comparison came to.
type Verdict string

// The verdicts on a cell.
const (
	Same     Verdict = "same"      // every reading and error is what was recorded
	Differs  Verdict = "differs"   // at least one is not
	Fast     Verdict = "fast"      // what there is was run Fast, so is not compared
	Nothing  Verdict = "-"         // the cell shows no reading, before or now
	NeverRun Verdict = "never run" // the notebook says nothing, since the cell was never run in it
)

// Finding is the verdict on one cell, with what it rests on.
type Finding struct {
	Verdict Verdict
	Lines   []string // each difference, or what was compared
	Fast    int      // readings not compared since they were run Fast
}

// Compare compares what a cell showed with what it shows now.
func Compare(recorded, fresh []notebook.Output) Finding {
	var f Finding
	before, now := readingsOf(recorded), readingsOf(fresh)
	if was, is := errorOf(recorded), errorOf(fresh); was != is {
		f.Lines = append(f.Lines, errorsDiffer(was, is))
	}
	if len(before) != len(now) {
		f.Lines = append(f.Lines, fmt.Sprintf("readings: %d recorded, now %d", len(before), len(now)))
	}
	same := map[string]int{}
	var kinds []string
	for i := range min(len(before), len(now)) {
		if before[i].fast() || now[i].fast() {
			f.Fast++
			continue
		}
		if line := difference(before[i], now[i]); line != "" {
			f.Lines = append(f.Lines, line)
			continue
		}
		kind := before[i].Kind
		if same[kind]++; same[kind] == 1 {
			kinds = append(kinds, kind)
		}
	}
	switch {
	case len(f.Lines) > 0:
		f.Verdict = Differs
	case len(kinds) > 0 || errorOf(fresh) != "":
		f.Verdict = Same
		f.Lines = summary(kinds, same, errorOf(fresh))
	case f.Fast > 0:
		f.Verdict = Fast
	default:
		f.Verdict = Nothing
	}
	return f
}

func errorsDiffer(was, is string) string {
	switch {
	case was == "":
		return "it fails now: " + firstLine(is)
	case is == "":
		return "it failed with " + firstLine(was) + ", now it does not"
	}
	return "it failed with " + firstLine(was) + ", now with " + firstLine(is)
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// summary is one line of what was found the same.
func summary(kinds []string, same map[string]int, failure string) []string {
	var parts []string
	for _, kind := range kinds {
		if same[kind] > 1 {
			kind = fmt.Sprintf("%d %s", same[kind], kind)
		}
		parts = append(parts, kind)
	}
	if failure != "" {
		parts = append(parts, "the error")
	}
	return []string{strings.Join(parts, ", ")}
}
