package magic

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/topos-notebook/topos/topos/language"
)

// foreignMagic is a magic of GoNB; one without a usage is another's short form.
type foreignMagic struct{ name, usage, doc string }

// foreign are GoNB's magics and what they do.
var foreign = []foreignMagic{
	{"%", "%% [ARGS]", "what follows is the main program, run with ARGS"},
	{"main", "%main [ARGS]", "the same"},
	{"args", "%args ARGS", "arguments of the programs to come"},
	{"exec", "%exec FUNCTION [ARGS]", "run a function as the main program"},
	{"test", "%test [ARGS]", "run the tests and benchmarks of the cell"},
	{"get", "%get MODULE@VERSION", "fetch a module, for imports of later cells"},
	{"autoget", "%autoget", "get missing packages before a build"},
	{"noautoget", "%noautoget", "do not"},
	{"cd", "%cd [FOLDER]", "change or print the working folder"},
	{"env", "%env NAME VALUE", "set an environment variable"},
	{"goflags", "%goflags [FLAGS]", "set or print the flags of go build"},
	{"goworkfix", "%goworkfix", "add the modules of go.work to go.mod as replacements"},
	{"capture", "%capture [-a] FILE", "also write the output of the cell to a file"},
	{"list", "%list", "what earlier cells declared; also %ls"},
	{"ls", "", ""},
	{"remove", "%remove NAMES", "forget declarations; also %rm"},
	{"rm", "", ""},
	{"reset", "%reset [go.mod]", "forget every declaration, and begin go.mod anew"},
	{"track", "%track [PATH]", "watch files for completion and inspection"},
	{"untrack", "%untrack PATH", "no longer watch them"},
	{"version", "%version", "GoNB's version"},
	{"wasm", "%wasm", "build the cell for the browser"},
	{"widgets", "%widgets", "prepare the page for widgets"},
	{"widgets_hb", "%widgets_hb", "check that the page answers"},
	{"with_inputs", "%with_inputs", "ask for input for the next shell command"},
	{"with_password", "%with_password", "ask for a password for the next shell command"},
}

// cellMagics are GoNB's cells of other languages.
var cellMagics = []foreignMagic{
	{"bash", "%%bash", "the cell is a bash script"},
	{"sh", "%%sh", "the cell is a shell script"},
	{"script", "%%script COMMAND", "the cell is the input of a command"},
	{"writefile", "%%writefile [-a] FILE", "write the cell to a file"},
}

// sources are the lines of a tape cell that begin something.
var sources = []Description{
	{Name: "parameter", Usage: "w = parameter [2, 2]", Doc: "a trainable source, drawn from a seed that is its name"},
	{Name: "parameter", Usage: "w = parameter [2] {1, 2}", Doc: "the same with its elements, row-major"},
	{Name: "input", Usage: "x = input [1, 2]", Doc: "a source that is fed for each run, with a default"},
	{Name: "leaf", Usage: "c = leaf 0.5", Doc: "a constant; a number alone has rank 0"},
}

// Sources lists the lines of a tape cell that begin something; a source may have
// several forms.
func Sources() []Description { return slices.Clone(sources) }

// All lists every magic: the kernel's own, GoNB's, and those of whole cells. The
// name of a cell's magic begins with a percent sign, that of a line's does not.
func All() (own, lines, cells []Description) {
	for _, m := range foreign {
		if m.usage == "" {
			m.usage = "%" + m.name
		}
		lines = append(lines, Description{Name: m.name, Usage: m.usage, Doc: m.doc})
	}
	cells = []Description{{Name: "%tape", Usage: "%%tape", Doc: "the cell is in the tape language: assignments, one a line, and magics"}}
	for _, m := range cellMagics {
		cells = append(cells, Description{Name: "%" + m.name, Usage: m.usage, Doc: m.doc})
	}
	return Table(), lines, cells
}

// Describe says what the magic of that name does, as [All] lists it.
func Describe(name string) (Description, bool) {
	own, lines, cells := All()
	for _, d := range slices.Concat(own, lines, cells) {
		if d.Name == name {
			return d, true
		}
	}
	return Description{}, false
}

// Words are what the usage spells out, to be typed as it is: options, and words
// such as new and reset.
func (d Description) Words() []string {
	var words []string
	for _, w := range strings.FieldsFunc(d.Usage, func(c rune) bool { return strings.ContainsRune(" []|,", c) }) {
		if w != "%"+d.Name && w == strings.ToLower(w) && strings.ContainsFunc(w, unicode.IsLetter) && !slices.Contains(words, w) {
			words = append(words, w)
		}
	}
	return words
}

// Help is what %help shows: the kernel's magics, the tape language, GoNB's
// magics.
func Help() string {
	var b strings.Builder
	b.WriteString("A cell that begins with %%tape is a tape cell: assignments, one a line, and magics.\n")
	b.WriteString("In a Go cell magics stand above the first or below the last line of Go.\n\nmagics\n")
	for _, d := range table {
		row(&b, d.Usage, d.Doc)
	}
	b.WriteString("NAMES are joined by commas.\n\nlines of a tape cell\n")
	for _, d := range sources {
		row(&b, d.Usage, d.Doc)
	}
	row(&b, "y = tanh(x @ w) * 2 - c", "operators: - (sign), * / @, + -")
	b.WriteString("\nfunctions of the tape language\n")
	for _, f := range language.Functions() {
		row(&b, f.Signature(), f.Doc)
	}
	b.WriteString("\nmagics of GoNB, which runs every other cell\n")
	for _, m := range slices.Concat(foreign, cellMagics) {
		if m.usage != "" {
			row(&b, m.usage, m.doc)
		}
	}
	row(&b, "!COMMAND", "run a shell command; !*COMMAND runs it where the Go code is built")
	return b.String()
}

// row writes what is called beside what it does, which goes to a line of its own
// where the first is long.
func row(b *strings.Builder, called, does string) {
	const width = 28
	if utf8.RuneCountInString(called) > width {
		fmt.Fprintf(b, "  %s\n", called)
		called = ""
	}
	fmt.Fprintf(b, "  %-*s  %s\n", width, called, does)
}
