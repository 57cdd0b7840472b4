// Package training steps parameters against a recorded derivative: the loop of a
// Go cell with topos/optim, bit for bit, that may be watched and given up.
//
// It knows nothing of notebooks, names or disks, and never changes the tape. A
// [Training] is run by one goroutine; what it has reached may be read by others
// at any time, and is the state after a whole step.
package training
