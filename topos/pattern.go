package topos

import (
	"fmt"
	"slices"
	"strings"
)

// PatternKind names the kinds of [Pattern]. A program's own kinds are further
// names.
type PatternKind string

// The kinds that discovery knows.
const (
	// WindowProduct is a matrix product of gathered windows with a kernel: a
	// convolution as its recording spells it.
	WindowProduct PatternKind = "WindowProduct"
	// ReduceWindow is the maximum over the lanes of gathered windows.
	ReduceWindow PatternKind = "ReduceWindow"
	// BatchNormTraining is the normalisation by the batch's own mean and
	// variance, which are results of it as well.
	BatchNormTraining PatternKind = "BatchNormTraining"
	// BatchNormInference is the normalisation by a mean and a variance that are
	// given.
	BatchNormInference PatternKind = "BatchNormInference"
)

// Pattern is a structural match over the nodes of a plan: members that one
// formula could answer together. It never rewrites a tape. Attributes a kind does
// not have are zero.
type Pattern struct {
	Kind PatternKind
	Root Symbol // the member that holds the answer
	// Nodes are the members in recording order, the root last.
	Nodes []Symbol
	// Operands are what the members read from outside. WindowProduct: image,
	// kernel matrix. ReduceWindow: image. Batch norms: batch, scale, shift, then
	// mean and variance where they are given, then epsilon.
	Operands []Symbol
	// Results are members besides the root that may be read from outside, by nodes
	// after the root. BatchNormTraining: mean, variance.
	Results []Symbol

	Windows []Window // WindowProduct, ReduceWindow: by ascending axis of the image
	Rows    []int    // WindowProduct: the image's axes that make up the rows, in order
	Columns []int    // WindowProduct: the image's axes that are summed over, in order
	Feature int      // batch norms: the axis that keeps its own statistics
	Epsilon float64  // batch norms: what is added to the variance
}

// Window is what happens along one axis of an image: Low and High zeros around
// it, then windows of Size positions that lie Dilation apart, Step from one
// window to the next.
type Window struct {
	Axis, Size, Step, Dilation, Low, High int
}

// Interiors are the members that a formula for the pattern would never make:
// all but the root and the results.
func (p Pattern) Interiors() []Symbol {
	var r []Symbol
	for _, n := range p.Nodes {
		if n != p.Root && !slices.Contains(p.Results, n) {
			r = append(r, n)
		}
	}
	return r
}

// has says whether a node is a member.
func (p Pattern) has(i int) bool {
	_, ok := slices.BinarySearchFunc(p.Nodes, i, func(n Symbol, i int) int { return n.Index() - i })
	return ok
}

// Attributes prints the attributes as describe prints an opcode's:
// "axis=2 size=3 step=1 dilation=1 low=1 high=1, axis=3 ...", or
// "feature=1 epsilon=0.001".
func (p Pattern) Attributes() string {
	var parts []string
	for _, w := range p.Windows {
		parts = append(parts, fmt.Sprintf("axis=%d size=%d step=%d dilation=%d low=%d high=%d", w.Axis, w.Size, w.Step, w.Dilation, w.Low, w.High))
	}
	if p.Kind == BatchNormTraining || p.Kind == BatchNormInference {
		parts = append(parts, fmt.Sprintf("feature=%d epsilon=%s", p.Feature, shortest(p.Epsilon)))
	}
	return strings.Join(parts, ", ")
}

// String is one line: "WindowProduct #9: 3, 4, 5, 6, 9".
func (p Pattern) String() string {
	at := make([]int, len(p.Nodes))
	for i, n := range p.Nodes {
		at[i] = n.Index()
	}
	return fmt.Sprintf("%s %v: %s", p.Kind, p.Root, numbers(at))
}

// Elect chooses among candidates: the first come, as long as none of its members
// is claimed by an earlier one.
func Elect(candidates ...Pattern) []Pattern {
	var elected []Pattern
	claimed := map[Symbol]bool{}
	for _, p := range candidates {
		if slices.ContainsFunc(p.Nodes, func(n Symbol) bool { return claimed[n] }) {
			continue
		}
		for _, n := range p.Nodes {
			claimed[n] = true
		}
		elected = append(elected, p)
	}
	return elected
}
