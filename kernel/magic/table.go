package magic

import (
	"slices"
	"strings"

	"github.com/topos-notebook/topos/kernel/elements"
	"github.com/topos-notebook/topos/topos"
)

// Description is a magic as help and completion show it.
type Description struct {
	Name  string // without the percent sign
	Usage string // "%why N"
	Doc   string // one line
	parse func(l *line)
}

// Table lists the kernel's own line magics.
func Table() []Description { return slices.Clone(table) }

// table is filled at start, as its parsers refer to it.
var table []Description

func init() {
	table = []Description{
		{"spec", "%spec", "every node of the tape", reading(topos.SpecReading, "")},
		{"gradient", "%gradient [LOSS] [--wrt NAMES]", "append the derivative of LOSS, the last name of rank 0 unless given, and show it", reading(topos.GradientReading, "loss wrt")},
		{"plan", "%plan [ROOTS] [--target LOSS] [--wrt NAMES] [--observe NAMES] [--exact]", "what is run, kept and freed for ROOTS, or for a loss and its gradients", reading(topos.ScheduleReading, "roots wrt observe exact")},
		{"stablehlo", "%stablehlo [ROOTS] [--target LOSS] [--wrt NAMES] [--observe NAMES] [--exact] [--primitive]", "that plan as a StableHLO module", reading(topos.ModuleReading, "roots wrt observe exact primitive")},
		{"values", "%values [ROOTS] [--target LOSS] [--wrt NAMES] [--observe NAMES] [--exact]", "what a run of that plan answers", reading(topos.ValuesReading, "roots wrt observe exact")},
		{"picture", "%picture", "the graph, drawn", reading(topos.PictureReading, "")},
		{"read", "%read [LOSS] [--wrt NAMES] [--observe NAMES] [--exact]", "all six readings", reading("", "loss wrt observe exact")},
		{"names", "%names", "the names and their nodes", bare},
		{"why", "%why NODE", "which line recorded a node, and which rule of a derivative", why},
		{"train", trainUsage, "step the parameters against the gradient of LOSS; an interrupt keeps the steps taken", train},
		{"tape", "%tape | %tape new [" + elements.Usage() + "] | %tape reset [NAMES]", "where the tape stands against a run from the top; begin a new one, in a new session (the one before is kept: %session open previous); give parameters their initial elements again", tape},
		{"rerecord", "%rerecord [FILE.ipynb]", "record the cells anew in the order of their first run, or of a notebook; runs no code, trains nothing", rerecord},
		{"verify", "%verify", "record the cells anew in a clean tape, and compare it with this one; changes nothing", bare},
		{"session", "%session list | open NUMBER | open previous | open FILE | save FILE | close", "list the sessions that are kept, go on with one, save this one to a file, or close it and begin anew", session},
		{"checkpoint", "%checkpoint save FILE | load FILE", "save the named parameters as a safetensors file, or load them", checkpoint},
		{"backends", "%backends", "which ways to run a plan this kernel has", bare},
		{"static", "%static [on|off]", "show the cell's readings as plain tables, without pictures", static},
		{"help", "%help", "this list", bare},
	}
}

// reading parses the words of a reading. accepts names the parts it may have.
func reading(kind topos.ReadingKind, accepts string) func(l *line) {
	allowed := strings.Fields(accepts)
	return func(l *line) {
		l.Request.Kind = kind
		for l.at < len(l.words) {
			w := l.words[l.at]
			if strings.HasPrefix(w.text, "--") {
				if !l.option(allowed) {
					return
				}
				continue
			}
			switch {
			case slices.Contains(allowed, "roots"):
				l.Request.Roots = append(l.Request.Roots, l.names()...)
			case slices.Contains(allowed, "loss"):
				l.loss()
			default:
				return
			}
		}
		if q := l.Request; len(q.Roots) > 0 && (q.Target != "" || len(q.Wrt) > 0) {
			l.fail(l.name(), "name the roots, or a loss to differentiate, not both")
		}
	}
}

// option takes an option, and says whether it is one of those allowed.
func (l *line) option(allowed []string) bool {
	w := l.words[l.at]
	name, _, _ := strings.Cut(strings.TrimPrefix(w.text, "--"), "=")
	if name != "target" && !slices.Contains(allowed, name) || len(allowed) == 0 {
		return false
	}
	l.at++
	taken, err := Option(&l.Request, w.text, func() (string, bool) {
		next, ok := l.next()
		return next.text, ok
	})
	if err != nil {
		l.fail(w, "%s", err)
	}
	return taken
}

func (l *line) loss() {
	w, _ := l.next()
	names := l.list(w, w.text)
	if len(names) != 1 || l.Request.Target != "" {
		l.fail(w, "only one name can be differentiated")
	}
	l.Request.Target = names[0]
}

func bare(*line) {}

func why(l *line) {
	w, ok := l.next()
	if !ok {
		l.fail(l.name(), "which node? %%why 3, or a name")
	}
	l.Node = w.text
}

func tape(l *line) {
	verb, ok := l.next()
	switch {
	case ok && verb.text == "new":
		l.Tape.New = true
		if w, ok := l.next(); ok {
			if !elements.Known(w.text) {
				l.fail(w, "%s is no element of a tape: %s", short(w.text), elements.Listed())
			}
			l.Tape.Element = w.text
		}
	case ok && verb.text == "reset":
		l.Tape.Names = l.names()
	case ok:
		l.fail(verb, "unknown %s: %%tape new [%s], or %%tape reset [NAMES]", short(verb.text), elements.Usage())
	default:
		l.Tape.Status = true
	}
}

func rerecord(l *line) {
	if l.at < len(l.words) {
		l.File = l.file()
	}
}

func static(l *line) {
	l.Static = true
	if w, ok := l.next(); ok {
		if w.text != "on" && w.text != "off" {
			l.fail(w, "%%static is on or off, not %s", short(w.text))
		}
		l.Static = w.text == "on"
	}
}

// nowhere stands for a node where only names matter.
type nowhere struct{}

func (nowhere) Symbol() topos.Symbol { return topos.Symbol{} }
