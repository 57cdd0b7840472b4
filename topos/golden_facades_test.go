package topos_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
	"github.com/topos-notebook/topos/topos/initial"
	"github.com/topos-notebook/topos/topos/nn"
	"github.com/topos-notebook/topos/topos/optim"
)

// refusalCase is a misuse and whether it is refused.
type refusalCase struct {
	Area     string `json:"area"`
	Name     string `json:"name"`
	Trigger  string `json:"trigger"`
	Refused  bool   `json:"refused"`
	Accepted bool   `json:"accepted"`
}

// facadeAreas are the areas of the rows that run here; TestGoldenRefusals runs
// the others.
var facadeAreas = map[string]func(t *testing.T, c refusalCase){
	"facade": misuseFacade, "checkpoint": misuseCheckpoint,
}

// TestGoldenFacades runs the rows of the facades and of checkpoints.
func TestGoldenFacades(t *testing.T) {
	data := goldenFile[struct {
		About string              `json:"about"`
		Cases []json.RawMessage   `json:"cases"`
		Paths map[string][]string `json:"checkpoint_paths"`
	}](t, "refusals.json")
	s := goldenSuite{T: t, name: "facades"}
	for _, raw := range data.Cases {
		var area struct{ Area, Name string }
		if json.Unmarshal(raw, &area) != nil {
			continue
		}
		if misuse, ok := facadeAreas[area.Area]; ok {
			s.row(area.Area+"/"+area.Name, func(t *testing.T) { misuse(t, understood[refusalCase](t, raw)) })
		}
	}
	for _, module := range slices.Sorted(maps.Keys(data.Paths)) {
		s.row("checkpoint_paths/"+module, func(t *testing.T) { checkPaths(t, module, data.Paths[module]) })
	}
	s.ended()
}

// roles are the shapes that a row gives, by what they are shapes of.
type roles map[string]Shape

var (
	roleText   = regexp.MustCompile(`(\w+) (\[[\d, ]*\])`)
	shapesText = regexp.MustCompile(`\[[\d, ]*\]`)
	drawText   = regexp.MustCompile(`^init::(\w+) on (\[[\d, ]*\])$`)
	scaledText = regexp.MustCompile(`^init::(\w+)\((\d+), ([\d.]+)\)$`)
)

// shape is the shape of a role, or another where the row does not give it.
func (r roles) shape(role string, other ...int) Shape {
	if s, ok := r[role]; ok {
		return s
	}
	return other
}

// facadeMisuses make what a row's first word names of the row's shapes, after
// recording what it is made of by source.
var facadeMisuses = map[string]struct {
	roles []string
	make  func(r roles, source func(Shape) Trace) (use func())
}{
	"conv2d": {[]string{"input", "weights", "bias", "attributes"}, func(r roles, source func(Shape) Trace) func() {
		x, w, b, n := source(r["input"]), source(r["weights"]), source(r["bias"]), r["attributes"]
		return func() { nn.Convolve2d(x, w, b, n[0], n[1]) }
	}},
	"Linear": {[]string{"weights", "bias", "input"}, func(r roles, source func(Shape) Trace) func() {
		weights := r.shape("weights", 2, 3)
		w, b, x := source(weights), source(r.shape("bias", weights[len(weights)-1])), source(r.shape("input", 4, weights[0]))
		return func() { nn.NewLinear(w, b).Express(x) }
	}},
	"Mlp": {[]string{"sizes"}, func(r roles, source func(Shape) Trace) func() {
		return func() { nn.NewMlp(draw(source), nn.Tanh, r["sizes"]...) }
	}},
	"Conv2d": {[]string{"weights", "bias", "input"}, func(r roles, source func(Shape) Trace) func() {
		weights := r.shape("weights", 2, 1, 3, 3)
		w, b, x := source(weights), source(r.shape("bias", weights[0])), source(r.shape("input", 1, 1, 4, 4))
		return func() { nn.NewConv2d(w, b, 1, 0).Express(x) }
	}},
	"BatchNorm": {[]string{"scale", "shift", "epsilon", "input", "mean", "variance"}, normMisuse(func(scale, shift, epsilon Trace) nn.Module { return nn.NewBatchNorm(scale, shift, epsilon) })},
	"LayerNorm": {[]string{"scale", "shift", "epsilon", "input"}, normMisuse(func(scale, shift, epsilon Trace) nn.Module { return nn.NewLayerNorm(scale, shift, epsilon) })},
	"RmsNorm":   {[]string{"scale", "epsilon", "input"}, normMisuse(func(scale, _, epsilon Trace) nn.Module { return nn.NewRmsNorm(scale, epsilon) })},
	"Embedding": {[]string{"table", "selection"}, func(r roles, source func(Shape) Trace) func() {
		table := r.shape("table", 5, 3)
		w, x := source(table), source(r.shape("selection", 4, table[0]))
		return func() { nn.NewEmbedding(w).Express(x) }
	}},
	"Dropout": {[]string{"mask", "input"}, func(r roles, source func(Shape) Trace) func() {
		mask, x := source(r.shape("mask", 2, 3)), source(r.shape("input", 2, 3))
		return func() { nn.NewDropout(mask).Express(x) }
	}},
	"Adam": {[]string{"beta1", "beta2", "epsilon"}, func(r roles, _ func(Shape) Trace) func() {
		return func() { optim.NewAdam(half32(r["beta1"]), half32(r["beta2"]), half32(r["epsilon"])) }
	}},
	"AdamW": {[]string{"beta1", "beta2", "epsilon", "decay"}, func(r roles, _ func(Shape) Trace) func() {
		return func() {
			optim.NewAdamW(half32(r["beta1"]), half32(r["beta2"]), half32(r["epsilon"]), half32(r["decay"]))
		}
	}},
}

// half32 is a tensor of halves.
func half32(shape Shape) *Tensor[float32] { return F32.Tensor(shape, 0.5) }

// draw records each source of a module.
func draw(source func(Shape) Trace) nn.Drawing {
	return func(shapes ...Shape) (values []Trace) {
		for _, shape := range shapes {
			values = append(values, source(shape))
		}
		return values
	}
}

// normMisuse makes a norm and records it, by given statistics if the row has some.
func normMisuse(norm func(scale, shift, epsilon Trace) nn.Module) func(r roles, source func(Shape) Trace) func() {
	return func(r roles, source func(Shape) Trace) func() {
		features := 2
		if input, ok := r["input"]; ok {
			features = input[len(input)-1]
		} else if shift, ok := r["shift"]; ok && r["scale"] == nil {
			features = shift[0] + 1
		}
		own := r.shape("scale", features)
		scale, shift, epsilon := source(own), source(r.shape("shift", own...)), source(r.shape("epsilon"))
		x := source(r.shape("input", 4, features))
		if r["mean"] == nil && r["variance"] == nil {
			return func() { norm(scale, shift, epsilon).Express(x) }
		}
		mean, variance := source(r.shape("mean", own...)), source(r.shape("variance", own...))
		return func() { norm(scale, shift, epsilon).(*nn.BatchNorm).Inference(x, mean, variance) }
	}
}

func misuseFacade(t *testing.T, c refusalCase) {
	if m := drawText.FindStringSubmatch(c.Trigger); m != nil {
		misuseDraw(t, c, m[1], "0.5", list(m[2]), m[2])
		return
	}
	if m := scaledText.FindStringSubmatch(c.Trigger); m != nil {
		misuseDraw(t, c, m[1], m[3], Shape{2, 2}, m[3])
		return
	}
	r, texts := rowRoles(t, c)
	subject, _, _ := strings.Cut(strings.ReplaceAll(c.Name, "/", " "), " ")
	made, ok := facadeMisuses[subject]
	if !ok {
		t.Fatalf("the suite does not know %q", subject)
	}
	for role := range r {
		if !slices.Contains(made.roles, role) {
			t.Fatalf("the suite does not know the %s of %s", role, subject)
		}
	}
	tape := New(F32)
	use := made.make(r, func(shape Shape) Trace { return tape.Parameter(shape, 1) })
	unharmed(t, tape, c, use, texts)
}

// rowRoles reads the shapes of a row: after the name for conv2d, whose trigger
// says what they are of, else in the trigger.
func rowRoles(t *testing.T, c refusalCase) (roles, []string) {
	t.Helper()
	r := roles{}
	if strings.HasPrefix(c.Name, "conv2d/") {
		texts := shapesText.FindAllString(c.Name, -1)
		if c.Trigger != "conv2d input, weights, bias, [stride, padding]" || len(texts) != 4 {
			t.Fatalf("the suite does not understand %q of %q", c.Name, c.Trigger)
		}
		for i, role := range []string{"input", "weights", "bias", "attributes"} {
			r[role] = list(texts[i])
		}
		return r, texts[:3]
	}
	var texts []string
	for _, m := range roleText.FindAllStringSubmatch(c.Trigger, -1) {
		r[m[1]] = list(m[2])
		texts = append(texts, m[2])
	}
	if len(r) == 0 {
		t.Fatalf("the suite finds no shape in %q", c.Trigger)
	}
	return r, texts
}

// unharmed holds a use to the row: refused with a line that names the shapes, or
// accepted. The tape goes on either way.
func unharmed(t *testing.T, tape *Tape[float32], c refusalCase, use func(), texts []string) {
	t.Helper()
	before := tape.Describe()
	refusal := Refused(use)
	if (refusal != nil) != c.Refused {
		t.Fatalf("refused by %v, but the row says %v", refusal, c.Refused)
	}
	if refusal != nil {
		for _, text := range texts {
			if !strings.Contains(refusal.Error(), text) || strings.Contains(refusal.Error(), "\n") {
				t.Errorf("%q does not name %s in one line", refusal, text)
			}
		}
		same(t, "tape after the refusal", tape.Describe(), before)
	}
	p := tape.Parameter(nil, 2)
	tape.Differentiate(p.Mul(p), p)
	tape.Seal()
}

func misuseDraw(t *testing.T, c refusalCase, scheme, argument string, shape Shape, text string) {
	x, err := strconv.ParseFloat(argument, 64)
	if err != nil {
		t.Fatal(err)
	}
	schemes := map[string]func() func(Shape) *Tensor[float32]{
		"uniform": func() func(Shape) *Tensor[float32] { return initial.Uniform(F32, 1, x) },
		"normal":  func() func(Shape) *Tensor[float32] { return initial.Normal(F32, 1, x) },
		"xavier":  func() func(Shape) *Tensor[float32] { return initial.Xavier(F32, 1) },
		"kaiming": func() func(Shape) *Tensor[float32] { return initial.Kaiming(F32, 1) },
		"scaled":  func() func(Shape) *Tensor[float32] { return initial.Scaled(F32, 1, x) },
		"dropout": func() func(Shape) *Tensor[float32] { return initial.Dropout(F32, 1, x) },
	}
	of, ok := schemes[scheme]
	if !ok {
		t.Fatalf("the suite does not know the scheme %s", scheme)
	}
	tape := New(F32)
	unharmed(t, tape, c, func() { tape.ParameterOf(of()(shape)) }, []string{text})
}

// checkPaths compares the paths of a module with a row's: beside each the shape
// of the parameter, or its node.
func checkPaths(t *testing.T, name string, want []string) {
	tape := New(F32)
	source := func(shape Shape) Trace { return tape.Parameter(shape, 1) }
	var module nn.Module
	switch name {
	case "mlp":
		var sizes []int
		for _, path := range want {
			if shape := list(shapesText.FindString(path)); len(shape) == 2 {
				sizes = append(sizes[:max(len(sizes)-1, 0)], shape...)
			}
		}
		module = nn.NewMlp(draw(source), nn.Tanh, sizes...)
	case "sequential":
		first := nn.NewLinear(source(Shape{2, 4}), source(Shape{4}))
		norm := nn.NewLayerNorm(source(Shape{4}), source(Shape{4}), tape.Leaf(nil, 1e-5))
		module = nn.Sequential{first, nn.Tanh, nn.Sequential{norm, nn.NewEmbedding(source(Shape{4, 3}))}}
		if got := module.Over(Shape{5, 2}); !got.Equal(Shape{5, 3}) {
			t.Errorf("the module gives %v", got)
		}
	default:
		t.Fatalf("the suite does not know the module %s", name)
	}
	var got []string
	for path, symbol := range module.Parameters() {
		if strings.HasSuffix(want[0], "]") {
			got = append(got, fmt.Sprint(path, " ", tape.Node(symbol).Shape()))
		} else {
			got = append(got, fmt.Sprint(path, " ", symbol.Index()))
		}
	}
	same(t, "paths", strings.Join(got, "\n"), strings.Join(want, "\n"))
}
