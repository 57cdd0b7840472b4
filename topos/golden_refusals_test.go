package topos_test

import (
	"encoding/json"
	"errors"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// TestGoldenRefusals runs the rows of the core: each area reads its triggers by
// patterns, so that other shapes, operations and kinds are understood too. The
// rows of facades and checkpoints are TestGoldenFacades's.
func TestGoldenRefusals(t *testing.T) {
	data := goldenFile[struct {
		About string              `json:"about"`
		Cases []json.RawMessage   `json:"cases"`
		Paths map[string][]string `json:"checkpoint_paths"`
	}](t, "refusals.json")
	s := goldenSuite{T: t, name: "refusals"}
	for _, raw := range data.Cases {
		var id struct{ Area, Name string }
		_ = json.Unmarshal(raw, &id) // a row that is not an object fails below
		if _, elsewhere := facadeAreas[id.Area]; elsewhere {
			continue
		}
		s.row(id.Area+"/"+id.Name, func(t *testing.T) {
			c := understood[refusalCase](t, raw)
			if c.Accepted == c.Refused {
				c.Accepted = !c.Refused // the data leaves it out of rows that are refused
			}
			misuse(t, c)
		})
	}
	s.ended()
}

// ground is what a row's misuse is made on: a tape, and its network where the
// misuse is of a sealed one.
type ground struct {
	*testing.T
	tape  *Tape[float32]
	net   *Network[float32]
	table *Parameters[float32] // what it is of, where that is a table
	names []string             // texts that a refusal must hold
	err   error                // the reason that it must have, or nil for ErrShape
}

// pattern reads a trigger and answers what the row does. What a row needs is
// made before; only the use may be refused.
type pattern struct {
	text *regexp.Regexp
	make func(g *ground, m []string) (use func() error)
}

func reads(text string, make func(g *ground, m []string) func() error) pattern {
	return pattern{regexp.MustCompile(`^` + strings.ReplaceAll(text, "SHAPE", `(\[[\w:, ]*\])`) + `$`), make}
}

// panics is a use that answers nothing but by its panic.
func panics(f func()) func() error { return func() error { f(); return nil } }

var misuses = map[string][]pattern{
	"record": recordMisuses, "tensor": tensorMisuses, "symbol": symbolMisuses, "differentiate": derivativeMisuses,
	"run": runMisuses, "parameters": parameterMisuses, "opcode": opcodeMisuses,
}

func misuse(t *testing.T, c refusalCase) {
	patterns, ok := misuses[c.Area]
	if !ok {
		t.Fatalf("the suite does not know the area %q", c.Area)
	}
	for _, p := range patterns {
		if m := p.text.FindStringSubmatch(c.Trigger); m != nil {
			g := &ground{T: t, tape: New(F32), err: ErrShape}
			use := p.make(g, m)
			g.answers(c, use)
			return
		}
	}
	t.Fatalf("the suite does not understand the %s row %q", c.Area, c.Trigger)
}

// answers holds a use to its row: refused in one line that names what the row
// does, by a reason a program can test for, or accepted. Tape and network are
// as they were, and go on: recorded on, differentiated and sealed.
func (g *ground) answers(c refusalCase, use func() error) {
	g.Helper()
	before := g.described()
	var err error
	if r := Refused(func() { err = use() }); r != nil {
		err = r
	}
	answers := 0
	if (err != nil) != c.Refused {
		answers = 1
		g.Logf("answers %v, and the row's refused is %v", err, c.Refused)
	}
	differs(g.T, "refusals "+c.Area+"/"+c.Name, answers)
	if err != nil {
		for _, name := range g.names {
			if !strings.Contains(err.Error(), name) {
				g.Errorf("%q does not name %s", err, name)
			}
		}
		if strings.Contains(err.Error(), "\n") || !errors.Is(err, g.err) {
			g.Errorf("%q is not one line of the reason %v", err, g.err)
		}
		same(g.T, "after the refusal", g.described(), before)
	}
	tape := g.tape
	if g.net != nil {
		tape = g.net.Reopen()
	}
	p := tape.Parameter(nil, 2)
	loss := p.Mul(p)
	gradient := tape.Differentiate(loss, p)
	net := tape.Seal()
	run := Must(Must(net.Entry(gradient.Roots()...).Lower()).Forward(net.Parameters()))
	same(g.T, "a gradient recorded afterwards", run.Of(gradient.Of(p)).String(), "4")
}

func (g *ground) described() string {
	text := ""
	if g.table != nil {
		text = g.table.Reading().Text
	}
	if g.net != nil {
		return text + g.net.Describe()
	}
	return text + g.tape.Describe()
}

// shape reads a shape and wants a refusal to name it, as it is printed here.
func (g *ground) shape(text string) Shape {
	s := Shape(list(text))
	g.names = append(g.names, s.String())
	return s
}

var recordMisuses = []pattern{
	// "narrow [0, 2, 3] of [4]", "add of [] and [2]: nothing broadcasts"
	reads(`(\w+)(?: SHAPE)? of (\[.*\])(?:: .*)?`, func(g *ground, m []string) func() error {
		call := opCall{Fn: m[1], Ints: list(m[2])}
		g.names = append(g.names, m[1])
		var values []Trace
		for i, text := range strings.Split(m[3], " and ") {
			values = append(values, g.tape.Parameter(g.shape(text), 1))
			call.Args = append(call.Args, i)
		}
		return panics(func() { perform(g.T, call, values) })
	}),
	// Go has no list to join that is empty: the nearest is a value of no tape.
	reads(`(concat|stack)\(&\[\], (\d+)\)`, func(g *ground, m []string) func() error {
		g.names, g.err = append(g.names, m[1]), ErrForeign
		axis, none := list(m[2])[0], Trace{}
		if m[1] == "stack" {
			return panics(func() { none.Stack(axis) })
		}
		return panics(func() { none.Concat(axis) })
	}),
}

var infixes = map[string]string{"+": "add", "-": "sub", "*": "mul", "/": "div"}

var tensorMisuses = []pattern{
	reads(`Tensor::new\(SHAPE, (no|\d+) elements?\)`, func(g *ground, m []string) func() error {
		shape, n := g.shape(m[1]), 0
		if m[2] != "no" {
			n = list(m[2])[0]
		}
		return panics(func() { F32.Tensor(shape, make([]float32, n)...) })
	}),
	reads(`Tensor::filled\(SHAPE, ([-\d.]+)\)`, func(g *ground, m []string) func() error {
		shape := g.shape(m[1])
		return panics(func() { F32.Tensor(shape, Must(F32.Parse(m[2]))) })
	}),
	reads(`Tensor SHAPE\.scalar\(\)`, func(g *ground, m []string) func() error {
		x := F32.Tensor(g.shape(m[1]), 1)
		return panics(func() { x.Scalar() })
	}),
	reads(`selection\(SHAPE, (\d+)\)`, func(g *ground, m []string) func() error {
		indices, vocabulary := list(m[1]), list(m[2])[0]
		g.names = append(g.names, "selection", Shape{len(indices), vocabulary}.String())
		return panics(func() { F32.Selection(vocabulary, indices...) })
	}),
	reads(`Tensor SHAPE ([-+*/]) Tensor SHAPE`, func(g *ground, m []string) func() error {
		a, b := F32.Tensor(g.shape(m[1]), 1), F32.Tensor(g.shape(m[3]), 1)
		return g.express(infixes[m[2]], nil, a, b)
	}),
	reads(`Tensor SHAPE\.(\w+)\((?:Tensor SHAPE)?([\[\]\d, ]*)\)`, func(g *ground, m []string) func() error {
		x := []*Tensor[float32]{F32.Tensor(g.shape(m[1]), 1)}
		if m[3] != "" {
			x = append(x, F32.Tensor(g.shape(m[3]), 1))
		}
		return g.express(m[2], list(m[4]), x...)
	}),
}

// express computes an operation by its spelling.
func (g *ground) express(spelling string, n []int, x ...*Tensor[float32]) func() error {
	g.names = append(g.names, spelling)
	for _, k := range Kinds() {
		if k.Spelling() != spelling {
			continue
		}
		op := Opcode{}
		if attributes, ok := opcodes[spelling]; ok {
			op = attributes.make(n)
		}
		op.Kind = k
		return panics(func() { Express(op, x...) })
	}
	g.Fatalf("the suite does not know the operation %s", spelling)
	return nil
}

var opcodeMisuses = []pattern{
	reads(`Opcode::(\w+)\.(express|vjp)(?:\(&\[\]\))?`, func(g *ground, m []string) func() error {
		for _, k := range Kinds() {
			if k.String() != m[1] {
				continue
			}
			g.names = append(g.names, m[2], m[1])
			x := F32.Tensor(nil, 1)
			if m[2] == "vjp" {
				return panics(func() { VJP(Opcode{Kind: k}, x, x) })
			}
			return panics(func() { Express[*Tensor[float32]](Opcode{Kind: k}) })
		}
		g.Fatalf("the suite does not know the kind %s", m[1])
		return nil
	}),
}

// list reads whole numbers; one beyond an int is the largest there is.
func list(s string) []int {
	var xs []int
	s = strings.ReplaceAll(s, "usize::MAX", "18446744073709551615")
	for _, f := range strings.FieldsFunc(s, func(r rune) bool { return r < '0' || r > '9' }) {
		x, err := strconv.ParseInt(f, 10, 64)
		if err != nil {
			x = math.MaxInt64
		}
		xs = append(xs, int(x))
	}
	return xs
}
