package topos

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Raises: under Fast a pattern is written as the one operation that StableHLO
// has for it. Under Exact nothing raises, since those may add in another order.

// raised is emission's own election, by root, and the members that it leaves out.
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
		if p.expressible() && (!e.primitive || p.Kind.primitive()) {
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

// expressible says whether the attributes fit the operation: a batch norm's
// epsilon is f32 there, whatever the element.
func (p Pattern) expressible() bool {
	if p.Kind != BatchNormTraining && p.Kind != BatchNormInference {
		return true
	}
	x := float64(float32(p.Epsilon))
	return !math.IsInf(x, 0) && (x != 0 || p.Epsilon == 0)
}

// raises says whether a node belongs to an elected pattern, which is written at
// its root.
func (e *emitter) raises(i int) bool {
	p, root := e.raised.byRoot[i]
	if root {
		e.group(p)
	}
	return root || e.raised.hidden != nil && e.raised.hidden[i]
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

// along is the window along an axis of the image, by its place.
func (p Pattern) along(axis int) (k int, ok bool) {
	k = slices.IndexFunc(p.Windows, func(w Window) bool { return w.Axis == axis })
	return k, k >= 0
}

// count is how many windows there are along an extent.
func (w Window) count(extent int) int {
	return (w.Low+extent+w.High-(w.Size-1)*w.Dilation-1)/w.Step + 1
}

// dimensions writes axes of the image as a convolution numbers them: by the
// windows' places, and one of the others' letter.
func (p Pattern) dimensions(axes []int, whole func(axis int) string) string {
	labels := make([]string, len(axes))
	for i, a := range axes {
		if k, ok := p.along(a); ok {
			labels[i] = strconv.Itoa(k)
		} else {
			labels[i] = whole(a)
		}
	}
	return strings.Join(labels, ", ")
}

// convolution takes the image as it lies, and the kernel as its matrix reshaped
// to the order in which the rows of the matrix are summed over.
func (e *emitter) convolution(name string, p Pattern) {
	image, from := e.operand(p, 0)
	matrix, second := e.operand(p, 1)
	to := e.g.shape(p.Root.Index())
	var kernel, windows Shape
	for _, a := range p.Columns {
		if k, ok := p.along(a); ok {
			kernel = append(kernel, p.Windows[k].Size)
		} else {
			kernel = append(kernel, from[a])
		}
	}
	for _, a := range p.Rows {
		if k, ok := p.along(a); ok {
			windows = append(windows, p.Windows[k].count(from[a]))
		} else {
			windows = append(windows, from[a])
		}
	}
	kernel, windows = append(kernel, to[1]), append(windows, to[1])
	letter := func(x string) func(int) string { return func(int) string { return x } }
	images := p.dimensions(axes(len(from)), func(a int) string {
		if slices.Contains(p.Rows, a) {
			return "b"
		}
		return "f"
	})
	e.line("%s_kernel = stablehlo.reshape %s : (%s) -> %s", name, matrix, e.typeOf(second), e.typeOf(kernel))
	e.accumulated(name, name+"_windows", windows, func(answer, element string) {
		e.line("%s = stablehlo.convolution(%s, %s_kernel) dim_numbers = [%s]x[%s, o]->[%s, f], window = {%s} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (%s, %s) -> %s",
			answer, image, name, images, p.dimensions(p.Columns, letter("i")), p.dimensions(p.Rows, letter("b")), p.geometry(),
			e.typeOf(from), e.typeOf(kernel), tensorType(windows, element))
	})
	e.line("%s = stablehlo.reshape %s_windows : (%s) -> %s", name, name, e.typeOf(windows), e.typeOf(to))
}

// geometry is a convolution's window attribute.
func (p Pattern) geometry() string {
	var steps, dilations Shape
	var around []string
	apart := false
	for _, w := range p.Windows {
		steps, dilations = append(steps, w.Step), append(dilations, w.Dilation)
		around = append(around, Shape{w.Low, w.High}.String())
		apart = apart || w.Dilation != 1
	}
	text := fmt.Sprintf("stride = %v, pad = [%s]", steps, strings.Join(around, ", "))
	if apart {
		text += fmt.Sprintf(", rhs_dilate = %v", dilations)
	}
	return text
}

// reduceWindow takes the maximum of each window, from minus infinity.
func (e *emitter) reduceWindow(name string, p Pattern) {
	image, from := e.operand(p, 0)
	sizes, steps, dilations := make(Shape, len(from)), make(Shape, len(from)), make(Shape, len(from))
	for a := range from {
		sizes[a], steps[a], dilations[a] = 1, 1, 1
	}
	apart := false
	for _, w := range p.Windows {
		sizes[w.Axis], steps[w.Axis], dilations[w.Axis] = w.Size, w.Step, w.Dilation
		apart = apart || w.Dilation != 1
	}
	attributes := fmt.Sprintf("window_dimensions = %s, window_strides = %s", array(sizes), array(steps))
	if apart {
		attributes += ", window_dilations = " + array(dilations)
	}
	scalar := e.typeOf(nil)
	e.line("%s_seed = stablehlo.constant dense<%s> : %s", name, e.lowest, scalar)
	e.line(`%s = "stablehlo.reduce_window"(%s, %s_seed) ({`, name, image, name)
	e.line("^bb0(%s_left: %s, %s_right: %s):", name, scalar, name, scalar)
	e.line("  %s_larger = stablehlo.maximum %s_left, %s_right : %s", name, name, name, scalar)
	e.line("  stablehlo.return %s_larger : %s", name, scalar)
	e.line("}) {%s} : (%s, %s) -> %s", attributes, e.typeOf(from), scalar, e.typeOf(e.g.shape(p.Root.Index())))
}

func array(s Shape) string { return "array<i64: " + strings.Trim(s.String(), "[]") + ">" }

// batchNorm writes either kind. Training answers mean and variance as well.
func (e *emitter) batchNorm(name string, p Pattern) {
	last := len(p.Operands) - 1
	names, types := make([]string, last), make([]string, last)
	for k := range last {
		x, shape := e.operand(p, k)
		names[k], types[k] = x, e.typeOf(shape)
	}
	spelling, to := "batch_norm_inference", e.typeOf(e.g.shape(p.Root.Index()))
	answer := name
	if p.Kind == BatchNormTraining {
		spelling, answer = "batch_norm_training", name+":3"
		to = fmt.Sprintf("(%s, %s, %s)", to, types[1], types[1])
		e.names[p.Root.Index()] = name + "#0"
		for k, n := range p.Results {
			e.names[n.Index()] = fmt.Sprintf("%s#%d", name, k+1)
		}
	}
	e.line(`%s = "stablehlo.%s"(%s) {epsilon = %s : f32, feature_index = %d : i64} : (%s) -> %s`, answer, spelling,
		strings.Join(names, ", "), e.constant(p.Operands[last].Index()), p.Feature, strings.Join(types, ", "), to)
}
