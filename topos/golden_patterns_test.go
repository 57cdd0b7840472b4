package topos_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	. "github.com/topos-notebook/topos/topos"
)

// goldenPattern is a match as the golden data lists it.
type goldenPattern struct {
	Kind  string
	Root  int
	Nodes []int
}

func (p goldenPattern) String() string {
	return fmt.Sprintf("%s #%d: %s", p.Kind, p.Root, strings.Trim(Shape(p.Nodes).String(), "[]"))
}

func joined(patterns []goldenPattern) string { return lines(patterns) }

func listed(patterns []Pattern) string { return lines(patterns) }

func lines[P fmt.Stringer](patterns []P) string {
	var b strings.Builder
	for _, p := range patterns {
		fmt.Fprintln(&b, p)
	}
	return b.String()
}

var raises = regexp.MustCompile(`stablehlo\.(convolution|reduce_window|batch_norm_\w+)`)

// spelled checks the text of an entry under Exact, where the golden text raises
// and ours does not: every computed node has its own line.
func spelled(t *testing.T, text string, s Schedule) {
	t.Helper()
	if at := raises.FindString(text); at != "" {
		t.Errorf("exact text raises %s", at)
	}
	for _, n := range s.Nodes() {
		if k := n.Opcode().Kind; k == OpParameter || k == OpInput {
			continue
		}
		if line := fmt.Sprintf("    %%v%d = ", n.Symbol().Index()); !strings.Contains(text, line) {
			t.Errorf("exact text has no line %q", line)
		}
	}
}
