package render

import (
	"encoding/json"
	"fmt"
	"go/parser"
	"go/token"
	"html"
	"path/filepath"
	"reflect"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/topos-notebook/topos/topos"
)

func ExampleBundle() {
	reading := &topos.Reading{
		Kind:   topos.SpecReading,
		Text:   "   0  Input                             []\n   1  Neg            0                  []\ntape: 2 nodes, 0 parameters, 1 input\n",
		Rows:   []topos.Row{{Index: 0, Opcode: "Input"}, {Index: 1, Opcode: "Neg", Operands: []int{0}}},
		Nodes:  2,
		Counts: topos.Counts{Inputs: 1},
	}
	bundle, err := Bundle(reading, Options{})
	if err != nil {
		panic(err)
	}
	fmt.Print(bundle[PlainType])
	fmt.Println(strings.Contains(bundle[HTMLType].(string), `href="#`+Anchor(reading)+`-n0"`))
	// Output:
	//    0  Input                             []
	//    1  Neg            0                  []
	// tape: 2 nodes, 0 parameters, 1 input
	// true
}

func TestRefused(t *testing.T) {
	for _, c := range []struct {
		reading *topos.Reading
		want    string
	}{
		{nil, "render: there is no reading to show"},
		{&topos.Reading{Kind: "dream"}, `render dream: unknown kind of reading "dream"`},
	} {
		if _, err := Bundle(c.reading, Options{}); err == nil || err.Error() != c.want {
			t.Errorf("got %v, want %s", err, c.want)
		}
	}
}

// TestPure: the package imports nothing that could read a file, a clock, a
// network or a random source.
func TestPure(t *testing.T) {
	files, err := filepath.Glob("*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
		if err != nil {
			t.Fatal(err)
		}
		for _, spec := range parsed.Imports {
			switch first, _, _ := strings.Cut(strings.Trim(spec.Path.Value, `"`), "/"); first {
			case "os", "io", "net", "time", "syscall", "runtime", "math":
				if spec.Path.Value != `"math"` {
					t.Errorf("%s imports %s", file, spec.Path.Value)
				}
			}
		}
	}
}

// TestKeys: which MIME types each kind carries.
func TestKeys(t *testing.T) {
	latex := map[string]bool{"spec": true, "gradient": true, "network": true, "plan": true, "backward": true, "fused": true, "values": true, "parameters": true, "tensor": true}
	raw := map[string]bool{"picture": true, "plot": true, "logplot": true}
	for name, r := range readings(t) {
		for _, o := range []Options{{}, {RawSVG: true}} {
			bundle, err := Bundle(r, o)
			if err != nil {
				t.Fatal(err)
			}
			want := map[string]bool{PlainType: true, HTMLType: true, DocumentType: true}
			if latex[name] {
				want[LaTeXType] = true
			}
			if raw[name] && o.RawSVG {
				want[SVGType] = true
			}
			got := map[string]bool{}
			for key := range bundle {
				got[key] = true
			}
			if !reflect.DeepEqual(got, want) {
				t.Errorf("%s raw=%v: %v, want %v", name, o.RawSVG, got, want)
			}
		}
	}
}

// TestCaptions: the first line of each card.
func TestCaptions(t *testing.T) {
	want := map[string]string{
		"spec":       "tape: 6 nodes, 1 parameter, 1 input",
		"gradient":   "gradient: 29 nodes, 23 appended; d #5 / d #0 = #28 [2, 2]",
		"network":    "network: 29 nodes, 1 parameter, 1 input, sealed",
		"plan":       "plan: 25 of 29 evaluated, 3 readable; peak 15 at #28, retain-all 56",
		"backward":   "plan: retain, 6 of 29 evaluated, 1 readable; retain-all 13, release floor 11 at #5",
		"fused":      "plan: 28 of 28 evaluated, 1 readable; peak 42 at #6, retain-all 189",
		"stablehlo":  "stablehlo: 24 operations, 2 arguments, 3 results",
		"values":     "run: exact; 3 values of f32; all finite",
		"picture":    "graph: 29 nodes, 10 layers drawn",
		"node":       "#3 Tanh [1, 2] hidden f32; min 0.5005202 max 0.7615942; 0 non-finite",
		"adjoints":   "d #5 / d #0 = #28 [2, 2]",
		"entry":      "entry loss: 3 readable: #5, #28, #3",
		"field":      "gradients: 2 payloads, largest norm 2.1986253 at #28; all finite",
		"parameters": "parameters: 1 tensor, 4 numbers; all finite",
		"tensor":     "tensor: [2, 2] f32; min -0.25 max 0.5; 0 non-finite",
		"plot":       "forty steps: 40 values, from 0.83054614 to 0.0000000000000017763568",
		"logplot":    "forty steps: 40 values, from 0.83054614 to 0.0000000000000017763568",
		"text":       "",
	}
	for name, r := range readings(t) {
		c, err := newView(r, Options{}, ample).card()
		if err != nil {
			t.Fatal(err)
		}
		if got := c.plainCaption(); got != want[name] {
			t.Errorf("%s: %q, want %q", name, got, want[name])
		}
	}
}

// TestSameBytes: a reading has one bundle, also when many are made at once, and
// making it leaves the reading alone.
func TestSameBytes(t *testing.T) {
	before, after := readings(t), readings(t)
	var group sync.WaitGroup
	for name, r := range after {
		first, err := Bundle(r, Options{RawSVG: true})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			group.Go(func() {
				if again, err := Bundle(r, Options{RawSVG: true}); err != nil || !reflect.DeepEqual(first, again) {
					t.Errorf("%s: another bundle the second time (%v)", name, err)
				}
			})
		}
	}
	group.Wait()
	if !reflect.DeepEqual(before, after) {
		t.Error("rendering changed a reading")
	}
}

var tag = regexp.MustCompile(`<[^>]*>`)

// TestModuleCopies: the text of a module's card, as a reader would copy it, is
// the module, with and without colours.
func TestModuleCopies(t *testing.T) {
	module := plates(t).StableHLO
	for _, text := range []string{module, strings.Repeat(module, 30), "module {\r\n\t// \"a < b\" & 'c'\n}\n", ""} {
		page := show(t, &topos.Reading{Kind: topos.ModuleReading, Text: text}, Options{}, HTMLType)
		_, body, _ := strings.Cut(page, "<pre")
		_, body, _ = strings.Cut(body, ">")
		body, _, _ = strings.Cut(body, "</pre>")
		if got := html.UnescapeString(tag.ReplaceAllString(body, "")); got != text {
			t.Errorf("the card holds other text:\n%.300q\nwant\n%.300q", got, text)
		}
	}
}

// TestModuleLinks: a result's name leads to its node, a use to the line that
// made it, and both say what the node is.
func TestModuleLinks(t *testing.T) {
	r := readings(t)["stablehlo"]
	page, a := show(t, r, Options{}, HTMLType), Anchor(r)
	for _, want := range []string{
		`<a id="` + a + `-v3" href="#` + a + `-n3" title="3 Tanh [1, 2]">%v3</a>`,
		`<a href="#` + a + `-v3" title="3 Tanh [1, 2]">%v3</a>`,
		`<a id="` + a + `-v5_seed" href="#` + a + `-n5" title="5 Sum []">%v5_seed</a>`,
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the card does not hold %s", want)
		}
	}
}

// TestDocument: the machine-readable form carries the digest of each payload's
// bits, also where the reading is large.
func TestDocument(t *testing.T) {
	r := readings(t)["values"]
	for n := range 2000 {
		if n > 0 {
			r.Payloads = append(r.Payloads, r.Payloads[0])
		}
		if n != 0 && n != 200 && n != 1999 {
			continue
		}
		var got struct {
			Short    bool   `json:"short"`
			Digest   string `json:"digest"`
			Combined string `json:"payloads_digest"`
			Payloads []struct {
				Digest string `json:"digest"`
			} `json:"payloads"`
		}
		if err := json.Unmarshal([]byte(show(t, r, Options{}, DocumentType)), &got); err != nil {
			t.Fatal(err)
		}
		if got.Digest != digest(r.Text) || len(got.Combined) != 64 {
			t.Errorf("digests %q and %q", got.Digest, got.Combined)
		}
		if n == 1999 {
			if !got.Short || got.Payloads != nil {
				t.Error("the document is not cut to digests")
			}
			continue
		}
		if len(got.Payloads) != len(r.Payloads) || got.Payloads[1].Digest != r.Payloads[1].Digest {
			t.Error("the document does not carry each payload's digest")
		}
	}
}

// FuzzBundle: a reading comes from another process; whatever it holds, rendering
// it ends and keeps to the cap.
func FuzzBundle(f *testing.F) {
	for _, r := range readings(f) {
		data, err := json.Marshal(r)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, false)
	}
	f.Add([]byte(`{"kind":"tensor","payloads":[{"shape":[-2,-2],"cells":["1","2","3","4"]}]}`), true)
	f.Add([]byte(`{"kind":"picture","rows":[{"index":3,"operands":[3,9,-1]},{"index":3},{"index":9,"operands":[3]}],"marks":[{"before":-5}]}`), false)
	f.Add([]byte(`{"kind":"plot","plot":{"step":true,"rule":1e308,"values":[-1e308,1e308,5e-324]}}`), false)
	f.Add([]byte(`{"kind":"plot","plot":{"log":true,"values":[5e-324,1e308]}}`), false)
	f.Fuzz(func(t *testing.T, data []byte, static bool) {
		var r topos.Reading
		if json.Unmarshal(data, &r) != nil {
			return
		}
		bundle, err := Bundle(&r, Options{Static: static, RawSVG: true})
		if err != nil {
			return
		}
		if total := size(bundle); total > MaxBundle {
			t.Errorf("%d bytes", total)
		}
		if _, err := json.Marshal(bundle); err != nil {
			t.Error(err)
		}
	})
}

func BenchmarkBundle(b *testing.B) {
	all := readings(b)
	all["spec2000"], all["picture150"], all["picture2000"] = chain(topos.SpecReading, 2000), chain(topos.PictureReading, 150), chain(topos.PictureReading, 2000)
	for _, name := range []string{"spec", "gradient", "plan", "stablehlo", "values", "picture", "spec2000", "picture150", "picture2000"} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Bundle(all[name], Options{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// TestLeast: what is said to be the least is never more than what rows take.
func TestLeast(t *testing.T) {
	for name, r := range readings(t) {
		text, err := json.Marshal(r.Rows)
		if err != nil {
			t.Fatal(err)
		}
		if n := leastOf(r.Rows); n > len(text) || 3*n < len(text) && len(r.Rows) > 0 {
			t.Errorf("%s: %d rows take at least %d bytes, and take %d", name, len(r.Rows), n, len(text))
		}
	}
}
