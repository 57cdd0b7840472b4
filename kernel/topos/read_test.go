package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/testdata"
)

var update = flag.Bool("update", false, "write the golden files")

// read runs topos read in this process.
func read(stdin string, args ...string) (code int, stdout, stderr string) {
	var out, complaint bytes.Buffer
	code = dispatch(append([]string{"read"}, args...), streams{strings.NewReader(stdin), &out, &complaint})
	return code, out.String(), complaint.String()
}

// mustRead is the output of topos read where it must succeed.
func mustRead(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	code, out, complaint := read(stdin, args...)
	if code != 0 || complaint != "" {
		t.Fatalf("%v: exit %d, %s", args, code, complaint)
	}
	return out
}

const walkthroughTape = "testdata/read/walkthrough.tape"

// walkthroughPlates are the readings of the walkthrough as they must be printed,
// by heading.
func walkthroughPlates(t *testing.T) map[string]string {
	t.Helper()
	plates := testdata.Walkthrough[struct{ Spec, Differentiated, Plan, StableHLO string }](t)
	sixth := strings.Index(plates.Differentiated, "   6  ")
	return map[string]string{
		"spec": plates.Spec,
		"gradient": plates.Differentiated[:sixth] + "23 nodes appended by differentiate; node 28 is d loss / d weights\n" +
			plates.Differentiated[sixth:],
		"plan":      plates.Plan,
		"stablehlo": plates.StableHLO,
		"values":    "loss 0.83054614\nd loss / d weights [[0.6397, 0.75025934], [1.2794, 1.5005187]]\nhidden [[0.7615942, 0.5005202]]\n",
		"picture":   "picture: 6 nodes; --reading picture prints the SVG\n",
	}
}

func TestReadWalkthrough(t *testing.T) {
	shipped, err := os.ReadFile("../../notebooks/walkthrough.tape")
	if err != nil {
		t.Fatal(err)
	}
	if own, _ := os.ReadFile(walkthroughTape); string(own) != string(shipped) {
		t.Error("notebooks/walkthrough.tape and its copy differ")
	}
	plates := walkthroughPlates(t)
	var want strings.Builder
	for _, kind := range []string{"spec", "gradient", "plan", "stablehlo", "values", "picture"} {
		want.WriteString("== " + kind + "\n" + plates[kind])
	}
	for _, args := range [][]string{
		{walkthroughTape, "--observe", "hidden", "--reading", "all"},
		{"--observe=hidden", walkthroughTape},
		{"-observe", "hidden", "-reading=all", "--target", "loss", "--wrt=weights", "--element", "f32", walkthroughTape},
	} {
		if got := mustRead(t, "", args...); got != want.String() {
			t.Errorf("%v printed\n%s\nwant\n%s", args, got, want.String())
		}
	}
	for kind, plate := range plates {
		if kind == "picture" {
			continue
		}
		if got := mustRead(t, string(shipped), "-", "--reading", kind, "--observe", "hidden"); got != plate {
			t.Errorf("%s alone is\n%s\nwant\n%s", kind, got, plate)
		}
	}
	if got, want := mustRead(t, "", walkthroughTape, "--reading", "values,spec", "--observe", "hidden"), "== values\n"+plates["values"]+"== spec\n"+plates["spec"]; got != want {
		t.Errorf("two readings are\n%s\nwant\n%s", got, want)
	}
}

func TestReadPicture(t *testing.T) {
	svg := mustRead(t, "", walkthroughTape, "--reading", "picture")
	if !strings.HasPrefix(svg, "<svg") || !strings.HasSuffix(svg, "</svg>\n") || !strings.Contains(svg, "MatMul") {
		t.Errorf("the picture is %.200s", svg)
	}
}

func TestReadJSON(t *testing.T) {
	args := []string{walkthroughTape, "--json", "--observe", "hidden", "--exact"}
	text := mustRead(t, "", args...)
	if again := mustRead(t, "", args...); again != text || strings.Count(text, "\n") != 1 {
		t.Errorf("printed\n%s\nand\n%s", text, again)
	}
	var got struct {
		Element, Target, Numerics string
		Observe                   []string
		Readings                  map[string]*topos.Reading
	}
	if err := json.Unmarshal([]byte(text), &got); err != nil {
		t.Fatal(err)
	}
	if got.Element != "f32" || got.Target != "loss" || got.Numerics != "exact" || fmt.Sprint(got.Observe) != "[hidden]" || len(got.Readings) != 6 {
		t.Errorf("got %+v", got)
	}
	for kind, plate := range walkthroughPlates(t) {
		r := got.Readings[kind]
		if r == nil || string(r.Kind) != kind {
			t.Errorf("%s is %+v", kind, r)
			continue
		}
		// The picture is data; under Exact the module spells the recorded order.
		if kind != "picture" && kind != "stablehlo" && r.Text != plate {
			t.Errorf("%s is\n%s\nwant\n%s", kind, r.Text, plate)
		}
	}
	one := mustRead(t, "x = input [2] {1, 2}", "-", "--json", "--reading", "values", "--element", "f64")
	if want := `{"element":"f64","target":"","observe":[],"numerics":"fast","readings":{"values":{"kind":"values",`; !strings.HasPrefix(one, want) {
		t.Errorf("printed %s", one)
	}
}

// One program, read with each element.
func TestReadElements(t *testing.T) {
	const text = "w = parameter [2] {1.00390625000001, 257}\ny = w / 3\nloss = sum(y * w)\n"
	for element, want := range map[string]string{
		"f32":  "y [0.3346354, 85.666664]\n",
		"f64":  "y [0.33463541666667, 85.66666666666667]\n",
		"bf16": "y [0.3359375, 85.5]\n",
		"f16":  "y [0.3347168, 85.6875]\n",
	} {
		if got := mustRead(t, text+"%values y", "-", "--element", element); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q, want at the end %q", element, got, want)
		}
		module := mustRead(t, text, "-", "--reading", "stablehlo", "--element="+element)
		if !strings.Contains(module, "%arg0: tensor<2x"+element+">") {
			t.Errorf("%s: the module is\n%s", element, module)
		}
	}
}

// Magics of a program are answered where they stand.
func TestReadMagics(t *testing.T) {
	const text = `%%tape
w = parameter 2
loss = w * w
%names
%gradient
again = loss
%gradient loss --wrt w
%values
%values w
%why 2
`
	want := `== %names
w     #0 Parameter []
loss  #1 Mul []
== %gradient
   0  Parameter                         []
   1  Mul            0, 0               []
6 nodes appended by differentiate; node 7 is d loss / d w
   2  Leaf                              []
   3  Mul            2, 0               []
   4  Mul            2, 0               []
   5  Leaf                              []
   6  Add            5, 3               []
   7  Add            6, 4               []
tape: 8 nodes, 1 parameter, 0 inputs
== %gradient loss --wrt w
   0  Parameter                         []
   1  Mul            0, 0               []
6 nodes appended by differentiate; node 7 is d loss / d w
   2  Leaf                              []
   3  Mul            2, 0               []
   4  Mul            2, 0               []
   5  Leaf                              []
   6  Add            5, 3               []
   7  Add            6, 4               []
tape: 8 nodes, 1 parameter, 0 inputs
== %values
again 4
d again / d w 4
== %values w
w 2
== %why 2
#2 Leaf [] f32: the seed of the derivative of 1 Mul
`
	if got := mustRead(t, text, "-"); got != want {
		t.Errorf("printed\n%s\nwant\n%s", got, want)
	}
	if got := mustRead(t, text, "-", "--reading", "values"); got != want+"again 4\nd again / d w 4\n" {
		t.Errorf("with --reading printed\n%s", got)
	}
}

// What is refused says one line, prints nothing else and ends with a status.
func TestReadRefusals(t *testing.T) {
	folder := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(folder, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const program = "x = input [1, 2]\nh = tanh(x)\nloss = sum(h)\n"
	good := file("good.tape", program)
	tests := []struct {
		name, stdin string
		code        int
		args        []string
	}{
		{"no file", "", 2, nil},
		{"two files", "", 2, []string{"a", "b"}},
		{"an empty name", "", 2, []string{""}},
		{"an unknown option", "", 2, []string{"-", "--frobnicate"}},
		{"an unknown reading", "", 2, []string{"-", "--reading", "essay"}},
		{"a missing value", "", 2, []string{"-", "--reading"}},
		{"a missing name", "", 2, []string{"-", "--observe", "--json"}},
		{"an unknown element", "", 2, []string{"-", "--element", "f8"}},
		{"no name", "", 2, []string{"-", "--wrt", "1,2"}},
		{"a missing file", "", 1, []string{filepath.Join(folder, "none.tape")}},
		{"a folder", "", 1, []string{folder}},
		{"an empty program", "", 1, []string{"-"}},
		{"a binary file", "\x7fELF\x02\x01\x00\xff", 1, []string{"-"}},
		{"an unknown name", "x = input 1\ny = x + nobody", 1, []string{"-"}},
		{"a mismatch in a file", "", 1, []string{file("bad.tape", "a = input [3, 2]\nb = input [4, 5]\nc = tanh(a @ b)\n")}},
		{"a target not rank 0", "", 1, []string{good, "--target", "h"}},
		{"an unknown target", "", 1, []string{good, "--target", "lose", "--reading", "values"}},
		{"an unknown observed name", "", 1, []string{good, "--observe", "nobody"}},
		{"nothing to differentiate", "x = input [2]", 1, []string{"-", "--reading", "gradient"}},
		{"a magic of a session", "x = input 1\n%tape new", 1, []string{"-"}},
		{"training", "w = parameter 1\n%train w", 1, []string{"-"}},
		{"a magic that fails", "x = input 1\n%values nobody", 1, []string{"-"}},
		{"an unknown magic", "x = input 1\n%nosuch", 1, []string{"-"}},
		{"magics and JSON", "x = input 1\n%spec", 1, []string{"-", "--json"}},
		{"10,000 brackets", "x = input " + strings.Repeat("[", 10_000), 1, []string{"-"}},
	}
	var b strings.Builder
	for _, test := range tests {
		code, out, complaint := read(test.stdin, test.args...)
		if code != test.code || out != "" || strings.Count(complaint, "\n") != 1 || len(complaint) > 300 {
			t.Errorf("%s: exit %d, printed %q, said %q", test.name, code, out, complaint)
		}
		fmt.Fprintf(&b, "== %s\n%s", test.name, strings.ReplaceAll(complaint, folder, "FOLDER"))
	}
	compareGolden(t, "testdata/read/refusals.golden", b.String())
}

func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestReadHelp(t *testing.T) {
	if got := mustRead(t, "", "--help"); got != readUsage {
		t.Errorf("printed\n%s", got)
	}
}
