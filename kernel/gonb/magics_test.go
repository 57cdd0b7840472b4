package gonb

import (
	"fmt"
	"testing"
)

func TestReads(t *testing.T) {
	for code, want := range map[string]bool{
		"%%\nfmt.Scan(&x)": false, "!read x": false, "%with_inputs\n!read x": true, "%with_password\n!read x": true,
		"%%bash\nread x": true, "!echo %with_inputs": false,
	} {
		if got := Outline(code).Reads(); got != want {
			t.Errorf("%q reads: %v", code, got)
		}
	}
}

func TestOutline(t *testing.T) {
	for _, c := range []struct{ code, want string }{
		{"", "{ [] false}"},
		{"%%bash\nls", "{bash [] false}"},
		{"//gonb:%%writefile x\ny", "{writefile [] false}"},
		{"func F() {}", "{ [] true}"},
		{"%%\nfmt.Println(1)", "{ [{1 false % }] true}"},
		{"%env A 1\n!ls -l", "{ [{1 false env A 1} {2 true  ls -l}] false}"},
		{"!a \\\nb\n%%\nx", "{ [{1 true  a  b} {3 false % }] true}"},
		{"%", "{ [] true}"},
		{"x := `\n%d`", "{ [{2 false d` }] true}"},
	} {
		if got := fmt.Sprint(Outline(c.code)); got != c.want {
			t.Errorf("%q: %s, want %s", c.code, got, c.want)
		}
	}
}

func TestUnknown(t *testing.T) {
	for code, want := range map[string]string{
		"%%\nx":             "0: <nil>",
		"%env A 1":          "0: <nil>",
		"% main":            "0: <nil>",
		"!anything":         "0: <nil>",
		"%nosuch x":         "1: unknown magic %nosuch: %help lists what there is",
		"%grad l":           "1: unknown magic %grad: did you mean %gradient? (%help lists what there is)",
		"%%bas\nls":         "1: unknown cell magic %%bas: did you mean %%bash? (%help lists what there is)",
		"x\n%%nosuch":       "2: unknown cell magic %%nosuch: %help lists what there is",
		"x\n\n%%bash\nls":   "3: %%bash must be the first line of its cell",
		"!ls \\\n%nosuch\n": "0: <nil>",
	} {
		line, err := Outline(code).Unknown(func(name string) string {
			return map[string]string{"grad": "gradient", "%bas": "%bash"}[name]
		})
		if got := fmt.Sprintf("%d: %v", line.Number, err); got != want {
			t.Errorf("%q: %s, want %s", code, got, want)
		}
	}
}

func TestIsComplete(t *testing.T) {
	for code, want := range map[string]string{
		"":                               "complete ",
		"func F() int { return 1 }":      "complete ",
		"%%\nfmt.Println(1)":             "complete ",
		"%%":                             "incomplete ",
		"%main -x 1\n":                   "incomplete ",
		"%exec f":                        "complete ",
		"func F() int {":                 "incomplete \t",
		"%%\nif x {\n\tfor {":            "incomplete \t\t",
		"%%\nx :=":                       "incomplete ",
		"%%\ns := `open":                 "incomplete ",
		"/* open":                        "incomplete ",
		"func F( int { ]":                "invalid ",
		"x := 1":                         "invalid ",
		"%%bash":                         "incomplete ",
		"%%bash\nfor":                    "incomplete ",
		"%%bash\nfor i in 1; do":         "incomplete ",
		"%%writefile a.txt\nline\n":      "complete ",
		"%%\nif x {\n} else":             "incomplete ",
		"%%\nreturn":                     "complete ",
		"!ls \\":                         "incomplete ",
		"!ls":                            "complete ",
		"import \"fmt\"\n%%\nfmt.Print(": "incomplete \t",
		"%env A {\n%%\nf()":              "complete ",
	} {
		status, indent := IsComplete(code)
		if got := status + " " + indent; got != want {
			t.Errorf("%q: %q, want %q", code, got, want)
		}
	}
}

func TestPlain(t *testing.T) {
	for _, c := range []struct {
		code   string
		cursor int
		want   string
	}{
		{"abc", 2, "abc 2"},
		{"é\nabc", 4, "é\nabc 4"},
		{"🐹\nabc", 4, "🐹\nabc 5"}, // UTF-16 counts the hamster twice
		{"🐹 abc", 4, "x abc 4"},
		{"π := é\nπ", 8, "x := x\nx 8"},
	} {
		cursor := c.cursor
		code, at := plain(c.code, cursor)
		if got := fmt.Sprint(code, " ", at); got != c.want {
			t.Errorf("%q at %d: %q, want %q", c.code, c.cursor, got, c.want)
		}
	}
}

func FuzzOutline(f *testing.F) {
	for _, seed := range []string{"", "%%bash\nx", "%%\nfmt.Println(`a`)", "!a \\\n\\\n%b", "%", "//gonb:%\n%%", "\\\n!x\\"} {
		f.Add(seed, 3)
	}
	f.Fuzz(func(t *testing.T, code string, cursor int) {
		n := len([]rune(code))
		cursor = min(max(cursor, 0), n)
		Outline(code).Unknown(func(name string) string { return name })
		if status, _ := IsComplete(code); status == "" {
			t.Error("no status")
		}
		plain(code, cursor)
		onName([]rune(code), cursor)
	})
}

func TestSettles(t *testing.T) {
	for code, want := range map[string]bool{
		"%env A=1": true, "%env A=1\n\n%goflags": true, "": false, "%test": false, "%main": false,
		"%env A=1\n!true": false, "!*true": false, "%env A=1\nx := 1": false, "%%\n": false, "%%bash\ntrue": false,
	} {
		if got := Outline(code).Settles(); got != want {
			t.Errorf("%q: %v", code, got)
		}
	}
}
