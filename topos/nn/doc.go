// Package nn is layers and losses as formulas over the vocabulary of [topos]:
// each records what a program could record by hand, node for node, and a dump
// shows it.
//
// A layer holds the names of its parameters and no payloads: those belong to
// the caller's table. It works on any tape that knows the names, also after a
// seal and a reopen.
//
// Shapes are checked before anything is recorded. What does not fit panics with
// a [*topos.Refusal] that names the layer and the shapes in one line, and leaves
// the tape as it was.
package nn
