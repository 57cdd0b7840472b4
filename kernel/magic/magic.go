package magic

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/topos-notebook/topos/kernel/readings"
	"github.com/topos-notebook/topos/topos/language"
)

// Magic is one line magic.
type Magic struct {
	Line   int    // in the cell, counted from 1
	Source string // the line as it was written
	Name   string // without the percent sign: "spec"

	// Request is what spec, gradient, plan, stablehlo, values, picture and read
	// ask for; Kind is empty for read, which asks for all.
	Request readings.Request
	// Node is what why asks about: a number, perhaps after a number sign, or a
	// name.
	Node string
	// Tape is what tape asks for.
	Tape Tape
	// Session is what session asks for.
	Session Session
	// Checkpoint is what checkpoint asks for.
	Checkpoint Checkpoint
	// Train is how train steps.
	Train Train
	// File is the notebook that rerecord takes the order from, "" for none.
	File string
	// Static is what static asks for: text cards on or off.
	Static bool
}

// Tape is a change of the session's tape.
type Tape struct {
	New     bool     // a new tape rather than a reset
	Element string   // of the new tape: "f64"; "" for the same
	Status  bool     // neither: where the tape stands
	Names   []string // the parameters to reset; none for all
}

// Session is something to do with the sessions that are kept.
type Session struct {
	Verb string // list, open, save or close
	What string // to open: a number, previous or a file; to save: a file
}

// Checkpoint is parameters to be saved to a file, or loaded.
type Checkpoint struct {
	Save bool
	File string
}

// Fault makes an error of the line of a magic.
func (m Magic) Fault(err error) *language.Error {
	return language.Line{Number: m.Line, Source: m.Source}.Fault(err)
}

// Turns says whether what follows the magic is recorded on another tape than what
// is before it.
func (m Magic) Turns() bool {
	return m.Name == "tape" && m.Tape.New || m.Name == "rerecord" || m.Name == "session" && (m.Session.Verb == "open" || m.Session.Verb == "close")
}

// Derives says whether the magic records a derivative.
func (m Magic) Derives() bool { return m.Name == "gradient" || m.Name == "train" }

// Known says whether a magic is the kernel's own.
func Known(name string) bool {
	return slices.ContainsFunc(table, func(d Description) bool { return d.Name == name })
}

// word is a word of a line and where it starts, in bytes.
type word struct {
	text string
	from int
}

// line is a magic while it is parsed.
type line struct {
	Magic
	words []word
	at    int
}

// Parse reads a line that begins, after blanks, with the percent sign of a known
// magic. The error is a [*language.Error].
func Parse(number int, source string) (m Magic, err error) {
	l := &line{Magic: Magic{Line: number, Source: source}, words: split(source)}
	defer func() {
		switch f := recover().(type) {
		case nil:
		case *language.Error:
			m, err = Magic{}, f
		default:
			panic(f)
		}
	}()
	if len(l.words) == 0 || l.words[0].text[0] != '%' {
		panic(language.Line{Number: number, Source: source}.Fault(fmt.Errorf("a magic begins with a percent sign")))
	}
	name := l.words[0]
	l.Name = name.text[1:]
	i := slices.IndexFunc(table, func(d Description) bool { return d.Name == l.Name })
	if i < 0 {
		if slices.ContainsFunc(foreign, func(f foreignMagic) bool { return f.name == l.Name }) {
			l.fail(name, "%s is GoNB's: it belongs in a cell without %s", name.text, tapeCell)
		}
		l.fail(name, "%s", unknown(short(name.text), meant(l.Name, table)))
	}
	l.at = 1
	table[i].parse(l)
	if l.at < len(l.words) {
		w := l.words[l.at]
		if strings.HasPrefix(w.text, "-") {
			l.fail(w, "unknown option %s (usage: %s)", short(w.text), table[i].Usage)
		}
		l.fail(w, "unexpected %s (usage: %s)", short(w.text), table[i].Usage)
	}
	return l.Magic, nil
}

// split cuts a line into words, after the prefix that hides a magic in Go code.
// A word that is a number sign begins a comment.
func split(source string) []word {
	var words []word
	at := len(source) - len(strings.TrimPrefix(source, hidden))
	for rest := source[at:]; ; {
		trimmed := strings.TrimLeft(rest, " \t\r")
		if trimmed == "" {
			return words
		}
		at += len(rest) - len(trimmed)
		end := strings.IndexAny(trimmed, " \t\r")
		if end < 0 {
			end = len(trimmed)
		}
		if trimmed[:end] == "#" {
			return words
		}
		words = append(words, word{trimmed[:end], at})
		at += end
		rest = trimmed[end:]
	}
}

// fail ends the parse of a line; Parse recovers it.
func (l *line) fail(w word, format string, args ...any) {
	panic(&language.Error{
		Line:    l.Line,
		Column:  utf8.RuneCountInString(l.Source[:w.from]) + 1,
		Width:   max(1, utf8.RuneCountInString(w.text)),
		Message: fmt.Sprintf(format, args...),
		Source:  l.Source,
	})
}

func (l *line) name() word { return l.words[0] }

// next takes the next word, if there is one that is no option.
func (l *line) next() (word, bool) {
	if l.at == len(l.words) || strings.HasPrefix(l.words[l.at].text, "--") {
		return word{}, false
	}
	l.at++
	return l.words[l.at-1], true
}

// names takes words as long as they are names, which commas may join.
func (l *line) names() []string {
	var names []string
	for {
		w, ok := l.next()
		if !ok {
			return names
		}
		if w.text != "," {
			names = append(names, l.list(w, w.text)...)
		}
	}
}

// list reads names joined by commas, the last of which may end the word.
func (l *line) list(w word, text string) []string {
	names, err := ParseNames(text)
	if err != nil {
		l.fail(w, "%s", err)
	}
	return names
}

func short(s string) string {
	if r := []rune(s); len(r) > 40 {
		return string(r[:40]) + "..."
	}
	return s
}

// unknown is the message about a magic that nobody knows, as it was written, where one
// was most likely meant, or "".
func unknown(written, meant string) string {
	if meant == "" {
		return "unknown magic " + written + ": %help lists what there is"
	}
	return "unknown magic " + written + ": did you mean %" + meant + "? (%help lists what there is)"
}

// Meant is the magic that an unknown name in a Go cell was most likely meant to be, ""
// for none; names are those of [All], so that a cell's magic begins with a percent
// sign.
func Meant(name string) string {
	own, lines, cells := All()
	if strings.HasPrefix(name, "%") {
		return meant(name, cells)
	}
	return meant(name, slices.Concat(own, lines))
}

// meant is the only one that begins with the name, else the one with the fewest edits.
func meant(name string, among []Description) string {
	if len(strings.Trim(name, "%")) < 2 { // which says nothing
		return ""
	}
	var known language.Names
	var longer []string
	for _, d := range among {
		known.Bind(d.Name, nowhere{})
		if strings.HasPrefix(d.Name, name) && !slices.Contains(longer, d.Name) {
			longer = append(longer, d.Name)
		}
	}
	if len(longer) == 1 {
		return longer[0]
	}
	return known.Near(name)
}
