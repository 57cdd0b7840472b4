package readings

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// Read takes one reading. Errors are one line about the request; the tape is as
// it was in any case.
func (s Scene[T]) Read(q Request) (*topos.Reading, error) {
	switch {
	case q.Kind == topos.SpecReading:
		return s.Tape.Reading().Named(s.labels().at), nil
	case q.Kind == topos.PictureReading:
		return s.Tape.Picture().Named(s.labels().at), nil
	case !slices.Contains(Kinds, q.Kind):
		return nil, fmt.Errorf("there is no reading %q", q.Kind)
	case q.Kind != topos.GradientReading && len(q.Roots) > 0:
		return s.readRoots(q)
	}
	d, err := s.differentiate(q)
	if err == nil {
		defer d.release()
	}
	return s.derived(q, d, err)
}

// derived takes a reading of a derivative. why says why there is none.
func (s Scene[T]) derived(q Request, d *derivative, why error) (*topos.Reading, error) {
	switch {
	case errors.Is(why, errNoTarget) && q.Kind == topos.ValuesReading:
		return s.readNames(q)
	case why != nil:
		return nil, why
	case q.Kind == topos.GradientReading:
		return s.gradient(d), nil
	default:
		return s.readDerivative(q, d)
	}
}

// All takes the six readings in order; Kind and Roots of the request are not
// read. Where no name has rank 0, the readings that need one are a line that
// says so; any other error ends it.
func (s Scene[T]) All(q Request) ([]*topos.Reading, error) { return s.Take(q, Kinds...) }

// Take is All for some of the readings, in the order given. A derivative that
// several of them need is recorded once.
func (s Scene[T]) Take(q Request, kinds ...topos.ReadingKind) ([]*topos.Reading, error) {
	q.Roots = nil
	taken := make([]*topos.Reading, len(kinds))
	// These are of the tape as it is, without a scratch extension.
	for i, kind := range kinds {
		if kind == topos.SpecReading || kind == topos.PictureReading {
			taken[i], _ = s.Read(Request{Kind: kind})
		}
	}
	if !slices.Contains(taken, nil) {
		return taken, nil
	}
	d, why := s.differentiate(q)
	if why == nil {
		defer d.release()
	}
	for i := range taken {
		if taken[i] != nil {
			continue
		}
		q.Kind = kinds[i]
		r, err := s.derived(q, d, why)
		switch {
		case errors.Is(err, errNoTarget):
			r = &topos.Reading{Kind: topos.TextReading, Text: err.Error() + "\n"}
		case err != nil:
			return nil, err
		}
		taken[i] = r
	}
	return taken, nil
}

// readRoots reads what an entry of named roots is.
func (s Scene[T]) readRoots(q Request) (*topos.Reading, error) {
	roots, err := s.resolveAll(q.Roots)
	if err != nil {
		return nil, err
	}
	l := s.labels()
	for i, r := range roots {
		l[r.Symbol().Index()] = q.Roots[i]
	}
	return s.readEntry(q, roots, l, l)
}

// readDerivative reads the entry of a target and its gradients.
func (s Scene[T]) readDerivative(q Request, d *derivative) (*topos.Reading, error) {
	r, err := s.readEntry(q, d.Roots(), d.labels, d.results())
	if err == nil {
		r.Subject = d.labels.called(d.Target())
	}
	return r, err
}

// readNames runs every name, where there is no target.
func (s Scene[T]) readNames(q Request) (*topos.Reading, error) {
	var roots []topos.Named
	for name := range s.Names.All() {
		v, err := s.resolve(name)
		if err != nil {
			return nil, err
		}
		roots, q.Roots = append(roots, v.Symbol()), append(q.Roots, name)
	}
	if len(roots) == 0 {
		return nil, errors.New("there are no names, so there is nothing to run")
	}
	l := s.labels()
	return s.readEntry(q, roots, l, l)
}

// Runnable refuses a plan whose run would take too much of the machine's memory.
func Runnable[T any](plan *topos.Plan[T]) error {
	if peak, _ := plan.Peak(); peak > largestRun {
		return fmt.Errorf("the run would hold %d elements at once; at most %d are run here", peak, largestRun)
	}
	return nil
}

// readEntry lowers an entry and reads it as a plan, a module or a run. rows
// names nodes, results calls what a run answers.
func (s Scene[T]) readEntry(q Request, roots []topos.Named, rows, results labels) (*topos.Reading, error) {
	observed, err := s.resolveAll(q.Observe)
	if err != nil {
		return nil, err
	}
	for i, n := range observed {
		if !slices.Contains(roots, n) {
			results[n.Symbol().Index()] = q.Observe[i]
		}
	}
	entry := s.Tape.View().Entry(roots...).Observe(observed...)
	if q.Exact {
		entry = entry.Numerics(topos.Exact)
	}
	plan, err := entry.Lower()
	if err != nil {
		return nil, err
	}
	switch q.Kind {
	case topos.ScheduleReading:
		return plan.Reading().Named(rows.at), nil
	case topos.ModuleReading:
		var options []topos.Emission
		if q.Primitive {
			options = append(options, topos.Primitive)
		}
		module, err := plan.StableHLO(options...)
		if err != nil {
			return nil, err
		}
		r := module.Reading()
		r.Element = s.Tape.Element().Name()
		// The rows give the names in the text their titles.
		if p := plan.Reading(); len(p.Rows) == p.Plan.Evaluated {
			r.Rows = p.Named(rows.at).Rows
		}
		return r, nil
	}
	if err := Runnable(plan); err != nil {
		return nil, err
	}
	table, err := s.table()
	if err != nil {
		return nil, err
	}
	run, err := plan.Forward(table)
	if err != nil {
		return nil, err
	}
	nodes := map[string]int{}
	for i, name := range q.Roots {
		nodes[name] = roots[i].Symbol().Index()
	}
	for i, name := range q.Observe {
		nodes[name] = observed[i].Symbol().Index()
	}
	return eachName(run.ReadValues(results.of), slices.Concat(q.Roots, q.Observe), nodes), nil
}

// eachName has a reading of values show what was asked for by name under each of
// the names, where several are one node's, which a run answers once.
func eachName(r *topos.Reading, asked []string, nodes map[string]int) *topos.Reading {
	at, shown := map[int]topos.PayloadReading{}, map[string]bool{}
	for _, p := range r.Payloads {
		at[p.Node], shown[p.Label] = p, true
	}
	var more bool
	for _, name := range asked {
		more = more || !shown[name]
	}
	if !more {
		return r
	}
	var all []topos.PayloadReading
	for _, p := range r.Payloads { // of no name that was asked for
		if !slices.Contains(asked, p.Label) {
			all = append(all, p)
		}
	}
	told := map[string]bool{}
	for _, name := range asked {
		if p, ok := at[nodes[name]]; ok && !told[name] {
			p.Label, told[name] = name, true
			all = append(all, p)
		}
	}
	r.Payloads = all
	var b strings.Builder
	for _, p := range all {
		b.WriteString(p.Label + " " + p.Text + "\n")
	}
	r.Text = b.String()
	return r
}
