// Command topos is the notebook kernel and its tools. Each subcommand is one
// file of this package; "topos help" lists them.
package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/topos-notebook/topos/topos"
)

// version of this program, as kernel_info and "topos doctor" show it.
const version = topos.Version

// streams are the standard streams of the process.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// command is one subcommand.
type command struct {
	name     string
	synopsis string // arguments
	purpose  string // one line; "" hides the command from the list
	run      func(args []string, s streams) int
}

var commands []command

// register adds a subcommand; it is called from an init function of its file.
func register(c command) { commands = append(commands, c) }

func main() {
	os.Exit(dispatch(os.Args[1:], streams{os.Stdin, os.Stdout, os.Stderr}))
}

// dispatch runs a subcommand and returns the exit code: 0 for success, 1 for a
// failure, 2 for a command line that is not understood.
func dispatch(args []string, s streams) int {
	if len(args) == 0 {
		usage(s.err)
		return 2
	}
	switch args[0] {
	case "help", "-h", "-help", "--help":
		usage(s.out)
		return 0
	case "version", "--version":
		fmt.Fprintln(s.out, "topos "+version)
		return 0
	}
	for _, c := range commands {
		if c.name == args[0] {
			return c.run(args[1:], s)
		}
	}
	fmt.Fprintf(s.err, "topos: no command %q: topos help lists them\n", args[0])
	return 2
}

func usage(w io.Writer) {
	fmt.Fprintln(w, "usage: topos COMMAND ...")
	shown := slices.DeleteFunc(slices.Clone(commands), func(c command) bool { return c.purpose == "" })
	slices.SortFunc(shown, func(a, b command) int { return strings.Compare(a.name, b.name) })
	width := 0
	for _, c := range shown {
		width = max(width, len(c.synopsis))
	}
	for _, c := range shown {
		fmt.Fprintf(w, "  %-8s %-*s %s\n", c.name, width+1, c.synopsis, c.purpose)
	}
}
