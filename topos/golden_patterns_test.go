package topos_test

import (
	"fmt"
	"regexp"
	"strconv"
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
// and ours does not: every computed node has lines of its own, and those of the
// nodes that no pattern holds are the golden ones.
func spelled(t *testing.T, entry graphEntry, text string, s Schedule) {
	t.Helper()
	if at := raises.FindString(text); at != "" {
		t.Errorf("%s: exact text raises %s", entry.Name, at)
	}
	matched := map[int]bool{}
	for _, p := range entry.Offers {
		for _, i := range p.Nodes {
			matched[i] = true
		}
	}
	ours, golden := linesByNode(text), linesByNode(entry.StableHLO)
	for _, n := range s.Nodes() {
		k, i := n.Opcode().Kind, n.Symbol().Index()
		switch {
		case k == OpParameter || k == OpInput:
		case ours[i] == "":
			t.Errorf("%s: exact text has no line of node %d", entry.Name, i)
		case !matched[i]:
			same(t, fmt.Sprintf("%s: exact text of node %d", entry.Name, i), ours[i], golden[i])
		}
	}
	same(t, entry.Name+" signature", ours[-1], golden[-1])
}

// definedNode begins the lines of a node: its name, a helper's, or its results'.
var definedNode = regexp.MustCompile(`^    %v(\d+)(_\w+)?(:\d+)? = `)

// linesByNode takes a module apart; -1 holds the lines of no node. A raised
// batch norm's first result reads as the node itself.
func linesByNode(text string) map[int]string {
	r := map[int]string{}
	at := -1
	for line := range strings.Lines(text) {
		if m := definedNode.FindStringSubmatch(line); m != nil {
			at = Must(strconv.Atoi(m[1]))
		} else if !strings.HasPrefix(line, "     ") && !strings.HasPrefix(line, "    ^") && !strings.HasPrefix(line, "    }") {
			at = -1
		}
		r[at] += strings.ReplaceAll(line, "#0", "")
	}
	return r
}
