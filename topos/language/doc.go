// Package language reads the tape language: one assignment a line, each of
// which records nodes on a [topos.Tape] through the calls a Go program would
// make. It is a spelling of the core, not a language of its own: there are no
// functions to define, no conditions and no loops.
//
//	weights = parameter [2, 2] {0.5, -0.25, 0.25, 0.4}
//	input   = input [1, 2] {1, 2}
//	hidden  = tanh(input @ weights)   # a comment
//	loss    = sum(hidden * hidden)
//
// The right-hand side is a source or an expression.
//
//   - A source is parameter, input or leaf, followed by a shape or by a number.
//     A shape may be followed by its elements in braces, row-major, where nested
//     braces only group. Without them the elements are drawn from a stream
//     seeded by the name, the same on every platform.
//   - An expression is made of names, numbers, calls, parentheses, unary minus
//     and the operators. Unary minus binds tightest, then * / @, then + and -;
//     operators of one level associate to the left. A number is a rank-0 leaf.
//     Where one operand of an elementwise operation is rank 0 and the other is
//     not, a Broadcast is recorded for it.
//
// The words parameter, input and leaf are no keywords: what follows them tells
// a source from a name, and a minus belongs to the number of a source only where
// it touches it, as in input -1.
//
// A line that begins with a percent sign is a request for a reading. It is kept
// as text for whoever runs the program.
//
// Every fault is an [*Error] with the line, the column and one sentence. A
// refused program leaves the tape and the names as they were.
package language
