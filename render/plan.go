package render

import (
	"fmt"
	"strconv"

	"github.com/topos-notebook/topos/topos"
)

// planCard shows a schedule: the curve of live elements, the scheduled rows with
// what becomes of each value, and the nodes nobody declared.
func (v *view) planCard() *card {
	c := &card{Caption: v.planCaption()}
	if p := v.livePicture(); p != nil {
		c.Pieces = append(c.Pieces, piece{Picture: p})
	}
	c.Pieces = append(c.Pieces, v.rowPieces("nodes in scheduled order")...)
	c.Pieces = append(c.Pieces, v.patternPieces()...)
	c.Pieces = append(c.Pieces, v.skippedPieces()...)
	if len(v.Tail) > 2 {
		c.Pieces = append(c.Pieces, piece{Listing: &listing{Spans: []inline{{Text: lines(v.Tail)}}}})
	}
	c.Pieces = append(c.Pieces, v.originPieces()...)
	return c
}

func lines(list []string) string {
	text := ""
	for _, line := range list {
		text += line + "\n"
	}
	return text
}

func (v *view) planCaption() []inline {
	p := v.Plan
	if p == nil {
		return []inline{{Text: "plan"}}
	}
	posture := ""
	if p.Backward {
		posture = "retain, "
	}
	if p.Exact {
		posture += "exact, "
	}
	caption := []inline{{Text: fmt.Sprintf("plan: %s%s of %s evaluated, %s readable; ",
		posture, grouped(p.Evaluated), grouped(p.Of), grouped(len(p.Readable)))}}
	node := v.link("#"+strconv.Itoa(p.PeakNode), p.PeakNode)
	peak := inline{Text: fmt.Sprintf("peak %s at ", grouped(p.Peak))}
	all := inline{Text: "retain-all " + grouped(p.RetainAll)}
	if p.Backward {
		peak.Text = fmt.Sprintf("release floor %s at ", grouped(p.Peak))
		caption = append(caption, all, inline{Text: ", "}, peak, node)
	} else {
		caption = append(caption, peak, node, inline{Text: ", "}, all)
	}
	return v.withOmission(caption)
}

// skippedPieces fold the nodes that the plan does not evaluate.
func (v *view) skippedPieces() []piece {
	if v.Plan == nil || len(v.Plan.Skipped) == 0 {
		return nil
	}
	skipped := v.Plan.Skipped
	listed := joined(skipped)
	if len(skipped) > maxMarks {
		listed = joined(skipped[:maxMarks]) + fmt.Sprintf(" (+%s)", grouped(len(skipped)-maxMarks))
	}
	if len(skipped) <= 12 {
		return []piece{{Details: &details{
			Summary: fmt.Sprintf("%d skipped: %s", len(skipped), listed),
			Pieces:  []piece{{Note: []inline{{Text: "Nothing that was declared readable depends on these nodes, so the plan does not evaluate them."}}}},
		}}}
	}
	return []piece{{Details: &details{
		Summary: grouped(len(skipped)) + " skipped",
		Pieces:  []piece{{Note: []inline{{Text: listed}}}},
	}}}
}

// livePicture is the curve of live elements along the schedule.
func (v *view) livePicture() *picture {
	p := v.Plan
	if p == nil || len(p.Live) == 0 {
		return nil
	}
	values := make([]float64, len(p.Live))
	for i, x := range p.Live {
		values[i] = float64(x)
	}
	peak := float64(p.Peak)
	c := newChart(&topos.Plot{Title: "live volume along the schedule", XLabel: "scheduled node", YLabel: "elements", Step: true, Values: values, Rule: &peak})
	c.rule = "peak " + strconv.Itoa(p.Peak)
	if p.Backward {
		c.rule = "release floor " + strconv.Itoa(p.Peak)
	}
	if len(p.Schedule) == len(p.Live) {
		c.position = func(i int) string { return "#" + strconv.Itoa(p.Schedule[i]) }
	}
	drawn := c.picture()
	drawn.Alt = fmt.Sprintf("Curve of live elements along the schedule: %s positions, %s %d at node %d, retain-all %d; the table below says what each node frees.",
		grouped(len(values)), map[bool]string{false: "peak", true: "release floor"}[p.Backward], p.Peak, p.PeakNode, p.RetainAll)
	return drawn
}
