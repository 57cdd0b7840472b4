// Package optim is optimizers: pure arithmetic from parameters and gradients to
// the next parameters.
//
// What an optimizer remembers are further tables over the same slots, so that
// they can be read, kept and carried as parameters are. The learning rate is an
// argument of each step, so a schedule is a function of the caller's.
//
// Every operation is rounded to the element, in the order that the formulas are
// written in: a step gives the same bits on every platform.
package optim
