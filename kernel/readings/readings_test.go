package readings_test

import (
	"strings"
	"testing"

	"github.com/topos-notebook/topos/kernel/readings"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
	"github.com/topos-notebook/topos/topos/testdata"
)

const walkthrough = `weights = parameter [2, 2] {0.5, -0.25, 0.25, 0.4}
input = input [1, 2] {1, 2}
hidden = tanh(input @ weights)
loss = sum(hidden * hidden)
`

const walkthroughValues = `loss 0.83054614
d loss / d weights [[0.6397, 0.75025934], [1.2794, 1.5005187]]
hidden [[0.7615942, 0.5005202]]
`

func scene(t *testing.T, program string) readings.Scene[float32] {
	t.Helper()
	s := readings.Scene[float32]{Tape: topos.New(topos.F32), Names: &language.Names{}}
	record(t, s, program)
	return s
}

func record(t *testing.T, s readings.Scene[float32], program string) {
	t.Helper()
	parsed, err := language.Parse(program)
	if err == nil {
		_, err = language.Record(parsed, s.Tape, s.Names)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// read takes a reading and checks that it leaves the tape alone.
func read(t *testing.T, s readings.Scene[float32], q readings.Request) *topos.Reading {
	t.Helper()
	before := s.Tape.Describe()
	r, err := s.Read(q)
	if err != nil {
		t.Fatalf("%+v: %v", q, err)
	}
	if s.Tape.Describe() != before {
		t.Errorf("%+v left\n%s", q, s.Tape.Describe())
	}
	return r
}

func TestWalkthrough(t *testing.T) {
	plates := testdata.Walkthrough[struct{ Spec, Differentiated, Plan, StableHLO string }](t)
	divider := "23 nodes appended by differentiate; node 28 is d loss / d weights\n"
	sixth := strings.Index(plates.Differentiated, "   6  ")
	want := []string{
		plates.Spec, plates.Differentiated[:sixth] + divider + plates.Differentiated[sixth:],
		plates.Plan, plates.StableHLO, walkthroughValues, plates.Spec,
	}
	s := scene(t, walkthrough)
	for _, exact := range []bool{false, true} {
		q := readings.Request{Observe: []string{"hidden"}, Exact: exact}
		all, err := s.All(q)
		if err != nil {
			t.Fatal(err)
		}
		for i, kind := range readings.Kinds {
			q.Kind = kind
			if all[i].Text != read(t, s, q).Text {
				t.Errorf("%s differs alone and among all", kind)
			}
			// Under Exact the module spells the recorded order of arithmetic.
			if all[i].Text != want[i] && !(exact && kind == topos.ModuleReading) {
				t.Errorf("%s is\n%s\nwant\n%s", kind, all[i].Text, want[i])
			}
			if all[i].Kind != kind {
				t.Errorf("reading %d is %s, want %s", i, all[i].Kind, kind)
			}
		}
	}
	if s.Tape.Len() != 6 {
		t.Errorf("the tape holds %d nodes", s.Tape.Len())
	}
}

func TestPrimitiveModule(t *testing.T) {
	s := scene(t, "x = input [2] {0.5, 1}\ny = erf(x)\n")
	for _, primitive := range []bool{false, true} {
		r := read(t, s, readings.Request{Kind: topos.ModuleReading, Roots: []string{"y"}, Primitive: primitive})
		if strings.Contains(r.Text, "chlo") == primitive {
			t.Errorf("primitive is %v:\n%s", primitive, r.Text)
		}
	}
}

func TestRowsAreNamed(t *testing.T) {
	s := scene(t, walkthrough+"again = hidden\n")
	r := read(t, s, readings.Request{Kind: topos.GradientReading})
	names := map[int]string{0: "weights", 1: "input", 3: "again", 5: "loss"}
	for _, row := range r.Rows {
		if row.Name != names[row.Index] {
			t.Errorf("node %d is called %q, want %q", row.Index, row.Name, names[row.Index])
		}
	}
	if len(r.Adjoints) != 1 || r.Adjoints[0].Name != "weights" || r.Subject != "loss" {
		t.Errorf("the derivative is %+v of %s", r.Adjoints, r.Subject)
	}
	// A result is called as it was asked for.
	r = read(t, s, readings.Request{Kind: topos.ValuesReading, Observe: []string{"hidden"}})
	if r.Text != walkthroughValues {
		t.Errorf("values\n%s", r.Text)
	}
}

// A value is shown under each of the names that it was asked for by, in their order.
func TestEachNameIsShown(t *testing.T) {
	const program = "a = leaf [2] {1, 2}\nb = a\nx = a + a\nc = x\n"
	for _, c := range []struct {
		program string
		q       readings.Request
		want    string
	}{
		{program, readings.Request{Roots: []string{"a", "b"}}, "a [1, 2]\nb [1, 2]\n"},
		{program, readings.Request{Roots: []string{"b", "x", "a", "b"}, Observe: []string{"a", "c"}}, "b [1, 2]\nx [2, 4]\na [1, 2]\nc [2, 4]\n"},
		{program, readings.Request{}, "a [1, 2]\nb [1, 2]\nx [2, 4]\nc [2, 4]\n"},
		{program + "l = sum(x)\nk = l\n", readings.Request{Target: "l", Wrt: []string{"a"}, Observe: []string{"b", "a", "k"}},
			"l 6\nd l / d a [2, 2]\nb [1, 2]\na [1, 2]\nk 6\n"},
	} {
		c.q.Kind = topos.ValuesReading
		r := read(t, scene(t, c.program), c.q)
		var b strings.Builder
		for _, p := range r.Payloads {
			b.WriteString(p.Label + " " + p.Text + "\n")
		}
		if r.Text != c.want || b.String() != c.want {
			t.Errorf("%+v shows\n%s\nof\n%s\nwant\n%s", c.q, r.Text, b.String(), c.want)
		}
	}
}

func TestRequests(t *testing.T) {
	const two = "w = parameter 2\nb = parameter 3\nx = input 5\ny = w * x + b\nloss = y * y\nrate = leaf 0.5\n"
	tests := []struct {
		name, program string
		request       readings.Request
		want          string // the whole text, or its beginning before "..."
	}{
		{"the last name of rank 0", two, readings.Request{Kind: topos.ValuesReading}, "rate 0.5\nd rate / d w 0\nd rate / d b 0\n"},
		{"a target", two, readings.Request{Kind: topos.ValuesReading, Target: "loss"}, "loss 169\nd loss / d w 130\nd loss / d b 26\n"},
		{"with respect to", two, readings.Request{Kind: topos.ValuesReading, Target: "loss", Wrt: []string{"x", "w"}}, "loss 169\nd loss / d x 52\nd loss / d w 130\n"},
		{"roots", two, readings.Request{Kind: topos.ValuesReading, Roots: []string{"y", "x"}, Observe: []string{"w"}}, "y 13\nx 5\nw 2\n"},
		{"roots of a plan", two, readings.Request{Kind: topos.ScheduleReading, Roots: []string{"x"}}, "   2  Input                             []           kept\nplan: forward; 1 of 7 nodes evaluated, 1 readable\n..."},
		{"a parameter without a name", two + "w = w * 1\n", readings.Request{Kind: topos.ValuesReading, Target: "loss"}, "loss 169\nd loss / d #0 130\nd loss / d b 26\n"},
		{"no parameter", "x = input 3\ny = x * x\n", readings.Request{Kind: topos.ValuesReading}, "y 9\n"},
		{"no parameter, the gradient", "x = input 3\ny = x * x\n", readings.Request{Kind: topos.GradientReading},
			"   0  Input                             []\n   1  Mul            0, 0               []\n6 nodes appended by differentiate\n..."},
		{"no name of rank 0", "x = input [2] {1, 2}\ny = x * x\n", readings.Request{Kind: topos.ValuesReading}, "x [1, 2]\ny [1, 4]\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := read(t, scene(t, test.program), test.request)
			want, open := strings.CutSuffix(test.want, "...")
			if got := r.Text; got != want && !(open && strings.HasPrefix(got, want)) {
				t.Errorf("got\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func TestRefusedRequests(t *testing.T) {
	tests := []struct {
		name, program string
		request       readings.Request
		want          string
	}{
		{"target not rank 0", walkthrough, readings.Request{Kind: topos.GradientReading, Target: "hidden"}, "hidden is [1, 2], not rank 0: sum it first"},
		{"unknown target", walkthrough, readings.Request{Kind: topos.GradientReading, Target: "los"}, "unknown name los: did you mean loss?"},
		{"unknown wrt", walkthrough, readings.Request{Kind: topos.GradientReading, Wrt: []string{"nobody"}}, "unknown name nobody"},
		{"unknown root", walkthrough, readings.Request{Kind: topos.ScheduleReading, Roots: []string{"nobody"}}, "unknown name nobody"},
		{"unknown observed", walkthrough, readings.Request{Kind: topos.ModuleReading, Observe: []string{"nobody"}}, "unknown name nobody"},
		{"no name of rank 0", "x = input [2]", readings.Request{Kind: topos.ScheduleReading}, "no name has rank 0, so there is nothing to differentiate: sum one first"},
		{"no such reading", walkthrough, readings.Request{Kind: "essay"}, `there is no reading "essay"`},
		{"too large to run", "x = broadcast(1, [32768, 32768])\ny = sum(x)", readings.Request{Kind: topos.ValuesReading}, "the run would hold 1073741825 elements at once; at most 268435456 are run here"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := scene(t, test.program)
			before := s.Tape.Describe()
			if _, err := s.Read(test.request); err == nil || err.Error() != test.want {
				t.Errorf("said %v, want %s", err, test.want)
			}
			if s.Tape.Describe() != before {
				t.Errorf("left\n%s", s.Tape.Describe())
			}
		})
	}
	s := scene(t, walkthrough)
	for _, q := range []readings.Request{{Target: "hidden"}, {Observe: []string{"nobody"}}, {Wrt: []string{"nobody"}}} {
		if all, err := s.All(q); err == nil || all != nil || s.Tape.Len() != 6 {
			t.Errorf("%+v: all readings said %v and left %d nodes", q, err, s.Tape.Len())
		}
	}
}

func TestEmptyTape(t *testing.T) {
	s := readings.Scene[float32]{Tape: topos.New(topos.F32), Names: &language.Names{}}
	if r := read(t, s, readings.Request{Kind: topos.SpecReading}); r.Text != "tape: 0 nodes, 0 parameters, 0 inputs\n" {
		t.Errorf("spec is\n%s", r.Text)
	}
	if _, err := s.Read(readings.Request{Kind: topos.ValuesReading}); err == nil || err.Error() != "there are no names, so there is nothing to run" {
		t.Error(err)
	}
	if r := s.ListNames(); r.Text != "no names\n" {
		t.Errorf("names are %q", r.Text)
	}
}

// All readings of a tape without a target say so where they need one.
func TestAllWithoutTarget(t *testing.T) {
	all, err := scene(t, "x = input [2] {1, 2}").All(readings.Request{})
	if err != nil {
		t.Fatal(err)
	}
	line := "no name has rank 0, so there is nothing to differentiate: sum one first\n"
	spec := "   0  Input                             [2]\ntape: 1 node, 0 parameters, 1 input\n"
	for i, want := range []string{spec, line, line, line, "x [1, 2]\n", spec} {
		if all[i].Text != want {
			t.Errorf("reading %d is\n%s\nwant\n%s", i, all[i].Text, want)
		}
	}
}

// A derivative that is on the tape is read there.
func TestRecordedDerivative(t *testing.T) {
	s := scene(t, walkthrough)
	_, first, reused, err := s.Differentiate(readings.Request{})
	if err != nil || reused || s.Tape.Len() != 29 {
		t.Fatal(err, reused, s.Tape.Len())
	}
	_, second, reused, err := s.Differentiate(readings.Request{Target: "loss", Wrt: []string{"weights"}})
	if err != nil || !reused || s.Tape.Len() != 29 || second.Text != first.Text {
		t.Error(err, reused, s.Tape.Len(), second.Text)
	}
	record(t, s, "more = loss + loss")
	r := read(t, s, readings.Request{Kind: topos.ScheduleReading, Target: "loss"})
	if !strings.Contains(r.Text, "25 of 30 nodes evaluated, 2 readable") {
		t.Errorf("the plan is\n%s", r.Text)
	}
	// Another target is differentiated aside.
	r = read(t, s, readings.Request{Kind: topos.ValuesReading, Target: "more"})
	if want := "more 1.6610923\nd more / d weights [[1.2794, 1.5005187], [2.5588, 3.0010374]]\n"; r.Text != want {
		t.Errorf("values\n%s", r.Text)
	}
}

// Runs read the caller's table, carried to the parameters recorded since.
func TestTable(t *testing.T) {
	s := scene(t, "w = parameter 2\nloss = w * w")
	s.Table = s.Tape.InitialParameters().Map(func(w *topos.Tensor[float32]) *topos.Tensor[float32] { return w.Add(w) })
	record(t, s, "b = parameter 1\nloss = loss + b")
	if r := read(t, s, readings.Request{Kind: topos.ValuesReading}); r.Text != "loss 17\nd loss / d w 8\nd loss / d b 1\n" {
		t.Errorf("values\n%s", r.Text)
	}
}

func TestListNames(t *testing.T) {
	want := "weights  #0 Parameter [2, 2]\ninput    #1 Input [1, 2]\nhidden   #3 Tanh [1, 2]\nloss     #5 Sum []\n"
	if got := scene(t, walkthrough).ListNames().Text; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWhy(t *testing.T) {
	s := scene(t, walkthrough)
	if _, _, _, err := s.Differentiate(readings.Request{}); err != nil {
		t.Fatal(err)
	}
	tests := map[string]string{
		"17":     "#17 Sub [1, 2] f32: one - out*out, from the rule of 3 Tanh\n",
		"#6":     "#6 Leaf [] f32: the seed of the derivative of 5 Sum\n",
		"hidden": "#3 Tanh [1, 2] f32: line 3\n",
	}
	for which, want := range tests {
		r, err := s.Why(which)
		if err != nil || r.Text != want {
			t.Errorf("why %s: %v\n%swant\n%s", which, err, r.Text, want)
		}
	}
	s.Tape.Place(0, 0)
	s.Tape.Leaf(topos.Shape{}, 1)
	if r, err := s.Why("29"); err != nil || r.Text != "#29 Leaf [] f32: nothing is known of where it was recorded\n" {
		t.Error(err, r)
	}
	for which, want := range map[string]string{
		"30": "there is no node 30: the tape holds 30", "-1": "there is no node -1: the tape holds 30",
		"99999999999999999999": "unknown name 99999999999999999999", "lose": "unknown name lose: did you mean loss?",
	} {
		if _, err := s.Why(which); err == nil || err.Error() != want {
			t.Errorf("why %s said %v, want %s", which, err, want)
		}
	}
}

// Some of the readings are those of all.
func TestTake(t *testing.T) {
	s := scene(t, walkthrough)
	all, err := s.All(readings.Request{})
	if err != nil {
		t.Fatal(err)
	}
	some, err := s.Take(readings.Request{}, topos.ValuesReading, topos.SpecReading, topos.GradientReading)
	if err != nil || len(some) != 3 || some[0].Text != all[4].Text || some[1].Text != all[0].Text || some[2].Text != all[1].Text {
		t.Error(err, some)
	}
	if none, err := s.Take(readings.Request{}); err != nil || len(none) != 0 {
		t.Error(err, none)
	}
	// What is not needed is not refused.
	if _, err := scene(t, "x = input [2]").Take(readings.Request{Target: "x"}, topos.SpecReading); err != nil {
		t.Error(err)
	}
}
