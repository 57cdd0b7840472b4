// Package wire is the conversation between a cell's process and the process
// that owns the session: frames over a Unix socket, and the snapshot of the
// session that a cell starts from.
//
// It is a format of its own rather than JSON because every cell links it: the
// link is most of the time that a small cell takes. Everything that is decoded
// is checked, and refused with [ErrMalformed] where it does not fit.
package wire
