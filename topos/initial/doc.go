// Package initial draws payloads: initial parameters and masks.
//
// Each function answers a closure from a shape to a payload, with a stream of
// its own from a seed, so that there is no global generator and the order of
// calls decides what is drawn. Numbers are drawn in float64, by the elementary
// functions of [topos], and rounded to the element once: a seed gives the same
// bits on every platform, and the same draw whatever the element.
//
// A closure is not safe for concurrent use.
package initial
