// Package topos is an autodiff compiler small enough to read.
//
// Recording writes a [Tape]: an append-only list of operations (Wengert 1964)
// whose shapes are checked at the line that records them. Sealing turns it into
// a [Network]; reopening turns that back into a tape, and both consume, so a
// tape has one history. Everything else reads the same list: [Tape.Describe]
// prints it, [Tape.Differentiate] appends its derivative as more nodes,
// [Network.Entry] declares what a run may read and lowers to a [Plan], a plan
// runs or is written as StableHLO.
//
// Two invariants hold. A node never moves and is never rewritten: an index
// printed on one page is the same node on another. And the interpreter's bits
// are the truth: every other way to run must answer them under [Exact].
//
// The package is not a tensor library and not a trainer: it does not broadcast
// by accident, holds no global state and never steps parameters of its own
// accord.
//
// Recording misuse panics with a [*Refusal]; everything else returns errors.
//
// SEMANTICS.md in this folder defines every operation, its derivative, the order
// of its arithmetic and the printed forms.
package topos
