package language_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
	"github.com/topos-notebook/topos/topos/testdata"
)

var update = flag.Bool("update", false, "write the golden files")

const walkthrough = `weights = parameter [2, 2] {0.5, -0.25, 0.25, 0.4}
input = input [1, 2] {1, 2}
hidden = tanh(input @ weights)
loss = sum(hidden * hidden)
`

// golden compares a text with a file under testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (run with -update to accept)\ngot:\n%s\nwant:\n%s", path, got, want)
	}
}

// record records a program on a new tape of f32.
func record(t *testing.T, program string) (*topos.Tape[float32], *language.Names) {
	t.Helper()
	tape, names := topos.New(topos.F32), &language.Names{}
	parsed, err := language.Parse(program)
	if err == nil {
		_, err = language.Record(parsed, tape, names)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, err.(*language.Error).Caret())
	}
	return tape, names
}

func TestPlates(t *testing.T) {
	plates := testdata.Walkthrough[struct {
		Spec       string
		Scalar     string `json:"recording_scalar"`
		Shapes     string `json:"recording_shapes"`
		Derivative string `json:"readme_derivative"`
	}](t)
	tape, _ := record(t, walkthrough)
	if got := tape.Describe(); got != plates.Spec {
		t.Errorf("spec:\n%s\nwant:\n%s", got, plates.Spec)
	}
	tape, _ = record(t, "c = leaf 3\nw = parameter 2\nx = input 1\ny = tanh(w * x + c)\n")
	if got := tape.Describe(); got != plates.Scalar {
		t.Errorf("scalar:\n%s\nwant:\n%s", got, plates.Scalar)
	}
	tape, _ = record(t, "x = input [3, 2]\nw = parameter [2, 4]\nb = parameter [4]\ny = sum_along(tanh(x @ w + broadcast_along(b, 0, 3)), 1)")
	if got := tape.Describe(); got != plates.Shapes {
		t.Errorf("shapes:\n%s\nwant:\n%s", got, plates.Shapes)
	}
	tape, names := record(t, "w = parameter 2\nx = input 3\ny = input 4\ne = w * x - y\nloss = e * e\n")
	loss, _ := names.Lookup("loss")
	w, _ := names.Lookup("w")
	tape.Differentiate(loss, w)
	if got := tape.Describe(); got != plates.Derivative {
		t.Errorf("derivative:\n%s\nwant:\n%s", got, plates.Derivative)
	}
}

// Each program of testdata/programs records what the file beside it shows.
func TestPrograms(t *testing.T) {
	programs, err := filepath.Glob("testdata/programs/*.tape")
	if err != nil || len(programs) == 0 {
		t.Fatal("no programs", err)
	}
	for _, path := range programs {
		t.Run(filepath.Base(path), func(t *testing.T) {
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			tape, names := record(t, string(text))
			var b strings.Builder
			b.WriteString(tape.Describe())
			for name, symbol := range names.All() {
				b.WriteString(name + " " + tape.Node(symbol).String() + "\n")
			}
			golden(t, filepath.Join("programs", strings.TrimSuffix(filepath.Base(path), ".tape")+".golden"), b.String())
		})
	}
}

// What differs in spelling only records the same nodes.
func TestSpellings(t *testing.T) {
	tests := map[string][2]string{
		"CRLF":                  {walkthrough, strings.ReplaceAll(walkthrough, "\n", "\r\n")},
		"no final newline":      {walkthrough, strings.TrimSuffix(walkthrough, "\n")},
		"tabs":                  {walkthrough, strings.ReplaceAll(walkthrough, " ", "\t")},
		"comments":              {walkthrough, "# a\n" + strings.ReplaceAll(walkthrough, "\n", "# b = c\n\n")},
		"byte order mark":       {walkthrough, "\uFEFF" + walkthrough},
		"no spaces":             {walkthrough, "weights=parameter[2,2]{0.5,-0.25,0.25,0.4}\ninput=input[1,2]{1,2}\nhidden=tanh(input@weights)\nloss=sum(hidden*hidden)"},
		"nested braces":         {walkthrough, strings.Replace(walkthrough, "{0.5, -0.25, 0.25, 0.4}", "{{0.5, -0.25}, {0.25, 0.4}}", 1)},
		"exponents":             {walkthrough, strings.Replace(walkthrough, "{1, 2}", "{100e-2, .2E+1}", 1)},
		"parentheses":           {"a = input [2]\nb = a - a - a\n", "a = input [2]\nb = ((a - (a)) - a)\n"},
		"minus binds tightest":  {"a = input [2]\nb = -a * a\n", "a = input [2]\nb = (-a) * a\n"},
		"one level for * / @":   {"a = input [2, 2]\nb = a * a @ a / a\n", "a = input [2, 2]\nb = ((a * a) @ a) / a\n"},
		"products before sums":  {"a = input [2]\nb = a + a * a\n", "a = input [2]\nb = a + (a * a)\n"},
		"minus minus":           {"a = input [2]\nb = a - -a\n", "a = input [2]\nb = a - (-a)\n"},
		"operators as calls":    {"a = input [2, 2]\nb = -(a + a * a @ a / a - a)\n", "a = input [2, 2]\nb = neg(sub(add(a, div(matmul(mul(a, a), a), a)), a))\n"},
		"a name of a source":    {"x = input [1, 2]\ny = x - 1\n", "input = input [1, 2]\ny = input - 1\n"},
		"a name of a function":  {"a = input [2]\nb = tanh(a)\nc = tanh(b)\n", "a = input [2]\ntanh = tanh(a)\nc = tanh(tanh)\n"},
		"a negative source":     {"a = leaf [] {-1.5}\n", "a = leaf -1.5\n"},
		"a minus after a name":  {"x = leaf 1.5\ny = x - 1.5\n", "leaf = leaf 1.5\ny = leaf-1.5\n"},
		"readings between":      {walkthrough, "%spec\n" + strings.ReplaceAll(walkthrough, "\n", "\n  %values --exact\n")},
		"letters of any script": {"a = input [2]\nb = a\n", "größe = input [2]\nβ_1 = größe\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a, _ := record(t, test[0])
			b, _ := record(t, test[1])
			if a.Describe() != b.Describe() {
				t.Errorf("recorded\n%s\nand\n%s", a.Describe(), b.Describe())
			}
			for i := range a.Len() {
				if p, q := a.Payload(a.Value(i)), b.Payload(b.Value(i)); p != nil && name != "letters of any script" && !strings.HasPrefix(name, "a name of a source") && !p.Equal(q) {
					t.Errorf("node %d holds %v and %v", i, p, q)
				}
			}
		})
	}
}

func TestRankZeroOperands(t *testing.T) {
	for _, op := range []string{"%s + %s", "%s - %s", "%s * %s", "%s / %s", "powf(%s, %s)", "maximum(%s, %s)", "step(%s, %s)"} {
		for _, operands := range [][]any{{"a", "2"}, {"2", "a"}} {
			line := "b = " + fmt.Sprintf(op, operands...)
			tape, _ := record(t, "a = input [2, 3]\n"+line)
			if got := tape.Describe(); tape.Len() != 4 || !strings.Contains(got, "   2  Broadcast      1  shape=[2, 3]    [2, 3]\n") {
				t.Errorf("%s recorded\n%s", line, got)
			}
			tape, _ = record(t, "a = input 1\n"+line)
			if tape.Len() != 3 || strings.Contains(tape.Describe(), "Broadcast") {
				t.Errorf("%s of scalars recorded\n%s", line, tape.Describe())
			}
		}
	}
}

func TestSeededSources(t *testing.T) {
	tape, names := record(t, "w = parameter [2, 2]\nx = input [2, 2]\nw = leaf [2, 2]\nv = parameter []\n")
	of := func(i int) *topos.Tensor[float32] { return tape.Payload(tape.Value(i)) }
	if !of(0).Equal(of(2)) {
		t.Errorf("a parameter and a leaf of one name hold %v and %v", of(0), of(2))
	}
	if of(0).Equal(of(1)) {
		t.Errorf("two names hold the same %v", of(0))
	}
	if of(3).Shape().Rank() != 0 {
		t.Errorf("parameter [] has shape %v", of(3).Shape())
	}
	for _, x := range slices.Concat(of(0).Data(), of(1).Data()) {
		if x < -0.5 || x >= 0.5 || x == 0 {
			t.Errorf("%v was drawn", x)
		}
	}
	// The bits are part of the language: a notebook must give them everywhere.
	if got, want := of(0).String(), "[[0.39705437, 0.2792129], [-0.49594927, -0.3489713]]"; got != want {
		t.Errorf("w is %s, want %s", got, want)
	}
	if w, _ := names.Lookup("w"); w.Index() != 2 {
		t.Errorf("w is node %d after it was bound again", w.Index())
	}
}

func TestRebinding(t *testing.T) {
	tape, names := record(t, "h = input [2]\nk = h\nh = tanh(h)\nh = tanh(h)\n")
	if want := "   0  Input                             [2]\n   1  Tanh           0                  [2]\n   2  Tanh           1                  [2]\ntape: 3 nodes, 0 parameters, 1 input\n"; tape.Describe() != want {
		t.Errorf("recorded\n%s", tape.Describe())
	}
	var order []string
	for name := range names.All() {
		order = append(order, name)
	}
	if !slices.Equal(order, []string{"k", "h"}) {
		t.Errorf("names are %v", order)
	}
}

func TestOrigins(t *testing.T) {
	tape := topos.New(topos.F32)
	parsed, err := language.Parse("%spec\na = input [2]\n\nb = tanh(a) + a\n")
	if err != nil {
		t.Fatal(err)
	}
	names := &language.Names{}
	r := language.NewRecorder(tape, names, 7)
	for _, line := range parsed.Lines() {
		if line.Reading != "" {
			continue
		}
		if _, err := r.Record(line); err != nil {
			t.Fatal(err)
		}
	}
	for i, line := range []int{2, 4, 4} {
		if o := tape.Node(tape.Value(i)).Origin(); o.Segment != 7 || o.Line != line {
			t.Errorf("node %d is of segment %d line %d, want 7 and %d", i, o.Segment, o.Line, line)
		}
	}
}

// A refused program leaves the tape and the names as they were.
func TestTransaction(t *testing.T) {
	tape, names := record(t, walkthrough)
	spec := tape.Describe()
	before := names.Clone()
	for _, bad := range []string{
		"loss = sum(hidden)\nx = hidden @ hidden\n",
		"hidden = hidden + 1\nx = concat(hidden, weights, 1)\n",
		"a = input [3]\nb = input [3]\nc = gelu(a) + nobody\n",
		"a = leaf 1\nb = leaf 1e39\n",
	} {
		parsed, err := language.Parse(bad)
		if err != nil {
			t.Fatal(err)
		}
		if bindings, err := language.Record(parsed, tape, names); err == nil || bindings != nil {
			t.Errorf("%q was not refused", bad)
		}
		if tape.Describe() != spec {
			t.Errorf("%q left\n%s", bad, tape.Describe())
		}
		if names.Len() != before.Len() {
			t.Errorf("%q left %d names", bad, names.Len())
		}
		for name, symbol := range before.All() {
			if now, ok := names.Lookup(name); !ok || now != symbol {
				t.Errorf("%q left %s bound to %v", bad, name, now)
			}
		}
	}
	// What was there can still be read and recorded on.
	parsed, _ := language.Parse("more = loss + loss")
	if _, err := language.Record(parsed, tape, names); err != nil || tape.Len() != 7 {
		t.Errorf("recording on: %v, %d nodes", err, tape.Len())
	}
}

// A refused line leaves the lines before it.
func TestRecorderLine(t *testing.T) {
	tape, names := topos.New(topos.F64), &language.Names{}
	parsed, err := language.Parse("a = input [2]\na = (a + a) @ a\n")
	if err != nil {
		t.Fatal(err)
	}
	r := language.NewRecorder(tape, names, 0)
	b, err := r.Record(parsed.Lines()[0])
	if err != nil || b.Name != "a" {
		t.Fatal(b, err)
	}
	if _, err := r.Record(parsed.Lines()[1]); err == nil {
		t.Fatal("not refused")
	}
	if s, _ := names.Lookup("a"); s != b.Symbol || tape.Len() != 1 {
		t.Errorf("a is %v, the tape holds %d nodes", s, tape.Len())
	}
}

// 1e39 is a number of f64 and none of f32.
func TestRangeOfElement(t *testing.T) {
	parsed, err := language.Parse("x = input 1e39\ny = x * 1e-300")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := language.Record(parsed, topos.New(topos.F64), &language.Names{}); err != nil {
		t.Error(err)
	}
	_, err = language.Record(parsed, topos.New(topos.F32), &language.Names{})
	if err == nil || err.Error() != "line 1: 1e39 is out of range for f32" {
		t.Error(err)
	}
}

func TestLongPrograms(t *testing.T) {
	t.Run("one line of many terms", func(t *testing.T) {
		tape, _ := record(t, "a = input 1\nb = a"+strings.Repeat(" + a", 200_000))
		if tape.Len() != 200_001 {
			t.Errorf("%d nodes", tape.Len())
		}
	})
	t.Run("many lines", func(t *testing.T) {
		tape, _ := record(t, "h = input 1\n"+strings.Repeat("h = h + h\n", 100_000))
		if tape.Len() != 100_001 {
			t.Errorf("%d nodes", tape.Len())
		}
	})
	t.Run("one payload of many elements", func(t *testing.T) {
		tape, _ := record(t, "a = leaf [100000] {"+strings.Repeat("1,", 99_999)+"2}")
		if d := tape.Payload(tape.Value(0)).Data(); len(d) != 100_000 || d[99_999] != 2 {
			t.Errorf("%d elements", len(d))
		}
	})
	t.Run("as deep as allowed", func(t *testing.T) {
		tape, _ := record(t, "a = input 1\nb = "+strings.Repeat("(", 200)+"a"+strings.Repeat(")", 200)+"\nc = "+strings.Repeat("-", 200)+"b")
		if tape.Len() != 201 {
			t.Errorf("%d nodes", tape.Len())
		}
	})
}
