package topos

// Reading is one reading of a tape as plain data: the text that describe
// prints, and the parts a table or a picture of it is made of. It holds no
// payload type, so that it can travel from a cell to the process that renders
// it. Fields a kind does not use are empty.
type Reading struct {
	Kind    ReadingKind `json:"kind"`
	Element string      `json:"element,omitempty"` // "f32"; empty where no number is shown
	Subject string      `json:"subject,omitempty"` // what was asked for: "loss", "#3"
	Text    string      `json:"text"`              // text/plain, byte for byte what describe prints

	Rows   []Row    `json:"rows,omitempty"`   // nodes, in order; the first FewRows of more than MaxRows
	Marks  []Mark   `json:"marks,omitempty"`  // dividers between rows
	Tail   []string `json:"tail,omitempty"`   // the closing lines of the text
	Nodes  int      `json:"nodes,omitempty"`  // nodes of the whole tape
	Counts Counts   `json:"counts,omitzero"`  // sources of the whole tape
	Sealed bool     `json:"sealed,omitempty"` // a network rather than an open tape

	Plan     *PlanReading     `json:"plan,omitempty"`
	Adjoints []AdjointReading `json:"adjoints,omitempty"`
	Payloads []PayloadReading `json:"payloads,omitempty"`
	Plot     *Plot            `json:"plot,omitempty"`
}

// ReadingKind says which of the readings a Reading is.
type ReadingKind string

// The kinds of reading.
const (
	SpecReading       ReadingKind = "spec"       // rows of a tape or network
	GradientReading   ReadingKind = "gradient"   // rows with the appended derivative marked
	ScheduleReading   ReadingKind = "plan"       // scheduled rows with liveness
	ModuleReading     ReadingKind = "stablehlo"  // Text is the module
	ValuesReading     ReadingKind = "values"     // payloads of a run
	PictureReading    ReadingKind = "picture"    // rows, to be drawn
	NodeReading       ReadingKind = "node"       // one row, its payload, its readers
	AdjointsReading   ReadingKind = "adjoints"   // pairs of wrt and gradient
	EntryReading      ReadingKind = "entry"      // what an entry declares
	FieldReading      ReadingKind = "field"      // a payload per node or parameter, with norms
	ParametersReading ReadingKind = "parameters" // the parameter table
	TensorReading     ReadingKind = "tensor"     // one payload
	PlotReading       ReadingKind = "plot"       // a curve
	TextReading       ReadingKind = "text"       // Text alone
)

// Row is one node as describe prints it.
type Row struct {
	Index      int    `json:"index"`
	Opcode     string `json:"opcode"`
	Operands   []int  `json:"operands,omitempty"`
	Attributes string `json:"attributes,omitempty"` // "axis=0 extent=3"
	Shape      []int  `json:"shape"`
	Liveness   string `json:"liveness,omitempty"` // plans: "kept", "freed after 4", ...
	Name       string `json:"name,omitempty"`     // the name bound to the node, if any
	Origin     string `json:"origin,omitempty"`   // in words: where it was recorded, or which rule spoke
	Derived    bool   `json:"derived,omitempty"`  // recorded by a derivative
}

// Mark is a divider: a line of text above the row of a node.
type Mark struct {
	Before int    `json:"before"` // index of the first node below the divider
	Text   string `json:"text"`
}

// Counts are the sources of a tape.
type Counts struct {
	Parameters int `json:"parameters"`
	Inputs     int `json:"inputs"`
}

// PlanReading is a plan's accounting.
type PlanReading struct {
	Evaluated int   `json:"evaluated"`
	Of        int   `json:"of"`
	Readable  []int `json:"readable"` // nodes a run may read, in declared order
	Skipped   []int `json:"skipped,omitempty"`
	Schedule  []int `json:"schedule"` // node whose value is made at each position: none that is fused
	Live      []int `json:"live"`     // live elements at each position
	Peak      int   `json:"peak"`
	PeakNode  int   `json:"peak_node"`
	RetainAll int   `json:"retain_all"`
	Backward  bool  `json:"backward,omitempty"`
	Exact     bool  `json:"exact,omitempty"`

	Patterns []PatternReading `json:"patterns,omitempty"` // the fused ones, then the other candidates; the first FewRows of more than MaxRows
}

// PatternReading is a pattern that discovery found in a plan.
type PatternReading struct {
	Kind       string `json:"kind"`
	Root       int    `json:"root"`
	Nodes      []int  `json:"nodes"`                // members, the root last
	Attributes string `json:"attributes,omitempty"` // "axis=2 size=3 ..."
	Fused      bool   `json:"fused,omitempty"`      // elected: Nodes before the root are never made
}

// AdjointReading is one pair of a derivative.
type AdjointReading struct {
	Target   int    `json:"target"`
	Wrt      int    `json:"wrt"`
	Gradient int    `json:"gradient"`
	Name     string `json:"name,omitempty"` // the name bound to wrt, if any
	Shape    []int  `json:"shape"`
}

// PayloadReading is one tensor as plain data. Numbers are printed forms.
type PayloadReading struct {
	Label     string    `json:"label,omitempty"` // "loss", "d loss / d weights"
	Node      int       `json:"node"`            // -1 where it is no node's
	Shape     []int     `json:"shape"`
	Text      string    `json:"text"`   // nested brackets, cut when long
	Digest    string    `json:"digest"` // hex SHA-256 of the elements' bits, little-endian, row-major
	Count     int       `json:"count"`
	NonFinite int       `json:"non_finite"`
	Min       string    `json:"min"`
	Max       string    `json:"max"`
	Norm      string    `json:"norm,omitempty"`
	Cells     []string  `json:"cells,omitempty"`   // row-major printed numbers, when at most MaxCells
	Samples   []float64 `json:"samples,omitempty"` // at most MaxSamples finite values, evenly taken, when Cells is empty
}

// How much a reading carries, of rows and of a payload.
const (
	MaxRows    = 20_000
	FewRows    = 40
	MaxCells   = 144
	MaxSamples = 512
)

// Plot is a curve of numbers against their position.
type Plot struct {
	Title  string    `json:"title"`
	XLabel string    `json:"x_label"`
	YLabel string    `json:"y_label"`
	Step   bool      `json:"step,omitempty"` // corners rather than slopes
	Log    bool      `json:"log,omitempty"`  // a logarithmic y axis, where all values allow one
	Values []float64 `json:"values"`
	Rule   *float64  `json:"rule,omitempty"` // a horizontal line, such as a peak
}

// Reader is anything that can be read: a tape, a network, a value, a plan, ...
type Reader interface{ Reading() *Reading }
