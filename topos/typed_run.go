package topos

import (
	"slices"
	"unsafe"
)

// Parameters is a table of one tensor per parameter slot: live weights, and
// anything aligned with them, such as gradients or moments. The caller owns it;
// every method answers a new table.
type Parameters[T any] struct{ t table }

func typedTable[T any](t *table) *Parameters[T] { return (*Parameters[T])(unsafe.Pointer(t)) }

// Len is the number of slots.
func (p *Parameters[T]) Len() int { return len(p.t.tensors) }

// Names lists the parameters' symbols, by slot.
func (p *Parameters[T]) Names() []Symbol { return p.t.Names() }

// Of is the tensor of a parameter. It panics with a [*Refusal] for a name that
// is no parameter of the table.
func (p *Parameters[T]) Of(n Named) *Tensor[T] { return typed[T](p.t.Of(n)) }

// Slot is the tensor at a position.
func (p *Parameters[T]) Slot(i int) *Tensor[T] { return typed[T](p.t.tensors[i]) }

// With is the table with one parameter replaced: a what-if costs one tensor.
// It panics with a [*Refusal] where the shapes differ.
func (p *Parameters[T]) With(n Named, t *Tensor[T]) *Parameters[T] {
	return typedTable[T](p.t.With(n, &t.t))
}

// Map applies a function to every tensor. It panics with a [*Refusal] where the
// function changes a shape.
func (p *Parameters[T]) Map(f func(*Tensor[T]) *Tensor[T]) *Parameters[T] {
	return typedTable[T](p.t.Map(func(t *dense) *dense { return untyped(f(typed[T](t))) }))
}

// WithPayloads is the table with some parameters replaced, each given by [With].
// It panics with a [*Refusal] for a name that is no parameter of the table, and
// where shapes differ.
func (p *Parameters[T]) WithPayloads(replaced ...Feed[T]) *Parameters[T] {
	return typedTable[T](p.t.WithPayloads(untypedFeeds(replaced)...))
}

// Scale multiplies every element of every tensor by a number.
func (p *Parameters[T]) Scale(by T) *Parameters[T] {
	return typedTable[T](p.t.Scale(p.t.k.tensor("scale", nil, []T{by}, 1)))
}

// Step pairs this table with a direction over the same slots, such as gradients,
// and answers the next table: a pure transform of data. It panics with a
// [*Refusal], which names the slot and the shapes, where the slots differ or a
// shape changes.
func (p *Parameters[T]) Step(direction *Parameters[T], f func(weight, gradient *Tensor[T]) *Tensor[T]) *Parameters[T] {
	return typedTable[T](p.t.Step(&direction.t, func(w, g *dense) *dense { return untyped(f(typed[T](w), typed[T](g))) }))
}

// StepEach is Step with a function that is told the name of each parameter.
func (p *Parameters[T]) StepEach(direction *Parameters[T], f func(name Symbol, weight, gradient *Tensor[T]) *Tensor[T]) *Parameters[T] {
	return typedTable[T](p.t.StepEach(&direction.t, func(n Symbol, w, g *dense) *dense { return untyped(f(n, typed[T](w), typed[T](g))) }))
}

// Zip pairs two tables over the same slots. It panics as Step does.
func (p *Parameters[T]) Zip(o *Parameters[T], f func(left, right *Tensor[T]) *Tensor[T]) *Parameters[T] {
	return typedTable[T](p.t.Zip(&o.t, func(l, r *dense) *dense { return untyped(f(typed[T](l), typed[T](r))) }))
}

// Equal says whether two tables hold the same bits.
func (p *Parameters[T]) Equal(o *Parameters[T]) bool { return p.t.Equal(&o.t) }

// Reading is the table, slot by slot.
func (p *Parameters[T]) Reading() *Reading { return p.t.reading() }

// String is the text of that reading.
func (p *Parameters[T]) String() string { return p.t.reading().line() }

// Field is a payload per node of one tape: what a backward sweep produces.
type Field[T any] struct{ f field }

// Gradients is a field in the role that a backward sweep gives it: the partial
// derivatives of one target.
type Gradients[T any] = Field[T]

// Scale multiplies every payload by a number.
func (f *Field[T]) Scale(by T) *Field[T] {
	return (*Field[T])(unsafe.Pointer(f.f.Scale(f.f.s.k.tensor("scale", nil, []T{by}, 1))))
}

// Zip pairs two fields of one tape. Where nothing flowed into a node in one of
// them it counts as zeros; where nothing did in both, nothing is asked. It
// panics with a [*Refusal] for a field of another tape and where a shape
// changes.
func (f *Field[T]) Zip(o *Field[T], pair func(left, right *Tensor[T]) *Tensor[T]) *Field[T] {
	return (*Field[T])(unsafe.Pointer(f.f.Zip(&o.f, func(l, r *dense) *dense { return untyped(pair(typed[T](l), typed[T](r))) })))
}

// Of is the payload of a node; zeros where nothing flowed into it.
func (f *Field[T]) Of(n Named) *Tensor[T] { return typed[T](f.f.Of(n)) }

// Parameters projects the field onto the parameter slots of a table.
func (f *Field[T]) Parameters(p *Parameters[T]) *Parameters[T] {
	return typedTable[T](f.f.Parameters(&p.t))
}

// Reading is the payloads that hold a cotangent, by node.
func (f *Field[T]) Reading() *Reading { return f.f.reading() }

// String is the text of that reading.
func (f *Field[T]) String() string { return f.f.reading().line() }

// Feed is the payload of an input for one run.
type Feed[T any] struct{ f feed }

// With feeds an input.
func With[T any](input Named, payload *Tensor[T]) Feed[T] { return Feed[T]{feed{input, &payload.t}} }

func untypedFeeds[T any](feeds []Feed[T]) []feed {
	r := make([]feed, len(feeds))
	for i, f := range feeds {
		r[i] = f.f
	}
	return r
}

// Entry is a function exported from a network: the values a run may read, and
// how. One network may export several. Methods answer a changed copy.
type Entry[T any] struct{ e entry }

// Observe declares interiors that a run may read as well.
func (e Entry[T]) Observe(names ...Named) Entry[T] { return Entry[T]{e.e.Observe(names...)} }

// Numerics chooses between Fast, the default, and Exact.
func (e Entry[T]) Numerics(n Numerics) Entry[T] { return Entry[T]{e.e.Numerics(n)} }

// Retain keeps what a backward sweep over the run will read.
func (e Entry[T]) Retain() Entry[T] { return Entry[T]{e.e.Retain()} }

// Interpret evaluates the ancestors of what the entry declares by the plain
// interpreter, which keeps every one of them readable. Errors are those of the
// declaration, the table and the feeds.
func (e Entry[T]) Interpret(p *Parameters[T], feeds ...Feed[T]) (*Run[T], error) {
	r, err := e.e.Interpret(&p.t, untypedFeeds(feeds)...)
	return typedRun[T](r), err
}

// Lower derives the plan: what to run, keep and free. It fails for a stale or
// foreign symbol.
func (e Entry[T]) Lower() (*Plan[T], error) {
	p, err := e.e.Lower()
	return (*Plan[T])(unsafe.Pointer(p)), err
}

// Reading is what the entry declares.
func (e Entry[T]) Reading() *Reading { return e.e.reading() }

// String is the text of that reading.
func (e Entry[T]) String() string { return e.e.reading().line() }

// Plan is a derived schedule: what to run, what to keep, what to free. It
// freezes a prefix of its tape and takes parameters per call, so it holds no
// state and survives every training step and every reopen.
type Plan[T any] struct{ p plan }

// Forward runs the plan. Under [Exact] it answers the interpreter's bits.
// Errors are those of the parameter table and the feeds.
func (p *Plan[T]) Forward(table *Parameters[T], feeds ...Feed[T]) (*Run[T], error) {
	r, err := p.p.Forward(&table.t, untypedFeeds(feeds)...)
	return typedRun[T](r), err
}

// Results lists the readable values: roots, then observes.
func (p *Plan[T]) Results() []Symbol { return p.p.Results() }

// LiveSeries is the number of live elements at each scheduled node that is not
// fused.
func (p *Plan[T]) LiveSeries() []int { return p.p.LiveSeries() }

// Peak is the largest number of live elements and the node where it occurs.
func (p *Plan[T]) Peak() (elements int, node Symbol) { return p.p.Peak() }

// RetainAll is the number of elements if nothing were freed.
func (p *Plan[T]) RetainAll() int { return p.p.sc.retainAll }

// Numerics is Fast or Exact, as the entry declared.
func (p *Plan[T]) Numerics() Numerics { return p.p.numerics }

// Schedule is the plan's structure: nodes, readers, patterns.
func (p *Plan[T]) Schedule() Schedule { return p.p.view() }

// Patterns are the elected ones: what Describe shows as fused. They depend on the
// entry alone.
func (p *Plan[T]) Patterns() []Pattern { return slices.Clone(p.p.elected) }

// Electing is the plan under an election of one's own, in Describe and in the
// accounting; it answers the same bits. It fails for patterns that are not
// closed, that share a member, or that hide what a backward sweep reads.
func (p *Plan[T]) Electing(patterns ...Pattern) (*Plan[T], error) {
	q, err := p.p.electing(patterns)
	return (*Plan[T])(unsafe.Pointer(q)), err
}

// Payload is the recorded payload of a source, or nil for a computed node.
func (p *Plan[T]) Payload(n Named) *Tensor[T] { return typed[T](p.p.s.payloadOf(n.Symbol())) }

// Describe prints the scheduled nodes with what becomes of each, then the
// plan's accounting.
func (p *Plan[T]) Describe() string { return p.p.Describe() }

// StableHLO writes the plan as a module: the scheduled nodes in order, as a
// function of the wanted parameters, then the wanted inputs, that returns the
// readable values as declared. Under [Exact] every operation is spelled so that
// the recorded order of arithmetic is kept; under [Fast] windows and batch norms
// are one operation each. [Primitive] spells out more.
func (p *Plan[T]) StableHLO(options ...Emission) (Module, error) { return p.p.StableHLO(options...) }

// Reading is the schedule with liveness and the live volume.
func (p *Plan[T]) Reading() *Reading { return p.p.reading() }

// String is the text of that reading.
func (p *Plan[T]) String() string { return p.p.reading().line() }

// Run holds the readable payloads of one forward execution.
type Run[T any] struct{ r run }

func typedRun[T any](r *run) *Run[T] { return (*Run[T])(unsafe.Pointer(r)) }

// Of is the payload of a value. It panics with a [*Refusal] for a value that
// the run's entry does not declare.
func (r *Run[T]) Of(n Named) *Tensor[T] { return typed[T](r.r.Of(n)) }

// Readable lists the values the run may be read for: roots, then observes.
func (r *Run[T]) Readable() []Symbol { return r.r.Readable() }

// RecordedGradients reads the gradients of a recorded derivative as a table of
// the parameter slots; zeros for a parameter the derivative was not taken with
// respect to. It panics with a [*Refusal] where the entry does not declare them.
func (r *Run[T]) RecordedGradients(a Adjoints) *Parameters[T] {
	return typedTable[T](r.r.RecordedGradients(a))
}

// Backward is the engine's reverse scan from a rank-0 target: the rules over
// tensors, nothing recorded. It needs a run that retained what the rules read:
// of [Network.Forward], [Entry.Interpret] or a plan with [Entry.Retain].
func (r *Run[T]) Backward(target Named) (*Field[T], error) {
	f, err := r.r.Backward(target)
	return (*Field[T])(unsafe.Pointer(f)), err
}

// Reading is the run's readable payloads, in declared order.
func (r *Run[T]) Reading() *Reading { return r.r.ReadValues(nil) }

// String is the text of that reading.
func (r *Run[T]) String() string { return r.r.ReadValues(nil).line() }

// ReadValues is the run's readable payloads, each under the label that is given
// for its node, or its number.
func (r *Run[T]) ReadValues(label Naming) *Reading { return r.r.ReadValues(label) }
