package session

import (
	"fmt"
	"slices"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// What the model asks of a session.

// runs are the cells that recorded what is on the tape.
func (d *desk) runs() []run {
	var all []run
	for _, g := range d.state().segments {
		all = append(all, run{g.cell, g.text})
	}
	return all
}

// stands says whether a run is on the tape and not superseded.
func (d *desk) stands(r *recording) bool {
	return slices.ContainsFunc(d.state().segments, func(g *segment) bool {
		return g.cell == r.id && g.text == r.code && g.superseded == 0
	})
}

// withdrew says whether the last segment is of a cell that recorded nothing.
func (d *desk) withdrew(c run) bool {
	all := d.state().segments
	return len(all) > 0 && all[len(all)-1].empty() && all[len(all)-1].cell == c.id && all[len(all)-1].text == c.code
}

// shape is the tape and its names.
func (d *desk) shape() string {
	var b strings.Builder
	b.WriteString(d.state().tape.Describe())
	var names []string
	for name, at := range d.state().names.All() {
		names = append(names, fmt.Sprintf("%s = %d", name, at.Index()))
	}
	slices.Sort(names)
	return b.String() + strings.Join(names, "\n")
}

// payloads are the bits of the live parameters that differ from the recorded ones,
// for each segment by name.
func (d *desk) payloads() []map[string]string {
	s := d.state()
	var all []map[string]string
	for _, g := range s.segments {
		live := map[string]string{}
		times := map[string]int{}
		seen := map[topos.Symbol]bool{}
		for _, b := range g.bound {
			slot := s.slotOf(b.Symbol)
			if i := b.Symbol.Index(); slot < 0 || i < g.from || i >= g.to || seen[b.Symbol] {
				continue
			}
			seen[b.Symbol] = true
			if slot < len(s.live) && s.live[slot] != nil {
				live[fmt.Sprintf("%s %d", b.Name, times[b.Name])] = fmt.Sprintf("%x", s.live[slot].Encode())
			}
			times[b.Name]++
		}
		all = append(all, live)
	}
	return all
}
