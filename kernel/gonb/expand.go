package gonb

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// AddedMagics are line magics that GoNB lacks and [Expand] makes of others.
var AddedMagics = []string{"get"}

// moduleQuery is a module or package path, perhaps with a version. What it holds
// means nothing to a shell.
var moduleQuery = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._~/+-]*(@[A-Za-z0-9._+-]+)?$`)

// longestFirst is the length in bytes of the longest line that GoNB is given as the
// first of a cell. It takes that apart in case it is a magic, in time that grows with
// the square of a word's length: 45 s for 200 kB.
const longestFirst = 1 << 10

// Expand writes a cell in the magics that GoNB has, line by line. A line
// %get MODULE@VERSION becomes the go command that fetches the module where cells
// are built; and a cell of %exec alone gets a line of Go, without which GoNB
// runs nothing. A long first line gets an empty one above. The error is of the line
// that is returned.
func Expand(code string) (string, Line, error) {
	outline := Outline(code)
	lines := strings.Split(code, "\n")
	exec := false
	for _, l := range outline.Lines {
		exec = exec || !l.Shell && l.Name == "exec"
		if l.Shell || l.Name != "get" {
			continue
		}
		modules := strings.Fields(l.Text)
		if len(modules) == 0 {
			return "", l, errors.New("which module? %get MODULE@VERSION")
		}
		if i := slices.IndexFunc(modules, func(m string) bool { return !moduleQuery.MatchString(m) }); i >= 0 {
			return "", l, fmt.Errorf("%q is no module: %%get MODULE@VERSION", modules[i])
		}
		lines[l.Number-1] = "!*go get " + l.Text
	}
	if exec && !outline.HasGo {
		lines = append(lines, "//")
	}
	if outline.Magic == "" && len(lines[0]) > longestFirst {
		lines = slices.Insert(lines, 0, "")
	}
	return strings.Join(lines, "\n"), Line{}, nil
}
