package topos

import (
	"strconv"
)

// Kind is the operation of a node, without attributes. The set is closed.
type Kind uint8

// The kinds. Three are sources and have no operands; Leaf is a constant,
// Parameter is trainable, Input is fed per run.
const (
	OpLeaf Kind = iota
	OpParameter
	OpInput
	OpAdd
	OpSub
	OpMul
	OpDiv
	OpNeg
	OpExp
	OpLn
	OpSqrt
	OpTanh
	OpSin
	OpCos
	OpLog1p
	OpExpm1
	OpErf
	OpErfDerivative
	OpPowf
	OpMaximum
	OpStep
	OpMatMul
	OpSum
	OpSumAlong
	OpBroadcast
	OpBroadcastAlong
	OpReshape
	OpPermute
	OpNarrow
	OpPad
	OpUnfold
	OpFold
	OpGather
	OpScatter
	OpLogSoftmax
	OpLogSumExp
	kinds
)

// attribute says which attributes a kind carries.
type attribute uint8

const (
	noAttributes attribute = iota
	axisOnly
	axisExtent
	dimsShape
	dimsOrder
	narrowing
	padding
	unfolding
	folding
)

// kindFacts is the table of what is known of each kind besides its arithmetic.
var kindFacts = [kinds]struct {
	name       string // as describe prints it
	spelling   string // as the tape language and refusals spell it
	arity      int
	attributes attribute
}{
	OpLeaf:           {"Leaf", "leaf", 0, noAttributes},
	OpParameter:      {"Parameter", "parameter", 0, noAttributes},
	OpInput:          {"Input", "input", 0, noAttributes},
	OpAdd:            {"Add", "add", 2, noAttributes},
	OpSub:            {"Sub", "sub", 2, noAttributes},
	OpMul:            {"Mul", "mul", 2, noAttributes},
	OpDiv:            {"Div", "div", 2, noAttributes},
	OpNeg:            {"Neg", "neg", 1, noAttributes},
	OpExp:            {"Exp", "exp", 1, noAttributes},
	OpLn:             {"Ln", "ln", 1, noAttributes},
	OpSqrt:           {"Sqrt", "sqrt", 1, noAttributes},
	OpTanh:           {"Tanh", "tanh", 1, noAttributes},
	OpSin:            {"Sin", "sin", 1, noAttributes},
	OpCos:            {"Cos", "cos", 1, noAttributes},
	OpLog1p:          {"Log1p", "log1p", 1, noAttributes},
	OpExpm1:          {"Expm1", "expm1", 1, noAttributes},
	OpErf:            {"Erf", "erf", 1, noAttributes},
	OpErfDerivative:  {"ErfDerivative", "erf_derivative", 1, noAttributes},
	OpPowf:           {"Powf", "powf", 2, noAttributes},
	OpMaximum:        {"Maximum", "maximum", 2, noAttributes},
	OpStep:           {"Step", "step", 2, noAttributes},
	OpMatMul:         {"MatMul", "matmul", 2, noAttributes},
	OpSum:            {"Sum", "sum", 1, noAttributes},
	OpSumAlong:       {"SumAlong", "sum_along", 1, axisOnly},
	OpBroadcast:      {"Broadcast", "broadcast", 1, dimsShape},
	OpBroadcastAlong: {"BroadcastAlong", "broadcast_along", 1, axisExtent},
	OpReshape:        {"Reshape", "reshape", 1, dimsShape},
	OpPermute:        {"Permute", "permute", 1, dimsOrder},
	OpNarrow:         {"Narrow", "narrow", 1, narrowing},
	OpPad:            {"Pad", "pad", 1, padding},
	OpUnfold:         {"Unfold", "unfold", 1, unfolding},
	OpFold:           {"Fold", "fold", 1, folding},
	OpGather:         {"Gather", "gather", 2, noAttributes},
	OpScatter:        {"Scatter", "scatter", 2, noAttributes},
	OpLogSoftmax:     {"LogSoftmax", "log_softmax", 1, axisOnly},
	OpLogSumExp:      {"LogSumExp", "logsumexp", 1, axisOnly},
}

// Kinds lists every kind, in order.
func Kinds() []Kind {
	all := make([]Kind, kinds)
	for i := range all {
		all[i] = Kind(i)
	}
	return all
}

// String is the name that describe prints: "MatMul".
func (k Kind) String() string { return kindFacts[k].name }

// Spelling is the name in the tape language and in refusals: "matmul".
func (k Kind) Spelling() string { return kindFacts[k].spelling }

// Arity is the number of operands: 0, 1 or 2.
func (k Kind) Arity() int { return kindFacts[k].arity }

// IsSource says whether the kind has no operands.
func (k Kind) IsSource() bool { return k <= OpInput }

// Opcode is a closed, payload-free instruction: a kind and its attributes.
// Attributes a kind does not have are zero.
type Opcode struct {
	Kind     Kind
	Axis     int
	Start    int   // Narrow, Pad
	Length   int   // Narrow: the extent kept
	Extent   int   // BroadcastAlong, Fold: the extent made; Pad: the full extent
	Size     int   // Unfold, Fold: positions in a window
	Step     int   // Unfold, Fold: distance between windows
	Dilation int   // Unfold, Fold: distance between positions in a window
	Dims     Shape // Broadcast, Reshape: the shape; Permute: the order
}

// String is the name that describe prints: "MatMul".
func (o Opcode) String() string { return o.Kind.String() }

// Attributes prints the attributes as describe does: "axis=0 extent=3", or "".
func (o Opcode) Attributes() string { return string(o.appendAttributes(nil)) }

func (o Opcode) appendAttributes(b []byte) []byte {
	field := func(name string, x int) {
		if len(b) > 0 && b[len(b)-1] != ' ' {
			b = append(b, ' ')
		}
		b = append(append(b, name...), '=')
		b = strconv.AppendInt(b, int64(x), 10)
	}
	switch kindFacts[o.Kind].attributes {
	case axisOnly:
		field("axis", o.Axis)
	case axisExtent:
		field("axis", o.Axis)
		field("extent", o.Extent)
	case dimsShape:
		b = o.Dims.append(append(b, "shape="...))
	case dimsOrder:
		b = o.Dims.append(append(b, "order="...))
	case narrowing:
		field("axis", o.Axis)
		field("start", o.Start)
		field("len", o.Length)
	case padding:
		field("axis", o.Axis)
		field("start", o.Start)
		field("full_extent", o.Extent)
	case unfolding, folding:
		field("axis", o.Axis)
		field("size", o.Size)
		field("step", o.Step)
		field("dilation", o.Dilation)
		if o.Kind == OpFold {
			field("extent", o.Extent)
		}
	}
	return b
}
