package topos

import "strconv"

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

// family groups the kinds that share a file: its shape rule, its arithmetic, its
// derivative rule, and how it is recorded.
type family uint8

const (
	sourceFamily family = iota
	arithmeticFamily
	mapFamily
	powfFamily
	maximumFamily
	matmulFamily
	sumFamily
	broadcastFamily
	movementFamily
	narrowFamily
	windowFamily
	rowFamily
	logFamily
)

// values says which of a node's values its derivative rule reads: a plan with a
// backward posture must retain them.
type values uint8

const (
	left values = 1 << iota
	right
	output
)

// facts are what is known of a kind besides its arithmetic.
type facts struct {
	name       string // as describe prints it
	spelling   string // as the tape language and refusals spell it
	arity      int
	family     family
	attributes attribute
	retains    values
	stops      values // operands through which nothing flows back
}

// kindFacts is the table of the families' facts.
var kindFacts = [kinds]facts{
	OpLeaf:           leafFacts,
	OpParameter:      parameterFacts,
	OpInput:          inputFacts,
	OpAdd:            addFacts,
	OpSub:            subFacts,
	OpMul:            mulFacts,
	OpDiv:            divFacts,
	OpNeg:            negFacts,
	OpExp:            expFacts,
	OpLn:             lnFacts,
	OpSqrt:           sqrtFacts,
	OpTanh:           tanhFacts,
	OpSin:            sinFacts,
	OpCos:            cosFacts,
	OpLog1p:          log1pFacts,
	OpExpm1:          expm1Facts,
	OpErf:            erfFacts,
	OpErfDerivative:  erfDerivativeFacts,
	OpPowf:           powfFacts,
	OpMaximum:        maximumFacts,
	OpStep:           stepFacts,
	OpMatMul:         matmulFacts,
	OpSum:            sumFacts,
	OpSumAlong:       sumAlongFacts,
	OpBroadcast:      broadcastFacts,
	OpBroadcastAlong: broadcastAlongFacts,
	OpReshape:        reshapeFacts,
	OpPermute:        permuteFacts,
	OpNarrow:         narrowFacts,
	OpPad:            padFacts,
	OpUnfold:         unfoldFacts,
	OpFold:           foldFacts,
	OpGather:         gatherFacts,
	OpScatter:        scatterFacts,
	OpLogSoftmax:     logSoftmaxFacts,
	OpLogSumExp:      logSumExpFacts,
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
