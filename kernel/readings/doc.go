// Package readings takes the readings of a tape that names speak of: what to
// differentiate, what a run may read, and how results are called follow from
// the request in one place, for notebook cells and the command line alike.
//
// A reading never changes the tape. Where it needs a derivative that nobody has
// recorded, one is recorded, read and cut off again.
package readings
