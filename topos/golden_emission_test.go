package topos_test

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// emissionCase is a short program, its plan and its module. A case without a
// program is made of the sources that its plan prints, all of them results.
type emissionCase struct {
	Name      string         `json:"name"`
	Element   string         `json:"element"`
	Program   *goldenProgram `json:"program"`
	Describe  string         `json:"describe"`
	Plan      string         `json:"plan"`
	StableHLO string         `json:"stablehlo"`
}

func TestGoldenEmission(t *testing.T) {
	rows := goldenFile[goldenDumps](t, "dumps.json").Emission
	goldenRows(t, "emission", rows, func(t *testing.T, e tested, c emissionCase) { e.goldenEmission(t, c) })
}

func (n number[T]) goldenEmission(t *testing.T, c emissionCase) {
	tape, roots := n.emissionProgram(t, c)
	if c.Program != nil {
		same(t, "describe", tape.Describe(), c.Describe)
	}
	plan := Must(tape.View().Entry(roots...).Lower())
	same(t, "plan", plan.Describe(), c.Plan)
	text := Must(plan.StableHLO()).String()
	want := n.keepLiterals(t, tape, text, c.StableHLO)
	lanes := 0
	if want != c.StableHLO {
		lanes = 1
	}
	differs(t, "emission "+c.Name, lanes)
	same(t, "stablehlo", text, want)
}

// emissionProgram records a case and names its results.
func (n number[T]) emissionProgram(t *testing.T, c emissionCase) (*Tape[T], []Named) {
	t.Helper()
	tape := New(n.Element)
	if c.Program == nil {
		return tape, n.printedSources(t, tape, c.Plan)
	}
	n.record(t, tape, *c.Program)
	return tape, []Named{tape.Value(tape.Len() - 1)}
}

// printedLine is a row of a plan: index, name and shape of a source.
var printedLine = regexp.MustCompile(`^ *(\d+)  (\w+) +\[([\d, ]*)\] +kept$`)

// printedSources records the sources that a plan prints, as zeros, since
// payloads are never printed.
func (n number[T]) printedSources(t *testing.T, tape *Tape[T], plan string) (results []Named) {
	t.Helper()
	for line := range strings.Lines(plan) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, "plan: ") {
			return results
		}
		m := printedLine.FindStringSubmatch(line)
		if m == nil {
			t.Fatalf("a case without a program has the plan line %q, which the suite does not understand", line)
		}
		var shape Shape
		for _, x := range strings.FieldsFunc(m[3], func(r rune) bool { return r == ',' || r == ' ' }) {
			shape = append(shape, Must(strconv.Atoi(x)))
		}
		switch m[2] {
		case "Parameter":
			results = append(results, tape.Parameter(shape, n.zero(false)))
		case "Input":
			results = append(results, tape.Input(shape, n.zero(false)))
		default:
			t.Fatalf("a case without a program holds a %s, whose payload nothing tells", m[2])
		}
	}
	t.Fatal("a plan has no last line")
	return nil
}

// keepLiterals is a golden module with the constants of zeros of both signs
// written as they are: the golden text drops their signs.
func (n number[T]) keepLiterals(t *testing.T, tape *Tape[T], text, golden string) string {
	t.Helper()
	for _, x := range tape.Nodes() {
		if x.Opcode().Kind != OpLeaf {
			continue
		}
		var literals []string
		for _, v := range tape.Payload(x.Symbol()).Data() {
			switch v := n.real(v); {
			case v != 0:
				literals = append(literals, "")
			case n.isNegativeZero(v):
				literals = append(literals, "-0.0")
			default:
				literals = append(literals, "0.0")
			}
		}
		if slices.Contains(literals, "") || !slices.Contains(literals, "0.0") || !slices.Contains(literals, "-0.0") {
			continue
		}
		constant := regexp.MustCompile(fmt.Sprintf(`(%%v%d = stablehlo\.constant dense<)([^>]*)(>)`, x.Symbol().Index()))
		ours := constant.FindStringSubmatch(text)
		if ours == nil {
			continue
		}
		written := strings.FieldsFunc(ours[2], func(r rune) bool { return strings.ContainsRune("[], ", r) })
		if !slices.Equal(written, literals) {
			t.Errorf("a payload of %v is written as %s", literals, ours[2])
		}
		golden = constant.ReplaceAllString(golden, "${1}"+ours[2]+"${3}")
	}
	return golden
}
