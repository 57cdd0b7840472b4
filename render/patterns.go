package render

import (
	"fmt"
	"strconv"

	"github.com/topos-notebook/topos/topos"
)

// How much the list of patterns shows.
const (
	maxPatterns = 40
	maxMembers  = 16
)

// patternPieces list, behind a fold, the patterns of a plan: those it fuses, and
// those it leaves to others.
func (v *view) patternPieces() []piece {
	if v.Plan == nil || len(v.Plan.Patterns) == 0 {
		return nil
	}
	all := v.Plan.Patterns
	fused := 0
	for _, p := range all {
		if p.Fused {
			fused++
		}
	}
	summary := fmt.Sprintf("%s, %s fused", counted(len(all), "pattern"), grouped(fused))
	t := &table{Caption: "patterns found in the plan", Head: []string{"root", "pattern", "members", "attributes", "in this plan"}}
	for i, p := range all {
		if i == maxPatterns {
			t.Rows = append(t.Rows, tableRow{Divider: grouped(len(all)-i) + " more"})
			break
		}
		t.Rows = append(t.Rows, v.patternRow(p))
	}
	return []piece{{Details: &details{Summary: summary, Pieces: []piece{{Table: t}}}}}
}

func (v *view) patternRow(p topos.PatternReading) tableRow {
	members, more := p.Nodes, ""
	if len(members) > maxMembers {
		members, more = members[:maxMembers], fmt.Sprintf(" (+%s)", grouped(len(members)-maxMembers))
	}
	state := "candidate"
	if p.Fused {
		state = "fused"
	}
	return tableRow{
		Lead:  v.link(strconv.Itoa(p.Root), p.Root),
		Cells: []tableCell{textCell(p.Kind), textCell(joined(members) + more), textCell(p.Attributes), textCell(state)},
		Light: !p.Fused,
	}
}

// fusedInto gives the root of the pattern that each fused node lies in.
func fusedInto(r *topos.Reading) map[int]int {
	if r.Plan == nil {
		return nil
	}
	into := make(map[int]int)
	for _, p := range r.Plan.Patterns {
		for _, node := range p.Nodes {
			if p.Fused && node != p.Root {
				into[node] = p.Root
			}
		}
	}
	return into
}
