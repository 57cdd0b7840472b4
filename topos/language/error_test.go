package language_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
)

const sources = "x = input [1, 2]\nw = parameter [3, 3]\nhidden = tanh(x)\n"

// refused are programs that must be refused; what each says is in
// testdata/errors.golden.
var refused = []struct{ name, program string }{
	{"empty", ""},
	{"only blanks and comments", "\n  # nothing\n\t\r\n"},
	{"unknown name", "y = x"},
	{"unknown name, near one", sources + "y = hiden + 1"},
	{"unknown name, exchanged letters", sources + "y = hiddne"},
	{"unknown name, other case", sources + "y = Hidden"},
	{"a name that is a function", sources + "y = tanh"},
	{"a name that is a source", sources + "y = sum(input)"},
	{"a source that is called", "x = input (2)"},
	{"its own name", "h = tanh(h)"},
	{"a very long name", "y = " + strings.Repeat("long", 100)},
	{"matmul of shapes", sources + "y = x @ w"},
	{"sum of shapes", sources + "y = x * 2 + (w - x)"},
	{"the inner of two products", sources + "y = tanh(x @ w) @ w"},
	{"deep in a call", sources + "y = sum(log_softmax(x, 2)) + 1"},
	{"concat of shapes", sources + "y = concat(x, w, 1)"},
	{"squeeze of an extent above 1", sources + "y = squeeze(x, 1)"},
	{"reshape to another volume", sources + "y = reshape(x, [3])"},
	{"broadcast of more than one element", sources + "y = broadcast(x, [2, 2])"},
	{"too large by broadcast", sources + "y = broadcast_along(broadcast(1, [65536, 32768]), 0, 2)"},
	{"unclosed bracket", "x = input [1, 2"},
	{"unclosed empty bracket", "x = input ["},
	{"unclosed brace", "x = input [2] {1, 2"},
	{"unclosed inner brace", "x = input [2] {{1, 2}"},
	{"unclosed parenthesis", sources + "y = (x + x"},
	{"unclosed call", sources + "y = tanh(x"},
	{"unclosed empty call", sources + "y = tanh("},
	{"closed by another", sources + "y = tanh(x]"},
	{"closed twice", sources + "y = tanh(x))"},
	{"extent 0", "x = input [2, 0]"},
	{"extent negative", "x = input [2, -3]"},
	{"extent fractional", "x = input [2.5]"},
	{"extent with an exponent", "x = input [1e3]"},
	{"extent out of range", "x = input [99999999999999999999]"},
	{"extent beyond the core", "x = input [4294967296]"},
	{"too large", "x = input [65536, 65536]"},
	{"too large to draw", "x = input [16384, 16384]"},
	{"extent 0 in a call", sources + "y = broadcast(1, [0])"},
	{"nested shape", "x = input [[1, 2]]"},
	{"shape with a trailing comma", "x = input [1, ]"},
	{"shape without commas", "x = input [1 2]"},
	{"number out of range of f32", "x = input 1e39"},
	{"number out of range", "x = input 1e999"},
	{"literal out of range", sources + "y = x * 4e38"},
	{"element out of range", "x = input [2] {1, -1e40}"},
	{"too few elements", "w = parameter [2, 2] {1, 2, 3}"},
	{"too many elements", "w = leaf [2] {1, 2, 3}"},
	{"no elements", "w = leaf [2] {}"},
	{"one element for many", "w = leaf [2] {1}"},
	{"element that is a name", "w = leaf [2] {1, x}"},
	{"elements with a trailing comma", "w = leaf [2] {1, 2,}"},
	{"elements without a shape", "w = leaf {1, 2}"},
	{"not UTF-8", "w = parameter 0.5\nx = \xff\xfe\n"},
	{"not UTF-8, in a comment", "x = input 1 # caf\xe9"},
	{"10,000 parentheses", "x = " + strings.Repeat("(", 10_000) + "1" + strings.Repeat(")", 10_000)},
	{"10,000 brackets", "x = input " + strings.Repeat("[", 10_000) + "1" + strings.Repeat("]", 10_000)},
	{"10,000 braces", "x = input [1] " + strings.Repeat("{", 10_000) + "1" + strings.Repeat("}", 10_000)},
	{"10,000 minus signs", "x = " + strings.Repeat("-", 10_000) + "1"},
	{"10,000 calls", "x = " + strings.Repeat("tanh(", 10_000) + "1" + strings.Repeat(")", 10_000)},
	{"parentheses and minus signs", "x = " + strings.Repeat("(-", 101) + "1" + strings.Repeat(")", 101)},
	{"a fault in a long line", "x = " + strings.Repeat("1 + ", 500) + "nobody" + strings.Repeat(" + 1", 500)},
	{"a fault at the end of a long line", "x = " + strings.Repeat("1 + ", 500)},
	{"a fault after tabs", "x = input 1\n\ty\t=\tx +\tnobody\t# here"},
	{"a fault after other scripts", "größe = input 1\ny = größe + nobody"},
	{"unknown function", sources + "y = frobnicate(x)"},
	{"unknown function, near one", sources + "y = logsoftmax(x, 1)"},
	{"too few arguments", sources + "y = narrow(x, 0)"},
	{"no arguments", sources + "y = tanh()"},
	{"too many arguments", sources + "y = tanh(x, x)"},
	{"too few values", sources + "y = concat(x, 0)"},
	{"a value for a number", sources + "y = sum_along(x, x)"},
	{"a fraction for a number", sources + "y = sum_along(x, 0.5)"},
	{"a number for a list", sources + "y = reshape(x, 2)"},
	{"a list for a value", sources + "y = tanh([1, 2])"},
	{"a name in a list", sources + "y = reshape(x, [x])"},
	{"an argument missing", sources + "y = powf(x, )"},
	{"a comma missing", sources + "y = powf(x x)"},
	{"no equals sign", "tanh(x)"},
	{"only a name", "x"},
	{"only a number", "3"},
	{"a number bound", "3 = x"},
	{"a call bound", "f(x) = 3"},
	{"a sum bound", "a + b = 3"},
	{"two equals signs", "a = b = 3"},
	{"an equality", "a == 3"},
	{"nothing bound", "x ="},
	{"nothing but an equals sign", "= 3"},
	{"an operand missing", "x = 1 +"},
	{"an operator missing", sources + "y = x x"},
	{"two operators", sources + "y = x * / x"},
	{"a plus sign before a value", "x = +1"},
	{"a source in an expression", "x = input [2] + 1"},
	{"a source in a call", "x = tanh(input [2])"},
	{"a source and more", "x = input 1 2"},
	{"a semicolon", "x = input 1; y = x"},
	{"a power", sources + "y = x ^ 2"},
	{"a string", "x = \"1\""},
	{"a control character", "x = input 1\x00"},
	{"an invisible character", "x = input 1\u200b"},
	{"a digit before a name", "x = 2a"},
	{"two points", "x = 1.2.3"},
	{"an exponent without digits", "x = 1e"},
}

// describe is the error of a program as a user sees it.
func describe(program string) string {
	parsed, err := language.Parse(program)
	tape, names := topos.New(topos.F32), &language.Names{}
	if err == nil {
		_, err = language.Record(parsed, tape, names)
	}
	if err == nil {
		return "accepted\n" + tape.Describe()
	}
	if tape.Len() != 0 || names.Len() != 0 {
		return "something was left on the tape\n"
	}
	var f *language.Error
	if !errors.As(err, &f) {
		return fmt.Sprintf("a %T: %v\n", err, err)
	}
	s := fmt.Sprintf("%v (column %d)\n", err, f.Column)
	if c := f.Caret(); c != "" {
		s += "    " + strings.ReplaceAll(c, "\n", "\n    ") + "\n"
	}
	return s
}

func TestErrors(t *testing.T) {
	var b strings.Builder
	for _, r := range refused {
		got := describe(r.program)
		fmt.Fprintf(&b, "== %s\n%s", r.name, got)
		first, _, _ := strings.Cut(got, "\n")
		if strings.HasPrefix(got, "accepted") || len(first) > 300 || strings.Contains(got, "testing.go") {
			t.Errorf("%s: %s", r.name, got)
		}
	}
	golden(t, "errors.golden", b.String())
}

// The fault of a refusal leads to what the core refused.
func TestErrorUnwraps(t *testing.T) {
	parsed, err := language.Parse("a = input [3, 2]\nb = input [4, 5]\nc = a @ b")
	if err != nil {
		t.Fatal(err)
	}
	_, err = language.Record(parsed, topos.New(topos.F32), &language.Names{})
	var refusal *topos.Refusal
	if !errors.As(err, &refusal) || !errors.Is(err, topos.ErrShape) || refusal.Op != "matmul" || len(refusal.Shapes) != 2 {
		t.Errorf("%v leads to %+v", err, refusal)
	}
	if got, want := err.Error(), "line 3: matmul cannot multiply [3, 2] by [4, 5]"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
}

// A name that was cut from its tape is refused, not resolved to another node.
func TestStaleName(t *testing.T) {
	tape, names := record(t, "a = input 1\nb = tanh(a)\n")
	tape.Cut(1)
	parsed, err := language.Parse("c = a + b")
	if err != nil {
		t.Fatal(err)
	}
	if _, err = language.Record(parsed, tape, names); !errors.Is(err, topos.ErrStale) {
		t.Errorf("said %v", err)
	}
}
