package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/topos-notebook/topos/kernel/image"
	"github.com/topos-notebook/topos/kernel/magic"
	"github.com/topos-notebook/topos/kernel/readings"
	"github.com/topos-notebook/topos/render"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
)

// program is a recorded program while it is read.
type program[T any] struct {
	readings.Scene[T]
	command readCommand
	out     *bytes.Buffer
}

// readProgram records a program on a new tape, answers its magics where they
// stand, then prints the readings that the command line asks for.
func readProgram[T any](e topos.Element[T], c readCommand, steps []magic.Step, out *bytes.Buffer) error {
	p := &program[T]{command: c, out: out}
	p.Scene = readings.Scene[T]{Tape: topos.New(e), Names: &language.Names{}}
	recorder := language.NewRecorder(p.Tape, p.Names, 0)
	magics := false
	for _, s := range steps {
		if s.Magic == nil {
			if _, err := recorder.Record(s.Line); err != nil {
				return err
			}
			continue
		}
		magics = true
		if err := p.answer(*s.Magic); err != nil {
			var fault *language.Error
			if errors.As(err, &fault) {
				return err
			}
			return s.Magic.Fault(err)
		}
	}
	switch {
	case c.json:
		return p.printJSON()
	case magics && !c.asked:
		return nil
	default:
		return p.print()
	}
}

// answer prints what a magic of the program asks for, under its own line.
func (p *program[T]) answer(m magic.Magic) error {
	if p.command.json {
		return errors.New("--json prints what --reading names, not what the program asks for: remove the line")
	}
	heading := strings.TrimSpace(m.Source)
	switch m.Name {
	case "tape", "static", "session", "checkpoint", "train", "rerecord", "verify":
		return fmt.Errorf("%%%s is about a notebook's session; topos read has none", m.Name)
	case "help":
		p.plate(heading, magic.Help())
		return nil
	case "backends":
		p.plate(heading, image.Report())
		return nil
	case "names":
		p.plate(heading, p.ListNames().Text)
		return nil
	case "read":
		all, err := p.All(m.Request)
		for i, r := range all {
			p.plate(heading+" "+string(readings.Kinds[i]), plate(r))
		}
		return err
	}
	r, err := p.reading(m)
	if err == nil {
		p.plate(heading, plate(r))
	}
	return err
}

func (p *program[T]) reading(m magic.Magic) (*topos.Reading, error) {
	switch m.Name {
	case "why":
		return p.Why(m.Node)
	case "gradient":
		_, r, _, err := p.Differentiate(m.Request)
		return r, err
	default:
		return p.Read(m.Request)
	}
}

// plate writes a heading and a text.
func (p *program[T]) plate(heading, text string) {
	fmt.Fprintf(p.out, "== %s\n%s", heading, text)
}

// plate is the text of a reading among others: the drawing only by its size.
func plate(r *topos.Reading) string {
	if r.Kind != topos.PictureReading {
		return r.Text
	}
	nodes := "nodes"
	if r.Nodes == 1 {
		nodes = "node"
	}
	return fmt.Sprintf("picture: %d %s; --reading picture prints the SVG\n", r.Nodes, nodes)
}

// take takes the readings of the command line, in its order.
func (p *program[T]) take() ([]*topos.Reading, error) {
	return p.Take(p.command.request, p.command.kinds...)
}

// print prints one reading bare, several under headings.
func (p *program[T]) print() error {
	kinds := p.command.kinds
	if len(kinds) == 1 {
		q := p.command.request
		q.Kind = kinds[0]
		r, err := p.Read(q)
		if err != nil {
			return err
		}
		if r.Kind == topos.PictureReading {
			return p.draw(r)
		}
		p.out.WriteString(r.Text)
		return nil
	}
	taken, err := p.take()
	for i, r := range taken {
		p.plate(string(kinds[i]), plate(r))
	}
	return err
}

// draw prints a picture as SVG.
func (p *program[T]) draw(r *topos.Reading) error {
	bundle, err := render.Bundle(r, render.Options{RawSVG: true})
	if err != nil {
		return err
	}
	svg, ok := bundle[render.SVGType].(string)
	if !ok {
		return fmt.Errorf("a graph of %d nodes is too large to draw", r.Nodes)
	}
	p.out.WriteString(strings.TrimRight(svg, "\n") + "\n")
	return nil
}

// document is what --json prints.
type document struct {
	Element  string   `json:"element"`
	Target   string   `json:"target"` // the name that is differentiated, or ""
	Observe  []string `json:"observe"`
	Numerics string   `json:"numerics"`
	Readings struct {
		Spec      *topos.Reading `json:"spec,omitempty"`
		Gradient  *topos.Reading `json:"gradient,omitempty"`
		Plan      *topos.Reading `json:"plan,omitempty"`
		StableHLO *topos.Reading `json:"stablehlo,omitempty"`
		Values    *topos.Reading `json:"values,omitempty"`
		Picture   *topos.Reading `json:"picture,omitempty"`
	} `json:"readings"`
}

func (p *program[T]) printJSON() error {
	taken, err := p.take()
	if err != nil {
		return err
	}
	q := p.command.request
	d := document{Element: p.Tape.Element().Name(), Target: p.TargetName(q), Observe: append([]string{}, q.Observe...), Numerics: topos.Fast.String()}
	if q.Exact {
		d.Numerics = topos.Exact.String()
	}
	places := map[topos.ReadingKind]**topos.Reading{
		topos.SpecReading: &d.Readings.Spec, topos.GradientReading: &d.Readings.Gradient, topos.ScheduleReading: &d.Readings.Plan,
		topos.ModuleReading: &d.Readings.StableHLO, topos.ValuesReading: &d.Readings.Values, topos.PictureReading: &d.Readings.Picture,
	}
	for i, kind := range p.command.kinds {
		*places[kind] = taken[i]
	}
	e := json.NewEncoder(p.out)
	e.SetEscapeHTML(false)
	return e.Encode(d)
}
