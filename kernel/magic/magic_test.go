package magic

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/topos-notebook/topos/kernel/gonb"
	"github.com/topos-notebook/topos/kernel/readings"
	"github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/language"
)

var update = flag.Bool("update", false, "write the golden files")

func golden(t *testing.T, path, got string) {
	t.Helper()
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

func TestParse(t *testing.T) {
	type request = readings.Request
	tests := []struct {
		line string
		want Magic
	}{
		{"%spec", Magic{Name: "spec", Request: request{Kind: topos.SpecReading}}},
		{"  %spec\t# the whole tape", Magic{Name: "spec", Request: request{Kind: topos.SpecReading}}},
		{"//gonb:%spec", Magic{Name: "spec", Request: request{Kind: topos.SpecReading}}},
		{"%gradient", Magic{Name: "gradient", Request: request{Kind: topos.GradientReading}}},
		{"%gradient loss", Magic{Name: "gradient", Request: request{Kind: topos.GradientReading, Target: "loss"}}},
		{"%gradient --wrt w,b loss", Magic{Name: "gradient", Request: request{Kind: topos.GradientReading, Target: "loss", Wrt: []string{"w", "b"}}}},
		{"%gradient loss --wrt=w --wrt b", Magic{Name: "gradient", Request: request{Kind: topos.GradientReading, Target: "loss", Wrt: []string{"w", "b"}}}},
		{"%gradient --target loss", Magic{Name: "gradient", Request: request{Kind: topos.GradientReading, Target: "loss"}}},
		{"%plan", Magic{Name: "plan", Request: request{Kind: topos.ScheduleReading}}},
		{"%plan h, k --observe x --exact", Magic{Name: "plan", Request: request{Kind: topos.ScheduleReading, Roots: []string{"h", "k"}, Observe: []string{"x"}, Exact: true}}},
		{"%plan h k , l", Magic{Name: "plan", Request: request{Kind: topos.ScheduleReading, Roots: []string{"h", "k", "l"}}}},
		{"%stablehlo --exact --target=loss --wrt w, b", Magic{Name: "stablehlo", Request: request{Kind: topos.ModuleReading, Target: "loss", Wrt: []string{"w", "b"}, Exact: true}}},
		{"%stablehlo h --primitive", Magic{Name: "stablehlo", Request: request{Kind: topos.ModuleReading, Roots: []string{"h"}, Primitive: true}}},
		{"%values h,k", Magic{Name: "values", Request: request{Kind: topos.ValuesReading, Roots: []string{"h", "k"}}}},
		{"%values --observe größe", Magic{Name: "values", Request: request{Kind: topos.ValuesReading, Observe: []string{"größe"}}}},
		{"%picture\r", Magic{Name: "picture", Request: request{Kind: topos.PictureReading}}},
		{"%read loss --observe hidden", Magic{Name: "read", Request: request{Target: "loss", Observe: []string{"hidden"}}}},
		{"%names", Magic{Name: "names"}},
		{"%help", Magic{Name: "help"}},
		{"%why 17", Magic{Name: "why", Node: "17"}},
		{"%why #17 # a comment", Magic{Name: "why", Node: "#17"}},
		{"%why loss", Magic{Name: "why", Node: "loss"}},
		{"%train", Magic{Name: "train", Request: request{Kind: topos.GradientReading}, Train: Train{40, "0.05", "sgd"}}},
		{"%train loss --steps 7 --rate=-1e-3 --optimizer adamw --wrt w, b", Magic{Name: "train", Request: request{Kind: topos.GradientReading, Target: "loss", Wrt: []string{"w", "b"}}, Train: Train{7, "-1e-3", "adamw"}}},
		{"%train --optimizer=adam --exact loss", Magic{Name: "train", Request: request{Kind: topos.GradientReading, Target: "loss", Exact: true}, Train: Train{40, "0.05", "adam"}}},
		{"%tape", Magic{Name: "tape", Tape: Tape{Status: true}}},
		{"%rerecord", Magic{Name: "rerecord"}},
		{"%verify", Magic{Name: "verify"}},
		{"%rerecord my notebook.ipynb # in order", Magic{Name: "rerecord", File: "my notebook.ipynb"}},
		{`%rerecord "my notebook.ipynb" # in order`, Magic{Name: "rerecord", File: "my notebook.ipynb"}},
		{`%checkpoint save "a # b"`, Magic{Name: "checkpoint", Checkpoint: Checkpoint{Save: true, File: "a # b"}}},
		{"%checkpoint load 'say \"w\"'", Magic{Name: "checkpoint", Checkpoint: Checkpoint{File: `say "w"`}}},
		{"%checkpoint load it's", Magic{Name: "checkpoint", Checkpoint: Checkpoint{File: "it's"}}},
		{`%session save "out" `, Magic{Name: "session", Session: Session{"save", "out"}}},
		{"%tape new", Magic{Name: "tape", Tape: Tape{New: true}}},
		{"%tape new f64", Magic{Name: "tape", Tape: Tape{New: true, Element: "f64"}}},
		{"%tape new bf16", Magic{Name: "tape", Tape: Tape{New: true, Element: "bf16"}}},
		{"%tape new f16", Magic{Name: "tape", Tape: Tape{New: true, Element: "f16"}}},
		{"%tape reset", Magic{Name: "tape"}},
		{"%tape reset w, b", Magic{Name: "tape", Tape: Tape{Names: []string{"w", "b"}}}},
		{"%static", Magic{Name: "static", Static: true}},
		{"%static on", Magic{Name: "static", Static: true}},
		{"%static off", Magic{Name: "static"}},
	}
	for _, test := range tests {
		got, err := Parse(7, test.line)
		test.want.Line, test.want.Source = 7, test.line
		if err != nil || !reflect.DeepEqual(got, test.want) {
			t.Errorf("%s: %v\ngot  %+v\nwant %+v", test.line, err, got, test.want)
		}
	}
}

func show(err error) string {
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

func TestRefusedMagics(t *testing.T) {
	var b strings.Builder
	for _, line := range []string{
		"spec", "%", "%nosuch", "%Spec", "%gradeint loss", "%env A b", "%spec loss", "%spec --exact", "%picture --observe h",
		"%gradient a b", "%gradient a --target b", "%gradient a,b", "%gradient --observe h", "%gradient --wrt", "%gradient --wrt --target x",
		"%gradient 3", "%plan --frobnicate", "%plan --observe h,,k", "%plan --exact=yes", "%plan --primitive", "%stablehlo --primitive=yes", "%plan h --target loss", "%plan h --wrt w", "%plan -x",
		"%plan --target a,b", "%plan --target a --target b", "%values 1+1", "%read a b", "%names all", "%why", "%why 3 4", "%tape new f8",
		"%tape new f32 f64", "%tape old", "%tape reset 3", "%static maybe", "%static on off", "%help me", "\t%why  3\tand more",
		"%train a b", "%train --steps", "%train --steps 0", "%train --steps=1e3", "%train --steps 10000001", "%train --rate=", "%train --rate inf", "%train --rate 0x1p-2",
		"%train --rate 1 --rate 2", "%train --optimizer lion", "%train --observe h", "%train --wrt 3", "%train -x",
		`%checkpoint save "open`, `%checkpoint save ""`, `%session open "a" b `, "%rerecord 'a'b",
		"%" + strings.Repeat("long", 100), "%values " + strings.Repeat("9", 400),
	} {
		m, err := Parse(3, line)
		if err == nil {
			t.Errorf("%s was accepted: %+v", line, m)
			continue
		}
		b.WriteString("== " + short(line) + "\n" + show(err))
	}
	golden(t, "testdata/refused.golden", b.String())
}

func TestHelp(t *testing.T) {
	golden(t, "testdata/help.golden", Help())
	for _, d := range Table() {
		if !strings.HasPrefix(d.Usage, "%"+d.Name) || d.Doc == "" {
			t.Errorf("%s is shown as %q, %q", d.Name, d.Usage, d.Doc)
		}
		if d.Name != "help" && slices.Contains(gonb.LineMagics, d.Name) {
			t.Errorf("%s is one of GoNB's magics", d.Name)
		}
	}
}

// The lists of GoNB's magics in the help and in the package that runs GoNB agree.
func TestHelpIsComplete(t *testing.T) {
	names := func(list []foreignMagic) []string {
		var names []string
		for _, m := range list {
			names = append(names, m.name)
		}
		return slices.Sorted(slices.Values(names))
	}
	ours := slices.DeleteFunc(slices.Sorted(slices.Values(slices.Concat(gonb.LineMagics, gonb.AddedMagics))), func(n string) bool { return n == "help" })
	if got := names(foreign); !slices.Equal(got, ours) {
		t.Errorf("line magics: help has %v, want %v", got, ours)
	}
	if got, want := names(cellMagics), slices.Sorted(slices.Values(gonb.CellMagics)); !slices.Equal(got, want) {
		t.Errorf("cell magics: help has %v, want %v", got, want)
	}
}

// TestMeant: the only magic that begins with a name is meant, whatever is fewer edits
// away; of several none is.
func TestMeant(t *testing.T) {
	for name, want := range map[string]string{
		"grad": "gradient", "helpp": "help", "gradeint": "gradient", "tra": "", "g": "", "s": "", "nosuch": "", "chec": "checkpoint",
		"%tap": "%tape", "%write": "%writefile", "%tapee": "%tape", "%s": "", "%nosuch": "", "with": "", "with_i": "with_inputs", "": "",
	} {
		if got := Meant(name); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
	_, err := Parse(3, "%grad loss")
	if e, ok := err.(*language.Error); !ok || e.Message != "unknown magic %grad: did you mean %gradient? (%help lists what there is)" {
		t.Errorf("%v", err)
	}
}
