package server

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestShortened(t *testing.T) {
	long, short := strings.Repeat("n", 100_000), strings.Repeat("n", shortWord)+ellipsis
	wide, narrow := strings.Repeat("世", 300), strings.Repeat("世", shortWord)+ellipsis
	just := strings.Repeat("n", longestWord)
	path := strings.Repeat("/folder", 100)
	for _, c := range []struct {
		name         string
		before, want []string
	}{
		{"nothing long", []string{"cell 1 line 2: undefined: x", "    x + 1", "        ^"}, []string{"cell 1 line 2: undefined: x", "    x + 1", "        ^"}},
		{"a name", []string{"cell 1 line 2: undefined: " + long}, []string{"cell 1 line 2: undefined: " + short}},
		{"two names", []string{long + " and " + long + "."}, []string{short + " and " + short + "."}},
		{"code points", []string{wide + "!"}, []string{narrow + "!"}},
		{"just not too long", []string{just}, []string{just}},
		{"many words", []string{path}, []string{path}},
		{"a caret at a name", []string{"\t" + long + "(x)", "\t^"}, []string{"\t" + short + "(x)", "\t^"}},
		{"a caret behind a name", []string{"\t" + long + "(x)", "\t" + strings.Repeat(" ", len(long)+1) + "^"},
			[]string{"\t" + short + "(x)", "\t" + strings.Repeat(" ", len(short)+1) + "^"}},
		{"a caret within a name", []string{long, strings.Repeat(" ", 500) + "^"}, []string{short, "^"}},
		{"a caret of its own", []string{"x", long, "y", strings.Repeat(" ", 300) + "^"}, []string{"x", short, "y", strings.Repeat(" ", 300) + "^"}},
		{"a caret first", []string{"^", long}, []string{"^", short}},
		{"none", nil, nil},
	} {
		if got := shortened(c.before); !slices.Equal(got, c.want) {
			t.Errorf("%s: %.300q, want %.300q", c.name, got, c.want)
		}
	}
}

// A failure with a long name names the place, in both of its forms.
func TestLongNamesAreShortenedInFailures(t *testing.T) {
	s := start(t, nil)
	k := newClient(t, s.connection)
	long := strings.Repeat("n", 100_000)
	for _, code := range []string{"%%own\nfail unknown name NAME, cell 7 line 3", "%%own\nerror unknown name NAME, cell 7 line 3",
		"%NAME\n", "%%NAME\n"} {
		reply, published := k.run(strings.ReplaceAll(code, "NAME", long))
		if reply["status"] != "error" {
			t.Fatalf("%v", reply)
		}
		for _, m := range append(published, nil) {
			text := fmt.Sprint(reply["evalue"], reply["traceback"])
			if m != nil && m.Header.MsgType != "error" {
				continue
			}
			if m != nil {
				text = string(m.Content)
			}
			if len(text) > 1000 || !strings.Contains(text, "nnn"+ellipsis) || !strings.Contains(text, "cell 7 line 3") && !strings.Contains(text, "line 1") {
				t.Errorf("%.300s", text)
			}
		}
	}
}
