package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/topos-notebook/topos/kernel/elements"
	"github.com/topos-notebook/topos/kernel/magic"
	"github.com/topos-notebook/topos/kernel/readings"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/f16"
	"github.com/topos-notebook/topos/topos/language"
)

func init() {
	register(command{name: "read", synopsis: "FILE|- [--reading KINDS] ...", run: runRead,
		purpose: "print the readings of a tape program"})
}

var readUsage = fmt.Sprintf(`usage: topos read FILE|- [options]
  --reading KINDS   spec, gradient, plan, stablehlo, values, picture (an SVG), or
                    all, which is the default; several are joined by commas
  --target NAME     the name to differentiate; otherwise the last one of rank 0
  --wrt NAMES       what to differentiate with respect to; otherwise every parameter
  --observe NAMES   further names that a run may read
  --exact           keep the recorded order of arithmetic
  --primitive       spell out erf and batch norms in the module
  --element NAME    the number that fills tensors: %s; %s unless given
  --json            print one JSON object instead of text
A program that holds magics prints what they ask for, then what --reading names.
Exit status: 0, 1 where the program is refused, 2 for a wrong command line.
`, elements.Listed(), elements.Default)

// largestProgram is how many bytes a program may have.
const largestProgram = 64 << 20

// readCommand is a command line of topos read.
type readCommand struct {
	file    string
	kinds   []topos.ReadingKind
	asked   bool // --reading was given
	request readings.Request
	element string
	json    bool
}

func runRead(args []string, s streams) int {
	c, err := parseRead(args)
	if errors.Is(err, errHelp) {
		fmt.Fprint(s.out, readUsage)
		return 0
	}
	if err != nil {
		fmt.Fprintf(s.err, "topos read: %v (topos read --help shows the options)\n", err)
		return 2
	}
	var out bytes.Buffer
	if err := c.run(s.in, &out); err != nil {
		c.complain(s.err, err)
		return 1
	}
	if _, err := s.out.Write(out.Bytes()); err != nil {
		fmt.Fprintf(s.err, "topos read: the output cannot be written: %v\n", err)
		return 1
	}
	return 0
}

var errHelp = errors.New("help")

// parseRead reads the command line. Options may stand before and after the file.
func parseRead(args []string) (readCommand, error) {
	c := readCommand{element: elements.Default, kinds: readings.Kinds}
	at := 0
	next := func() (string, bool) {
		if at == len(args) || strings.HasPrefix(args[at], "--") {
			return "", false
		}
		at++
		return args[at-1], true
	}
	for at < len(args) {
		word := args[at]
		at++
		if !strings.HasPrefix(word, "-") || word == "-" {
			if c.file != "" {
				return c, fmt.Errorf("two files, %s and %s: one is read at a time", printable(c.file), printable(word))
			}
			if word == "" {
				return c, errors.New("the name of the file is empty")
			}
			c.file = word
			continue
		}
		if err := c.option(word, next); err != nil {
			return c, err
		}
	}
	if c.file == "" {
		return c, errors.New("which file? a name, or - for standard input")
	}
	return c, nil
}

// option reads one option of the command line.
func (c *readCommand) option(word string, next func() (string, bool)) error {
	if word == "-h" || word == "--help" {
		return errHelp
	}
	// One dash does as well as two.
	word = "--" + strings.TrimLeft(word, "-")
	if taken, err := magic.Option(&c.request, word, next); taken {
		return err
	}
	name, value, given := strings.Cut(word, "=")
	switch name {
	case "--json":
		if given {
			return errors.New("--json takes no value")
		}
		c.json = true
		return nil
	case "--reading", "--element":
		if !given {
			if value, given = next(); !given {
				return fmt.Errorf("%s needs a value", name)
			}
		}
	default:
		return fmt.Errorf("unknown option %s", printable(word))
	}
	if name == "--element" {
		if !elements.Known(value) {
			return fmt.Errorf("%s is no element: %s", printable(value), elements.Listed())
		}
		c.element = value
		return nil
	}
	kinds, err := parseKinds(value)
	c.kinds, c.asked = kinds, true
	return err
}

func parseKinds(list string) ([]topos.ReadingKind, error) {
	var kinds []topos.ReadingKind
	for name := range strings.SplitSeq(list, ",") {
		if name == "all" {
			kinds = append(kinds, readings.Kinds...)
			continue
		}
		kind, err := readings.ParseKind(name)
		if err != nil {
			return nil, fmt.Errorf("%w, or all", err)
		}
		kinds = append(kinds, kind)
	}
	return kinds, nil
}

// run reads, records and prints the program.
func (c readCommand) run(in io.Reader, out *bytes.Buffer) error {
	text, err := c.program(in)
	if err != nil {
		return err
	}
	steps, err := magic.Steps(text)
	if err != nil {
		return err
	}
	type reader = func() error
	read, _ := elements.Per[reader]{
		F32:  func() error { return readProgram(topos.F32, c, steps, out) },
		F64:  func() error { return readProgram(topos.F64, c, steps, out) },
		BF16: func() error { return readProgram(topos.BF16, c, steps, out) },
		F16:  func() error { return readProgram(f16.F16, c, steps, out) },
	}.Of(c.element)
	return read()
}

// program is the text of the file, or of standard input.
func (c readCommand) program(in io.Reader) (string, error) {
	if c.file != "-" {
		f, err := os.Open(c.file)
		if err != nil {
			return "", err
		}
		defer f.Close()
		in = f
	}
	b, err := io.ReadAll(io.LimitReader(in, largestProgram+1))
	if err != nil {
		return "", err
	}
	if len(b) > largestProgram {
		return "", fmt.Errorf("the program has more than %d bytes", largestProgram)
	}
	return string(b), nil
}

// complain writes one line about what went wrong and, for people at a terminal,
// the source line with carets below it.
func (c readCommand) complain(w io.Writer, err error) {
	name := printable(c.file)
	if c.file == "-" {
		name = "standard input"
	}
	var path *fs.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	var fault *language.Error
	if !errors.As(err, &fault) || fault.Line == 0 {
		fmt.Fprintf(w, "topos read: %s: %v\n", name, err)
		return
	}
	fmt.Fprintf(w, "topos read: %s: line %d, column %d: %s\n", name, fault.Line, max(fault.Column, 1), fault.Message)
	if caret := fault.Caret(); caret != "" && isTerminal(w) {
		fmt.Fprintln(w, caret)
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// printable is a word of the command line as one line shows it.
func printable(s string) string {
	if q := fmt.Sprintf("%q", s); len(q) != len(s)+2 || s == "" {
		return q
	}
	return s
}
