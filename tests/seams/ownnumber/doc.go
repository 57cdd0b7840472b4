// Package ownnumber shows elements that a program brings itself: every file is
// one number and an example over the public surface alone. Nothing in topos/
// knows of them.
//
// An exact fraction, whose gradients are exact; and a float32 that counts the
// operations done with it.
package ownnumber
