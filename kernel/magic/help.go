package magic

import (
	"fmt"
	"strings"
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
	{"untrack", "%untrack [PATH]", "no longer watch them"},
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
	row(&b, "w = parameter [2, 2]", "a trainable source, drawn from a seed that is its name")
	row(&b, "w = parameter [2] {1, 2}", "the same with its elements, row-major")
	row(&b, "x = input [1, 2]", "a source that is fed for each run, with a default")
	row(&b, "c = leaf 0.5", "a constant; a number alone has rank 0")
	row(&b, "y = tanh(x @ w) * 2 - c", "operators: - (sign), * / @, + -")
	b.WriteString("\nfunctions of the tape language\n")
	for _, f := range language.Functions() {
		row(&b, f.Signature(), f.Doc)
	}
	b.WriteString("\nmagics of GoNB, which runs every other cell\n")
	for _, m := range append(foreign, cellMagics...) {
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
