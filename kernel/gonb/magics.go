package gonb

import (
	"fmt"
	"slices"
	"strings"
)

// LineMagics are the names of the line magics that GoNB knows, without the
// percent sign; "%" is the line that opens a cell's main program.
var LineMagics = []string{"%", "args", "autoget", "capture", "cd", "env", "exec", "goflags", "goworkfix", "help",
	"list", "ls", "main", "noautoget", "remove", "reset", "rm", "test", "track", "untrack", "version", "wasm",
	"widgets", "widgets_hb", "with_inputs", "with_password"}

// CellMagics are the names of the magics that, on the first line, make a cell
// something else than Go, without the percent signs.
var CellMagics = []string{"bash", "script", "sh", "writefile"}

// A Line is one line of a cell that is not Go: a magic or a shell command.
type Line struct {
	Number int    // counted from 1
	Shell  bool   // begins with an exclamation mark
	Name   string // a magic's name without its first percent sign
	Text   string // the rest of the line, following lines joined
}

// Opens reports whether the line opens the cell's main program.
func (l Line) Opens() bool { return !l.Shell && (l.Name == "%" || l.Name == "main") }

// Cell is the outline of a cell as GoNB sees it.
type Cell struct {
	Magic string // cell magic of the first line, "" for a Go cell
	Lines []Line // its magics and shell commands; none when Magic is not ""
	HasGo bool   // anything but those and blank lines
}

// Outline reads the outline of a cell. As in GoNB, any line that begins with a
// percent sign or an exclamation mark counts, even within a Go string; a line
// may hide behind the prefix //gonb: and go on behind a backslash.
func Outline(code string) Cell {
	lines := strings.Split(code, "\n")
	if name, ok := cellMagic(lines[0]); ok {
		return Cell{Magic: name}
	}
	var c Cell
	for i := 0; i < len(lines); i++ {
		line := strings.TrimPrefix(lines[i], "//gonb:")
		if len(line) < 2 || line[0] != '%' && line[0] != '!' {
			c.HasGo = c.HasGo || strings.TrimSpace(line) != ""
			continue
		}
		at := i + 1
		for strings.HasSuffix(line, `\`) && i+1 < len(lines) {
			i++
			line = line[:len(line)-1] + " " + strings.TrimPrefix(lines[i], "//gonb:")
		}
		l := Line{Number: at, Shell: line[0] == '!', Text: strings.TrimSpace(line[1:])}
		if !l.Shell {
			l.Name, l.Text, _ = strings.Cut(l.Text, " ")
			l.Name = strings.Trim(l.Name, `"`)
		}
		c.Lines = append(c.Lines, l)
	}
	return c
}

func cellMagic(first string) (string, bool) {
	word, _, _ := strings.Cut(strings.TrimPrefix(first, "//gonb:"), " ")
	name, ok := strings.CutPrefix(word, "%%")
	return name, ok && slices.Contains(CellMagics, name)
}

// Unknown returns the first line whose magic GoNB does not know, with one line
// that says so. GoNB itself only prints a remark, runs the rest of the cell as
// Go and calls that ok. Of a name that is unknown, meant says which one it was most
// likely meant to be, "" for none; names of cells' magics begin with a percent sign.
func (c Cell) Unknown(meant func(name string) string) (Line, error) {
	for _, l := range c.Lines {
		if l.Shell || l.Name == "" || slices.Contains(LineMagics, l.Name) || slices.Contains(AddedMagics, l.Name) {
			continue
		}
		if bare, ok := strings.CutPrefix(l.Name, "%"); ok {
			if slices.Contains(CellMagics, bare) {
				return l, fmt.Errorf("%%%%%s must be the first line of its cell", bare)
			}
			return l, unknown("cell magic", l.Name, meant(l.Name))
		}
		return l, unknown("magic", l.Name, meant(l.Name))
	}
	return Line{}, nil
}

func unknown(kind, name, meant string) error {
	if meant == "" {
		return fmt.Errorf("unknown %s %%%s: %%help lists what there is", kind, name)
	}
	return fmt.Errorf("unknown %s %%%s: did you mean %%%s? (%%help lists what there is)", kind, name, meant)
}

// Captures reports whether the cell writes its output to a file too, which
// only GoNB can do.
func (c Cell) Captures() bool {
	return slices.ContainsFunc(c.Lines, func(l Line) bool { return !l.Shell && l.Name == "capture" })
}

// Reads reports whether GoNB gives the cell's processes something to read: a
// script its text, a shell command what the user is asked for.
func (c Cell) Reads() bool {
	return c.Magic != "" || slices.ContainsFunc(c.Lines, func(l Line) bool {
		return !l.Shell && (l.Name == "with_inputs" || l.Name == "with_password")
	})
}

// RunsCommands reports whether GoNB itself runs a command for the cell.
func (c Cell) RunsCommands() bool {
	return c.Magic != "" || slices.ContainsFunc(c.Lines, func(l Line) bool { return l.Shell })
}

// settings are the line magics for which GoNB answers without a process.
var settings = []string{"autoget", "cd", "env", "goflags", "help", "list", "ls", "noautoget", "remove", "rm", "track",
	"untrack", "version"}

// Settles reports whether the cell is lines of settings and nothing else, so that
// no process runs for it that could display.
func (c Cell) Settles() bool {
	return c.Magic == "" && !c.HasGo && len(c.Lines) > 0 &&
		!slices.ContainsFunc(c.Lines, func(l Line) bool { return l.Shell || !slices.Contains(settings, l.Name) })
}
