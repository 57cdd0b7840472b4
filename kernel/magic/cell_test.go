package magic

import (
	"strings"
	"testing"

	"github.com/topos-notebook/topos/topos/language"
)

// outline is a cell taken apart, as text.
func outline(c Cell, err error) string {
	if err != nil {
		return show(err)
	}
	var b strings.Builder
	list := func(what string, magics []Magic) {
		for _, m := range magics {
			b.WriteString(what + " " + m.Name + " of line " + string(rune('0'+m.Line)) + "\n")
		}
	}
	if c.Tape {
		b.WriteString("tape\n")
	}
	for _, s := range c.Steps {
		if s.Magic != nil {
			list("magic", []Magic{*s.Magic})
			continue
		}
		b.WriteString("assign " + s.Name + " in line " + string(rune('0'+s.Number)) + "\n")
	}
	list("before", c.Before)
	list("after", c.After)
	if c.Go != "" {
		b.WriteString("go " + strings.ReplaceAll(c.Go, "\n", "|") + "\n")
	}
	return b.String()
}

func TestSplit(t *testing.T) {
	tests := []struct{ name, code, want string }{
		{"a tape cell", "%%tape\nx = input 1\n%spec\ny = x\n", "tape\nassign x in line 2\nmagic spec of line 3\nassign y in line 4\n"},
		{"blank lines first", "\n  \n %%tape \nx = input 1", "tape\nassign x in line 4\n"},
		{"go in CRLF", "x := 1\r\n%%\r\nf(x)\r\n", "go x := 1|%%|f(x)|\n"},
		{"a script in CRLF", "%%bash\r\nls\r\n", "go %%bash|ls|\n"},
		{"a file in CRLF", "%%writefile a\r\nb\r\n", "go %%writefile a|b\r|\n"},
		{"a byte order mark", "\uFEFF%%tape\nx = input 1", "tape\nassign x in line 2\n"},
		{"below a comment of go", "// h\n%%tape\nx = input 1", "line 2: %%tape must be the first line of its cell (column 1)\n    %%tape\n    ^^^^^^\n"},
		{"below a reading", "%names\n%%tape\nx = input 1", "line 2: %%tape must be the first line of its cell (column 1)\n    %%tape\n    ^^^^^^\n"},
		{"a comment behind", "%%tape # a comment\nx = input 1", "tape\nassign x in line 2\n"},
		{"CRLF", "%%tape\r\nx = input 1\r\n%spec\r\n", "tape\nassign x in line 2\nmagic spec of line 3\n"},
		{"readings alone", "%%tape\n%names\n%spec\n", "tape\nmagic names of line 2\nmagic spec of line 3\n"},
		{"indented readings", "%%tape\n\t%why 3\n", "tape\nmagic why of line 2\n"},
		{"magics alone", "%spec\n\n%plan loss\n", "before spec of line 1\nbefore plan of line 3\n"},
		{"magics and comments", "// read it\n%spec\n// all of it\n%values\n", "before spec of line 2\nbefore values of line 4\n"},
		{"go alone", "x := 1\n%%\nfmt.Println(x)\n", "go x := 1|%%|fmt.Println(x)|\n"},
		{"go with GoNB's magics", "!ls\n%env A b\n%%\nf()", "go !ls|%env A b|%%|f()\n"},
		{"an empty cell", " \n", "go  |\n"},
		{"around go", "%spec\nx := 1\nf(x)\n\n%values\n", "before spec of line 1\nafter values of line 5\ngo |x := 1|f(x)|||\n"},
		{"below the marker of main", "%%\n%spec\nf()\n%names", "before spec of line 2\nafter names of line 4\ngo %%||f()|\n"},
		{"above comments", "%spec\n// f is\n%names\nf()\n// done\n%values", "before spec of line 1\nbefore names of line 3\nafter values of line 6\ngo |// f is||f()|// done|\n"},
		{"around a shell command", "%spec\n!ls \\\n -l\n%names", "before spec of line 1\nafter names of line 4\ngo |!ls \\| -l|\n"},
		{"hidden in go", "//gonb:%spec\nf()", "before spec of line 1\ngo |f()\n"},
		{"ours and GoNB's", "%env A b\n%spec\nf()", "before spec of line 2\ngo %env A b||f()\n"},
		{"another language", "%%bash\n%spec\n", "go %%bash|%spec|\n"},
		{"an unknown language", "%%nosuch\n%spec\n", "go %%nosuch|%spec|\n"},
		{"a remainder in go", "x := (7\n %plan)", "go x := (7| %plan)\n"},
		{"between lines of go", "f()\n%spec\ng()\n", "line 2: %spec stands between lines of Go: move it above line 1 or below line 3 (column 1)\n    %spec\n    ^^^^^\n"},
		{"between shell commands", "!ls\n%spec\n!ls\n", "line 2: %spec stands between lines of Go: move it above line 1 or below line 3 (column 1)\n    %spec\n    ^^^^^\n"},
		{"an option nobody knows", "f()\n%plan --all\n", "line 2: unknown option --all (usage: %plan [ROOTS] [--target LOSS] [--wrt NAMES] [--observe NAMES] [--exact]) (column 7)\n    %plan --all\n          ^^^^^\n"},
		{"an option in a tape cell", "%%tape\nx = input 1\n%spec all\n", "line 3: unexpected all (usage: %spec) (column 7)\n    %spec all\n          ^^^\n"},
		{"a fault in a tape cell", "%%tape\n\nx = input [1\n", "line 3: [ is not closed (column 11)\n    x = input [1\n              ^\n"},
		{"an empty tape cell", "%%tape\n", "the program is empty: write an assignment, such as x = input [1, 2] (column 0)\n"},
		{"options of a tape cell", "%%tape f64\nx = input 1", "line 1: %%tape takes no options (column 1)\n    %%tape f64\n    ^^^^^^^^^^\n"},
		{"GoNB's in a tape cell", "%%tape\n%env A b", "line 2: %env is GoNB's: it belongs in a cell without %%tape (column 1)\n    %env A b\n    ^^^^\n"},
		{"two tape cells in one", "%%tape\nx = input 1\n%%tape\n", "line 3: unknown magic %%tape: did you mean %tape? (%help lists what there is) (column 1)\n    %%tape\n    ^^^^^^\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := outline(Split(test.code)); got != test.want {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

// A program in a file has no first line of a cell, or has it.
func TestSteps(t *testing.T) {
	for _, text := range []string{"x = input 1\n%spec\n", "%%tape\nx = input 1\n%spec\n"} {
		steps, err := Steps(text)
		if err != nil || len(steps) != 2 || steps[0].Name != "x" || steps[1].Magic == nil || steps[1].Magic.Name != "spec" {
			t.Errorf("%q: %v, %+v", text, err, steps)
		}
	}
}

// FuzzSplit: no cell may panic, lines keep their numbers, and a cell without
// anything of the kernel's own is forwarded as it is.
func FuzzSplit(f *testing.F) {
	for _, s := range []string{
		"%%tape\nx = input 1\n%gradient x --wrt x", "%spec\nf()\n%values a, b --observe=c", "%%\nf()", "!ls \\\n%spec", "//gonb:%why #3\nf()",
		"%%bash\nls", "%tape reset w\n// only", "%static off\r\n\r\nf()\r\n", "f()\n%help\ng()",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, code string) {
		c, err := Split(code)
		if err != nil {
			fault, ok := err.(*language.Error)
			if !ok || strings.ContainsAny(fault.Error(), "\n\r") || fault.Line > strings.Count(code, "\n")+1 {
				t.Fatalf("a %T: %q", err, err)
			}
			fault.Caret()
			return
		}
		if c.Tape {
			if len(c.Steps) == 0 || c.Go != "" || c.Before != nil || c.After != nil {
				t.Fatalf("a tape cell with %+v", c)
			}
			return
		}
		code = plain(code)
		lines := strings.Split(code, "\n")
		if c.Go != "" {
			left := strings.Split(c.Go, "\n")
			if len(left) != len(lines) {
				t.Fatalf("%d lines of %d are left", len(left), len(lines))
			}
			for i := range left {
				if left[i] != lines[i] && left[i] != "" {
					t.Fatalf("line %d became %q", i+1, left[i])
				}
			}
		}
		if len(c.Before)+len(c.After) == 0 && c.Go != code {
			t.Fatalf("%q became %q", code, c.Go)
		}
		for _, m := range append(c.Before, c.After...) {
			if lines[m.Line-1] != m.Source {
				t.Fatalf("%s of line %d is %q", m.Name, m.Line, m.Source)
			}
		}
	})
}
