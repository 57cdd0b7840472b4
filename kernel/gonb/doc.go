// Package gonb runs GoNB, unmodified, as a child process and speaks to it as a
// Jupyter client would.
//
// It starts the child in the background, restarts it when it dies, keeps one
// execute request in flight, keeps the child's cell count equal to the
// caller's, and turns what the child publishes into calls. What GoNB gets wrong
// about the protocol is put right here where it concerns the conversation with
// the child; what concerns the outcome of a cell is the caller's.
package gonb

// Version is the version of GoNB that this package is written against.
const Version = "v0.11.1"
