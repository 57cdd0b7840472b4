package gonb

import (
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	long := "var s = `" + strings.Repeat("x", longestFirst) + "`"
	for _, test := range []struct{ code, want, err string }{
		{"%%\nf()", "%%\nf()", ""},
		{"%get example.org/a/b@v1.2.0\nimport \"x\"", "!*go get example.org/a/b@v1.2.0\nimport \"x\"", ""},
		{"//gonb:%get a.b/c@latest", "!*go get a.b/c@latest", ""},
		{"%get a@v1 b/v2@master", "!*go get a@v1 b/v2@master", ""},
		{"%%bash\n%get a", "%%bash\n%get a", ""},
		{"%get", "", "which module? %get MODULE@VERSION"},
		{"%get a; rm -r b", "", `"a;" is no module: %get MODULE@VERSION`},
		{"%get $(x)", "", `"$(x)" is no module: %get MODULE@VERSION`},
		{"%get -u", "", `"-u" is no module: %get MODULE@VERSION`},
		{"%exec f 1", "%exec f 1\n//", ""},
		{"func f() {}\n%exec f", "func f() {}\n%exec f", ""},
		{long + "\n%%", "\n" + long + "\n%%", ""},
		{"\n" + long, "\n" + long, ""},
		{"%%bash " + long, "%%bash " + long, ""},
	} {
		got, line, err := Expand(test.code)
		if message(err) != test.err || err == nil && got != test.want || err != nil && line.Number != 1 {
			t.Errorf("%q: %q, %v in line %d", test.code, got, err, line.Number)
		}
	}
}

func message(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
