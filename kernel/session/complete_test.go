package session

import (
	"slices"
	"strings"
	"testing"
)

// at gives a code and the cursor, in code points, that a bar in it stands for.
func at(t *testing.T, marked string) (code string, cursor int) {
	t.Helper()
	before, after, ok := strings.Cut(marked, "|")
	if !ok {
		t.Fatalf("no cursor in %q", marked)
	}
	return before + after, len([]rune(before))
}

func TestC63Complete(t *testing.T) {
	d := newDesk(t)
	d.tape("a", "weights = parameter [2]", "größe = input [2]", "where = leaf 1")
	tests := []struct {
		code    string
		matches string // the first of them
		from    string // what is replaced
		ok      bool
	}{
		{"%%tape\ny = we|", "weights", "we", true},
		{"%%tape\ny = w|", "where weights", "w", true},
		{"%%tape\n# ä\ny = größe + gr|", "größe", "gr", true},
		{"%%tape\ny = tan|h", "tanh", "tan", true},
		{"%%tape\nw = par|", "parameter", "par", true},
		{"%%tape\n%gra|", "%gradient", "%gra", true},
		{"%%tape\n%values we|", "weights", "we", true},
		{"%%tape\n%values tan|", "", "tan", true},
		{"%%tape\ny = 1 # we|", "", "we", true},
		{"%%tape\nq|", "", "q", true},
		{"%%tape\n%values weights --tar|", "--target", "--tar", true},
		{"%%tape\n%plan --|", "--target --wrt --observe --exact", "--", true},
		{"%%tape\n%plan --observe gr|", "größe", "gr", true},
		{"%%tape\n🐹 = 1\n%values 🐹, wei|", "weights", "wei", true},
		{"%tape re|", "reset", "re", true},
		{"%tape reset we|", "weights", "we", true},
		{"%tape new bf|", "bf16", "bf", true},
		{"%static o|", "on off", "o", true},
		{"%%tape\n%train --|", "--wrt --steps --rate --optimizer --exact", "--", true},
		{"%%tape\n%train we|", "weights", "we", true},
		{"%train --optimizer ad|", "adam adamw", "ad", true},
		{"%%\nfmt.Println()\n%values we|", "weights", "we", true},
		{"%goflags we|", "", "we", false},
		{"%%ta|", "%%tape", "%%ta", true},
		{"\n%%ba|", "%%bash", "%%ba", true},
		{"%%\n%%ba|", "", "%%ba", true},
		{"%ge|", "%get", "%ge", true},
		{"%%tape\n%ge|", "", "%ge", true},
		{"%r|", "%read %remove %rerecord %reset %rm", "%r", true},
		{"%stabl|", "%stablehlo", "%stabl", true},
		{"%%tape\ne\u0301te\u0301 = leaf 1\ny = e\u0301t|", "e\u0301te\u0301", "e\u0301t", true},
		{"%%tape\nfirst = tanh(weights)\nsecond = fir|", "first", "fir", true},
		{"%%tape\r\nfirst = leaf 1\r\nsecond = fir|", "first", "fir", true},
		{"%%tape\n|\nfirst = leaf 1", "where größe weights add", "", true},
		{"%%tape\n# first = leaf 1\nsecond = fir|", "", "fir", true},
		{"%%tape\nfirst = fir|", "", "fir", true},
		{"%caps|", "", "%caps", true},
		{"fmt.Pri|", "", "", false},
	}
	for _, test := range tests {
		code, cursor := at(t, test.code)
		found, ok := d.Complete(code, cursor)
		var matches []string
		for _, m := range found.Matches {
			matches = append(matches, m.Text)
			if m.Kind == "" || m.Detail == "" {
				t.Errorf("%q: %+v", test.code, m)
			}
		}
		want := strings.Fields(test.matches)
		if ok != test.ok || len(matches) < len(want) || !slices.Equal(matches[:len(want)], want) || len(want) == 0 && len(matches) > 0 {
			t.Errorf("%q: %v, %v; want %v, %v", test.code, matches, ok, want, test.ok)
			continue
		}
		if got := string([]rune(code)[found.Start:found.End]); ok && got != test.from {
			t.Errorf("%q: replaces %q, want %q", test.code, got, test.from)
		}
	}
	for _, cursor := range []int{-5, 1000} {
		d.Complete("%%tape\nx", cursor)
		d.Inspect("%%tape\nx", cursor, 0)
	}
}

func TestInspect(t *testing.T) {
	d := newDesk(t)
	d.tape("a", "weights = parameter [2]")
	tests := []struct {
		code, want string // part of the text
		ok         bool
	}{
		{"%%tape\ny = wei|ghts", "weights: #0 Parameter [2] f32", true},
		{"%%tape\ny = narrow|(weights", "narrow(a, axis, start, length)", true},
		{"%%tape\n  %why| 3", "%why NODE", true},
		{"%why|", "%why NODE", true},
		{"%%tape\ny = narrow(weights, |", "narrow(a, axis, start, length)", true},
		{"%%tape\ny = narrow(tanh(weights), 0, |", "narrow(a, axis, start, length)", true},
		{"%%tape\n# 🐹\ny = tanh(|", "tanh(", true},
		{"%%tape\ny = |", "", true},
		{"%%tape\nw = para|meter [2]", "w = parameter [2, 2]", true},
		{"%%ta|pe\nx = leaf 1", "%%tape", true},
		{"%gofl|ags -v", "%goflags [FLAGS]", true},
		{"%%ba|sh\necho", "%%bash", true},
		{"|%spec", "%spec", true},
		{"%|%tape\nx = leaf 1", "%%tape", true},
		{"%train loss --st|eps 4", "%train [LOSS]", true},
		{"%train |", "%train [LOSS]", true},
		{"%values weig|hts", "weights: #0 Parameter [2] f32", true},
		{"%%tape\n%values nobo|dy", "%values [ROOTS]", true},
		{"%%\nfmt.Println()\n%plan --ex|act", "%plan [ROOTS]", true},
		{"%env |A B", "%env NAME VALUE", true},
		{"%nosuch arg|", "", false},
		{"%%tape\nnew = tanh(weights)\ny = ne|w", "new = tanh(weights)", true},
		{"%%tape\ny = ne|w\nnew = tanh(weights)", "", true},
		{"%nosuch|", "", false},
		{"why|", "", false},
		{"%%tape\ny = nobody|", "", true},
	}
	for _, test := range tests {
		code, cursor := at(t, test.code)
		data, ok := d.Inspect(code, cursor, 0)
		text, _ := data["text/plain"].(string)
		if ok != test.ok || !strings.Contains(text, test.want) || test.want == "" && data != nil {
			t.Errorf("%q: %q, %v; want %q, %v", test.code, text, ok, test.want, test.ok)
		}
	}
}

func TestIsComplete(t *testing.T) {
	d := newDesk(t)
	tests := []struct {
		code, status string
		ok           bool
	}{
		{"%%tape", "incomplete", true},
		{"%%tape\nx = leaf 1", "incomplete", true},
		{"\n %%tape\nx = leaf 1\n", "complete", true},
		{"fmt.Println(", "", false},
		{"%%taper", "", false},
	}
	for _, test := range tests {
		if status, _, ok := d.IsComplete(test.code); status != test.status || ok != test.ok {
			t.Errorf("%q: %q, %v; want %q, %v", test.code, status, ok, test.status, test.ok)
		}
	}
}

// FuzzComplete: whatever the cell and the cursor, what is replaced lies within
// the cell and ends at the cursor.
func FuzzComplete(f *testing.F) {
	for _, seed := range []string{"", "%%tape\ny = we", "%plan --", "%%tape\n🐹 = tanh(a, (b", "\n %%ta", "%values 🐹, wei"} {
		f.Add(seed, 3)
		f.Add(seed, len([]rune(seed)))
	}
	d := newDesk(f)
	d.tape("a", "weights = parameter [2]")
	f.Fuzz(func(t *testing.T, code string, cursor int) {
		within := min(max(cursor, 0), len([]rune(code)))
		if c, ok := d.Complete(code, cursor); ok && (c.Start < 0 || c.Start > c.End || c.End != within) {
			t.Errorf("%q at %d: %+v", code, cursor, c)
		}
		d.Inspect(code, cursor, 0)
		d.IsComplete(code)
	})
}
