package cells_test

import (
	"errors"
	"strings"
	"testing"
	"unsafe"

	"github.com/topos-notebook/topos/cells"
	. "github.com/topos-notebook/topos/topos"
)

// private opens a session without a kernel.
func private(t *testing.T) *cells.Session[float32] {
	t.Helper()
	t.Setenv(cells.SessionVariable, "")
	cells.Leave()
	t.Cleanup(cells.Leave)
	return cells.Open(F32)
}

func TestNamesAreChecked(t *testing.T) {
	s := private(t)
	other := New(F32).Leaf(nil, 1)
	own := s.Leaf(nil, 1)
	cut := s.Leaf(nil, 2)
	s.Cut(1)
	tests := []struct {
		name string
		node Named
		want string
	}{
		{"h", other, "name h cannot be bound to node 0: it is not on the session's tape"},
		{"h", cut, "name h cannot be bound to node 1: it is not on the session's tape"},
		{"", own, `"" cannot be a name: a name is a letter or _, then letters, digits and _`},
		{"2h", own, `"2h" cannot be a name: a name is a letter or _, then letters, digits and _`},
		{"d loss", own, `"d loss" cannot be a name: a name is a letter or _, then letters, digits and _`},
		{"h\n", own, `"h\n" cannot be a name: a name is a letter or _, then letters, digits and _`},
		{"_h2", own, ""},
		{"größe", own, ""},
	}
	for _, test := range tests {
		refusal := Refused(func() { s.Name(test.name, test.node) })
		got := ""
		if refusal != nil {
			got = refusal.Error()
		}
		if got != test.want {
			t.Errorf("name %q: %q, want %q", test.name, got, test.want)
		}
	}
	if got := strings.Join(s.Names(), " "); got != "_h2 größe" {
		t.Errorf("names: %s", got)
	}
}

func TestGet(t *testing.T) {
	s := private(t)
	h := s.Leaf(nil, 1)
	s.Name("h", h)
	s.Name("h", h.Tanh())
	if got := s.Get("h").String(); got != "#1 Tanh [] f32" {
		t.Errorf("a name bound again: %s", got)
	}
	refusal := Refused(func() { s.Get("loss") })
	if want := "the session has no name loss; its names: h"; refusal == nil || refusal.Error() != want {
		t.Errorf("an unknown name: %v, want %q", refusal, want)
	}
	if got, want := s.String(), "session: 2 nodes, 0 parameters, 0 inputs; names: h"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	s.Seal()
	if refusal := Refused(func() { s.Get("h") }); !errors.Is(refusal, ErrSealed) {
		t.Errorf("after the seal: %v", refusal)
	}
}

// C-43: a value prints as one line, wherever it is printed.
func TestC43ValuePrintsOneLine(t *testing.T) {
	s := private(t)
	x := s.Input(Shape{1, 2}, 1)
	h := x.Mul(x)
	for _, x := range []any{h, h.Symbol()} {
		if got, want := cells.Read(x).Text, "#1 Mul [1, 2] f32\n"; got != want {
			t.Errorf("%T: %q, want %q", x, got, want)
		}
	}
	s.Seal()
	if got, want := cells.Read(h.Symbol()).Text, "#1 Mul [1, 2] f32\n"; got != want {
		t.Errorf("after the seal: %q, want %q", got, want)
	}
}

func TestReadsCarryNames(t *testing.T) {
	s := private(t)
	w := s.Parameter(Shape{2}, 1, 2)
	loss := w.Mul(w).Sum()
	s.Name("weights", w)
	s.Name("loss", loss)
	a := s.Differentiate(loss, w)
	net := s.View()
	plan := Must(net.Entry(a.Roots()...).Lower())
	run := Must(plan.Forward(s.Parameters()))
	for _, x := range []any{s, &s.Tape, net, plan, loss, loss.Symbol(), s.Gradient(a), s.Picture()} {
		named := 0
		for _, row := range cells.Read(x).Rows {
			if row.Index == 0 && row.Name == "weights" || row.Index == 2 && row.Name == "loss" {
				named++
			}
		}
		if named == 0 {
			t.Errorf("%T: no row has its name", x)
		}
	}
	if got, want := cells.Read(run).Text, "loss 5\nd loss / d weights [2, 4]\n"; got != want {
		t.Errorf("run: %q, want %q", got, want)
	}
	if got, want := cells.Read(s.Parameters()).Text, "weights [2] [1, 2]\nparameters: 1\n"; got != want {
		t.Errorf("parameters: %q, want %q", got, want)
	}
	if got := cells.Read(a); len(got.Adjoints) != 1 || got.Adjoints[0].Name != "weights" {
		t.Errorf("adjoints: %+v", got.Adjoints)
	}
	if got := cells.Read(s.Gradient(a)).Text; !strings.Contains(got, "is d loss / d weights") {
		t.Errorf("gradient: %s", got)
	}
	other := New(F32)
	other.Leaf(nil, 1)
	if got := cells.Read(other).Rows[0].Name; got != "" {
		t.Errorf("a private tape has the session's name %s", got)
	}
}

// A name bound again no longer stands on its old node.
func TestReboundNameMoves(t *testing.T) {
	s := private(t)
	h := s.Leaf(nil, 1)
	s.Name("h", h)
	s.Name("first", h)
	s.Name("h", h.Tanh())
	rows := cells.Read(s).Rows
	if rows[0].Name != "first" || rows[1].Name != "h" {
		t.Errorf("names %q and %q", rows[0].Name, rows[1].Name)
	}
}

func TestReadOfAnything(t *testing.T) {
	private(t)
	tests := []struct {
		x    any
		kind ReadingKind
		text string
	}{
		{"text", TextReading, "text\n"},
		{3.5, TextReading, "3.5\n"},
		{nil, TextReading, "<nil>\n"},
		{(*Tensor[float32])(nil), TextReading, "<nil>\n"},
		{(*cells.Session[float32])(nil), TextReading, "<nil>\n"},
		{errors.New("an error\n"), TextReading, "an error\n"},
		{F64.Tensor(nil, 2), TensorReading, "2\n"},
		{Plot{Title: "p", Values: []float64{1}}, PlotReading, "p: 1 value, first 1, last 1\n"},
		{New(F64), SpecReading, "tape: 0 nodes, 0 parameters, 0 inputs\n"},
	}
	for _, test := range tests {
		r := cells.Read(test.x)
		if r.Kind != test.kind || r.Text != test.text {
			t.Errorf("%v: %s %q, want %s %q", test.x, r.Kind, r.Text, test.kind, test.text)
		}
	}
}

func TestKeepRefuses(t *testing.T) {
	s := private(t)
	w := s.Parameter(Shape{2}, 1, 2)
	other := New(F32)
	other.Parameter(Shape{2}, 1, 2)
	if err := s.Keep(nil); err == nil || err.Error() != "keep was given no parameters" {
		t.Errorf("no parameters: %v", err)
	}
	if err := s.Keep(other.InitialParameters()); !errors.Is(err, ErrForeign) {
		t.Errorf("the table of another tape: %v", err)
	}
	longer := s.Parameters()
	longer = longer.With(w, F32.Tensor(Shape{2}, 9, 9))
	s.Parameter(nil, 3)
	two := s.Parameters()
	s.Cut(1)
	if err := s.Keep(two); !errors.Is(err, ErrShape) {
		t.Errorf("a table of two slots for one: %v", err)
	}
	if err := s.Keep(longer); err != nil || s.Parameters().Of(w).String() != "[9, 9]" {
		t.Errorf("kept %v, %v", s.Parameters().Of(w), err)
	}
	v := s.Parameter(nil, 3)
	if p := s.Parameters(); p.Of(w).String() != "[9, 9]" || p.Of(v).String() != "3" {
		t.Errorf("after recording on: %v and %v", p.Of(w), p.Of(v))
	}
	if got := cells.Read(w).Payloads[0].Text; got != "[9, 9]" {
		t.Errorf("the parameter shows %s, not what was kept", got)
	}
}

func TestUntypedHasTheLayoutOfASession(t *testing.T) {
	if a, b := unsafe.Sizeof(cells.Session[float64]{}), cells.UntypedSize; a != b {
		t.Errorf("a session has %d bytes, what is allocated for it %d", a, b)
	}
}
