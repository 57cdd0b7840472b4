// Package seams shows what can be built on the tape from outside: every file is
// one example over the public surface alone, and what it prints is checked.
//
// An automatic differentiation mode of one's own (forward mode by dual numbers),
// a replay that records a spec again, a reverse scan by hand, what-if copies of
// the weights, one tape per shape bucket, the compiler inside an ordinary
// program, a training loop of layers and an optimizer. The folders below hold the seams that need types of their own: a
// number, a pattern, an emission target.
package seams
