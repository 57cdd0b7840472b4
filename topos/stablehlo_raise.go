package topos

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Raises: under Fast a pattern is written as the one operation that StableHLO
// has for it. Under Exact nothing raises, since those may add in another order.

// raised is emission's own election, by root, and the members it leaves out.
type raised struct {
	byRoot map[int]Pattern
	hidden []bool // by node
}

// raise elects among what discovery found, whatever the plan's posture: a module
// returns what is readable and retains nothing.
func (e *emitter) raise(candidates []Pattern) {
	e.raised = raised{byRoot: map[int]Pattern{}, hidden: make([]bool, len(e.names))}
	var offered []Pattern
	for _, p := range candidates {
		if p.raises() {
			offered = append(offered, p)
		}
	}
	for _, p := range Elect(offered...) {
		e.raised.byRoot[p.Root.Index()] = p
		for _, n := range p.Nodes {
			e.raised.hidden[n.Index()] = n != p.Root
		}
	}
}

// raises says whether the pattern's attributes fit the operation: a batch norm's
// epsilon is f32 there, whatever the element.
func (p Pattern) raises() bool {
	if p.Kind != BatchNormTraining && p.Kind != BatchNormInference {
		return true
	}
	x := float64(float32(p.Epsilon))
	return !math.IsInf(x, 0) && (x != 0 || p.Epsilon == 0)
}

// group writes an elected pattern at its root.
func (e *emitter) group(p Pattern) {
	name := "%v" + strconv.Itoa(p.Root.Index())
	e.names[p.Root.Index()] = name
	switch p.Kind {
	case WindowProduct:
		e.convolution(name, p)
	case ReduceWindow:
		e.reduceWindow(name, p)
	default:
		e.batchNorm(name, p)
	}
}

// operand is what an operand of a pattern is called, and its shape.
func (e *emitter) operand(p Pattern, k int) (string, Shape) {
	i := p.Operands[k].Index()
	return e.names[i], e.g.shape(i)
}

// convolution takes the image as it lies and the kernel as the matrix reshaped to
// the order in which its rows are summed.
func (e *emitter) convolution(name string, p Pattern) {
	image, from := e.operand(p, 0)
	matrix, second := e.operand(p, 1)
	to := e.g.shape(p.Root.Index())
	channels := to[1]
	spatial := map[int]int{}
	var strides, pads, dilations Shape
	var around []string
	dilated := false
	for k, w := range p.Windows {
		spatial[w.Axis] = k
		strides, dilations, pads = append(strides, w.Step), append(dilations, w.Dilation), append(pads, w.Low, w.High)
		around = append(around, pads[2*k:].String())
		dilated = dilated || w.Dilation != 1
	}
	label := func(axis int, other string) string {
		if k, ok := spatial[axis]; ok {
			return strconv.Itoa(k)
		}
		return other
	}
	var rows, columns Shape
	var images, kernels, answers []string
	for a := range from {
		other := "f"
		if a == batchAxis(p) {
			other = "b"
		}
		images = append(images, label(a, other))
	}
	for _, a := range p.Rows {
		extent := from[a]
		if k, ok := spatial[a]; ok {
			extent = p.Windows[k].count(extent)
		}
		rows, answers = append(rows, extent), append(answers, label(a, "b"))
	}
	for _, a := range p.Columns {
		extent := from[a]
		if k, ok := spatial[a]; ok {
			extent = p.Windows[k].Size
		}
		columns, kernels = append(columns, extent), append(kernels, label(a, "i"))
	}
	rows, columns = append(rows, channels), append(columns, channels)
	window := fmt.Sprintf("stride = %v, pad = [%s]", strides, strings.Join(around, ", "))
	if dilated {
		window += fmt.Sprintf(", rhs_dilate = %v", dilations)
	}
	e.line("%s_kernel = stablehlo.reshape %s : (%s) -> %s", name, matrix, e.typeOf(second), e.typeOf(columns))
	e.line("%s_windows = stablehlo.convolution(%s, %s_kernel) dim_numbers = [%s]x[%s, o]->[%s, f], window = {%s} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%s, %s) -> %s",
		name, image, name, strings.Join(images, ", "), strings.Join(kernels, ", "), strings.Join(answers, ", "), window, e.typeOf(from), e.typeOf(columns), e.typeOf(rows))
	e.line("%s = stablehlo.reshape %s_windows : (%s) -> %s", name, name, e.typeOf(rows), e.typeOf(to))
}
